"""One of the answers that a message has had: what is laid beside another to compare them."""

from __future__ import annotations

from dataclasses import dataclass

from kinet.core.events import Event


@dataclass(frozen=True, slots=True)
class Alternative:
    """A turn that begins where others do: number `number`, from 1, of them all.

    `events` are its own saved events; `following` counts the turns behind it on the branch through
    it that was worked on last. `is_current` marks the one on the path the session stands on.
    `profile` and `effort` are what was chosen for it, "" for the usual.
    """

    number: int
    events: tuple[Event, ...]
    following: int = 0
    is_current: bool = False
    profile: str = ""
    effort: str = ""
