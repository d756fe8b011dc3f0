"""Two answers to one message side by side, in the real window."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from kinet.core.errors import StoreError
from kinet.settings.store import SettingsStore
from kinet.ui.compare.compare_page import TABS_BELOW, ComparePage
from kinet.ui.transcript.entries.lines import MetaEntry
from kinet.ui.transcript.spoken.spoken import name_of
from kinet.ui.transcript.stage.selection import Place
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, fails, hangs, says
from tests.support.window import until

pytestmark = pytest.mark.window

FIRST = "The **quick** brown fox.\n\n```py\nx = 1\n```\n\nA last line."
SECOND = "The **slow** brown fox.\n\n```py\nx = 2\n```\n\nA last line."


@asynccontextmanager
async def answered(
    tmp_path: Path, *script: object, times: int = 2, width: int = 1500
) -> AsyncIterator[LiveWindow]:
    """A window whose one question was asked so often, and answered from the script."""
    (tmp_path / "work").mkdir()
    with ScriptedServer(*script) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path / "work"
        ) as live:
            live.window.resize(width, 900)
            await live.ask("Which fox is it?")
            for number in range(2, times + 1):
                live.panel.retry()
                await until(lambda: live.panel.runner.running)
                await live.ended()
                await until(lambda n=number: line_of(live).branch == (n, n))
            yield live


def line_of(live: LiveWindow) -> MetaEntry:
    """The line under the newest turn."""
    entries = live.panel.transcript.stage.flow.entries
    return next(entry for entry in reversed(entries) if isinstance(entry, MetaEntry))


def press_hit(live: LiveWindow, action: str) -> None:
    """Presses a button of the newest turn, where it is drawn."""
    transcript = live.panel.transcript
    line = line_of(live)
    left, width = transcript.stage.column
    hit = next(h for h in line.hits(transcript.stage.flow.style, width) if h.action == action)
    top = transcript.stage.flow.top_of(transcript.stage.flow.place_of(line))
    place = hit.rect.center()
    place.setX(place.x() + left)
    place.setY(place.y() + top - transcript.verticalScrollBar().value())
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=place)


async def opened(live: LiveWindow) -> ComparePage:
    """The comparison, opened by the number between the arrows."""
    await until(live.panel.transcript.is_idle)
    press_hit(live, "compare")
    await until(lambda: live.panel.compare.page is not None)
    page = live.panel.compare.page
    assert page is not None
    await until(page.left.transcript.is_idle)
    await until(page.right.transcript.is_idle)
    return page


def choose(button: QWidget, menu_of: object, number: int) -> None:
    """Chooses the answer of this number from the list under a button."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    menu = menu_of.menu  # type: ignore[attr-defined]
    menu.actions()[number - 1].trigger()
    menu.close()


async def test_the_branch_switch_opens_both_answers_as_they_were_rendered(tmp_path: Path) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND)) as live:
        page = await opened(live)
        assert page.left.transcript.plain_text() == f"**You:** Which fox is it?\n\n{FIRST}"
        assert page.right.transcript.plain_text() == f"**You:** Which fox is it?\n\n{SECOND}"
        kinds = [piece.kind for piece in page.left.transcript.stage.flow.entries[1].pieces]
        assert kinds == ["prose", "code", "prose"]
        assert page.left.line.text().startswith("scripted · ")
        flow = live.panel.transcript.stage.flow
        assert name_of(line_of(live), flow).endswith(", answer 2 of 2")
        assert " in" in page.left.line.text()
        assert page.left.isVisible()
        assert page.right.isVisible()
        # The one of the conversation says so; the other can be taken.
        assert page.right.current.isVisible()
        assert not page.right.use.isVisible()
        assert page.left.use.isVisible()
        # The conversation waits behind it, and the composer below can be written in.
        assert not live.panel.transcript.isVisible()
        assert live.panel.composer.isVisible()


