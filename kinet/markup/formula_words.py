"""Tells formulas from what only looks like them: prices, words in brackets, signs of a shell."""

from __future__ import annotations

import re

from kinet.markup.visible import is_spaceless

# "$5 for each, or 4$" is about money, whatever stands around the signs.
_MONEY = re.compile(
    r"\s*\d[\d.,]*[kKmMbB]?"
    r"(?:\s+[^\W\d_](?:[^\W\d_]|\s+[^\W\d_])|\s*[-\u2013\u2014/,;+]\s*$)"
)
_CURRENCIES = re.compile("[\u20a0-\u20bf\u00a3\u00a5]")
# Of a formula alone: a command of LaTeX, an index, an exponent.
_CERTAIN = re.compile(r"\\[A-Za-z]+|\\[,;:!{}|\\]|[\^_]\S")
_RELATIONS = re.compile(r"[=<>\u2190-\u22ff]")
# No formula begins with these.
_NEVER_FIRST = (";", ",", "&", "/")
_TOKENS = re.compile(r"[^\W_]+|\s+|.", re.DOTALL)
# "the operator $<$"
_SIGN = re.compile("[+<>=\u2190-\u22ff]{1,2}")
# Names that stand between letters of a formula also where nobody wrote a backslash.
_FUNCTIONS = re.compile(
    "a?(?:sin|cos|tan|cot|sec|csc)h?|arc(?:sin|cos|tan)|log|ln|lg|exp|(?:arg)?(?:max|min)|sup|inf"
    "|lim|mod|gcd|lcm|det|dim|ker|deg|arg|rank|span|tr|div|grad|curl|var|cov|sqrt|abs|sgn|where",
    re.IGNORECASE,
)
# Little words: they join what is said, and are no product of letters.
_LITTLE = re.compile(
    "and|are|as|at|but|by|for|from|if|in|is|it|not?|of|on|or|per|so|the|then|to|up|us|versus|vs"
    "|was|we|were|with|et|ou|und|oder",
    re.IGNORECASE,
)
_LONGEST_NAME = 3


def is_money(content: str) -> bool:
    """True where an amount stands between two signs of a dollar, or between one and its words."""
    if _CERTAIN.search(content):
        return False
    return _MONEY.match(content) is not None or _CURRENCIES.search(content) is not None


def is_words(content: str) -> bool:
    """True for words, a path or a command; a formula has signs, letters and numbers."""
    if _CERTAIN.search(content):
        return False
    said = content.strip()
    if not any(c.isalnum() for c in said):
        return _SIGN.fullmatch(said) is None
    if said.startswith(_NEVER_FIRST):
        return True
    if any(map(is_spaceless, said)) and not _RELATIONS.search(said):
        return True
    tokens = _TOKENS.findall(said)
    if len(tokens) == 1:
        return _is_word(said) and (len(said) > _LONGEST_NAME + 1 or _is_little(said))
    if any(map(_is_little, said.split())):
        return True
    return any(
        space.isspace() and ((_is_word(one) and _is_said(two)) or (_is_said(one) and _is_word(two)))
        for one, space, two in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


def _is_word(token: str) -> bool:
    """True for what is surely no product of letters and no name of a function."""
    if not token.isalpha() or _FUNCTIONS.fullmatch(token):
        return False
    return len(token) >= _LONGEST_NAME or _is_little(token)


def _is_said(token: str) -> bool:
    return token.isalnum() and _FUNCTIONS.fullmatch(token) is None


def _is_little(token: str) -> bool:
    return _LITTLE.fullmatch(token) is not None
