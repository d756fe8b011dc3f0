"""Mutation score of the gate: small faults in its modules, one by one; tests must notice (N21).

Takes a seeded sample of all mutants, so that a run ends in reasonable time; 0 takes all of them.
Prints each survivor and {value, limit, pass}; exits 1 below the limit. Linux and macOS only.

    python tests/bench/bench_mutation.py [SAMPLE] [SEED] [MODULE,MODULE…]
"""

from __future__ import annotations

import ast
import copy
import importlib.abc
import importlib.util
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 0.9
SECONDS = 300
JUDGE = ("tests/policy/test_judges.py", "tests/attacks/test_shell_cases.py",
         "tests/policy/test_judge_fuzz.py")  # fmt: skip
PATHS = ("tests/policy/test_judges.py", "tests/policy/test_gate.py",
         "tests/attacks/test_path_cases.py")  # fmt: skip
WEB = ("tests/policy/test_judges.py", "tests/attacks/test_web_cases.py")
MODULES: dict[str, tuple[str, ...]] = {
    "kinet.policy.commands": JUDGE,
    "kinet.policy.never": JUDGE,
    "kinet.policy.operands": JUDGE,
    "kinet.policy.shell_syntax": JUDGE,
    "kinet.policy.shell_words": JUDGE,
    "kinet.policy.gate": ("tests/policy/test_gate.py", *PATHS),
    "kinet.policy.paths": PATHS,
    "kinet.policy.protected": (*PATHS, "tests/attacks/test_shell_cases.py"),
    "kinet.policy.addresses": WEB,
    "kinet.policy.network": WEB,
    "kinet.net.redact": ("tests/net/test_net_secrets.py",),
}
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A module with one fault."""

    module: str
    line: int
    what: str
    tree: ast.Module


def mutants(module: str) -> Iterator[Mutant]:
    """Every fault this knows, one at a time."""
    path = ROOT / (module.replace(".", "/") + ".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = _annotations(tree)
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        for what, change in _changes(node):
            changed = copy.deepcopy(tree)
            change(list(ast.walk(changed))[place])
            yield Mutant(
                module, getattr(node, "lineno", 0), what, ast.fix_missing_locations(changed)
            )


def _annotations(tree: ast.Module) -> set[int]:
    """Nodes that say nothing at run time: annotations and docstrings."""
    found: set[int] = set()
    for node in ast.walk(tree):
        roots = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            roots.append(body[0])
        for root in filter(None, roots):
            found |= {id(inner) for inner in ast.walk(root)}
    return found


def _changes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    if isinstance(node, ast.Compare):
        new = _COMPARED.get(type(node.ops[0]))
        if new is not None:
            name = f"{type(node.ops[0]).__name__} to {new.__name__}"
            yield name, lambda item: item.ops.__setitem__(0, new())
    elif isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"to {other.__name__}", lambda item: setattr(item, "op", other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not dropped", lambda item: setattr(item, "op", ast.UAdd()) or _drop_not(item)
    elif isinstance(node, ast.If):
        yield "if False", lambda item: setattr(item, "test", ast.Constant(False))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"to {not node.value}", lambda item: setattr(item, "value", not item.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield f"{node.value} + 1", lambda item: setattr(item, "value", item.value + 1)
    elif isinstance(node, ast.Continue):
        yield "to break", lambda item: setattr(item, "__class__", ast.Break)


def _drop_not(item: Any) -> None:
    """`not x` becomes bool(x)."""
    operand = item.operand
    item.__class__ = ast.Call
    item.func, item.args, item.keywords = ast.Name("bool", ast.Load()), [operand], []


class _Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant in place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Only for the one module."""
        if name != self._mutant.module:
            return None
        file = str(ROOT / (name.replace(".", "/") + ".py"))
        spec = importlib.util.spec_from_loader(name, self, origin=file)
        if spec is not None:
            spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Runs the mutated tree."""
        exec(compile(self._mutant.tree, str(module.__file__), "exec"), module.__dict__)


def killed(mutant: Mutant) -> bool:
    """True if a test fails with it, or it does not end."""
    child = os.fork()
    if not child:
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        code = 99
        try:
            import pytest

            sys.meta_path.insert(0, _Planted(mutant))
            options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:qt"]
            code = int(pytest.main([*options, *MODULES[mutant.module]]))
        finally:
            os._exit(code)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) != 0
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return True


def main() -> int:
    """Tries the sample."""
    sample = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    # What no mutant touches is imported once, before the forks.
    import hypothesis  # noqa: F401
    import pydantic  # noqa: F401
    import pytest_asyncio  # noqa: F401

    modules = sys.argv[3].split(",") if len(sys.argv) > 3 else list(MODULES)
    every = [mutant for module in modules for mutant in mutants(module)]
    chosen = random.Random(seed).sample(every, min(sample or len(every), len(every)))
    for module in modules:
        source = (ROOT / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8")
        if killed(Mutant(module, 0, "nothing", ast.parse(source))):
            print(f"the tests of {module} fail without any fault: no score can be taken")
            return 1
    score: dict[str, list[int]] = {}
    for mutant in chosen:
        counts = score.setdefault(mutant.module, [0, 0])
        counts[1] += 1
        if killed(mutant):
            counts[0] += 1
        else:
            print(f"survived: {mutant.module}:{mutant.line} {mutant.what}", flush=True)
    for module, (dead, all_of) in sorted(score.items()):
        print(json.dumps({"module": module, "killed": dead, "tried": all_of}))
    dead, tried = (sum(pair[place] for pair in score.values()) for place in (0, 1))
    value = round(dead / tried, 3)
    told = {"name": "mutation score of the gate", "value": value, "limit": LIMIT}
    print(json.dumps({**told, "pass": value >= LIMIT, "tried": tried, "of": len(every)}))
    return 0 if value >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
