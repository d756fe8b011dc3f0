"""A session on its way out, in a format to be read or kept elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.core.messages import Message
from kinet.session.export import exported
from kinet.store.sessions import SessionRow


def export(form: str, row: SessionRow, messages: Sequence[Message]) -> str:
    """The session as md, html, json or jsonl."""
    facts = {
        "id": row.id,
        "title": row.title,
        "folder": row.folder,
        "updated": row.updated,
        "state": row.state,
    }
    return exported(form, row.title, messages, facts)
