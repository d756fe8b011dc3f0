"""What a folder brings along that could steer the assistant or start programs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from kinet.policy.project import project_root
from kinet.policy.stand_ins import is_there
from kinet.policy.steering_file import Refused, read_steering_file
from kinet.policy.visible import visible_line
from kinet.workspace.rules import RuleSet, load_rules

SERVERS = ".mcp.json"
_LONGEST_CONFIG = 256 * 1024
_SECTION = re.compile(r'\s*\[\s*([\w.-]+)(?:\s+"(.*)")?\s*\]')
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)")
# Keys of a git configuration whose value is a program that git would run.
_PROGRAM_KEYS = frozenset({
    "core.fsmonitor", "core.hookspath", "core.sshcommand", "core.pager", "core.editor",
    "core.askpass", "core.gitproxy", "diff.external", "diff.*.command", "diff.*.textconv",
    "filter.*.clean", "filter.*.smudge", "filter.*.process", "merge.*.driver", "gpg.program",
    "credential.helper", "credential.*.helper", "sequence.editor", "include.path",
    "includeif.*.path", "difftool.*.cmd", "mergetool.*.cmd", "remote.*.vcs",
    "remote.*.uploadpack", "remote.*.receivepack", "pager.*",
})  # fmt: skip
_SWITCHES = frozenset({"true", "false", "yes", "no", "on", "off", "0", "1", ""})


class BroughtSkills(Protocol):
    """The skills that lie in a project (`skills.brought`)."""

    @property
    def lines(self) -> tuple[str, ...]:
        """Name and description of each that can be used."""
        ...

    @property
    def texts(self) -> Mapping[str, str]:
        """What trust is bound to: name to text."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know of them."""
        ...


ReadSkills = Callable[[Path], BroughtSkills]


@dataclass(frozen=True, slots=True)
class FolderContent:
    """What trusting a folder would switch on. `texts` is bound to the answer: name to text.

    `servers` are name and whole command line, `programs` what its git configuration names (those
    are never run, whatever the answer), `warnings` what a person should know.
    """

    folder: Path
    rules: RuleSet
    texts: Mapping[str, str]
    skills: tuple[str, ...] = ()
    servers: tuple[tuple[str, str], ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Changes with any text that trust is bound to; "" where there is nothing to trust."""
        if not self.texts:
            return ""
        text = json.dumps(sorted(self.texts.items()))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def look(folder: Path, read_skills: ReadSkills) -> FolderContent:
    """Reads what the folder brings along, and nothing else of it. Runs nothing, never raises.

    `read_skills` reads those of the project: they are a room of their own.

    Blocking file I/O: call it in a thread.
    """
    folder = Path(os.path.realpath(folder))
    root = project_root(folder)
    rules = load_rules(folder)
    texts = {_name(file.path, root): file.text for file in rules.files if file.text.strip()}
    skills = read_skills(folder)
    texts |= skills.texts
    warnings = [*_place_warnings(folder), *rules.warnings, *skills.warnings]
    servers = _servers(folder, texts, warnings)
    return FolderContent(
        folder, rules, texts, skills.lines, tuple(servers), tuple(_programs(root)), tuple(warnings)
    )


def _place_warnings(folder: Path) -> list[str]:
    home = Path(os.path.realpath(Path.home()))
    temporary = Path(os.path.realpath(tempfile.gettempdir()))
    if folder == Path(folder.anchor):
        return ["This is the root of the disk: everything on it would be the project."]
    if folder == home or folder in home.parents:
        return ["This is your home folder or one above it: all your files would be the project."]
    if folder.name.casefold() == "downloads" or "Downloads" in folder.parts:
        return ["This is your downloads folder: other people's files end up here."]
    if folder == temporary or temporary in folder.parents:
        return ["This is a temporary folder: other programs write here too."]
    return []


def _servers(folder: Path, texts: dict[str, str], warnings: list[str]) -> list[tuple[str, str]]:
    path = folder / SERVERS
    if not is_there(path):
        return []
    try:
        text = read_steering_file(path, folder).text
        raw: Any = json.loads(text)
        entries = raw["mcpServers"]
        items = list(entries.items())
    except Refused as exc:
        warnings.append(str(exc))
        return []
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        warnings.append(f"{SERVERS} cannot be read as a list of servers; none of it is used.")
        return []
    texts[SERVERS] = text
    return [(visible_line(str(name)), _command_line(entry)) for name, entry in items]


def _command_line(entry: Any) -> str:
    if not isinstance(entry, dict):
        return "(not readable)"
    if "command" not in entry:
        address = visible_line(str(entry.get("url", "(no command)")))
        return address + _given("sends", entry.get("headers"))
    words = [str(entry["command"])]
    arguments = entry.get("args")
    words += map(str, arguments) if isinstance(arguments, list) else []
    place = f"  (in {visible_line(str(entry['cwd']))})" if entry.get("cwd") else ""
    return visible_line(shlex.join(words)) + place + _given("sets", entry.get("env"))


def _given(verb: str, values: Any) -> str:
    """What a server is given, and which of the person's variables are in it."""
    if not isinstance(values, dict) or not values:
        return ""
    told = []
    for name in sorted(map(str, values)):
        taken = dict.fromkeys(_VARIABLE.findall(str(values.get(name))))
        told.append(f"{name} from your {' and '.join(taken)}" if taken else name)
    return visible_line(f"  ({verb} {', '.join(told)})")


def _programs(root: Path) -> list[tuple[str, str]]:
    """Programs that the project's git configuration names. Its text is read; git is not run."""
    try:
        text = read_steering_file(root / ".git" / "config", root).text[:_LONGEST_CONFIG]
    except Refused:
        return []
    found: list[tuple[str, str]] = []
    section, middle = "", ""
    for line in text.split("\n"):
        if head := _SECTION.match(line):
            section, middle = head.group(1).lower(), head.group(2) or ""
            line = line[head.end() :]
        key, _, value = (part.strip() for part in line.partition("="))
        if not key or key[0] in "#;":
            continue
        pattern = f"{section}.*.{key.lower()}" if middle else f"{section}.{key.lower()}"
        runs = pattern in _PROGRAM_KEYS or (section == "pager" and not middle)
        runs = runs or (section == "alias" and value.strip('"').startswith("!"))
        if runs and value.lower() not in _SWITCHES:
            name = f"{section}.{middle}.{key}" if middle else f"{section}.{key}"
            found.append((visible_line(name), visible_line(value)))
    return found


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
