"""Rules written in the window: text and form, a preview to the letter, nothing ever lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from kinet.ui.rules.changed_question import ChangedQuestion
from kinet.ui.rules.rules_dialog import RulesDialog
from kinet.workspace.rules import load_rules
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, says
from tests.support.window import until

pytestmark = pytest.mark.window

HAND = "# House\n\nBy hand.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    place = tmp_path / "work"
    (place / ".git").mkdir(parents=True)
    return place


async def dialog_of(live: LiveWindow, kind: str = "project") -> RulesDialog:
    live.window.core.rules.open(kind)
    dialog = live.window.core.rules.dialog
    assert isinstance(dialog, RulesDialog)
    await until(lambda: dialog._page is not None, what="the file is read")
    return dialog


def system(body: dict) -> str:
    return str(body["messages"][0]["content"])


async def test_rules_written_here_apply_from_the_next_turn_with_a_notice(
    tmp_path: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), says("Two."), says("Three.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.ask("Hello")
            dialog = await dialog_of(live)
            QTest.keyClicks(dialog.edit, "Answer in German.")
            await until(lambda: "Answer in German." in dialog.preview.text.toPlainText())
            QTest.keyClick(dialog.edit, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: live.window.core.rules.dialog is None, what="it is saved")
            assert (folder / "KINET.md").read_text() == "Answer in German."
            await live.ask("Again")
            assert live.panel.findChild(object, "trustPage") is None, "nobody is asked about it"
            assert "Answer in German." in system(server.bodies[1])
            dialog = await dialog_of(live)
            dialog.edit.setPlainText("Answer in French.")
            dialog.save()
            await until(lambda: live.window.core.rules.dialog is None)
            await live.ask("And again")
            assert "Answer in French." in system(server.bodies[2])
            assert "The rules changed (KINET.md); they apply from this turn on." in live.text


async def test_the_preview_is_what_the_model_gets_with_cuts_and_hidden_characters(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "AGENTS.md").write_text("Use tabs.\n")
    async with live_window(tmp_path / "home", folder=folder, trust=True) as live:
        dialog = await dialog_of(live)
        dialog.edit.setPlainText("Be\u200b short.\n" + "word " * 9_000)
        await until(lambda: "32 KB" in dialog.preview.warnings.text(), what="the cut is said")
        assert "hidden characters were removed (U+200B" in dialog.preview.warnings.text()
        shown = dialog.preview.text.toPlainText()
        dialog.save()
        await until(lambda: live.window.core.rules.dialog is None)
        assert shown == load_rules(folder).text


async def test_the_form_writes_sections_and_leaves_the_rest(tmp_path: Path, folder: Path) -> None:
    (folder / "KINET.md").write_text(HAND)
    async with live_window(tmp_path / "home", folder=folder, trust=True) as live:
        dialog = await dialog_of(live)
        dialog.show_form(True)
        field = dialog.form.fields["language"]
        QTest.keyClicks(field, "German")
        QTest.keyClick(field, Qt.Key.Key_Tab)
        assert dialog.focusWidget() is dialog.form.fields["naming"]
        QTest.keyClicks(dialog.form.fields["forbidden"], "No tabs")
        wanted = f"{HAND}\n## Language\n\nGerman\n\n## Forbidden\n\nNo tabs\n"
        assert dialog.edit.toPlainText() == wanted
        dialog.save()
        await until(lambda: live.window.core.rules.dialog is None)
        assert (folder / "KINET.md").read_text() == wanted


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("both", "One, mine.\n\nTwo.\n\nThree, theirs.\n"),
        ("mine", "One, mine.\n\nTwo.\n\nThree.\n"),
        ("theirs", "One.\n\nTwo.\n\nThree, theirs.\n"),
    ],
)
async def test_a_file_changed_meanwhile_is_asked_about(
    answer: str, wanted: str, tmp_path: Path, folder: Path
) -> None:
    path = folder / "KINET.md"
    path.write_text("One.\n\nTwo.\n\nThree.\n")
    async with live_window(tmp_path / "home", folder=folder, trust=True) as live:
        dialog = await dialog_of(live)
        dialog.edit.setPlainText("One, mine.\n\nTwo.\n\nThree.\n")
        path.write_text("One.\n\nTwo.\n\nThree, theirs.\n")
        dialog.save()
        await until(lambda: dialog.findChild(ChangedQuestion) is not None)
        question = dialog.findChild(ChangedQuestion)
        assert path.read_text() == "One.\n\nTwo.\n\nThree, theirs.\n", "nothing is written yet"
        question.buttons[answer].click()
        await until(lambda: live.window.core.rules.dialog is None)
        assert path.read_text() == wanted


async def test_what_is_not_saved_is_not_lost_by_one_key_or_another_page(
    tmp_path: Path, folder: Path
) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        dialog = await dialog_of(live)
        QTest.keyClicks(dialog.edit, "Rules.")
        dialog.show_kind("background")
        await until(lambda: dialog.edit.toPlainText() == "")
        QTest.keyClicks(dialog.edit, "Facts.")
        dialog.show_kind("personal")
        await until(lambda: "rules.md" in dialog.place.currentText())
        await until(lambda: dialog.edit.toPlainText() == "")
        QTest.keyClicks(dialog.edit, "Mine.")
        dialog.reject()
        assert dialog.isVisible()
        assert "KINET.md" in dialog.message.text()
        dialog.save()
        await until(lambda: live.window.core.rules.dialog is None)
        assert (folder / "KINET.md").read_text() == "Rules."
        assert (folder / "KINET-CONTEXT.md").read_text() == "Facts."
        assert (tmp_path / "home/rules.md").read_text() == "Mine."


async def test_without_a_folder_there_are_the_person_s_own_rules(tmp_path: Path) -> None:
    with ScriptedServer(says("One.")) as server:
        async with live_window(tmp_path / "home", server_url=server.base_url) as live:
            live.window.core.rules.open("project")
            dialog = live.window.core.rules.dialog
            await until(lambda: "has no folder" in dialog.message.text())
            assert not dialog.edit.isEnabled()
            dialog.show_kind("personal")
            await until(lambda: dialog._page is not None)
            QTest.keyClicks(dialog.edit, "Be short.")
            dialog.save()
            await until(lambda: live.window.core.rules.dialog is None)
            await live.ask("Hello")
            assert "Be short." in system(server.bodies[0])


async def test_the_commands_open_it(tmp_path: Path, folder: Path) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        live.window.core.keys.actions["background"].trigger()
        dialog = live.window.core.rules.dialog
        assert dialog.kinds.value == "background"
        assert dialog.views.isHidden()
        dialog.reject()
        edit = live.panel.composer.edit
        edit.setFocus()
        edit.set_text("/rules")
        live.press("sendButton")
        assert live.window.core.rules.dialog.kinds.value == "project"


async def test_tab_goes_through_the_window_as_the_eye_does(tmp_path: Path, folder: Path) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        dialog = await dialog_of(live)
        QTest.keyClicks(dialog.edit, "Rules.")
        dialog.place.setFocus()
        seen = [dialog.focusWidget()]
        for _ in range(5):
            QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
            seen.append(dialog.focusWidget())
        text = dialog.views.buttons["text"]
        parts = [dialog.edit, dialog.preview.text, dialog.cancel, dialog.save_button]
        assert seen == [dialog.place, text, *parts]
        dialog.edit.clear()
        dialog.reject()


async def test_hard_blanks_and_line_ends_of_a_file_stay_as_they_are(
    tmp_path: Path, folder: Path
) -> None:
    before = "10\u00a0km, \u2028not\u00a0more.\r\n\r\n## Style\r\n\r\nA\u00a0b\r\n".encode()
    (folder / "KINET.md").write_bytes(before)
    async with live_window(tmp_path / "home", folder=folder, trust=True) as live:
        dialog = await dialog_of(live)
        assert not dialog.save_button.isEnabled(), "nothing was changed by looking at it"
        dialog.show_form(True)
        QTest.keyClicks(dialog.form.fields["language"], "German")
        dialog.save()
        await until(lambda: live.window.core.rules.dialog is None)
        after = (folder / "KINET.md").read_bytes()
        assert after == before + b"\r\n## Language\r\n\r\nGerman\r\n"
