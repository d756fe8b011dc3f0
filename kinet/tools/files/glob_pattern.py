"""Turns a file pattern into expressions that match in time proportional to the name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kinet.core.errors import ToolError

_MOST_ALTERNATIVES = 256
_LONGEST = 1_000
# Letters that mean the same to every program that knows globs; a name of stars filters nothing.
_SIMPLE = re.compile(r"(?=.*[A-Za-z0-9_.-])(?!.*\*\*)[A-Za-z0-9_.*-]+", re.ASCII)


class GlobPattern:
    """A pattern with `*`, `?`, `[…]`, `{a,b}` and `**`; without a slash it matches at any depth."""

    def __init__(self, pattern: str) -> None:
        """ToolError for a pattern that is empty, too long or has too many alternatives."""
        plain = pattern.removeprefix("./").strip("/") if pattern.strip("/") else ""
        if not plain or len(plain) > _LONGEST:
            raise ToolError("The pattern is empty or too long.", kind="pattern")
        # `**/*.py` means the same as `*.py`, and names are quicker to match than paths.
        plain = plain.removeprefix("**/") if plain.count("/") == 1 else plain
        self._anywhere = "/" not in plain
        self._name = plain[plain.rfind("/") + 1 :]
        whole = "|".join(f"(?:{_expression(one)})" for one in _expanded(plain))
        self._match = re.compile(whole).match

    @property
    def name_filter(self) -> str:
        """A ripgrep glob that every matching name fits too; "" where none is that simple."""
        return self._name if _SIMPLE.fullmatch(self._name) else ""

    def matches(self, path: str) -> bool:
        """True if the relative path (with slashes) matches."""
        return bool(self.select([path]))

    def select(self, paths: Iterable[str]) -> list[str]:
        """The relative paths (with slashes) that match, in their order; quick for very many."""
        match = self._match
        if self._anywhere:
            return [path for path in paths if match(path[path.rfind("/") + 1 :])]
        return [path for path in paths if match(path)]


def _expanded(pattern: str) -> list[str]:
    """The pattern without braces: one for each choice."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        current = todo.pop()
        choice = _first_braces(current)
        if choice is None:
            done.append(current)
        else:
            start, end, options = choice
            todo += [current[:start] + option + current[end:] for option in options]
        if len(done) + len(todo) > _MOST_ALTERNATIVES:
            raise ToolError(
                f"The pattern has more than {_MOST_ALTERNATIVES} alternatives.",
                hint="Use fewer braces, or search for a simpler pattern.",
                kind="pattern",
            )
    return done


def _first_braces(pattern: str) -> tuple[int, int, list[str]] | None:
    """(start, end, options) of the first braces with a comma in them."""
    start = pattern.find("{")
    while start != -1:
        depth, options, begin = 0, [], start + 1
        for at in range(start, len(pattern)):
            char = pattern[at]
            if char == "{":
                depth += 1
            elif char == "}":
                depth -= 1
                if depth == 0:
                    options.append(pattern[begin:at])
                    if len(options) > 1:
                        return start, at + 1, options
                    break
            elif char == "," and depth == 1:
                options.append(pattern[begin:at])
                begin = at + 1
        start = pattern.find("{", start + 1)
    return None


def _expression(pattern: str) -> str:
    """Between wildcards the first place that fits is always as good as any later one, so atomic
    groups lose no match and nothing is tried twice."""
    groups: list[list[str]] = [[]]
    for component in pattern.split("/"):
        if component == "**":
            groups.append([])
        else:
            groups[-1].append(_component(component))
    first, *others = ["/".join(group) for group in groups]
    if not others:
        return first + r"\Z"
    out = f"{first}/" if first else ""
    for group in others[:-1]:
        out += f"(?>(?:[^/]+/)*?{group}/)" if group else ""
    # `**` at the end stands for everything below, at least one name.
    last = others[-1]
    return out + (rf"(?:[^/]+/)*{last}\Z" if last else r".+\Z")


def _component(component: str) -> str:
    pieces = _pieces(component)
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    inner = "".join(f"(?>[^/]*?{piece})" for piece in middle if piece)
    return rf"{first}{inner}[^/]*{last}(?=/|\Z)"


def _pieces(component: str) -> Sequence[str]:
    """The expressions between the stars of one component."""
    pieces = [""]
    at = 0
    while at < len(component):
        char = component[at]
        at += 1
        if char == "*":
            pieces.append("")
        elif char == "?":
            pieces[-1] += "[^/]"
        elif char == "[" and (end := component.find("]", at + 1)) != -1:
            pieces[-1] += _character_class(component[at:end])
            at = end + 1
        elif char == "\\" and at < len(component):
            pieces[-1] += re.escape(component[at])
            at += 1
        else:
            pieces[-1] += re.escape(char)
    return pieces


def _character_class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    body = inside[1:] if negated else inside
    escaped = body.replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
    escaped = escaped.replace("&&", r"&\&").replace("||", r"|\|").replace("~~", r"~\~")
    try:
        re.compile(f"[{escaped}]")
    except re.error as exc:
        raise ToolError(f"The pattern has a bad range [{inside}].", kind="pattern") from exc
    return f"(?!/)[{'^' if negated else ''}{escaped}]"
