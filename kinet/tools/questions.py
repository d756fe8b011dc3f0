"""Builds the questions that tools put to a person, with all that is needed to judge them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kinet.core.approval import ApprovalRequest, QuestionKind, Scope
from kinet.policy.paths import Purpose, judge_path
from kinet.policy.visible import hidden_characters, visible, visible_line
from kinet.tools.base import Arguments, ToolContext


def build_question(
    tool: str,
    arguments: Arguments,
    context: ToolContext,
    *,
    kind: QuestionKind,
    question: str,
    body: str,
    folder: Path | None = None,
    targets: Sequence[str] = (),
    reason: str = "",
    risk: str = "",
    scopes: tuple[Scope, ...] = ("once",),
    rule: str = "",
) -> ApprovalRequest:
    """A question whose body, targets and reason spell out every hidden character.

    `folder` is where it happens, if that is not the session's own.
    """
    hidden = hidden_characters("\n".join([body, *targets]))
    if hidden:
        risk = " ".join(filter(None, [risk, f"It holds hidden characters: {', '.join(hidden)}."]))
    return ApprovalRequest(
        id=uuid.uuid4().hex,
        call_id=context.call_id,
        tool=tool,
        kind=kind,
        question=question,
        body=visible(body),
        folder=visible_line(str(folder or context.folder or "")),
        targets=tuple(visible_line(target) for target in targets),
        reason=visible(reason),
        risk=visible(risk),
        scopes=scopes,
        rule=visible_line(rule),
        arguments=_plain(arguments),
    )


def path_question(
    tool: str, arguments: Arguments, path: str, purpose: Purpose, context: ToolContext
) -> ApprovalRequest | None:
    """The question for a path outside the usual, None for an ordinary one or an impossible one."""
    judgement = judge_path(
        path, purpose, context.folder, data_dir=context.data_dir, readable=context.readable
    )
    if judgement.verdict != "ask":
        return None
    verb = {"read": "Read this file?", "search": "Search here?", "write": "Change this file?"}
    return build_question(
        tool,
        arguments,
        context,
        kind="other",
        question=verb[purpose],
        body=judgement.targets[0],
        targets=judgement.targets,
        reason=judgement.reason,
    )


def _plain(arguments: Arguments) -> dict[str, Any]:
    return arguments.model_dump(exclude_none=True, exclude_defaults=True)
