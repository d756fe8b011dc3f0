"""The tool that searches file contents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.characters import border_before
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project, settle
from kinet.tools.files.file_search import Found, Hit, search
from kinet.tools.files.glob_pattern import GlobPattern
from kinet.tools.questions import path_question

_PAGE = 100
_LARGEST_PAGE = 1_000
_SHOWN_CHARACTERS = 500
_MOST_CONTEXT = 20


class GrepArguments(Arguments):
    """What to look for, and where."""

    pattern: str = Field(description="regular expression (Rust syntax)")
    path: str = "."
    glob: str | None = Field(None, description="only such files, e.g. *.py")
    ignore_case: bool = False
    context: int = Field(0, ge=0, le=_MOST_CONTEXT, description="lines around each hit")
    limit: int = Field(_PAGE, ge=1, le=_LARGEST_PAGE)
    offset: int = Field(0, ge=0, description="hits to skip")


class Grep:
    """Finds lines with ripgrep; .gitignore is respected, secret files are left out and counted."""

    name: ClassVar[str] = "grep"
    description: ClassVar[str] = (
        "Searches file contents with ripgrep; ignored and hidden files are left out. Returns "
        "path:line: text, a page of hits at a time."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = GrepArguments

    def question(self, arguments: GrepArguments, context: ToolContext) -> ApprovalRequest | None:
        """Asks only for a place outside the project or one that may hold secrets."""
        return path_question(self.name, arguments, arguments.path, "search", context)

    async def run(self, arguments: GrepArguments, context: ToolContext) -> ToolOutput:
        """A page of hits. ToolError kind pattern for an expression that is none."""
        where = settle(self.name, arguments, arguments.path, "search", context)
        wanted = arguments.glob or ""
        by_path = GlobPattern(wanted) if "/" in wanted else None
        found = await search(
            arguments.pattern,
            where,
            project(context),
            glob="" if by_path else wanted,
            ignore_case=arguments.ignore_case,
            context=arguments.context,
        )
        hits = found.hits
        if by_path is not None:
            hits = tuple(hit for hit in hits if by_path.matches(hit.path.replace(os.sep, "/")))
        return _output(hits, found, arguments)


def _output(hits: Sequence[Hit], found: Found, arguments: GrepArguments) -> ToolOutput:
    total = sum(hit.is_match for hit in hits)
    files = len({hit.path for hit in hits if hit.is_match})
    page = _page(hits, arguments.offset, arguments.limit)
    shown = sum(hit.is_match for hit in page)
    lines: list[str] = []
    for number, hit in enumerate(page):
        if arguments.context and number and (hit.starts_group or hit.path != page[number - 1].path):
            lines.append("--")
        mark = ":" if hit.is_match else "-"
        text = hit.text
        if len(text) > _SHOWN_CHARACTERS:
            text = f"{text[: border_before(text, _SHOWN_CHARACTERS)]} […]"
        lines.append(f"{visible_line(hit.path)}{mark}{hit.line}{mark} {text}")
    end = arguments.offset + shown
    if not total:
        lines.append("[no hits]")
    elif not shown:
        lines.append(f"[there are only {total:,} hits]")
    if shown and end < total:
        lines.append(
            f"[hits {arguments.offset + 1:,} to {end:,} of {total:,} in {files:,} files; "
            f"go on with offset={end}]"
        )
    lines += secrets_note(found.left_out)
    lines += [f"[{note}]" for note in found.notes]
    text = "\n".join(lines)
    details = {
        "hits": [
            {"path": visible_line(hit.path), "line": hit.line, "text": hit.text}
            for hit in page
            if hit.is_match
        ],
        "total": total,
        "files": files,
        "left_out": found.left_out,
        "truncated": end < total,
    }
    preview = f"{total:,} hit{'' if total == 1 else 's'}"
    preview += f" in {files:,} files" if files > 1 else ""
    return ToolOutput(text, preview, details, model_content=text)


def _page(hits: Sequence[Hit], offset: int, limit: int) -> list[Hit]:
    """The lines of hits `offset` to `offset + limit`, with the context that belongs to them."""
    page: list[Hit] = []
    waiting: list[Hit] = []
    count = 0
    for hit in hits:
        if hit.starts_group or (waiting and waiting[-1].path != hit.path):
            waiting = []
        if not hit.is_match:
            waiting.append(hit)
            if page and count > offset and page[-1].path == hit.path and not hit.starts_group:
                page.append(hit)
                waiting = []
            elif count >= offset + limit:
                break
            continue
        count += 1
        if count > offset + limit:
            break
        if count > offset:
            page += [*waiting, hit]
        waiting = []
    return page


def secrets_note(left_out: int) -> list[str]:
    """One line that counts the files kept back, none for zero."""
    if not left_out:
        return []
    files = (
        "file that may hold secrets was" if left_out == 1 else "files that may hold secrets were"
    )
    return [f"[{left_out:,} {files} left out]"]
