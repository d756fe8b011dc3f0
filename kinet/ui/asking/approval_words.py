"""The words around a question: its icon, its place, its notes, and what was answered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.server_names import server_and_tool
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.panel.step_text import duration_text
from kinet.ui.server_call import arguments_text, first_words

# Characters of a command or a diff that are said; the card holds it whole.
_LONGEST_SPOKEN = 300

_ICONS: Mapping[str, str] = {
    "command": "terminal",
    "edit": "file-diff",
    "fetch": "web",
    "budget": "cost",
}


def icon_of(request: ApprovalRequest) -> str:
    """The icon of the question's kind."""
    if server_and_tool(request.tool) is not None:
        return "plug"
    return _ICONS.get(request.kind, "shield")


def place_of(request: ApprovalRequest) -> tuple[str, bool]:
    """Where the call would act, and whether that is a path or address (shown as code)."""
    if request.kind in ("edit", "fetch") and len(request.targets) == 1:
        place = spell_out(_inside(request.targets[0], request.folder)).text
        return ("", False) if _is_named(place, request) else (place, True)
    if request.folder:
        return f"in {spell_out(home_short(request.folder)).text}", False
    return "", False


def targets_of(request: ApprovalRequest) -> str:
    """The real targets that the head does not name yet, as one line."""
    if server_and_tool(request.tool) is not None:
        # What is asked is a program of its own; where it acts nobody can know.
        lines = "; ".join(spell_out(line).text for line in request.targets)
        return f"The server is {lines}" if lines else ""
    shown = place_of(request)[0]
    names = [spell_out(_inside(target, request.folder)).text for target in request.targets]
    names = [name for name in names if name != shown and not _is_named(name, request)]
    return "Acts on " + ", ".join(names) if names else ""


def body_of(request: ApprovalRequest) -> str:
    """What is asked about, whole: a server's call by its arguments, one below the other."""
    if server_and_tool(request.tool) is None:
        return request.body
    return arguments_text(request.arguments) or "Without arguments."


def asked_text(request: ApprovalRequest) -> str:
    """Question and place in one line, for those who hear it."""
    place = place_of(request)[0]
    return f"{spell_out(request.question).text} {place}".strip()


# Above what a server says otherwise of its tool than before.
CHANGED = "Since the last call the server describes this tool otherwise:"


def spoken_question(request: ApprovalRequest) -> str:
    """What is said when the question comes up: it, its place, and what it is about."""
    about = " ".join(spell_out(body_of(request)[:_LONGEST_SPOKEN]).text.split())
    changed = f"{CHANGED} " if request.changes else ""
    return f"Kinet asks: {asked_text(request)} {changed}{about}".strip()


def waiting_text(seconds: float) -> str:
    """How long the question waits, once that is worth saying."""
    if seconds < 5:
        return ""
    words = duration_text(seconds)
    return f"waiting {int(seconds)} s" if seconds < 60 else f"waiting {words}"


def shared_text(others: int) -> str:
    """That the answer is given to equal requests too; "" if there are none."""
    word = "request" if others == 1 else "requests"
    return f"answers {others} equal {word} too" if others else ""


def sentence(text: str) -> str:
    """The text spelt out, with a capital letter and a full stop."""
    shown = spell_out(text.strip()).text
    ending = "" if shown.endswith((".", "!", "?", "…")) else "."
    return shown[:1].upper() + shown[1:] + ending if shown else ""


def hidden_text(count: int) -> str:
    """A warning of characters that could not be seen."""
    if count == 1:
        return "1 hidden character is spelt out above. It may change what this does."
    return f"{count:,} hidden characters are spelt out above. They may change what this does."


def answer_text(decision: Decision | None) -> str:
    """The answer in two words or three."""
    if decision is None:
        return "No longer asked"
    if not decision.allowed:
        return "Denied"
    if decision.hunks is not None:
        return "Allowed in part"
    return {
        "once": "Allowed once",
        "session": "Allowed for this session",
        "folder": "Allowed in this folder",
        "always": "Always allowed",
    }[decision.scope]


def summary_text(request: ApprovalRequest) -> str:
    """What was asked, on one line."""
    if request.kind == "edit":
        return place_of(request)[0] or request.question
    if (known := server_and_tool(request.tool)) is not None:
        said = f"{known[0]} {known[1]} {first_words(request.arguments)}"
        return spell_out(said.strip()).text
    first = spell_out(request.body).text.strip().split("\n")[0]
    return first or request.question


def home_short(path: str) -> str:
    """The path with the home folder as "~"."""
    home = str(Path.home())
    if path == home:
        return "~"
    return "~" + path[len(home) :] if path.startswith(home + "/") else path


def _is_named(place: str, request: ApprovalRequest) -> bool:
    """A question to fetch names its host; no other question names what it is about."""
    return request.kind == "fetch" and place in request.question.rstrip("?").split()


def _inside(target: str, folder: str) -> str:
    """The target as seen from the folder; whole where it lies outside."""
    inside = folder and target.startswith(folder.rstrip("/") + "/")
    return target[len(folder.rstrip("/")) + 1 :] if inside else home_short(target)
