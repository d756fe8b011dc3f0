"""The one gate: may this call run, must a person be asked, or is it refused.

`gather` looks (paths, links: the only part with I/O), `judge` decides from what was seen and is
pure. The engine uses them like this for every call, a sub-agent's and a server's too:

    facts = gather(tool.name, tool.access.value, arguments.model_dump(), folder, data_dir=data_dir)
    verdict = judge(facts, mode, remembered=answer, unsandboxed=unsandboxed)
    # allow: run. deny: an error result with verdict.reason. ask: tool.question(...), the person.
    # The question gets verdict.reason, facts.targets, verdict.scopes and verdict.rule.
    await tool.run(arguments, replace(context, grant=facts.grant))

The grant is made from the very call that was judged; a tool refuses a target that has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kinet.core.approval import Decision, Scope
from kinet.policy.commands import judge_command, names_guarded
from kinet.policy.network import judge_url
from kinet.policy.paths import judge_path
from kinet.policy.verdicts import Judgement, VerdictWord
from kinet.policy.visible import visible_line

Mode = Literal["ask", "edits", "plan", "all", "deny"]
# The words of tools.base.Access; anything else is taken for the strictest of them.
AccessWord = Literal["read", "write", "execute", "network"]

_SEARCH_TOOLS = frozenset({"grep", "glob", "list_folder", "symbols"})
_WRITE_TOOLS = frozenset({"write_file", "edit_file", "delete_file"})
_NO_SANDBOX = "no sandbox works here"
_ONLY_READS = ("nothing but reading",)
_NOTHING = Judgement("allow", "it touches no file, program or address")


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What is known of one call before it runs. `judgement` is the strictest of its parts."""

    tool: str
    access: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    judgement: Judgement = _NOTHING
    grant: str = ""
    # Where a command begins, if that is not the project's folder.
    start: Path | None = None
    # Of a tool that others describe: the hash of what they say, and their claim that it only reads.
    definition: str = ""
    claims_read: bool = False

    @property
    def targets(self) -> tuple[str, ...]:
        """The real paths or hosts the call would touch, spelt out for a person."""
        return tuple(visible_line(target) for target in self.judgement.targets)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's answer. `scopes` and `rule` are what a question may offer to remember."""

    verdict: VerdictWord
    reason: str
    scopes: tuple[Scope, ...] = ("once",)
    rule: str = ""


def gather(
    tool: str,
    access: str,
    arguments: Mapping[str, Any],
    folder: Path | None,
    *,
    data_dir: Path | None = None,
    home: Path | None = None,
    readable: Sequence[Path] = (),
    start: Path | None = None,
    local_permits: frozenset[str] = frozenset(),
    definition: str = "",
    claims_read: bool = False,
) -> CallFacts:
    """Looks at what the call would touch. Never raises for odd arguments: those are asked about.

    `readable` are real folders whose files read_file may read although they lie elsewhere, `start`
    the real folder in which a command would begin, `local_permits` the host:port of this machine or
    network that the person permitted. `definition` and `claims_read` are those of a server's tool.
    """
    home = home or Path.home()
    if definition:
        # What is behind it nobody here can see; its token is good for this description alone.
        grant = grant_for(tool, arguments, (definition,))
        asked = Judgement("ask", "what it does is known to its server alone")
        return CallFacts(
            tool, access, dict(arguments), folder, asked, grant, start, definition, claims_read
        )
    if tool == "shell":
        command = str(arguments.get("command", ""))
        judgement = judge_command(command, folder, home, data_dir=data_dir, start=start)
    elif tool == "web_fetch":
        judgement = judge_url(str(arguments.get("url", "")), local_permits=local_permits)
    else:
        judgement = _look(tool, access, arguments, folder, data_dir, home, readable)
    only_reads = tool == "shell" and judgement.verdict == "allow"
    grant = grant_for(tool, arguments, _ONLY_READS if only_reads else judgement.targets)
    return CallFacts(tool, access, dict(arguments), folder, judgement, grant, start)


