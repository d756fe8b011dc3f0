"""A pasted picture lies beside the database until no draft and no waiting message names it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from kinet.session import unsent
from kinet.session.pasted import FOLDER, forget_unused
from kinet.store.database import FILE_NAME, Database
from kinet.store.queued import QueuedRow, QueueStore
from kinet.store.sessions import NewSession, SessionStore


@pytest.fixture
def pictures(tmp_path: Path) -> dict[str, Path]:
    folder = tmp_path / FOLDER
    folder.mkdir()
    made = {}
    for name in ("draft", "edit", "queued", "unused", "new"):
        made[name] = folder / f"{name * 4}.png"
        made[name].write_bytes(b"x")
        if name != "new":
            os.utime(made[name], (time.time() - 7200,) * 2)
    return made


def test_what_nothing_names_any_more_is_deleted_and_all_else_stays(
    tmp_path: Path, pictures: dict[str, Path]
) -> None:
    database = Database(tmp_path / FILE_NAME)
    SessionStore(database).create(NewSession("s")).result()
    queued = QueueStore(database)
    # Not read before the program died: the file is all there is of it.
    waits = {"name": "Pasted picture", "path": str(pictures["queued"]), "part": None}
    queued.add("s", QueuedRow("q", "Look", attached=[waits])).result()
    for file, name in ((unsent.DRAFTS, "draft"), (unsent.EDITS, "edit")):
        held = {"s": {"attachments": [{"path": str(pictures[name])}]}}
        (tmp_path / file).write_text(json.dumps(held), "utf-8")
    forget_unused(tmp_path, queued)
    left = {name for name, path in pictures.items() if path.exists()}
    assert left == {"draft", "edit", "queued", "new"}
    queued.remove("q").result()
    forget_unused(tmp_path, queued)
    assert not pictures["queued"].exists()
    database.close()


def test_nothing_is_deleted_where_it_cannot_be_known_what_is_named(
    tmp_path: Path, pictures: dict[str, Path]
) -> None:
    database = Database(tmp_path / FILE_NAME)
    queued = QueueStore(database)
    database.close()
    forget_unused(tmp_path, queued)
    assert pictures["unused"].exists()
    forget_unused(tmp_path / "nowhere", queued)
