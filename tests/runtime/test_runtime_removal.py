"""A session removed for good takes along what undo kept of its changes, and nothing of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kinet.core.errors import StoreError
from kinet.runtime import create_runtime
from tests.support.scripted_server import ScriptedServer, asks_for, says


async def spoken(session: Any, text: str) -> str:
    async for _ in session.send(text):
        pass
    return str(session.id)


async def test_removing_a_session_for_good_empties_its_part_of_the_journal(
    tmp_path: Path,
) -> None:
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    script = [
        reply
        for name in ("gone", "stays")
        for reply in (asks_for("write_file", path=name, content=f"by {name}\n"), says("Done."))
    ]
    with ScriptedServer(*script) as server:
        runtime = create_runtime(
            home, base_url=server.base_url, model="m", cwd=folder, approve="edits"
        )
        try:
            gone = await spoken(runtime.open_session(), "one")
            stays = await spoken(runtime.open_session(), "two")
            sessions = runtime.sessions
            journal = sessions.parts.journal
            assert journal is not None
            entries = journal.book(folder).log.entries
            assert [entry.session_id for entry in entries] == [gone, stays]
            size = journal.store.total
            sessions.delete(gone)
            assert len(journal.book(folder).log.entries) == 2, "the trash can be undone"
            sessions.purge().result()
            left = journal.book(folder).log.entries
            assert [entry.session_id for entry in left] == [stays]
            assert journal.store.total == size - len("by gone\n")
            assert [row.id for row in sessions.trash()] == []
            assert (await runtime.open_session(stays).changes.undo()).failed == ()
            assert sorted(path.name for path in folder.iterdir()) == ["gone"]
        finally:
            await runtime.close()


async def test_a_session_whose_changes_cannot_be_forgotten_stays_in_the_trash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    script = (asks_for("write_file", path="a", content="a\n"), says("Done."))
    with ScriptedServer(*script) as server:
        runtime = create_runtime(
            tmp_path / "home", base_url=server.base_url, model="m", cwd=folder, approve="edits"
        )
        try:
            session_id = await spoken(runtime.open_session(), "one")
            runtime.sessions.delete(session_id)
            with monkeypatch.context() as patch:

                def refuse(*_args: object, **_named: object) -> None:
                    raise PermissionError(13, "Permission denied")

                patch.setattr(Path, "unlink", refuse)
                with pytest.raises(StoreError, match="Permission denied"):
                    runtime.sessions.purge().result()
            assert [row.id for row in runtime.sessions.trash()] == [session_id]
            runtime.sessions.purge().result()
            assert [row.id for row in runtime.sessions.trash()] == []
        finally:
            await runtime.close()
