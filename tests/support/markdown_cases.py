"""Texts that try to do more than be shown: read from the cases, in the pieces they arrive in."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "attacks" / "cases" / "markdown.jsonl"


@lru_cache(maxsize=1)
def cases() -> tuple[dict[str, Any], ...]:
    """All entries, in order."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines if line.strip())


def pieces(case: dict[str, Any]) -> list[str]:
    """The text of an entry, as the list of pieces in which it arrives."""
    given = case["input"]
    if "chunks" in given:
        return list(given["chunks"])
    if "json" in given:
        return [json.loads(given["json"])]
    if "chunks_of" in given:
        unit, count, per = given["chunks_of"]
        return [unit * per] * (count // per)
    if "ladder" in given:
        unit, count = given["ladder"]
        return ["".join(unit * length + " " for length in range(1, count))]
    if "table" in given:
        rows, columns = given["table"]
        head = "|" + "a|" * columns + "\n|" + "-|" * columns + "\n"
        return [head + ("|" + "b|" * columns + "\n") * rows]
    if "repeat" in given:
        unit, count = given["repeat"]
        text = given.get("before", "") + unit * count + given.get("then", "")
        return ["```\n" + text + "\n```"] if given.get("fence") else [text]
    return [given["text"]]
