"""What the model gets of skills: the list in the prompt, a called one whole, a loaded one whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kinet.core.characters import border_before
from kinet.engine.base import Section
from kinet.engine.context.prompt import text_of
from kinet.policy.visible import visible_line
from kinet.skills.arguments import filled
from kinet.skills.skill import Skill

# Characters. Ten lines stay below a thousand tokens with the words above them.
LONGEST_LINE = 180
LONGEST_LIST = 12_000
LONGEST_LOADED = 50_000
_WRAPPER = re.compile(r"<(?=\s*/?\s*skill\b)", re.IGNORECASE)


def list_section(skills: Sequence[Skill]) -> tuple[Section, ...]:
    """One section with a line for each; what does not fit is told by its name, then counted."""
    offered = [skill for skill in skills if skill.by_model]
    if not offered:
        return ()
    lines: list[str] = []
    room = LONGEST_LIST
    for number, skill in enumerate(offered):
        line = f"- {skill.name}: {_short(skill.description)}"
        if len(line) > room - 2_000:
            line = f"- {skill.name}"
        if len(line) > room:
            lines.append(f"- and {len(offered) - number} more, for which there is no room here")
            break
        room -= len(line) + 1
        lines.append(line)
    return (Section("Skills", f"{text_of('skills')}\n\n" + "\n".join(lines)),)


def called_section(skill: Skill, arguments: str, project: Path | None, session_id: str) -> Section:
    """The whole skill for the prompt, in a wrapper that its text cannot close."""
    body = _body(skill, arguments, project, session_id)
    text = (
        f'<skill name="{skill.name}" folder="{_plain(skill.folder)}">\n'
        f"{text_of('skill')}\n{_files(skill)}\n{body}\n</skill>"
    )
    return Section(f"Skill {skill.name}", text, str(skill.file))


def loaded_text(skill: Skill, arguments: str, project: Path | None, session_id: str) -> str:
    """The result of the tool: where it lies, what lies beside it, and its text."""
    body = _body(skill, arguments, project, session_id)
    if len(body) > LONGEST_LOADED:
        end = border_before(body, LONGEST_LOADED)
        body = (
            f"{body[:end]}\n[{len(body) - end:,} characters are not shown; "
            f"read the rest with read_file {_plain(skill.file)}]"
        )
    return f"Skill {skill.name} in {_plain(skill.folder)}\n{_files(skill)}\n{body}"


def _body(skill: Skill, arguments: str, project: Path | None, session_id: str) -> str:
    body = filled(
        skill.body,
        arguments,
        skill.argument_names,
        folder=skill.folder,
        project=project,
        session_id=session_id,
    )
    return _WRAPPER.sub("&lt;", body)


def _files(skill: Skill) -> str:
    if not skill.files:
        return ""
    listed = "\n".join(f"- {_plain(name)}" for name in skill.files[:60])
    more = len(skill.files) - 60
    rest = f"\n- and {more} more" if more > 0 else ""
    return f"Files in its folder:\n{listed}{rest}\n"


def _short(description: str) -> str:
    text = _WRAPPER.sub("&lt;", description)
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[: border_before(text, LONGEST_LINE - 1)].rstrip()}…"


def _plain(path: Path | str) -> str:
    return visible_line(str(path)).replace('"', "?").replace("<", "?").replace(">", "?")
