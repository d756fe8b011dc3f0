"""The words of a server: how it stands, what it weighs, what it is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kinet.ui.kit.figures import tokens_words
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.servers.tool_rows import ToolItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kinet.settings.server_services import ServerRow, ToolRow

# state: (word, colour token, icon)
_STATES: Mapping[str, tuple[str, str, str]] = {
    "off": ("Off", "text_3", "stop"),
    "idle": ("Starts with the next message", "text_3", "clock"),
    "starting": ("Starting", "accent", "running"),
    "ready": ("Ready", "success", "check-circle"),
    "failed": ("Failed", "danger", "error"),
    "sign_in": ("Sign-in needed", "warning", "key"),
    "trust": ("Folder not trusted", "warning", "alert"),
    "hidden": ("Another is used", "warning", "alert"),
}

_MOST_PROMPTS = 12


def state_look(row: ServerRow) -> tuple[str, str, str]:
    """Word, colour token and icon of how it stands."""
    word, token, icon = _STATES.get(row.state, (row.state.capitalize(), "text_3", "info"))
    if row.state == "ready":
        return f"{word}, {tools_words(row)}", token, icon
    if row.state == "failed" and row.exit_code is not None:
        return f"{word}, exit code {row.exit_code}", token, icon
    return word, token, icon


def wants_sign_in(row: ServerRow) -> bool:
    """True if a sign-in would make it, or more of it, work."""
    return row.state == "sign_in" or bool(row.wants)


def may_sign_in(row: ServerRow) -> bool:
    """True if one may be tried: also before the server was asked whether it wants one."""
    untried = row.takes_sign_in and row.state in ("idle", "failed") and not row.signed_in
    return wants_sign_in(row) or untried


def prompts_words(row: ServerRow) -> str:
    """How its prompts are called in the composer, the first few of them; "" for none."""
    names = [f"/{row.name}:{prompt.name}" for prompt in row.prompts]
    more = f" and {len(names) - _MOST_PROMPTS:,} more" if len(names) > _MOST_PROMPTS else ""
    return f"Prompts, for the composer: {', '.join(names[:_MOST_PROMPTS])}{more}" if names else ""


def tools_words(row: ServerRow) -> str:
    """How many tools it brings, and how many of them are off: "12 tools", "3 of 12 tools"."""
    return count_words(row.tools)


def count_words(tools: Iterable[ToolRow]) -> str:
    """The number of these tools, "3 of 12 tools" where some are not offered."""
    offered = [tool.on and not tool.problem for tool in tools]
    many = f"{len(offered):,} tool{'' if len(offered) == 1 else 's'}"
    on = sum(offered)
    return many if on == len(offered) else f"{on:,} of {many}"


def second_line(row: ServerRow, *, unfolded: bool = False) -> tuple[str, str]:
    """(what stands under the name, its colour token): the reason where something is wrong.

    Reason and command line are read whole in what the row unfolds: there it says what it is.
    """
    if unfolded:
        here = "A program on this computer" if row.kind == "stdio" else "A server elsewhere"
        return row.title or here, "text_3"
    if row.reason and row.state in ("failed", "sign_in", "trust", "hidden"):
        return row.reason, "danger" if row.state == "failed" else "text_2"
    return row.line, "text_3"


def spoken_row(row: ServerRow) -> str:
    """The row in one sentence, for those who hear it."""
    return f"{row.name}, {state_look(row)[0]}"


def row_matches(row: ServerRow, words: str) -> bool:
    """True if name, line or one of the tools hold all these words."""
    names = " ".join(tool.name for tool in row.tools)
    text = f"{row.name} {row.title} {row.line} {names}".casefold()
    return all(word in text for word in words.casefold().split())


def items_of(row: ServerRow) -> tuple[ToolItem, ...]:
    """The tools as the list shows them: what the server claims stands in its own words."""
    return tuple(
        ToolItem(tool.name, _said(tool), tool.tokens, tool.on, tool.problem) for tool in row.tools
    )


def tried_words(tools: tuple[ToolRow, ...], title: str, seconds: float) -> str:
    """How a trial went that worked: "docs 1.2 brings 12 tools, 3.4k tokens, after 0.8 s"."""
    weight = tokens_words(sum(tool.tokens for tool in tools if tool.on and not tool.problem))
    who = spell_out(title).text or "It"
    return f"{who} brings {count_words(tools)}, {weight} tokens in each request ({seconds:.1f} s)."


def wrote_words(text: str, exit_code: int | None, reason: str = "") -> str:
    """What stands above the last that a program wrote; "" where there is nothing to tell.

    An exit code that the reason names already is not said again.
    """
    words = f"exit code {exit_code}"
    code = f" ({words})" if exit_code is not None and words not in reason else ""
    if text:
        return f"The last it wrote{code}:"
    return f"It wrote nothing{code}." if exit_code is not None else ""


def _said(tool: ToolRow) -> str:
    claims = [tool.description] if tool.description else []
    if tool.read_only:
        claims.append("It says that it only reads.")
    elif tool.destructive:
        claims.append("It says that it may destroy things.")
    return "\n".join(claims)
