"""Skills in the real window: chosen after a slash, sent, shown as chips, taken away."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from kinet.core.events import TextDelta
from kinet.ui.chat.banner import Banner
from kinet.ui.kit.controls import ElidedLabel
from kinet.ui.rules.rules_dialog import RulesDialog
from kinet.ui.skills.skill_row import SkillRow
from kinet.ui.skills.skills_view import SkillsView
from tests.skills.skill_kit import ten_skills, write_skill
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Nobody's own skills are read.
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    place = tmp_path / "work"
    place.mkdir()
    return place


def system(body: dict) -> str:
    return str(body["messages"][0]["content"])


async def test_a_skill_is_chosen_after_a_slash_sent_and_shown_as_a_chip(
    tmp_path: Path, folder: Path
) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    with ScriptedServer(says("One."), says("Two."), says("Three.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.focus_composer()
            edit, chips = live.panel.composer.edit, live.panel.composer.skills
            QTest.keyClicks(edit, "/")
            await until(lambda: "/tidy-notes" in live.menu.titles(), what="skills are offered")
            assert "/by-model" not in live.menu.titles(), "that one is for the model alone"
            QTest.keyClicks(edit, "rev")
            await until(lambda: live.menu.titles() == ["/review-change"])
            assert not chips.isVisible()
            QTest.keyClick(edit, Qt.Key.Key_Return)
            assert edit.text() == "/review-change ", "arguments may follow"
            QTest.keyClicks(edit, "main deep")
            shown: list[tuple[str, ...]] = []
            live.panel.event_shown.connect(
                lambda event: shown.append(chips.names) if isinstance(event, TextDelta) else None
            )
            QTest.keyClick(edit, Qt.Key.Key_Return)
            await until(lambda: live.panel.runner.running or server.bodies)
            await live.ended()
            first = system(server.bodies[0])
            assert "Review the branch main." in first
            assert "- tidy-notes: Puts notes in order" in first
            assert shown[0] == ("review-change",), "the chip is there while the turn runs"
            assert chips.names == ("review-change",)
            assert chips.isVisible()
            assert "The skill review-change is active;" in live.text
            await live.ask("And now?")
            assert system(server.bodies[1]) == first
            chip = chips._chips[0]
            QTest.mouseClick(chip.close_button, Qt.MouseButton.LeftButton)
            assert not chips.isVisible()
            await live.ask("Without it")
            assert "Review the branch" not in system(server.bodies[2])


async def test_the_model_loads_a_skill_and_the_step_shows_it(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    script = (asks_for("skill", name="run-checks", arguments="src"), says("Done."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("Check it")
            assert "with src and read" in str(server.bodies[1]["messages"][-1])
            assert live.panel.composer.skills.names == ()
            live.panel.transcript.open_step(-1)
            detail = live.window.findChild(object, "stepDetail")
            assert "run-checks" in detail.full_text()


async def test_a_project_s_skills_come_with_its_trust(tmp_path: Path, folder: Path) -> None:
    write_skill(folder / ".claude/skills", "local", "Do the local thing.")
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.ask("/local now")
            assert "local thing" not in str(server.bodies[0])
            assert "The skill local is not used" in live.text
            banner = live.find(Banner, "banner")
            await until(banner.isVisible)
            banner.button.click()
            await until(lambda: live.panel.findChild(QWidget, "trustButton") is not None)
            live.press("trustButton")
            await live.ask("/local now")
            assert "Do the local thing." in system(server.bodies[1])
            assert "- local: Does local." in system(server.bodies[1])


async def test_chips_are_there_again_after_a_restart(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("/hanyu README")
            id_ = live.panel.session_id
            first = system(server.bodies[0])
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.window.open_session(id_)
            assert live.panel.composer.skills.names == ("hanyu",)
            await live.ask("Go on")
            assert system(server.bodies[1]) == first


async def skills_page(live: LiveWindow) -> SkillsView:
    """The page of the settings, with its rows."""
    live.window.parts.models.open_settings("skills")
    view = live.window.findChild(SkillsView)
    assert isinstance(view, SkillsView)
    await until(lambda: view.rows, what="skills are listed")
    return view


def row(view: SkillsView, name: str) -> SkillRow:
    return next(row for row in view.rows if row.listed.skill.name == name)


def words_of(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel))


async def test_the_page_lists_skills_with_source_state_and_problems(
    tmp_path: Path, folder: Path
) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    write_skill(home / "skills", "empty", body="")
    write_skill(tmp_path / "nobody/.codex/skills", "hanyu", "Old.")
    async with live_window(home, folder=folder) as live:
        view = await skills_page(live)
        assert len(view.rows) == 12
        assert "no text below its head" in words_of(row(view, "empty"))
        assert not row(view, "empty").switch.isEnabled()
        assert "not valid YAML" in words_of(row(view, "review-change"))
        assert "Used instead of the one in" in words_of(row(view, "hanyu"))
        assert "Only the model loads it" in words_of(row(view, "by-model"))
        hidden = next(row for row in view.rows if row.listed.state == "hidden")
        assert "Codex" in hidden.findChildren(ElidedLabel)[-1].whole_text()
        assert hidden.delete.isHidden(), "what belongs to others is not deleted here"
        view.search.setText("tidy")
        assert [row.listed.skill.name for row in view.rows if not row.isHidden()] == ["tidy-notes"]


async def test_a_skill_switched_off_is_not_offered_until_it_is_on_again(
    tmp_path: Path, folder: Path
) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            view = await skills_page(live)
            row(view, "hanyu").switch.click()
            await until(lambda: row(view, "hanyu").listed.state == "off")
            live.window.parts.models.settings.dialog.accept()
            await live.ask("/hanyu now")
            assert "The skill hanyu is not used: It is switched off." in live.text
            assert "- hanyu" not in system(server.bodies[0])
            await skills_page(live)
            row(view, "hanyu").switch.click()
            await until(lambda: row(view, "hanyu").listed.state == "used")
            live.window.parts.models.settings.dialog.accept()
            await live.ask("/hanyu now")
            assert "请逐段翻译" in system(server.bodies[1])


async def test_a_skill_is_made_changed_deleted_and_brought_back_by_keys(
    tmp_path: Path, folder: Path
) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    async with live_window(home, folder=folder) as live:
        view = await skills_page(live)
        editor = view.open_editor(None)
        QTest.keyClicks(editor.name, "Bad Name")
        assert "small letters" in editor.verdict.text()
        assert not editor.save_button.isEnabled()
        editor.name.clear()
        QTest.keyClicks(editor.name, "count-words")
        assert "name: count-words" in editor.text.toPlainText()
        assert "/count-words" in editor.verdict.text()
        QTest.keyClick(editor.name, Qt.Key.Key_Tab)
        assert editor.focusWidget() is editor.text
        QTest.keyClick(editor.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
        file = home / "skills/count-words/SKILL.md"
        await until(file.exists)
        await until(lambda: any(row.listed.skill.name == "count-words" for row in view.rows))
        editor = view.open_editor(row(view, "count-words").listed)
        editor.text.setPlainText("---\nname: count-words\ndescription: Counts\n---\n")
        assert "no text below its head" in editor.verdict.text()
        editor.reject()
        assert editor.isVisible(), "what was written is not lost by one key"
        assert "not saved" in editor.verdict.text()
        editor.reject()
        assert not editor.isVisible()
        row(view, "count-words").delete.click()
        await until(lambda: not any(r.listed.skill.name == "count-words" for r in view.rows))
        assert not file.exists()
        QTest.mouseClick(live.find(QWidget, "settingsDialog").toast.findChild(QPushButton), LEFT)
        await until(file.exists)


async def test_skills_are_taken_in_and_a_bad_file_is_refused_in_words(
    tmp_path: Path, folder: Path
) -> None:
    source = write_skill(tmp_path / "from", "fmt").parent
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    async with live_window(tmp_path / "home", folder=folder) as live:
        live.window.parts.models.open_settings("skills")
        view = live.window.findChild(SkillsView)
        await until(lambda: "There are no skills yet" in words_of(view))
        view.take_in(tmp_path / "bad.zip")
        await until(lambda: "not a zip file" in view.error.text())
        view.take_in(source)
        await until(lambda: [row.listed.skill.name for row in view.rows] == ["fmt"])
        assert not view.error.isVisible()
        view.take_in(source)
        await until(lambda: "There is a skill fmt already" in view.error.text())


async def test_the_rows_and_the_chips_are_reached_by_tab(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    for name in ("fmt", "lint"):
        write_skill(home / "skills", name)

    async def names_on_the_way(start: QWidget, count: int) -> list[str]:
        start.setFocus(Qt.FocusReason.TabFocusReason)
        names = []
        for _ in range(count):
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
            await asyncio.sleep(0)
            names.append(QApplication.focusWidget().accessibleName())
        return names

    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.focus_composer()
            view = await skills_page(live)
            words = [
                f"{verb} {name}"
                for name in ("fmt", "lint")
                for verb in ("Edit", "Delete", "Use the skill")
            ]
            assert await names_on_the_way(view.from_zip, 6) == words
            live.window.parts.models.settings.dialog.accept()
            await live.ask("/fmt")
            await live.ask("/lint")
            await live.focus_composer()
            edit = live.panel.composer.edit
            assert await names_on_the_way(edit, 3) == [
                "Take the skill fmt away", "Take the skill lint away",
                "Attach text files and pictures",
            ]  # fmt: skip
            edit.setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(edit, Qt.Key.Key_Tab)
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
            assert live.panel.composer.skills.names == ("lint",)
            assert edit.hasFocus()


async def test_the_head_has_a_menu_with_rules_background_and_skills(
    tmp_path: Path, folder: Path
) -> None:
    ten_skills(tmp_path / "home")
    async with live_window(tmp_path / "home", folder=folder) as live:
        button = live.find(QWidget, "moreButton")
        assert button.isVisible(), "in an empty session too"

        async def choose(words: str) -> None:
            QTest.mouseClick(button, LEFT)
            menu = live.panel.header.menu
            assert menu is not None
            next(action for action in menu.actions() if action.text() == words).trigger()
            menu.close()
            await until(lambda: live.panel.header.menu is None)

        await choose("Skills")
        view = live.window.findChild(SkillsView)
        await until(lambda: view.isVisible() and view.rows)
        live.window.parts.models.settings.dialog.accept()
        await choose("Rules…")
        await until(lambda: live.window.findChild(RulesDialog) is not None)


async def test_going_back_before_a_call_takes_the_chip_away(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    write_skill(home / "skills", "fmt", "Format it.")
    with ScriptedServer(says("One."), says("Two."), says("Three.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("Hello")
            await live.ask("/fmt")
            chips = live.panel.composer.skills
            assert chips.names == ("fmt",)
            asked = [item for item in live.panel.session.conversation.messages if item.id]
            called = next(item for item in asked if item.text == "/fmt")
            live.panel.edits.edit(called.id)
            editor = live.panel.branches.editor
            assert editor is not None
            editor.edit.setPlainText("Without it")
            editor.saved.emit("Without it")
            await until(lambda: len(server.bodies) == 3)
            await live.ended()
            assert chips.names == ()
            assert "Format it." not in system(server.bodies[2])
            begun = next(
                item for item in live.panel.session.conversation.messages
                if item.text == "Without it"
            )  # fmt: skip
            live.panel.branches.act("branch-previous", begun.id)
            await until(lambda: chips.names == ("fmt",))


async def test_the_palette_writes_the_call_of_a_skill(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    async with live_window(home, folder=folder) as live:
        live.window.core.keys.actions["palette"].trigger()
        palette = live.window.findChild(QWidget, "commandPalette")
        QTest.keyClicks(palette.field, "tidy")
        await until(lambda: palette.titles() == ["/tidy-notes"], what="skills are read")
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        assert live.panel.composer.edit.text() == "/tidy-notes "