def grant_for(tool: str, arguments: Mapping[str, Any], targets: tuple[str, ...]) -> str:
    """The token of exactly this call on exactly these real targets."""
    text = json.dumps([tool, dict(arguments), list(targets)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def granted_to_read(tool: str, arguments: Mapping[str, Any], grant: str) -> bool:
    """True if the call got its token unasked, as a command that was seen to only read.

    Nobody was asked then: what is no such command any more when it comes to run must not.
    """
    return bool(grant) and grant == grant_for(tool, arguments, _ONLY_READS)


def judge(
    facts: CallFacts,
    mode: Mode | str,
    *,
    remembered: Decision | None = None,
    unsandboxed: bool = False,
    sandbox: bool = False,
    no_sandbox: str = "",
) -> Verdict:
    """Allow, ask or deny, in the order: never and protected, the person's no, mode, the rest.

    An unknown mode counts as `ask`. `remembered` is the stored answer to such a call, if any.
    `sandbox` says that commands of mode `all` run in one, `no_sandbox` in words that none works,
    `unsandboxed` that the person wants none.
    In mode `deny` nobody can be asked: what would ask is denied.
    """
    looked = facts.judgement
    if looked.verdict == "deny":
        return Verdict("deny", looked.reason)
    if remembered is not None and not remembered.allowed:
        return Verdict("deny", remembered.reason or "a saved rule says no to this call")
    word, reason = _by_mode(facts, mode, unsandboxed, "" if sandbox else no_sandbox or _NO_SANDBOX)
    if word == "ask" and looked.memorable and remembered is not None:
        return Verdict("allow", "a saved answer allows exactly this")
    if word == "ask" and mode == "deny":
        return Verdict("deny", f"{reason}; nobody can be asked in this run")
    if word != "ask":
        return Verdict(word, reason)
    scopes, rule = _offer(facts)
    return Verdict("ask", reason, scopes, rule)


def judge_typed(facts: CallFacts, remembered: Decision | None = None) -> Verdict:
    """The same for a command that the person typed: it needs no permission of theirs.

    What is never run is not run for them either. They are asked where it names a protected place,
    and where a rule of their own says no: a slip of the keys must not undo either.
    """
    if facts.judgement.verdict == "deny":
        return Verdict("deny", facts.judgement.reason)
    if remembered is not None and not remembered.allowed:
        return Verdict("ask", remembered.reason or "a saved rule says no to it")
    guarded = names_guarded(str(facts.arguments.get("command", "")))
    return Verdict("ask", guarded) if guarded else Verdict("allow", "the person typed it")


def _by_mode(
    facts: CallFacts, mode: str, unsandboxed: bool, no_sandbox: str
) -> tuple[VerdictWord, str]:
    looked = facts.judgement
    if facts.definition:
        return _server_by_mode(facts, mode, unsandboxed)
    if facts.access == "read":
        return looked.verdict, looked.reason
    if facts.access == "write":
        if mode == "plan":
            return "deny", "this session only reads: files are not changed in plan mode"
        if looked.verdict == "ask":
            return "ask", looked.reason
        if mode in ("edits", "all"):
            return "allow", "changes inside the project are allowed in this mode"
        return "ask", "it changes a file"
    if facts.tool == "shell":
        outside = facts.arguments.get("outside_sandbox") is True
        guarded = names_guarded(str(facts.arguments.get("command", ""))) if unsandboxed else ""
        return _command_by_mode(looked, mode, unsandboxed, no_sandbox, outside, guarded)
    if facts.access == "network":
        if mode == "all" and unsandboxed and looked.memorable:
            return "allow", "everything is allowed in this mode"
        return "ask", looked.reason
    if mode == "plan":
        return "deny", "this session only reads: such a call is not made in plan mode"
    if mode == "all" and unsandboxed:
        return "allow", "everything is allowed in this mode"
    return "ask", "what this tool does is not known beforehand"


def _server_by_mode(facts: CallFacts, mode: str, unsandboxed: bool) -> tuple[VerdictWord, str]:
    """A server's own claims let nothing pass unasked."""
    if mode == "plan" and not facts.claims_read:
        return "deny", "this session only reads, and this tool does not say that it only reads"
    if mode == "all" and unsandboxed:
        return "allow", "everything is allowed in this mode"
    return "ask", facts.judgement.reason


def _command_by_mode(
    looked: Judgement, mode: str, unsandboxed: bool, no_sandbox: str, outside: bool, guarded: str
) -> tuple[VerdictWord, str]:
    if looked.verdict == "allow":
        return "allow", looked.reason
    if mode == "plan":
        return "deny", f"this session only reads, and the command may do more: {looked.reason}"
    if mode == "all" and not unsandboxed and no_sandbox:
        return "ask", f"{no_sandbox}: {looked.reason}"
    if mode == "all" and not unsandboxed and outside:
        return "ask", "it asks to run outside the sandbox"
    if mode == "all" and unsandboxed and guarded:
        return "ask", guarded
    if mode == "all":
        return "allow", "commands are allowed in this mode"
    return "ask", looked.reason


def _offer(facts: CallFacts) -> tuple[tuple[Scope, ...], str]:
    """What the question may offer to remember: nothing, or exactly this, never more."""
    if not facts.judgement.memorable:
        return ("once",), ""
    if facts.definition:
        rule = f"{facts.tool} with any arguments, as its server describes it now"
        return ("once", "session", "folder", "always"), rule
    if facts.tool == "shell":
        command = visible_line(str(facts.arguments.get("command", "")))
        return ("once", "session", "folder"), f"exactly: {command}"
    if facts.tool == "web_fetch" and facts.targets:
        return ("once", "session"), f"fetch from {facts.targets[0]}"
    if facts.access == "write" and facts.targets:
        return ("once", "session"), f"changes to {facts.targets[0]}"
    return ("once", "session"), f"{facts.tool} with exactly these arguments"


def _look(
    tool: str,
    access: str,
    arguments: Mapping[str, Any],
    folder: Path | None,
    data_dir: Path | None,
    home: Path,
    readable: Sequence[Path],
) -> Judgement:
    if tool in _SEARCH_TOOLS:
        path = str(arguments.get("path") or ".")
        return judge_path(path, "search", folder, home=home, data_dir=data_dir)
    if tool == "read_file":
        path = str(arguments.get("path", ""))
        return judge_path(path, "read", folder, home=home, data_dir=data_dir, readable=readable)
    if tool in _WRITE_TOOLS:
        path = str(arguments.get("path", ""))
        return judge_path(path, "write", folder, home=home, data_dir=data_dir)
    if access == "read":
        return _NOTHING
    return Judgement("ask", "what this tool does is not known beforehand")
