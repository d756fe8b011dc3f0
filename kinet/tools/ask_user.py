"""The tool that asks the person something in words."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput


class AskUserArguments(Arguments):
    """The question, and answers to choose from."""

    question: str
    choices: list[str] | None = Field(None, max_length=8)


class AskUser:
    """Puts a question to the person and returns the answer; it never stands for an approval."""

    name: ClassVar[str] = "ask_user"
    description: ClassVar[str] = (
        "Asks the person one question and waits for the answer. Only where you cannot go on "
        "without it."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = AskUserArguments

    def question(self, arguments: AskUserArguments, context: ToolContext) -> ApprovalRequest | None:
        """None: the call is itself a question."""
        return None

    async def run(self, arguments: AskUserArguments, context: ToolContext) -> ToolOutput:
        """The answer. ToolError where nobody can answer."""
        if not arguments.question.strip():
            raise ToolError("The question is empty.", kind="arguments")
        if context.ask is None:
            raise ToolError(
                "Nobody can answer in this run.",
                hint="Choose the most careful way yourself and say what you assumed.",
                kind="unavailable",
            )
        answer = await context.ask(arguments.question, tuple(arguments.choices or ()))
        return ToolOutput(answer or "(no answer)", "answered")
