"""Saved answers to questions, and how far each one reaches."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args
from weakref import WeakSet

from kinet.core.approval import Decision, Scope
from kinet.core.atomic_write import write_bytes
from kinet.core.data_folder import why_unusable
from kinet.core.errors import SettingsError
from kinet.policy.denied import runs_denied
from kinet.policy.network import host_of
from kinet.policy.programs import UNBOUNDED
from kinet.policy.shell_words import split_plain

_FILE = "rules.json"
_LARGEST_FILE = 4 * 1024 * 1024

# How a rule is compared: the call, a command's beginning, a file, a host, a server's description.
Match = Literal["exact", "prefix", "path", "host", "definition"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One saved answer. `value` is what is compared, `folder` the real path it belongs to.

    `created` is wall time in seconds, for display only. A rule of scope session lives in memory.
    """

    id: str
    tool: str
    match: Match
    value: str
    allowed: bool
    scope: Scope
    folder: str = ""
    reason: str = ""
    created: float = 0.0

    def fits(
        self, tool: str, arguments: Mapping[str, object], folder: str, definition: str = ""
    ) -> bool:
        """True if the rule speaks about such a call."""
        if self.tool != tool or (self.scope != "always" and self.folder != folder):
            return False
        if self.match == "definition":
            # A no holds however the tool is described by now.
            return not self.allowed or (bool(definition) and definition == self.value)
        if tool == "shell" and not self.allowed:
            command = str(arguments.get("command", ""))
            return command == self.value or runs_denied(command, self.value)
        if self.match == "prefix":
            return begins_with(str(arguments.get("command", "")), self.value)
        return _value(self.match, tool, arguments, folder) == self.value


class RuleBook:
    """Remembers decisions; implements engine.base.Remembered.

    Rules of scope folder and always lie in `rules.json` of the data folder, never in a project.
    Those of scope session belong to this object alone: take one book per session by `for_session`.
    """

    def __init__(self, data_dir: Path | None = None, session_id: str = "") -> None:
        self._saved = _SavedRules(data_dir)
        self.session_id = session_id
        self._session: list[Rule] = []
        self._books: WeakSet[RuleBook] = WeakSet()

    @property
    def problem(self) -> str:
        """What was wrong with the file of rules, "" for nothing; no rule of it is used then."""
        self._saved.read()
        return self._saved.problem

    def for_session(self, session_id: str) -> RuleBook:
        """The same saved rules, with a session's own answers beside them."""
        book = RuleBook(None, session_id)
        book._saved = self._saved
        self._books.add(book)
        return book

    def decision(
        self, tool: str, arguments: Mapping[str, object], folder: str, definition: str = ""
    ) -> Decision | None:
        """The strictest remembered answer to such a call, None if there is none."""
        real = _real(folder)
        rules = (*self._session, *self._saved.read())
        found = [rule for rule in rules if rule.fits(tool, arguments, real, definition)]
        if not found:
            return None
        rule = min(found, key=lambda rule: rule.allowed)
        reason = rule.reason or ("" if rule.allowed else f"a saved rule says no: {describe(rule)}")
        return Decision(rule.allowed, rule.scope, reason)

    def remember(
        self,
        tool: str,
        arguments: Mapping[str, object],
        folder: str,
        decision: Decision,
        definition: str = "",
    ) -> None:
        """Keeps the answer to exactly this call; scope once is not kept.
        With a server's `definition` of the tool it is kept for any arguments.

        An answer of reach "prefix" is kept for all commands that begin with its rule. Raises
        SettingsError if such an answer may not reach that far, or cannot be stored.
        """
        if decision.scope == "once":
            return
        if decision.reach == "prefix":
            if not begins_with(str(arguments.get("command", "")), decision.rule):
                raise SettingsError(
                    f"The rule “{decision.rule}” does not fit the command it was made for.",
                    hint="Begin the rule with the first words of the command.",
                )
            self.add_prefix(decision.rule, folder, decision)
            return
        if definition:
            self._add(tool, "definition", definition, decision, folder)
            return
        match: Match = "exact"
        if tool == "web_fetch":
            match = "host"
        elif tool in ("write_file", "edit_file"):
            match = "path"
        value = _value(match, tool, arguments, _real(folder))
        if decision.allowed:
            trouble = too_broad(tool, match, value, decision.scope)
            if trouble:
                raise SettingsError(trouble, hint="Allow it once, or for this session.")
        self._add(tool, match, value, decision, folder)

    def add_prefix(self, prefix: str, folder: str, decision: Decision) -> Rule:
        """Keeps a rule for all commands that begin with these words. SettingsError if too broad."""
        if decision.allowed:
            trouble = too_broad("shell", "prefix", prefix, decision.scope)
            if trouble:
                raise SettingsError(trouble, hint="Name more of the command, or allow it once.")
        return self._add("shell", "prefix", prefix, decision, folder)

    def rules(self, folder: str | None = None) -> tuple[Rule, ...]:
        """All rules, or those that count in a folder, the session's first."""
        real = None if folder is None else _real(folder)
        return tuple(
            rule
            for rule in (*self._session, *self._saved.read())
            if real is None or rule.scope == "always" or rule.folder == real
        )

    def all_rules(self) -> tuple[Rule, ...]:
        """The rules of all open sessions and the saved ones."""
        own = (rule for book in (self, *self._books) for rule in book._session)
        return (*own, *self._saved.read())

    def revoke(self, rule_id: str) -> bool:
        """Takes a rule away, of any open session too; False if there is none.

        SettingsError if it stays stored.
        """
        if any(book.revoke(rule_id) for book in self._books if book.holds(rule_id)):
            return True
        kept = [rule for rule in self._session if rule.id != rule_id]
        if len(kept) != len(self._session):
            self._session = kept
            return True
        return self._saved.remove(rule_id)

    def holds(self, rule_id: str) -> bool:
        """True if it is a rule of this session's own."""
        return any(rule.id == rule_id for rule in self._session)

    def _add(self, tool: str, match: Match, value: str, decision: Decision, folder: str) -> Rule:
        rule = Rule(
            id=uuid.uuid4().hex,
            tool=tool,
            match=match,
            value=value,
            allowed=decision.allowed,
            scope=decision.scope,
            folder="" if decision.scope == "always" else _real(folder),
            reason=decision.reason,
            created=time.time(),
        )
        if decision.scope == "session":
            self._session.append(rule)
        else:
            self._saved.add(rule)
        return rule


