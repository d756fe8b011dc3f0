"""The tool that loads a skill: written instructions for a kind of task."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput


class SkillArguments(Arguments):
    """Which skill, and what it is to work on."""

    name: str
    arguments: str = Field("", description="what to put into it")
    file: str = Field("", description="a file in its folder, to get that instead")


class Skill:
    """Gives the text of a skill, or of a file beside it; it runs nothing."""

    name: ClassVar[str] = "skill"
    description: ClassVar[str] = "Loads a skill from the list in your instructions."
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = SkillArguments

    def question(self, arguments: SkillArguments, context: ToolContext) -> ApprovalRequest | None:
        """Never asks: only what the person has or trusted is listed, and its text is all there is.

        What a skill names is done by other tools, which ask.
        """
        return None

    async def run(self, arguments: SkillArguments, context: ToolContext) -> ToolOutput:
        """The text. ToolError where there is no such skill or file, or no skill at all."""
        if context.skills is None:
            raise ToolError("There are no skills in this run.", kind="unavailable")
        if arguments.file.strip():
            return await context.skills.file(arguments.name, arguments.file.strip(), context.folder)
        return await context.skills.load(
            arguments.name, arguments.arguments, context.folder, context.session_id
        )
