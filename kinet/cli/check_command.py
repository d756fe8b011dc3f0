"""`kinet check`: says what a command, path, address or rules file would be judged."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kinet.paths import data_dir
from kinet.policy.verdicts import Judgement, Part

Judge = Callable[[str], Judgement]


def check(options: argparse.Namespace) -> int:
    """Prints the judgement as JSON: one object, or one line per line of stdin for `-`."""
    folder = (options.cwd or Path.cwd()).absolute()
    if options.what == "rules":
        return _rules(options.subject, folder)
    if options.what == "sandbox":
        return _sandbox(folder)
    judge = _judge(options, folder)
    if options.subject != "-":
        print(json.dumps(judge(options.subject).to_dict(), ensure_ascii=False, indent=2))
        return 0
    code = 0
    for number, subject in _subjects():
        if subject is None:
            print(f"Line {number} of the input is not a JSON string.", file=sys.stderr)
            code = 2
            continue
        print(json.dumps(judge(subject).to_dict(), ensure_ascii=False), flush=True)
    return code


def _judge(options: argparse.Namespace, folder: Path) -> Judge:
    home, data = Path.home(), data_dir()
    if options.what == "command":
        from kinet.policy.commands import judge_command

        return lambda text: judge_command(text, folder, home, data_dir=data)
    if options.what == "path":
        from kinet.policy.paths import judge_path

        return lambda text: judge_path(text, options.purpose, folder, home=home, data_dir=data)
    return _judge_address(options)


def _judge_address(options: argparse.Namespace) -> Judge:
    from kinet.policy.network import judge_url, system_resolver

    permits = local_permits()
    given: dict[str, list[str]] = dict(options.resolve)

    def resolve(host: str) -> list[str]:
        return given[host] if host in given else system_resolver(host)

    return lambda text: judge_url(
        text, resolve=resolve, permitted=options.permitted, local_permits=permits
    )


def local_permits() -> frozenset[str]:
    """The development servers that the person's settings permit."""
    from kinet.settings.store import SettingsStore

    return frozenset(SettingsStore(data_dir()).values.network.local_permits)


def _subjects() -> Iterator[tuple[int, str | None]]:
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            value: Any = json.loads(line)
        except ValueError:
            value = None
        yield number, value if isinstance(value, str) else None


def _rules(file: str, folder: Path) -> int:
    from kinet.workspace.rules import check_file

    path = folder / Path(file).expanduser()
    told = check_file(path)
    print(json.dumps(told, ensure_ascii=False, indent=2))
    if os.path.lexists(path):
        return 0
    # A file that is refused was judged; one that is not there was not.
    print(*told["warnings"], sep="\n", file=sys.stderr)
    return 1


def _sandbox(folder: Path) -> int:
    """Whether commands of mode all have a sandbox on this folder: the same form as a judgement."""
    from kinet.tools.processes import sandbox

    problem = sandbox.problem_for(folder)
    found = sandbox.state()
    reason = found.sentence() if found.problem or not problem else problem
    part = Part(str(folder), "deny" if problem else "allow", "sandbox")
    judged = Judgement(part.verdict, reason, (part,))
    print(json.dumps(judged.to_dict(), ensure_ascii=False, indent=2))
    return 0