async def test_escape_closes_it_and_the_keyboard_is_where_it_was(tmp_path: Path) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND)) as live:
        for before in (live.panel.composer.edit, live.panel.transcript):
            live.window.activateWindow()
            before.setFocus()
            await until(before.hasFocus)
            QTest.keyClick(before, Qt.Key.Key_D, _CONTROL_SHIFT)
            await until(lambda: live.panel.compare.page is not None)
            page = live.panel.compare.page
            assert page.isAncestorOf(QApplication.focusWidget())
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
            assert live.panel.compare.page is None
            # What it showed is gone with it.
            assert not page.left.transcript.stage.flow.entries
            assert before.hasFocus()
            assert live.panel.transcript.isVisible()


_CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


async def test_the_context_menu_of_a_message_opens_it(tmp_path: Path) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND)) as live:
        transcript = live.panel.transcript
        await until(transcript.is_idle)
        transcript._actor.menu(None, transcript._pointer.place_at(_middle(live, 1)), _middle(live))
        (menu,) = transcript.findChildren(QMenu)
        words = [action.text() for action in menu.actions()]
        assert {"Edit the question", "Ask this again", "Ask this again with…"} <= set(words)
        menu.actions()[words.index("Compare the 2 answers…")].trigger()
        menu.close()
        await until(lambda: live.panel.compare.page is not None)


def _middle(live: LiveWindow, entry: int = 0):  # type: ignore[no-untyped-def]
    stage = live.panel.transcript.stage
    place = live.panel.transcript.viewport().rect().center()
    place.setY(stage.flow.top_of(entry) + 10 - stage.bar.value())
    return place


async def test_of_three_answers_any_two_are_laid_side_by_side(tmp_path: Path) -> None:
    script = [says(f"Answer number {number}.") for number in (1, 2, 3)]
    async with answered(tmp_path, *script, times=3) as live:
        page = await opened(live)
        assert (page.left.number, page.right.number) == (2, 3)
        choose(page.left.choice, page.left, 1)
        assert "number 1" in page.left.transcript.plain_text()
        assert (page.left.number, page.right.number) == (1, 3)
        # Who wants what the other side has gets both exchanged.
        choose(page.left.choice, page.left, 3)
        assert (page.left.number, page.right.number) == (3, 1)
        assert page.left.choice.accessibleName() == "Left answer: Answer 3 of 3"
        assert "Answer 1 of 3" in page.right.accessibleName()


async def test_use_this_one_goes_on_with_the_answer_that_was_chosen(tmp_path: Path) -> None:
    script = [says(f"Answer number {number}.") for number in (1, 2, 3)]
    async with answered(tmp_path, *script, times=3) as live:
        page = await opened(live)
        choose(page.left.choice, page.left, 1)
        live.press("useAnswerLeft")
        await until(lambda: live.panel.compare.page is None)
        await until(lambda: "number 1" in live.text)
        await until(lambda: line_of(live).branch == (1, 3))
        messages = live.panel.session.conversation.messages
        assert messages[-1].text == "Answer number 1."


async def test_differences_mark_the_words_that_differ_and_lead_from_one_to_the_next(
    tmp_path: Path,
) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND)) as live:
        page = await opened(live)
        QTest.mouseClick(page.head.modes.buttons["differences"], Qt.MouseButton.LeftButton)
        await until(lambda: page.comparison is not None)
        assert page.head.words.text() == (
            "2 differences · 2 words only left, 2 words only right".replace(
                "2 words only right", "2 only right"
            )
        )
        assert marked(page.left) == ["quick", "1"]
        assert marked(page.right) == ["slow", "2"]
        # A line below the words: who tells no colours apart sees them too.
        assert page.left.marks.form.fontUnderline() or page.left.marks.form.underlineStyle()
        for number in (1, 2, 1):
            QTest.keyClick(page.left.transcript, Qt.Key.Key_F7)
            assert page.head.words.text().startswith(f"{number} of 2 differences")
        QTest.keyClick(page.left.transcript, Qt.Key.Key_F7, Qt.KeyboardModifier.ShiftModifier)
        assert page.head.words.text().startswith("2 of 2")
        QTest.mouseClick(page.head.modes.buttons["answers"], Qt.MouseButton.LeftButton)
        assert marked(page.left) == []


