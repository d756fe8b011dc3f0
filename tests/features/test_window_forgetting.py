"""What was typed in a session and not sent goes for good with it, and only with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.core.errors import StoreError
from kinet.runtime import create_runtime
from kinet.session import unsent
from kinet.ui.writing.kept_edits import Edit, KeptEdit
from tests.support.live_window import LiveWindow, live_window
from tests.support.replies import hangs, says
from tests.support.scripted_server import ScriptedServer
from tests.support.window import until

pytestmark = pytest.mark.window


def kept(home: Path) -> str:
    """Both files."""
    files = (home / "drafts.json", home / "edits.json")
    return "".join(file.read_text("utf-8") for file in files if file.exists())


async def written_in(live: LiveWindow, text: str) -> str:
    """A session with a draft and an edit that say `text`; its id."""
    live.window.desk.new()
    await live.ask(f"About {text}")
    live.type(f"draft of {text}")
    id_ = live.panel.session_id
    edit = KeptEdit(Edit(f"edit of {text}"))
    live.window.desk.drafts.edits.put(id_, "m", edit)
    live.window.desk.save_drafts()
    return id_


async def test_what_was_not_sent_is_removed_for_good_with_its_session_in_an_open_window(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            secret = await written_in(live, "秘密 plums")
            stays = await written_in(live, "figs")
            program, desk = live.window.program, live.window.desk
            sessions = program.sessions
            desk.forget(secret)
            sessions.delete(secret)
            program.keeper.wait()
            assert "秘密 plums" in kept(home), "it may come back from the trash"
            sessions.purge().result()
            assert "plums" not in kept(home)
            # What the window holds in memory is written without it.
            live.type("draft of other figs")
            desk.drafts.edits.put(stays, "n", KeptEdit(Edit("another edit")))
            desk.save_drafts()
            program.keeper.wait()
            assert "another edit" in kept(home)
            assert "plums" not in kept(home)
            assert "draft of other figs" in kept(home)
            assert "edit of figs" in kept(home)
            assert desk.drafts.ids() == {stays}
    assert "plums" not in kept(home)


async def test_a_session_that_was_deleted_while_it_ran_writes_nothing_when_it_has_gone(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with ScriptedServer(hangs("Half")) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            await live.say("About plums")
            await until(lambda: "Half" in live.text)
            live.type("draft of plums")
            id_, sessions, desk = (
                live.panel.session_id, live.window.program.sessions, live.window.desk,
            )  # fmt: skip
            desk.forget(id_)
            sessions.delete(id_)
            assert not desk.has(id_)
            program = live.window.program
            program.keeper.wait()
            assert "draft of plums" in kept(home)
            sessions.purge().result()
            live.type("draft of figs")
            desk.save_drafts()
            program.keeper.wait()
            assert "plums" not in kept(home)
    assert "plums" not in kept(home)


async def test_without_a_window_it_is_removed_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            gone = await written_in(live, "plums")
            await written_in(live, "figs")
    assert "draft of plums" in kept(home)
    runtime = create_runtime(home)
    try:
        runtime.sessions.delete(gone)
        runtime.sessions.purge([gone]).result()
    finally:
        await runtime.close()
    assert "plums" not in kept(home)
    assert "draft of figs" in kept(home)
    assert "edit of figs" in kept(home)


async def test_a_session_whose_unsent_texts_cannot_be_removed_stays_in_the_trash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with ScriptedServer(says("One.")) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            id_ = await written_in(live, "plums")
            sessions = live.window.program.sessions
            live.window.desk.forget(id_)
            sessions.delete(id_)
            with monkeypatch.context() as patch:
                patch.setattr(unsent, "write_bytes", full)
                with pytest.raises(StoreError, match=r"drafts\.json: No space left"):
                    sessions.purge().result()
            assert [row.id for row in sessions.trash()] == [id_]
            sessions.purge().result()
            assert sessions.trash() == []
