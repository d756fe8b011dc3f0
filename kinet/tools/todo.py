"""The tool that keeps the list of steps of a longer task in sight."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from kinet.core.approval import ApprovalRequest
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput

_MARKS = {"open": "[ ]", "doing": "[~]", "done": "[x]"}


class TodoItem(BaseModel):
    """One step."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    text: str
    state: Literal["open", "doing", "done"] = "open"


class TodoArguments(Arguments):
    """The whole list as it stands now."""

    items: list[TodoItem] = Field(max_length=100)


class Todo:
    """Replaces the list; the newest call's result is the list, nothing else is kept."""

    name: ClassVar[str] = "todo"
    description: ClassVar[str] = (
        "Writes down the steps of a task of several steps and how far they are; always send the "
        "whole list."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = TodoArguments

    def question(self, arguments: TodoArguments, context: ToolContext) -> ApprovalRequest | None:
        """Never asks: it touches nothing but the conversation."""
        return None

    async def run(self, arguments: TodoArguments, context: ToolContext) -> ToolOutput:
        """The list as text."""
        lines = [f"{_MARKS[item.state]} {item.text}" for item in arguments.items]
        done = sum(item.state == "done" for item in arguments.items)
        details = {"items": [item.model_dump() for item in arguments.items]}
        text = "\n".join(lines) or "[the list is empty]"
        return ToolOutput(text, f"{done} of {len(arguments.items)} done", details)
