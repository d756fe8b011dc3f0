"""Keeps what sent messages were edited to and not sent, per message, over crashes and restarts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.session import unsent
from kinet.ui.writing.attachments import Attachment, attachments_from_json, attachments_to_json

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kinet.core.keeping import Keeper


@dataclass(frozen=True, slots=True)
class Edit:
    """What a message is to become: text, attached texts, and which of its pictures stay, from 0."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    pictures: tuple[int, ...] = ()
    caret: int = -1

    def says_the_same(self, other: Edit | None) -> bool:
        """True if only the caret differs."""
        return other is not None and (self.text, self.attachments, self.pictures) == (
            other.text, other.attachments, other.pictures
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeptEdit:
    """What the person saved without sending, and what stands in an editor that is open."""

    saved: Edit | None = None
    open: Edit | None = None


class EditBook:
    """All edits of a data folder, in `edits.json`. `keeper` writes them, or who calls."""

    def __init__(self, path: Path, keeper: Keeper | None = None) -> None:
        self._file = unsent.UnsentFile(path, keeper)
        self._edits = _from_file(self._file.read())
        self._changed = False

    def get(self, session_id: str, message_id: str) -> KeptEdit:
        """What is kept of a message; nothing if nothing is."""
        return self._edits.get(session_id, {}).get(message_id, KeptEdit())

    def put(self, session_id: str, message_id: str, kept: KeptEdit) -> None:
        """Keeps it in memory; `save` writes all that changed."""
        if kept == self.get(session_id, message_id):
            return
        self._changed = True
        messages = self._edits.setdefault(session_id, {})
        messages.pop(message_id, None)
        if kept.saved is not None or kept.open is not None:
            # The newest at the end.
            messages[message_id] = kept
        elif not messages:
            del self._edits[session_id]

    def sessions(self) -> frozenset[str]:
        """Sessions that have an edit."""
        self._forget_gone()
        return frozenset(self._edits)

    def messages(self, session_id: str) -> Mapping[str, KeptEdit]:
        """The edited messages of a session, the newest last."""
        return self._edits.get(session_id, {})

    def save(self) -> Future[None]:
        """Has the edits written if they changed; the future says when they are.

        A failure is logged too: the text is still on screen.
        """
        self._forget_gone()
        if not self._changed:
            return self._file.again()
        self._changed = False
        raw = {
            session: {message: _to_json(kept) for message, kept in messages.items()}
            for session, messages in self._edits.items()
        }
        return self._file.write(raw)

    def _forget_gone(self) -> None:
        for session_id in self._file.take_gone():
            self._edits.pop(session_id, None)


def _from_file(raw: dict[str, Any]) -> dict[str, dict[str, KeptEdit]]:
    found: dict[str, dict[str, KeptEdit]] = {}
    for session, messages in _items(raw):
        kept = {message: _from_json(item) for message, item in _items(messages)}
        kept = {message: item for message, item in kept.items() if item != KeptEdit()}
        if kept:
            found[session] = kept
    return found


def _items(raw: Any) -> Iterable[tuple[str, Any]]:
    return raw.items() if isinstance(raw, dict) else ()


def _to_json(kept: KeptEdit) -> dict[str, Any]:
    both = (("saved", kept.saved), ("open", kept.open))
    return {name: _edit_to_json(edit) for name, edit in both if edit is not None}


def _edit_to_json(edit: Edit) -> dict[str, Any]:
    return {
        "text": edit.text,
        "caret": edit.caret,
        "pictures": list(edit.pictures),
        "attachments": attachments_to_json(edit.attachments),
    }


def _from_json(raw: Any) -> KeptEdit:
    values = dict(_items(raw))
    return KeptEdit(_edit_from_json(values.get("saved")), _edit_from_json(values.get("open")))


def _edit_from_json(raw: Any) -> Edit | None:
    if not isinstance(raw, dict):
        return None
    pictures = raw.get("pictures")
    return Edit(
        str(raw.get("text", "")),
        attachments_from_json(raw.get("attachments")),
        tuple(item for item in pictures if isinstance(item, int) and item >= 0)
        if isinstance(pictures, list)
        else (),
        raw["caret"] if isinstance(raw.get("caret"), int) else -1,
    )