def marked(side: object) -> list[str]:
    """The words that are marked on one side, in order."""
    found = []
    transcript = side.transcript  # type: ignore[attr-defined]
    flow = transcript.stage.flow
    for number, entry in enumerate(flow.entries):
        for piece in range(len(entry.pieces)):
            document = entry.document_of(piece, flow.style, flow.width)
            marks = side.marks.of_block(number, piece, document)  # type: ignore[attr-defined]
            found += [mark.cursor.selectedText() for mark in marks]
    return found


async def test_answers_that_say_the_same_are_said_to(tmp_path: Path) -> None:
    async with answered(tmp_path, says("Just the same."), says("Just **the** same.")) as live:
        page = await opened(live)
        QTest.mouseClick(page.head.modes.buttons["differences"], Qt.MouseButton.LeftButton)
        await until(lambda: page.comparison is not None)
        assert len(page.comparison.places) == 2  # the two marks of emphasis, which are not words
        assert marked(page.left) == marked(page.right) == []


async def test_both_scroll_together_until_they_are_unlinked(tmp_path: Path) -> None:
    long = "\n\n".join(f"Paragraph {number} goes on and on." for number in range(60))
    async with answered(tmp_path, says(long), says(f"{long}\n\n{long}")) as live:
        page = await opened(live)
        left = page.left.transcript.verticalScrollBar()
        right = page.right.transcript.verticalScrollBar()
        assert left.value() == right.value() == 0
        left.setValue(left.maximum() // 2)
        assert left.value() > 0
        assert abs(right.value() / right.maximum() - left.value() / left.maximum()) < 0.02
        right.setValue(right.maximum())
        assert left.value() == left.maximum()
        page.head.switch.click()
        right.setValue(0)
        assert left.value() == left.maximum()


async def test_a_narrow_window_shows_one_answer_and_tabs_for_both(tmp_path: Path) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND)) as live:
        page = await opened(live)
        assert not page.head.tabs.isVisible()
        live.window.resize(720, 700)
        await until(lambda: page.width() < TABS_BELOW)
        assert page.left.isVisible()
        assert not page.right.isVisible()
        assert page.head.tabs.buttons["right"].text() == "Answer 2"
        QTest.mouseClick(page.head.tabs.buttons["right"], Qt.MouseButton.LeftButton)
        assert page.right.isVisible()
        assert not page.left.isVisible()
        live.window.resize(1500, 900)
        await until(lambda: page.left.isVisible() and page.right.isVisible())


