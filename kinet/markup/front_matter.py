"""Parts a Markdown file from the front matter above it, and reads that as people write it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

# Characters; a head longer than this is no head.
LONGEST = 16 * 1024
# The YAML reader takes time with the square of what is nested: nobody writes so many of these.
_MOST_NESTED = 200
_NESTING = re.compile(r"[\[{]|(?:[-?] ){2}")
_OPEN = re.compile(r"\A\s*---[ \t]*\r?\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_PLAIN_LINE = re.compile(r"^([A-Za-z][\w -]{0,60}):(?:[ \t]+(.*))?$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`values` by key, in small letters with hyphens; `body` is what stands below the head.

    `problem` says in words why the head could not be read as YAML; `values` then holds what could
    be read line by line. `found` is False where the text has no head.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    problem: str = ""
    found: bool = False


def front_matter(text: str) -> FrontMatter:
    """Never raises: a head that is no YAML is read line by line, and `problem` says so.

    Aliases are not followed: a few lines of them can stand for gigabytes.
    """
    text = text.removeprefix("\ufeff")
    opened = _OPEN.match(text)
    if opened is None:
        return FrontMatter(body=text)
    closed = _CLOSE.search(text, opened.end(), opened.end() + LONGEST)
    if closed is None:
        return FrontMatter(
            body=text, problem="The head between the lines --- does not end.", found=True
        )
    head = text[opened.end() : closed.start()].replace("\r\n", "\n")
    body = text[closed.end() :].lstrip("\r\n")
    values, problem = _read(head)
    return FrontMatter(values, body, problem, True)


@lru_cache(maxsize=256)
def _read(head: str) -> tuple[Mapping[str, Any], str]:
    """Kept: skills are read with every turn, and reading YAML is what takes long of it."""
    import yaml

    if len(_NESTING.findall(head)) > _MOST_NESTED:
        return _by_lines(head), "The head is nested too deeply. It was read line by line."
    why = ""
    try:
        for event in yaml.parse(head, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.events.AliasEvent):
                return _by_lines(head), "The head holds aliases, which are not followed."
        raw = yaml.load(head, Loader=_words())
    except yaml.MarkedYAMLError as exc:
        where = f" (line {exc.problem_mark.line + 2})" if exc.problem_mark else ""
        why = f"The head is not valid YAML{where}: {exc.problem or 'it cannot be read'}."
    except (yaml.YAMLError, ValueError, RecursionError):
        why = "The head is not valid YAML."
    else:
        if raw is None:
            return {}, ""
        if isinstance(raw, dict):
            return {_key(key): value for key, value in raw.items()}, ""
        why = "The head is not a list of names and values."
    return _by_lines(head), f"{why} It was read line by line; put such values in quotes."


def _words() -> type[Any]:
    """A loader that leaves dates and numbers as the words they are; yes and no stay words too."""
    import yaml

    kept = {
        letter: [(tag, pattern) for tag, pattern in found if tag.endswith((":null", ":merge"))]
        for letter, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return type("Words", (yaml.SafeLoader,), {"yaml_implicit_resolvers": kept})


def _by_lines(head: str) -> dict[str, Any]:
    """Names at the left edge with what follows on their line and, moved in, on the next ones."""
    values: dict[str, Any] = {}
    name = ""
    for line in head.split("\n"):
        found = _PLAIN_LINE.match(line)
        if found:
            name = _key(found[1])
            said = (found[2] or "").strip()
            values[name] = "" if said in ("|", ">", "|-", ">-") else said.strip("\"'")
        elif name and line[:1] in (" ", "\t") and line.strip():
            values[name] = f"{values[name]} {line.strip()}".strip()
    return values


def _key(key: object) -> str:
    return str(key).strip().lower().replace("_", "-").replace(" ", "-")
