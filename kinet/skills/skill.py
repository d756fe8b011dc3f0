"""One skill as it lies on the disk: its head read, its text cleaned, its files listed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kinet.markup.front_matter import FrontMatter, front_matter
from kinet.policy.hidden import Hidden
from kinet.policy.steering_file import MAX_FILE_BYTES, Refused, read_steering_file
from kinet.policy.visible import visible_line
from kinet.skills.places import FILE_NAME, Owner, Place, leads_out

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
LONGEST_DESCRIPTION = 1_024
MOST_FILES = 200
_DEEPEST = 6
# Words that stand for something else: what a slash does in the window, and names of tools.
COMMANDS = frozenset({
    "background", "changes", "compact", "effort", "export", "find", "folder", "keys", "memory",
    "mode", "model", "new", "preset", "retry", "rules", "servers", "settings", "skills",
})  # fmt: skip
TOOLS = frozenset({"glob", "grep", "shell", "skill", "symbols", "todo"})
_NO = frozenset({"false", "no", "off", "0"})
_YES = frozenset({"true", "yes", "on", "1"})
_RUNS = re.compile(r"(?:^|\s)!`[^`\n]+`|^```!", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Skill:
    """What is known of a skill. With a `problem` it is not used, and the problem says why.

    `description` is one line. `folder` is its real place, `files` what lies in it besides its own
    file, relative to it. `notes` are for the person: what was odd and how it was taken.
    """

    name: str
    folder: Path
    owner: Owner
    file: Path
    description: str = ""
    body: str = ""
    hint: str = ""
    argument_names: tuple[str, ...] = ()
    by_model: bool = True
    by_person: bool = True
    files: tuple[str, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    # The text as it is used and shown, head and all.
    text: str = ""
    # What was taken out of the text or cut off: sentences, also told when it is called.
    losses: tuple[str, ...] = ()


def read_skill(folder: Path, file_name: str, place: Place) -> Skill:
    """The skill in `folder`; one with a `problem` where it cannot be used. Never raises."""
    real = Path(os.path.realpath(folder))
    file = folder / (file_name or FILE_NAME)
    name = folder.name

    def broken(why: str) -> Skill:
        return Skill(visible_line(name), real, place.owner, file, problem=why)

    if leads_out(folder, place):
        return broken("This is a link to a folder outside the project; it is not followed.")
    if not file_name:
        return broken(f"There is no {FILE_NAME} in this folder.")
    try:
        read = read_steering_file(file, place.root or real)
    except Refused as exc:
        return broken(_sentence(str(exc)))
    skill = skill_of(read.text, name)
    losses = [text for text in read.warnings if read.hidden and "hidden characters" in text]
    if read.cut:
        losses.append(f"Only the first {MAX_FILE_BYTES // 1024} KB of its text are used.")
    return replace(
        skill,
        folder=real,
        owner=place.owner,
        file=file,
        files=tuple(files_of(real, file.name)),
        hidden=read.hidden,
        notes=(*skill.notes, *losses),
        losses=tuple(losses),
    )


def skill_of(text: str, folder_name: str) -> Skill:
    """What the text of a skill says, without looking at any disk: for the editor, too."""
    head = front_matter(text)
    notes = [head.problem] if head.problem else []
    if not head.found:
        notes.append("It has no head; its name is that of its folder.")
    name, trouble = _name(head.values, folder_name, notes)
    description = _description(head, notes)
    body = head.body.strip()
    problem = trouble or _trouble(description, body, head)
    by_person = _word(head.values, "user-invocable", "user-invokable") not in _NO
    if by_person and name in COMMANDS:
        by_person = False
        notes.append(f"/{name} is a command of Kinet; the model alone can load this skill.")
    if "allowed-tools" in head.values:
        notes.append("It names allowed tools; a skill grants no permission here.")
    if ("!`" in body or "```!" in body) and _RUNS.search(body):
        notes.append("It asks for commands to be run while it is loaded; they are not run.")
    return Skill(
        name=name or visible_line(folder_name),
        folder=Path(folder_name),
        owner="kinet",
        file=Path(folder_name) / FILE_NAME,
        description=description,
        body=body,
        hint=_hint(head.values.get("argument-hint")),
        argument_names=_names(head.values.get("arguments")),
        by_model=_word(head.values, "disable-model-invocation") not in _YES,
        by_person=by_person,
        notes=tuple(notes),
        problem=problem,
        text=text,
    )


def files_of(folder: Path, own: str = FILE_NAME) -> Iterator[str]:
    """The files beside a skill's own, by name, up to 200; links and hidden names are left out."""
    count = 0
    for top, folders, names in os.walk(folder):
        below = Path(top).relative_to(folder)
        if len(below.parts) >= _DEEPEST:
            folders.clear()
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in ("node_modules", "__pycache__")
        )
        for name in sorted(names):
            path = Path(top) / name
            if name.startswith(".") or path.is_symlink() or (not below.parts and name == own):
                continue
            count += 1
            if count > MOST_FILES:
                return
            yield (below / name).as_posix()


def _name(values: Mapping[str, Any], folder_name: str, notes: list[str]) -> tuple[str, str]:
    """The name, and why there is none that can be used."""
    given = str(values.get("name") or "").strip()
    for name in (given, folder_name):
        if not NAME.fullmatch(name):
            continue
        if given and name != given:
            notes.append(
                f"Its name “{visible_line(given)[:80]}” is not made of small letters, digits and "
                "hyphens; it goes by that of its folder."
            )
        elif given and given != folder_name:
            notes.append(f"Its folder has another name ({visible_line(folder_name)[:80]}).")
        if name in TOOLS:
            return name, f"{name} is the name of a tool; give the skill another one."
        return name, ""
    return "", (
        "Its name is not made of small letters, digits and hyphens (64 at most), and neither is "
        "that of its folder."
    )


def _description(head: FrontMatter, notes: list[str]) -> str:
    said = " ".join(_text(head.values.get(key)) for key in ("description", "when-to-use")).strip()
    if not said:
        said = _first_paragraph(head.body)
        if said:
            notes.append("It has no description; the first lines of its text stand in for one.")
    line = visible_line(" ".join(said.split()))
    if len(line) > LONGEST_DESCRIPTION:
        notes.append(f"Its description is cut at {LONGEST_DESCRIPTION:,} characters.")
        line = f"{line[: LONGEST_DESCRIPTION - 1]}…"
    return line


def _trouble(description: str, body: str, head: FrontMatter) -> str:
    if head.found and not head.values and head.problem:
        return f"{head.problem} Nothing of it can be used."
    if not body:
        return "There is no text below its head: it says nothing to do."
    if not description:
        return "It says nowhere what it is for: a description is missing in its head."
    return ""


def _first_paragraph(body: str) -> str:
    for part in re.split(r"\n\s*\n", body.replace("\r\n", "\n")):
        lines = [line for line in part.strip().split("\n") if not line.lstrip().startswith("#")]
        if text := " ".join(lines).strip():
            return text[:300]
    return ""


def _hint(value: Any) -> str:
    if isinstance(value, list):
        return visible_line(" ".join(f"[{_text(item)}]" for item in value))[:120]
    return visible_line(_text(value))[:120]


def _names(value: Any) -> tuple[str, ...]:
    words = value if isinstance(value, list) else _text(value).replace(",", " ").split()
    return tuple(word for word in map(str, words) if re.fullmatch(r"[A-Za-z_]\w{0,40}", word))


def _word(values: Mapping[str, Any], *keys: str) -> str:
    return next((str(values[key]).strip().lower() for key in keys if key in values), "")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return str(value) if not isinstance(value, dict) else ""


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
