"""`kinet trust`: trusts a folder as it is now, and lists what is trusted."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from kinet.paths import data_dir
from kinet.skills.brought import brought_skills
from kinet.workspace.trust import TrustBook

USAGE = 2


def trust(options: argparse.Namespace) -> int:
    """Prints what was trusted. SettingsError if the answer cannot be kept."""
    book = TrustBook(data_dir(), brought_skills)
    if options.list:
        _list(book, as_json=options.json)
    elif options.folder is None:
        print("Name a folder, or use --list. See kinet trust --help.", file=sys.stderr)
        return USAGE
    else:
        folder = options.folder.expanduser().absolute()
        if not folder.is_dir():
            print(f"There is no folder {folder}.", file=sys.stderr)
            return 1
        _trust(book, folder, as_json=options.json)
    if book.problem:
        print(book.problem, file=sys.stderr)
    return 0


def _trust(book: TrustBook, folder: Path, *, as_json: bool) -> None:
    content = book.look(folder)
    if content.digest:
        book.answer(content, True)
    told = {
        "folder": str(content.folder),
        "trusted": sorted(content.texts),
        "skills": list(content.skills),
        "servers": [{"name": name, "command": line} for name, line in content.servers],
        "git_programs": [{"key": key, "program": program} for key, program in content.programs],
        "warnings": list(content.warnings),
    }
    if as_json:
        print(json.dumps(told, ensure_ascii=False, indent=2))
        return
    print(content.folder)
    for name in sorted(content.texts):
        print(f"  trusted as it is now: {name}")
    if not content.digest:
        print("  brings no rules, skills or servers along: there is nothing to trust")
    for name, line in content.servers:
        print(f"  server {name}: {line}")
    for key, program in content.programs:
        print(f"  git names a program, which is never run: {key} = {program}")
    for warning in content.warnings:
        print(f"  {warning}")


def _list(book: TrustBook, *, as_json: bool) -> None:
    answers = book.folders()
    if as_json:
        rows = [
            {"folder": row.folder, "trusted": row.trusted, "names": list(row.names)}
            for row in answers
        ]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for row in answers:
        words = ", ".join(row.names) if row.trusted else "opened without what it brings along"
        print(f"{row.folder}\n  {words}")
