"""What a package that extends Kinet would bring: a tool, a hook and a listener, and no window.

Arguments: address, protocol. Prints one JSON line: what the tool was given, what the hook saw, the
events in order, the last answer, and whether a window was loaded.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, ClassVar

from kinet.core.approval import ApprovalRequest
from kinet.core.events import Event, MessageCompleted, event_type
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.engine.base import StopSignal, TurnRequest
from kinet.engine.direct import DirectEngine
from kinet.engine.hooks import Hook, HookedCall
from kinet.providers.catalog import create_provider
from kinet.session.turn import Unasked
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.catalog import builtin_tools
from kinet.tools.toolbox import Toolbox


class CountArguments(Arguments):
    """What to count."""

    text: str


class Count:
    """A tool that Kinet does not have."""

    name: ClassVar[str] = "count_letters"
    description: ClassVar[str] = "Counts letters."
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = CountArguments

    def question(self, arguments: Any, context: ToolContext) -> ApprovalRequest | None:
        """Never asks."""
        return None

    async def run(self, arguments: CountArguments, context: ToolContext) -> ToolOutput:
        """How many."""
        return ToolOutput(str(len(arguments.text)))


class Notes(Hook):
    """Keeps what ran, and signs each result."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def before_call(self, call: HookedCall) -> str:
        """Lets all run."""
        self.seen.append(f"{call.name} {dict(call.arguments)}")
        return ""

    async def after_call(self, call: HookedCall, output: ToolOutput) -> ToolOutput:
        """The result, signed."""
        return ToolOutput(f"{output.content} (counted)")


async def main(url: str, protocol: str) -> None:
    """One turn with all three."""
    notes, heard = Notes(), list[Event]()
    profile = ModelProfile("outside", url, "scripted", protocol=protocol)  # type: ignore[arg-type]
    provider = create_provider(profile, None)
    request = TurnRequest(
        session_id="outside",
        user=Message("user", "Count."),
        history=(),
        profile=profile,
        provider=provider,
        toolbox=Toolbox((*builtin_tools(), Count())),
        approver=Unasked(),
        stop=StopSignal(),
        hooks=(notes,),
        observers=(heard.append,),
    )
    events = [event async for event in DirectEngine().run(request)]
    await provider.close()
    texts = [item.message.text for item in events if isinstance(item, MessageCompleted)]
    out: dict[str, Any] = {"window": any(name.startswith("PySide6") for name in sys.modules)}
    out |= {
        "seen": notes.seen,
        "events": [event_type(event) for event in events],
        "last": texts[-1],
    }
    print(json.dumps({**out, "heard": [event_type(event) for event in heard]}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
