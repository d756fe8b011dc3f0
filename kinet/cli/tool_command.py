"""`kinet tool`: runs one tool through the same gate as in a session."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.cli.check_command import local_permits
from kinet.cli.tool_servers import ready_tools, servers_for
from kinet.core.approval import ApprovalRequest, Approver, Decision, NobodyToAsk
from kinet.core.errors import ToolError
from kinet.paths import data_dir
from kinet.policy.gate import gather, judge
from kinet.tools.base import ToolContext, ToolOutput
from kinet.tools.catalog import builtin_tools
from kinet.tools.toolbox import Toolbox
from kinet.tools.web.web_transport import Reach

if TYPE_CHECKING:
    from kinet.settings.tool_servers import ToolServerBook

FAILED, USAGE, STOPPED, DENIED = 1, 2, 3, 5


def tool(options: argparse.Namespace) -> int:
    """Runs the tool and prints its result; exit 1 for an error result, 5 where it was denied."""
    toolbox = Toolbox(builtin_tools(reach=_reach))
    if options.list:
        with servers_for(options) as book:
            listed = _listing(toolbox.with_more(asyncio.run(ready_tools(book, options))))
        print(json.dumps(listed, ensure_ascii=False, indent=2))
        return 0
    if not options.name:
        print("Name a tool, or give --list to see them.", file=sys.stderr)
        return USAGE
    text = sys.stdin.read() if options.arguments == "-" else options.arguments
    try:
        arguments = json.loads(text or "{}")
    except ValueError as exc:
        print(f"The arguments are not JSON: {exc}.", file=sys.stderr)
        return USAGE
    if not isinstance(arguments, dict):
        print("The arguments are not a JSON object.", file=sys.stderr)
        return USAGE
    if "__" not in options.name:
        return asyncio.run(_run(toolbox, options, arguments))
    with servers_for(options) as book:
        return asyncio.run(_run_of_server(toolbox, book, options, arguments))


async def _run_of_server(
    toolbox: Toolbox, book: ToolServerBook, options: argparse.Namespace, arguments: dict[str, Any]
) -> int:
    server = options.name.partition("__")[0]
    tools = await ready_tools(book, options, only=server)
    return await _run(toolbox.with_more(tools), options, arguments)


def _reach() -> Reach:
    from kinet.settings.store import SettingsStore
    from kinet.settings.web_reach import web_reach

    return web_reach(SettingsStore(data_dir()).values.network)


def _lent(name: str, folder: Path) -> dict[str, Any]:
    """The skills, for the tools that have to do with them."""
    if name not in ("skill", "read_file"):
        return {}
    from kinet.cli.skills_command import library_at

    library = library_at(data_dir())
    return {"skills": library, "readable": library.readable(folder)}


async def _run(toolbox: Toolbox, options: argparse.Namespace, arguments: Mapping[str, Any]) -> int:
    folder = (options.cwd or Path.cwd()).absolute()
    context = ToolContext(
        folder=folder,
        call_id=f"call_{uuid.uuid4().hex[:12]}",
        require_read=False,
        unsandboxed=options.unsandboxed,
        data_dir=data_dir(),
        local_permits=local_permits(),
        **_lent(options.name, folder),
    )
    try:
        found, checked = toolbox.prepare(options.name, arguments)
        plain = checked.model_dump()
        facts = gather(
            found.name,
            found.access.value,
            plain,
            folder,
            data_dir=data_dir(),
            local_permits=context.local_permits,
            readable=context.readable,
            definition=getattr(found, "definition", ""),
            claims_read=getattr(found, "claims_read", False),
        )
        mode = options.approve or ("ask" if sys.stdin.isatty() else "deny")
        problem = _no_sandbox(folder, found.name, mode, options)
        verdict = judge(
            facts,
            mode,
            unsandboxed=options.unsandboxed,
            sandbox=problem == "",
            no_sandbox=f"no sandbox works here ({problem})" if problem else "",
        )
        if verdict.verdict == "deny":
            missing = any(part.rule == "missing" for part in facts.judgement.parts)
            return _refused(verdict.reason, FAILED if missing else DENIED)
        if verdict.verdict == "ask":
            question = found.question(checked, context) or _plain_question(found.name, plain)
            decision = await _approver(mode).ask(replace(question, reason=verdict.reason))
            if not decision.allowed:
                return _refused(_why_not(decision, verdict.reason), DENIED)
        boxed = problem == "" and plain.get("outside_sandbox") is not True
        output = await found.run(checked, replace(context, grant=facts.grant, boxed=boxed))
    except ToolError as exc:
        output = ToolOutput(exc.sentence(), details=exc.details, is_error=True)
    _print(output)
    return FAILED if output.is_error else 0


def _no_sandbox(folder: Path, tool: str, mode: str, options: argparse.Namespace) -> str | None:
    """Why a command of mode all has no sandbox, "" where it runs in one; None for other calls."""
    if tool != "shell" or mode != "all" or options.unsandboxed:
        return None
    from kinet.tools.processes.sandbox import problem_for

    return problem_for(folder)


def _approver(mode: str) -> Approver:
    from kinet.headless import TerminalApprover

    return TerminalApprover() if sys.stdin.isatty() and mode != "deny" else NobodyToAsk()


def _plain_question(name: str, arguments: Mapping[str, Any]) -> ApprovalRequest:
    body = "\n".join(f"{key}: {value}" for key, value in arguments.items())
    return ApprovalRequest("", "", name, "other", f"Allow {name}?", body)


def _why_not(decision: Decision, why_asked: str) -> str:
    if decision.unasked:
        return f"{why_asked}; nobody can be asked here"
    return decision.reason or "the answer was no"


def _refused(reason: str, code: int) -> int:
    _print(ToolOutput(f"Not run: {reason.removesuffix('.')}.", preview="not run", is_error=True))
    return code


def _print(output: ToolOutput) -> None:
    print(
        json.dumps(
            {
                "content": output.content,
                "details": dict(output.details),
                "is_error": output.is_error,
                "preview": output.preview,
            },
            ensure_ascii=False,
            default=str,
        )
    )


def _listing(toolbox: Toolbox) -> list[dict[str, Any]]:
    rows = []
    for schema in toolbox.schemas():
        found = toolbox.find(schema.name)
        if found is not None:
            row = {"name": schema.name, "access": found.access.value}
            rows.append({**row, "description": schema.description, "schema": schema.parameters})
    return rows
