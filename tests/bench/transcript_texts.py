"""Texts for the transcript's benches: a conversation as people have it, and hostile ones."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from kinet.core.events import Event, MessageCompleted
from kinet.core.messages import Message

_TEXT = (
    "the parser reads each token from a stream and keeps a small window of state so that memory "
    "stays flat while the agent plans its next step calls a tool checks the result writes a file "
    "runs tests and reports back with a summary of what changed why it matters and what remains"
)
_WORDS = _TEXT.split()
_CJK = "我们先读取配置文件然后检查每个工具的返回结果最后把摘要写回会话记录里面以便之后可以恢复"
_PYTHON = '''def merge(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Joins intervals that overlap."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(intervals):  # by start
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out
'''
_JSON = '{\n  "name": "kinet",\n  "limits": {"steps": 20, "timeout": 120.5, "retry": true}\n}\n'


def sentence(chance: random.Random, count: int = 0) -> str:
    """One sentence, sometimes with a word in bold, code or a link."""
    words = [chance.choice(_WORDS) for _ in range(count or chance.randint(8, 22))]
    place = chance.randrange(len(words))
    form = chance.choice(["**%s**", "*%s*", "`%s()`", "[%s](https://example.org/x)", "%s", "%s"])
    words[place] = form % words[place]
    return " ".join(words).capitalize() + "."


def prose(chance: random.Random) -> str:
    """A paragraph, sometimes with Chinese or an emoji at its end."""
    text = " ".join(sentence(chance) for _ in range(chance.randint(2, 5)))
    end = chance.random()
    if end < 0.15:
        return text + " " + "".join(chance.choice(_CJK) for _ in range(40)) + "。"
    return text + (" " + chance.choice("🚀✅🧪📦") if end < 0.3 else "")


def bullets(chance: random.Random, count: int = 0) -> str:
    """A list."""
    return "\n".join(
        ("  " if number and chance.random() < 0.2 else "") + "- " + sentence(chance, 7)
        for number in range(count or chance.randint(3, 8))
    )


def table(chance: random.Random, count: int = 0) -> str:
    """A table of three columns."""
    rows = (
        f"| {chance.choice(_WORDS)} | {chance.randint(1, 9999)} | {sentence(chance, 4)} |"
        for _ in range(count or chance.randint(3, 8))
    )
    return "| name | value | note |\n|---|---:|:--|\n" + "\n".join(rows)


def code(chance: random.Random) -> str:
    """A fence."""
    return chance.choice([f"```python\n{_PYTHON}```", f"```json\n{_JSON}```"])


def answer(size: int, seed: int = 2) -> str:
    """An answer of about so many characters."""
    chance = random.Random(seed)
    kinds = [prose, prose, prose, bullets, bullets, table, code, code]
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        parts.append(chance.choice(kinds)(chance))
    return "\n\n".join(parts)[:size]


def conversation(count: int, seed: int = 1) -> list[Event]:
    """So many messages, person and model in turn."""
    chance = random.Random(seed)
    events: list[Event] = []
    for number in range(count):
        if number % 2 == 0:
            events.append(MessageCompleted(Message("user", prose(chance))))
        else:
            text = answer(chance.choice([300, 800, 1500, 3000]), number)
            events.append(MessageCompleted(Message("assistant", text)))
    return events


def hostile() -> dict[str, Callable[[], str]]:
    """Texts that have brought other programs to a stand-still; made when they are asked for."""
    chance = random.Random(5)
    ticks = " ".join("`" * (number % 100 + 1) for number in range(5000))
    rows = ",".join(f'{{"k":{number},"s":"abc"}}' for number in range(10_000))
    return {
        "1 MB in one line": lambda: " ".join(chance.choice(_WORDS) for _ in range(180_000)),
        "1 MB without a blank": lambda: "x" * 1_000_000,
        "table of 10,000 rows": lambda: table(chance, 10_000),
        "table of 2,000 x 20": lambda: "\n".join(
            ["|" + "a|" * 20, "|" + "-|" * 20] + ["|" + "cell|" * 20] * 2000
        ),
        "5,000 >": lambda: ">" * 5000 + " x",
        "5,000 [": lambda: "[" * 5000,
        "5,000 *": lambda: "*" * 5000 + "a",
        "5,000 '*a '": lambda: "*a " * 5000,
        "5,000 ![[": lambda: "![[" * 5000,
        "5,000 runs of backticks": lambda: ticks,
        "5,000 <": lambda: "<" * 5000,
        "5,000 *a_b": lambda: "*a_b " * 5000,
        "5,000 [a](": lambda: "[a](" * 5000,
        "nested list": lambda: "\n".join(" " * (2 * depth) + "- x" for depth in range(300)),
        "20,000 items": lambda: bullets(chance, 20_000),
        "open fence, 200 KB": lambda: "```python\n" + (_PYTHON * 900)[:200_000],
        "JSON, 200 KB in one line": lambda: f"```json\n[{rows}]\n```",
        "JSON without a fence": lambda: json.dumps(
            [{"k": number, "s": "abc"} for number in range(8000)]
        ),
        "zero width and right to left": lambda: (
            "\u200b\u200d\u202eabc\u202c שלום عليكم \u2066x\u2069 " * 1500
        ),
        "zalgo": lambda: "a" + "\u0301\u0302\u0303" * 16_000,
        "joined emoji": lambda: "👩‍👩‍👧‍👦" * 7000,
        "Chinese without a break": lambda: "".join(chance.choice(_CJK) for _ in range(100_000)),
        "100,000 line feeds": lambda: "\n" * 100_000 + "x",
        "20,000 short lines": lambda: "ab\n" * 20_000,
    }
