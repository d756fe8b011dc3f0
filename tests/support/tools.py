"""Small tools with every kind of access, for tests of the loop."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput


class Watch:
    """Notes when calls ran: their order, and how many at once."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.finished: list[str] = []
        self.running = 0
        self.peak = 0

    async def during(self, word: str, seconds: float) -> None:
        """Runs for `seconds` under the name `word`."""
        self.started.append(word)
        self.running += 1
        self.peak = max(self.peak, self.running)
        try:
            await asyncio.sleep(seconds)
        finally:
            self.running -= 1
        self.finished.append(word)


class LookArguments(Arguments):
    """What to look at, and how long that takes."""

    word: str = ""
    seconds: float = 0.0


class Look:
    """Reads; comes back with the word."""

    name: ClassVar[str] = "look"
    description: ClassVar[str] = "Look at something."
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = LookArguments

    def __init__(self, watch: Watch | None = None) -> None:
        self.watch = watch or Watch()

    def question(self, arguments: Any, context: ToolContext) -> ApprovalRequest | None:
        """Never asks."""
        return None

    async def run(self, arguments: LookArguments, context: ToolContext) -> ToolOutput:
        """Looks."""
        await self.watch.during(arguments.word, arguments.seconds)
        return ToolOutput(f"saw {arguments.word}")


class Change(Look):
    """Writes; asks before."""

    name: ClassVar[str] = "change"
    description: ClassVar[str] = "Change something."
    access: ClassVar[Access] = Access.WRITE


class BigArguments(Arguments):
    """How many characters."""

    characters: int
    letter: str = "x"


class Big(Look):
    """Gives a long result."""

    name: ClassVar[str] = "big"
    description: ClassVar[str] = "Give a long text."
    arguments: ClassVar[type[Arguments]] = BigArguments

    async def run(self, arguments: Any, context: ToolContext) -> ToolOutput:
        """So many letters."""
        return ToolOutput(arguments.letter * arguments.characters)


class Fail(Look):
    """Fails as tools should, or as they should not."""

    name: ClassVar[str] = "fail"
    description: ClassVar[str] = "Fail."

    async def run(self, arguments: LookArguments, context: ToolContext) -> ToolOutput:
        """Raises."""
        if arguments.word == "bug":
            raise RuntimeError("a bug")
        raise ToolError(f"Cannot do {arguments.word}.", hint="Do something else.")


class Talk(Look):
    """Prints, then waits for ever."""

    name: ClassVar[str] = "talk"
    description: ClassVar[str] = "Print and wait."
    access: ClassVar[Access] = Access.READ

    def __init__(self) -> None:
        super().__init__()
        self.running_now = asyncio.Event()
        self.ended = asyncio.Event()

    async def run(self, arguments: LookArguments, context: ToolContext) -> ToolOutput:
        """Never ends by itself."""
        context.progress("half of it")
        self.running_now.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        raise AssertionError("unreachable")
