"""Words of a text for comparing and finding, in scripts with blanks and without."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"\w+")
# Scripts written without blanks between words: pairs of characters stand for words there.
_RANGES = (
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f"
    "\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"[{_RANGES}]+")
_LETTER = f"[^\\W{_RANGES}]"
_TOKEN = re.compile(r"\w+(?:[.,:/@-]\w+)*[#+]*")
_PIECE = re.compile(f"{_UNSPACED.pattern}|{_LETTER}+(?:[.,:/@-]{_LETTER}+)*[#+]*")
# Said around a fact, never the fact itself. No word that turns a meaning round stands here.
_FILLER_WORDS = """
    a an the is are was be been am has have had of to in on at for and with that this it its as
    user users person persons s he she they i you your his her their my me we our name d ll ve re
    ist der die das ein eine und hat ich du sein el la los las es un una y le les est et
"""
_FILLERS = frozenset(_FILLER_WORDS.split())
# "The user" at the beginning, where no blank parts it from what follows.
_NAMED_PERSON = re.compile("(?:这位|该|本)?用户|使用者|ユーザー?(?:さん)?[はがの]?|사용자[는가의]?")


def folded(text: str) -> str:
    """One form for all spellings: width, case, blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def terms(text: str) -> set[str]:
    """Words, and pairs of characters for scripts without blanks."""
    plain = folded(text)
    found: set[str] = set()
    for run in _UNSPACED.findall(plain):
        pairs = {run[place : place + 2] for place in range(len(run) - 1)}
        found |= pairs or {run}
    return found | set(_WORD.findall(_UNSPACED.sub(" ", plain)))


def is_unspaced(term: str) -> bool:
    """True for letters of a script without blanks: one of them may be a word."""
    return _UNSPACED.fullmatch(term) is not None


def bare(text: str) -> str:
    """The letters and digits alone: the same for texts that differ in blanks and marks only.

    Signs that carry meaning stay: C, C# and C++ are not one language, nor 1.5 and 15 one number.
    """
    return " ".join(_TOKEN.findall(folded(text)))


def content(text: str) -> tuple[str, ...]:
    """The words that carry the meaning, in their order and plain form, without fillers.

    Runs of a script without blanks come as pairs of characters.
    """
    found: list[str] = []
    for piece in _PIECE.findall(_NAMED_PERSON.sub(" ", folded(text))):
        if _UNSPACED.fullmatch(piece):
            found += [piece[at : at + 2] for at in range(max(1, len(piece) - 1))]
        else:
            found.append(_plain(piece))
    return tuple(word for word in found if word not in _FILLERS)


def _plain(word: str) -> str:
    """Without the endings of English plurals and verbs: likes and like are one word."""
    if len(word) > 4 and word.isascii() and word.isalpha():
        for ending in ("ing", "ed", "es", "s"):
            if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) > 2:
                return word.removesuffix(ending).rstrip("e")
        return word.rstrip("e")
    return word