async def test_an_answer_is_copied_as_its_markdown(tmp_path: Path) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND)) as live:
        page = await opened(live)
        QTest.mouseClick(page.left.copy, Qt.MouseButton.LeftButton)
        assert QGuiApplication.clipboard().text() == FIRST
        page.right.transcript.setFocus()
        QTest.keyClick(page.right.transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(page.right.transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert SECOND in QGuiApplication.clipboard().text()


async def test_an_answer_that_failed_stands_beside_one_that_did_not(tmp_path: Path) -> None:
    async with answered(tmp_path, fails(400), says(SECOND)) as live:
        page = await opened(live)
        assert "failed" in page.left.line.text()
        assert "refused" in page.left.transcript.plain_text()
        # Nothing is asked again from here, and there is nothing to copy.
        flow = page.left.transcript.stage.flow
        acts = [hit.action for entry in flow.entries for hit in entry.hits(flow.style, 500)]
        assert "retry" not in acts
        assert not page.left.copy.isEnabled()


async def test_steps_are_summed_and_open_in_the_step_panel(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("hello", encoding="utf-8")
    first = asks_for("list_folder", path=".")
    async with answered(tmp_path, first, says(FIRST), says(SECOND)) as live:
        page = await opened(live)
        assert "1 step" in page.left.line.text()
        page.left.transcript.open_step(0)
        detail = live.window.parts.steps.detail
        await until(lambda: detail.isVisible())
        assert detail.record is not None
        assert detail.record.name == "list_folder"
        # The step is none of the conversation's: it goes with the comparison.
        live.panel.compare.close()
        assert not live.window.parts.frame.panel_shown


async def test_while_an_answer_comes_it_is_refused_in_words_and_one_that_begins_closes_it(
    tmp_path: Path,
) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND), hangs(), hangs()) as live:
        page = await opened(live)
        assert page.isVisible()
        await live.say("And now?")
        await until(lambda: live.panel.compare.page is None)
        press_hit_action(live)
        assert "Compare when it has ended" in live.window.parts.toast.text()
        assert live.panel.compare.page is None
        for ask_again in (live.panel.retry, live.panel.branches.retry_with):
            live.window.parts.toast.hide()
            ask_again()
            assert "ask again when it has ended" in live.window.parts.toast.text()
        live.press("stopButton")
        await live.ended()


def press_hit_action(live: LiveWindow) -> None:
    """Asks for a comparison as the keyboard does."""
    QTest.keyClick(live.panel.composer.edit, Qt.Key.Key_D, _CONTROL_SHIFT)


@pytest.mark.parametrize(
    ("one", "other", "left", "right"),
    [
        ("今天天气很好。", "今天天氣很好。", ["气"], ["氣"]),
        ("שלום עולם טוב", "שלום עולם רע", ["טוב"], ["רע"]),
        ("नमस्ते दुनिया", "नमस्ते मित्र", ["दुनिया"], ["मित्र"]),
        ("A 👩‍👩‍👧‍👦 family", "A 👍🏽 family", ["👩‍👩‍👧‍👦"], ["👍🏽"]),
        ("See [here](http://a.b) and `x`.", "See [there](http://a.b) and `y`.",
         ["here", "x"], ["there", "y"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 3 |", ["2"], ["3"]),
        ("1. one\n2. two", "1. one\n2. three", ["two"], ["three"]),
    ],
)  # fmt: skip
async def test_words_of_any_script_and_place_are_marked_where_they_stand(
    tmp_path: Path, one: str, other: str, left: list[str], right: list[str]
) -> None:
    async with answered(tmp_path, says(one), says(other)) as live:
        page = await opened(live)
        QTest.mouseClick(page.head.modes.buttons["differences"], Qt.MouseButton.LeftButton)
        await until(lambda: page.comparison is not None)
        assert (marked(page.left), marked(page.right)) == (left, right)


async def test_asking_again_with_another_effort_keeps_the_old_answer(tmp_path: Path) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND), times=1) as live:
        await until(live.panel.transcript.is_idle)
        press_hit(live, "retry-with")
        menu = live.panel.branches.menu
        assert menu is not None
        assert [action.text() for action in menu.actions()] == ["unsaved (in use)"]
        efforts = menu.actions()[0].menu()
        words = [action.text() for action in efforts.actions()]
        efforts.actions()[words.index("Effort high")].trigger()
        menu.close()
        await until(lambda: "slow" in live.text)
        await live.ended()
        await until(lambda: line_of(live).branch == (2, 2))
        assert live.panel.session.effort == "high"
        page = await opened(live)
        assert "effort high" in page.right.line.text()
        assert "effort high" not in page.left.line.text()
        live.press("useAnswerLeft")
        await until(lambda: "quick" in live.text)
        # Going back undoes the choice.
        assert live.panel.session.effort != "high"


async def test_asking_again_of_another_model_asks_that_one_and_says_so_on_the_new_branch_alone(
    tmp_path: Path,
) -> None:
    (tmp_path / "work").mkdir()
    with ScriptedServer(says(FIRST), says(SECOND), says("Third.")) as server:
        settings = SettingsStore(tmp_path / "home")
        for name, model in (("Small", "small-1"), ("Large & slow", "large-9")):
            profile = server.profile(model=model)
            settings.save_profile(dataclasses.replace(profile, name=name))
        settings.set("models.default_profile", "Small")
        async with live_window(tmp_path / "home", folder=tmp_path / "work") as live:
            live.window.resize(1500, 900)
            await live.ask("Which fox is it?")
            await live.ask("And then?")
            first = live.panel.session.conversation.messages[0].id
            # Any question can be asked again, not only the last one.
            live.panel.branches.act("retry-with", first)
            menu = live.panel.branches.menu
            words = [action.text() for action in menu.actions()]
            assert words == ["Small (in use)", "Large && slow"]
            menu.actions()[1].menu().actions()[1].trigger()
            menu.close()
            await until(lambda: "Third." in live.text)
            await live.ended()
            assert "Large & slow answers from here on." in live.text
            assert "Effort: off." in live.text
            assert "And then?" not in live.text
            assert live.panel.composer.menus._model == "Large & slow"
            await until(lambda: line_of(live).branch == (2, 2))
            page = await opened(live)
            assert page.left.line.text().startswith(("scripted · ", "Small (scripted) · "))
            assert page.left.line.text().endswith("1 turn behind it")
            assert page.right.line.text().startswith("Large & slow (scripted) · effort off")
            live.press("useAnswerLeft")
            await until(lambda: "And then?" in live.text)
            await until(lambda: live.panel.composer.menus._model == "Small")
    assert [body["model"] for body in server.bodies] == ["small-1", "small-1", "large-9"]


async def test_the_menu_of_a_command_of_one_s_own_offers_no_question(tmp_path: Path) -> None:
    async with answered(tmp_path, says(FIRST), times=1) as live:
        live.type("!echo hello")
        live.press("sendButton")
        await until(lambda: "hello" in live.text and not live.panel.runner.running)
        transcript = live.panel.transcript
        await until(transcript.is_idle)
        last = len(transcript.stage.flow.entries) - 2
        transcript._actor.menu(None, Place(last, 0, 0), _middle(live))
        (menu,) = transcript.findChildren(QMenu)
        words = [action.text() for action in menu.actions()]
        assert "Select all" in words
        assert not {"Edit the question", "Ask this again", "Ask this again with…"} & set(words)
        menu.close()


async def test_words_are_found_in_the_side_that_is_read(tmp_path: Path) -> None:
    async with answered(tmp_path, says(FIRST), says(SECOND)) as live:
        page = await opened(live)
        bar = live.panel.find_bar
        for side, words in ((page.right, "slow"), (page.left, "quick")):
            side.transcript.setFocus()
            await until(side.transcript.hasFocus)
            QTest.keyClick(side.transcript, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
            bar.field.setText(words)
            assert bar.count.text() == "1 of 1"
            assert side.transcript.finder.current is not None
            # Esc closes the bar first, and the comparison only then.
            QTest.keyClick(bar.field, Qt.Key.Key_Escape)
            assert live.panel.compare.page is page
            assert side.transcript.finder.current is None


async def test_a_choice_that_cannot_be_kept_loses_no_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answered(tmp_path, says(FIRST), times=1) as live:

        def refuse(effort: str) -> None:
            raise StoreError("The disk is full.", hint="Make room, then choose again.")

        monkeypatch.setattr(live.panel.session, "set_effort", refuse)
        live.panel.branches.retry_with()
        menu = live.panel.branches.menu
        menu.actions()[0].menu().actions()[1].trigger()
        menu.close()
        await until(lambda: live.panel.composer.text() == "Which fox is it?")
        assert "The disk is full." in live.window.parts.toast.text()
        assert live.text == ""
