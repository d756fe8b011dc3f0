"""Keeps what was typed and not sent, per session, over switching, crashes and restarts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.session import unsent
from kinet.session.pasted import FOLDER
from kinet.ui.writing.attachments import Attachment, attachments_from_json, attachments_to_json
from kinet.ui.writing.kept_edits import EditBook

if TYPE_CHECKING:
    from kinet.core.keeping import Keeper

# The draft of a session that has no id yet.
NEW = "new"


@dataclass(frozen=True, slots=True)
class Draft:
    """Text, caret and attachments of one composer."""

    text: str = ""
    caret: int = 0
    attachments: tuple[Attachment, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to keep."""
        return not self.text.strip() and not self.attachments


class DraftBook:
    """All drafts of a data folder, in `drafts.json`; `edits` are those of sent messages.

    `keeper` writes them; without one the caller's thread does.
    """

    def __init__(self, path: Path, keeper: Keeper | None = None) -> None:
        self._file = unsent.UnsentFile(path, keeper)
        self._drafts = _from_file(self._file.read())
        self._changed = False
        self.edits = EditBook(path.with_name(unsent.EDITS), keeper)

    def get(self, session_id: str) -> Draft:
        """The draft of a session; an empty one if there is none."""
        return self._drafts.get(session_id, Draft())

    def put(self, session_id: str, draft: Draft) -> None:
        """Keeps a draft in memory; `save` writes all that changed."""
        if draft == self.get(session_id):
            return
        self._changed = True
        if draft.is_empty:
            self._drafts.pop(session_id, None)
        else:
            self._drafts[session_id] = draft

    @property
    def pictures(self) -> Path:
        """Where pictures are kept that were pasted into drafts."""
        return self._file.path.with_name(FOLDER)

    def ids(self) -> frozenset[str]:
        """Sessions that have a draft, or an edit that was not sent."""
        self._forget_gone()
        return frozenset(self._drafts) | self.edits.sessions()

    def save(self) -> None:
        """Has written what changed. A failure is logged: the text is still on screen."""
        self.edits.save()
        self._forget_gone()
        if self._changed:
            self._changed = False
            self._file.write({key: _to_json(draft) for key, draft in self._drafts.items()})
        else:
            self._file.again()

    def _forget_gone(self) -> None:
        for session_id in self._file.take_gone():
            self._drafts.pop(session_id, None)


def _from_file(raw: dict[str, Any]) -> dict[str, Draft]:
    return {key: _from_json(item) for key, item in raw.items() if isinstance(item, dict)}


def _to_json(draft: Draft) -> dict[str, Any]:
    attached = attachments_to_json(draft.attachments)
    return {"text": draft.text, "caret": draft.caret, "attachments": attached}


def _from_json(raw: dict[str, Any]) -> Draft:
    return Draft(
        str(raw.get("text", "")),
        raw["caret"] if isinstance(raw.get("caret"), int) else 0,
        attachments_from_json(raw.get("attachments")),
    )
