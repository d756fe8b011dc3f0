"""Stands in for ripgrep where it is missing: a process of its own, so that it can be ended.

Standard library only. It understands the few options that `file_search` uses, prints the same
lines, and ends with 0 for hits, 1 for none and 2 for a pattern that is none.
"""

from __future__ import annotations

import fnmatch
import os
import re
import sys
from collections.abc import Iterator

_LARGEST = 20 * 1024 * 1024
_MOST_ENTRIES = 300_000
_DEEPEST = 200
# Without .gitignore, the folders that are nearly always in one.
_SKIPPED = frozenset({
    "node_modules", "__pycache__", "target", "dist", "build", "venv", "site-packages",
})  # fmt: skip


def main(arguments: list[str]) -> int:
    """Runs one search or listing."""
    options, target = arguments[:-2], arguments[-1]
    values = dict(option.split("=", 1) for option in options if "=" in option)
    out = sys.stdout.buffer
    if "--files" in options:
        for path in _files(os.fsencode(target)):
            out.write(path + b"\0")
        return 0
    flags = re.IGNORECASE if "--ignore-case" in options else 0
    try:
        pattern = re.compile(values["--regexp"].encode(), flags)
    except re.error as exc:
        sys.stderr.write(f"regex parse error: {exc}\n")
        return 2
    glob = values.get("--type-add", ":*").partition(":")[2]
    context = int(values.get("--context", "0"))
    longest = int(values.get("--max-columns", "4096"))
    found = False
    for path in _files(os.fsencode(target)):
        if fnmatch.fnmatch(os.fsdecode(os.path.basename(path)), glob):
            found = _search(path, pattern, context, longest) or found
    return 0 if found else 1


def _files(top: bytes) -> Iterator[bytes]:
    """Regular files below `top`, links not followed, with a limit on entries and depth."""
    if not os.path.isdir(top):
        yield top
        return
    todo = [(top, 0)]
    seen = 0
    while todo and seen < _MOST_ENTRIES:
        folder, depth = todo.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if entry.name.startswith(b"."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST and os.fsdecode(entry.name) not in _SKIPPED:
                    todo.append((entry.path, depth + 1))
            elif entry.is_file(follow_symlinks=False):
                yield entry.path


def _search(path: bytes, pattern: re.Pattern[bytes], context: int, longest: int) -> bool:
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _LARGEST:
            return False
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return False
    if b"\0" in data:
        return False
    lines = data.removesuffix(b"\n").split(b"\n")
    matches = {at for at, line in enumerate(lines) if pattern.search(line.removesuffix(b"\r"))}
    shown = {
        at
        for match in matches
        for at in range(max(0, match - context), min(len(lines), match + context + 1))
    }
    last = -2
    for at in sorted(shown):
        if context and at > last + 1 and last >= 0:
            sys.stdout.buffer.write(b"--\n")
        mark = b":" if at in matches else b"-"
        number = str(at + 1).encode()
        sys.stdout.buffer.write(path + b"\0" + number + mark + lines[at][:longest] + b"\n")
        last = at
    return bool(matches)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
