"""How a new fact stands to those that are known: the same, a change of one, or new."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kinet.memory.fact import Fact
from kinet.memory.words import bare, content, folded

Relation = Literal["new", "same", "changed"]

# Of two texts one may say a little more than the other and still be the same fact.
_SHARE = 0.8
_TURNING_WORDS = """
    not no never without except instead anymore longer stop avoid only kein keine nicht nie ohne
    sin jamais pas sans non senza не нет без dont doesnt isnt arent wont cant
"""
_TURNING = frozenset(_TURNING_WORDS.split())
_TURNING_SIGNS = ("不", "没", "沒", "别", "ない", "ません", "않", "안 ", "لا ", "ليس")


@dataclass(frozen=True, slots=True)
class Standing:
    """`known` is the fact that is the same or changes; None for a new one."""

    relation: Relation
    known: Fact | None = None


def standing(text: str, topic: str, replaces: str, known: Iterable[Fact]) -> Standing:
    """How `text` stands to the facts of the same person or project.

    `replaces` is the id of the one it is said to take the place of, `topic` what it is about; both
    may be "". The same words with other fillers, endings or case are the same fact; a turned
    meaning, another order, number or name is never.
    """
    pool = list(known)
    plain = bare(text)
    for fact in pool:
        if bare(fact.text) == plain:
            return Standing("same", fact)
    for fact in pool:
        if replaces and fact.id == replaces:
            return Standing(_close(fact.text, text) or "changed", fact)
    for fact in pool:
        if topic and folded(fact.topic) == folded(topic):
            return Standing(_close(fact.text, text) or "changed", fact)
    for fact in pool:
        if relation := _close(fact.text, text):
            return Standing(relation, fact)
    return Standing("new")


def _close(old: str, new: str) -> Relation | None:
    """same or changed for two texts that mostly agree; None for two facts."""
    before, after = content(old), content(new)
    if not before or not after or _turns(old) != _turns(new):
        return None
    if _figures(before) != _figures(after):
        return None
    # Order counts: to prefer one thing over another is not to prefer the other.
    if _within(after, before) and len(after) >= _SHARE * len(before):
        return "same"
    if _within(before, after) and len(before) >= _SHARE * len(after):
        return "changed"
    return None


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """True if all words of `part` stand in `whole` in the same order."""
    rest = iter(whole)
    return all(word in rest for word in part)


def _turns(text: str) -> bool:
    plain = folded(text).replace("'", "").replace("’", "")
    words = set(plain.split()) | set(content(plain))
    return bool(words & _TURNING) or any(sign in plain for sign in _TURNING_SIGNS)


def _figures(words: tuple[str, ...]) -> set[str]:
    return {word for word in words if any(char.isdigit() for char in word)}
