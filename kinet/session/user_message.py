"""Makes the message a person sends: text, attachments, and the note on date and folder."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from kinet.core.messages import Message, TextPart
from kinet.session.attached import Attachment, attached_of, read_attached
from kinet.session.state import SessionState


def user_message(
    state: SessionState, text: str, attachments: Sequence[Attachment], mode: str
) -> Message:
    """The message, with an id and with the environment note if that changed.

    SettingsError if an attached file cannot be read or is too large.
    """
    from kinet.engine.context.environment import with_environment
    from kinet.store.event_rows import clean

    said = clean(text)
    read = [read_attached(attached_of(item)) for item in attachments]
    parts = [item.part for item in read if item.part is not None]
    content = said if not parts else (TextPart(said), *parts)
    message = Message("user", content, id=secrets.token_hex(6))
    now = state.parts.now()
    history = state.conversation.context()
    state.memory.follow(lambda: state.parts.memory_text(state.folder))
    added = [*state.parts.added(state.folder), state.memory.since]
    return with_environment(message, history, state.folder, mode=mode, now=now, added=added)