def describe(rule: Rule) -> str:
    """The rule in one line, for lists and questions."""
    what = {
        "exact": f"{rule.tool} exactly: {rule.value}",
        "prefix": f"commands that begin with: {rule.value}",
        "path": f"changes to {rule.value}",
        "host": f"fetch from {rule.value}",
        "definition": f"{rule.tool} with any arguments, as its server described it",
    }[rule.match]
    where = {"session": "in this session", "folder": f"in {rule.folder}", "always": "everywhere"}
    return f"{'allow' if rule.allowed else 'deny'} {what} ({where.get(rule.scope, 'once')})"


def too_broad(tool: str, match: Match, value: str, scope: Scope) -> str:
    """Why a rule that allows may not be kept, "" if it may."""
    if match == "prefix":
        return _prefix_too_broad(value)
    if scope == "always" and tool == "shell" and _prefix_too_broad(value):
        return (
            f"{_prefix_too_broad(value)} It is allowed for one project at most, since it means "
            "something else elsewhere."
        )
    if scope in ("folder", "always") and match in ("path", "host"):
        return "Changes and addresses are allowed for this session at most."
    if scope in ("folder", "always") and tool != "shell":
        return "Calls of this tool are allowed for this session at most."
    return ""


def suggested_beginning(command: str) -> str:
    """The first words of a command as a rule a person may edit; "" where no beginning may be kept.

    It has the program, what it is to do, and the options that follow; operands change.
    """
    plain = split_plain(command)
    if plain is None or len(plain) != 1:
        return ""
    words = plain[0].words
    count = next(
        (at for at, word in enumerate(words) if at > 1 and not word.startswith("-")),
        len(words),
    )
    beginning = " ".join(words[: max(2, count)])
    return beginning if begins_with(command, beginning) and not _prefix_too_broad(beginning) else ""


def _prefix_too_broad(prefix: str) -> str:
    plain = split_plain(prefix)
    if plain is None or len(plain) != 1:
        return "A rule for a beginning has to be plain words, without operators or expansions."
    words = plain[0].words
    if words[0].rpartition("/")[2] in UNBOUNDED:
        return f"{words[0]} can run or change anything, depending on what follows."
    if len(words) < 2:
        return f"A rule for every use of {words[0]} would be too broad."
    return ""


def begins_with(command: str, prefix: str) -> bool:
    """True for one plain command whose first words are the prefix's; never for a compound one."""
    plain, wanted = split_plain(command), split_plain(prefix)
    if plain is None or wanted is None or len(plain) != 1:
        return False
    words = wanted[0].words
    return plain[0].words[: len(words)] == words


