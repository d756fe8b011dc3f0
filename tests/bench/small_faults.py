"""Small faults for the modules of the gate: which there are, and which of them change nothing."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    "kinet.policy.addresses",
    "kinet.policy.commands",
    "kinet.policy.gate",
    "kinet.policy.git_contents",
    "kinet.policy.git_forms",
    "kinet.policy.git_objects",
    "kinet.policy.git_packs",
    "kinet.policy.git_place",
    "kinet.policy.git_reading",
    "kinet.policy.git_settings",
    "kinet.policy.network",
    "kinet.policy.never",
    "kinet.policy.operand_paths",
    "kinet.policy.operands",
    "kinet.policy.paths",
    "kinet.policy.programs",
    "kinet.policy.protected",
    "kinet.policy.searches",
    "kinet.policy.shell_globs",
    "kinet.policy.shell_syntax",
    "kinet.policy.shell_words",
    "kinet.net.redact",
)
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
# A verdict that is one step off.
_OTHER_WORD = {"allow": "ask", "ask": "allow", "deny": "ask"}
_OTHER_CALL = {"any": "all", "all": "any"}
Change = Callable[[Any], object]


@dataclass(frozen=True)
class Fault:
    """A module with one fault. `lines` are those whose tests may notice; None for all of them."""

    module: str
    line: int
    what: str
    lines: frozenset[int] | None
    source: str
    make: Callable[[], ast.Module]


def faults(module: str) -> Iterator[Fault]:
    """Every fault this knows, one at a time."""
    text = file_of(module).read_text(encoding="utf-8")
    tree = ast.parse(text)
    rows = text.splitlines()
    reach = _reach(tree)
    for place, node in enumerate(ast.walk(tree)):
        if id(node) not in reach:
            continue
        for what, change in _changes(node):
            line = getattr(node, "lineno", 0)
            source = rows[line - 1].strip() if line else ""
            make = functools.partial(_changed, tree, place, change)
            yield Fault(module, line, what, reach[id(node)], source, make)


def _changed(tree: ast.Module, place: int, change: Change) -> ast.Module:
    changed = copy.deepcopy(tree)
    change(list(ast.walk(changed))[place])
    return ast.fix_missing_locations(changed)


def file_of(module: str) -> Path:
    """Where its text lies."""
    return ROOT / (module.replace(".", "/") + ".py")


def _reach(tree: ast.Module) -> dict[int, frozenset[int] | None]:
    """For each node that says something at run time, the lines of its statement.

    Annotations and docstrings are left out. What runs with the import reaches every line: None.
    """
    found: dict[int, frozenset[int] | None] = {}

    def visit(node: ast.AST, lines: frozenset[int] | None, inside: bool) -> None:
        words = ast.unparse(node.value) if isinstance(node, ast.Subscript) else ""
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if words == "Literal" or called == "dataclass":
            # Words for the type checker, and marks that the tests of the house look after.
            return
        own = lines
        if inside and isinstance(node, ast.stmt):
            head = getattr(node, "body", None)
            last = node.end_lineno if head is None else head[0].lineno
            own = frozenset(range(node.lineno, (last or node.lineno) + 1))
        found[id(node)] = own
        skipped = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            skipped.append(body[0])
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            if any(child is one for one in skipped):
                continue
            within = inside or (function and isinstance(body, list) and child in body)
            visit(child, own, within)

    visit(tree, None, False)
    return found


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.Compare(ops=[first, *_]) if type(first) in _COMPARED:
            new = _COMPARED[type(first)]
            name = f"{type(first).__name__} to {new.__name__}"
            yield name, lambda item: item.ops.__setitem__(0, new())
        case ast.BoolOp(op=word):
            other = ast.Or if isinstance(word, ast.And) else ast.And
            yield f"to {other.__name__}", lambda item: setattr(item, "op", other())
        case ast.UnaryOp(op=ast.Not()):
            yield "not dropped", _drop_not
        case ast.If():
            yield "if False", lambda item: setattr(item, "test", ast.Constant(False))
            yield "if True", lambda item: setattr(item, "test", ast.Constant(True))
        case ast.BinOp(op=ast.Add() | ast.Sub() as sign):
            turned = ast.Sub if isinstance(sign, ast.Add) else ast.Add
            yield f"to {turned.__name__}", lambda item: setattr(item, "op", turned())
        case ast.Call(func=ast.Name(id=name)) if name in _OTHER_CALL:
            yield (
                f"to {_OTHER_CALL[name]}",
                lambda item: setattr(item.func, "id", _OTHER_CALL[name]),
            )
        case ast.Continue():
            yield "to break", lambda item: setattr(item, "__class__", ast.Break)
        case ast.Constant(value=value):
            yield from _constants(value)


def _constants(value: object) -> Iterator[tuple[str, Change]]:
    if isinstance(value, bool):
        yield f"to {not value}", lambda item: setattr(item, "value", not value)
    elif isinstance(value, int):
        yield f"{value} + 1", lambda item: setattr(item, "value", value + 1)
    elif isinstance(value, str) and value in _OTHER_WORD:
        other = _OTHER_WORD[value]
        yield f"{value} to {other}", lambda item: setattr(item, "value", other)


def _drop_not(item: Any) -> None:
    """`not x` becomes bool(x)."""
    operand = item.operand
    item.__class__ = ast.Call
    item.func, item.args, item.keywords = ast.Name("bool", ast.Load()), [operand], []
