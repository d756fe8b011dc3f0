"""What may stand before and after a call and before a compaction: checks, redaction, an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kinet.core.messages import Message
from kinet.tools.base import ToolOutput


@dataclass(frozen=True, slots=True)
class HookedCall:
    """A call as it would run: repaired and checked arguments, permission given."""

    session_id: str
    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompactionAnswer:
    """`veto` says why nothing may be compacted; `summary` is used in place of the model's."""

    veto: str = ""
    summary: str = ""


class Hook:
    """The base of hooks; each method lets everything be. Override what is of interest."""

    async def before_call(self, call: HookedCall) -> str:
        """Why the call must not run, "" to let it run. A hook that fails is a no."""
        return ""

    async def after_call(self, call: HookedCall, output: ToolOutput) -> ToolOutput:
        """What person and model get in place of `output`, an error or not."""
        return output

    async def before_compaction(
        self, dropped: tuple[Message, ...], reason: str
    ) -> CompactionAnswer | None:
        """A veto or a summary for what would be dropped; None for neither."""
        return None