def _value(match: Match, tool: str, arguments: Mapping[str, object], folder: str) -> str:
    if match == "host":
        return host_of(str(arguments.get("url", "")))
    if match == "path":
        return os.path.realpath(os.path.join(folder, str(arguments.get("path", ""))))
    if tool == "shell":
        return str(arguments.get("command", ""))
    return json.dumps(dict(arguments), sort_keys=True, default=str)


def _real(folder: str) -> str:
    return os.path.realpath(folder) if folder else ""


class _SavedRules:
    """The file of rules. A damaged one is set aside and counts as empty.

    One that cannot be read just now stays where it is: what was last read of it holds, and nothing
    is stored over it.
    """

    def __init__(self, data_dir: Path | None) -> None:
        self._path = data_dir / _FILE if data_dir is not None else None
        self._rules: list[Rule] = []
        self._stamp: tuple[int, int] | None = None
        self._out_of_reach = False
        self.problem = ""

    def read(self) -> list[Rule]:
        """The rules as they are now on the disk."""
        if self._path is None:
            return self._rules
        try:
            status = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._rules, self._stamp = [], None
            return self._rules
        except OSError as exc:
            return self._unreadable(exc)
        stamp = (status.st_mtime_ns, status.st_size)
        if stamp != self._stamp:
            try:
                self._rules = self._load(status.st_size)
            except OSError as exc:
                return self._unreadable(exc)
            self._stamp = stamp
            if self._out_of_reach:
                self.problem, self._out_of_reach = "", False
        return self._rules

    def _unreadable(self, exc: OSError) -> list[Rule]:
        self._stamp = None
        self.problem = f"The saved rules cannot be read: {exc.strerror or exc}."
        self._out_of_reach = True
        return self._rules

    def add(self, rule: Rule) -> None:
        self._store([*self._sure(), rule])

    def remove(self, rule_id: str) -> bool:
        rules = self._sure()
        kept = [rule for rule in rules if rule.id != rule_id]
        if len(kept) == len(rules):
            return False
        self._store(kept)
        return True

    def _sure(self) -> list[Rule]:
        """The rules on the disk. SettingsError where they cannot be read: they would be lost."""
        self._out_of_reach = False
        rules = self.read()
        if self._out_of_reach:
            raise SettingsError(
                f"{self.problem} Nothing was changed.",
                hint="Look at the data folder's permissions, then try again.",
            )
        return rules

    def _load(self, size: int) -> list[Rule]:
        """The rules in the file. OSError if it cannot be read; a damaged one is set aside."""
        assert self._path is not None
        try:
            if size > _LARGEST_FILE:
                raise ValueError("it is far too large")
            raw = json.loads(self._path.read_bytes().decode("utf-8"))
            entries = raw["rules"] if isinstance(raw, dict) else None
            if not isinstance(entries, list):
                raise ValueError("it has no list of rules")
        except (ValueError, KeyError, RecursionError) as exc:
            aside = self._path.with_suffix(f".damaged-{uuid.uuid4().hex[:8]}")
            try:
                os.replace(self._path, aside)
            except OSError:
                aside = self._path
            self.problem = f"The saved rules could not be read ({exc}); they lie in {aside}."
            return []
        return [rule for entry in entries if (rule := _rule(entry)) is not None]

    def _store(self, rules: Iterable[Rule]) -> None:
        kept = list(rules)
        if self._path is not None:
            data = json.dumps({"version": 1, "rules": [asdict(rule) for rule in kept]}, indent=1)
            try:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_bytes(self._path, data.encode("utf-8", "replace"))
            except OSError as exc:
                why, hint = why_unusable(home := self._path.parent, exc)
                saved = f"The rule could not be saved in {home}: {why}."
                raise SettingsError(saved, hint=hint) from exc
            # Read again at the next look.
            self._stamp = None
        self._rules = kept


def _rule(entry: Any) -> Rule | None:
    """A rule as stored, None for one that is not whole: an unreadable rule allows nothing."""
    if not isinstance(entry, dict):
        return None
    texts = {key: entry.get(key) for key in ("id", "tool", "match", "value", "scope", "folder")}
    if not all(isinstance(text, str) for text in texts.values()):
        return None
    known = texts["match"] in get_args(Match) and texts["scope"] in get_args(Scope)
    allowed = entry.get("allowed")
    if not known or not isinstance(allowed, bool):
        return None
    reason, created = entry.get("reason", ""), entry.get("created", 0.0)
    return Rule(
        **texts,  # type: ignore[arg-type]
        allowed=allowed,
        reason=reason if isinstance(reason, str) else "",
        created=created if isinstance(created, int | float) else 0.0,
    )
