"""What a comparison says of answers that are none, were stopped, failed, or have turns behind."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from kinet.core.alternatives import Alternative
from kinet.core.completion import Usage
from kinet.core.events import (
    Event,
    FilesChanged,
    MessageCompleted,
    StepFinished,
    ToolFinished,
    ToolStarted,
    TurnError,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message
from kinet.ui.compare import compare_page
from kinet.ui.compare.compare_page import ComparePage
from kinet.ui.kit.controls import MenuButton
from kinet.ui.look.look import Look
from kinet.ui.look.theme import current_theme, load_theme
from tests.support.window import until

BEGIN = (TurnStarted("s", "m"), MessageCompleted(Message("user", "How?", id="m")))
USAGE = Usage(1_000, 200)


def said(text: str, model: str = "lumen-4") -> MessageCompleted:
    return MessageCompleted(Message("assistant", text), model=model, usage=USAGE, cost=0.013)


def alternative(number: int, *events: Event, **values: object) -> Alternative:
    return Alternative(number, (*BEGIN, *events), **values)  # type: ignore[arg-type]


def page_of(*alternatives: Alternative) -> ComparePage:
    page = ComparePage(alternatives)
    page.resize(1200, 800)
    page.show()
    return page


WHOLE = alternative(
    2, said("A whole answer."), TurnFinished("completed", duration_s=41.2), is_current=True
)


@pytest.mark.parametrize(
    ("events", "line", "text"),
    [
        ((TurnFinished("completed"),), "", "[There is no answer on this branch.]"),
        ((), "interrupted", "[There is no answer on this branch.]"),
        ((said("Half an ans"), TurnFinished("stopped")), "lumen-4 · stopped", "[Stopped]"),
        (
            (TurnFinished("failed", TurnError("network", "No route.", "Look at the cable.")),),
            "failed",
            "**No connection** No route. Look at the cable.",
        ),
        ((said("So far."), TurnFinished("step_limit")), "stopped at the step limit", "So far."),
    ],
)
async def test_what_is_no_whole_answer_says_what_it_is(
    app: QApplication, events: Sequence[Event], line: str, text: str
) -> None:
    page = page_of(alternative(1, *events), WHOLE)
    await until(page.left.transcript.is_idle)
    assert line in page.left.line.text()
    assert text in page.left.transcript.plain_text()
    page.deleteLater()


async def test_the_facts_of_an_answer_stand_in_one_line(app: QApplication) -> None:
    steps = [
        ToolStarted("c", "read_file", {"path": "a.txt"}),
        ToolFinished("c", "read_file", False, "3 lines", "text"),
        StepFinished(USAGE, 0.013, duration_s=2.0),
        FilesChanged(("a.txt",), "c", 2, 1),
    ]
    first = alternative(
        1, *steps, said("Done.", "lumen-4"), said("More.", "small-1"),
        TurnFinished("completed", duration_s=41.2),
        following=3, effort="high",
    )  # fmt: skip
    page = page_of(first, WHOLE)
    await until(page.left.transcript.is_idle)
    words = page.left.line.text()
    for part in (
        "lumen-4, small-1", "effort high", "1 step", "2,000 in", "400 out", "$0.026", "41 s",
        "3 turns behind it",
    ):  # fmt: skip
        assert part in words
    kinds = [entry.kind for entry in page.left.transcript.stage.flow.entries]
    assert kinds == ["user", "steps", "answer", "answer", "files"]
    page.deleteLater()


async def test_everything_has_a_name_and_can_be_reached_by_tab(app: QApplication) -> None:
    page = page_of(alternative(1, said("One."), TurnFinished("completed")), WHOLE)
    await until(page.left.transcript.is_idle)
    buttons = [item for item in page.findChildren(QAbstractButton) if item.isVisible()]
    names = [button.accessibleName() for button in buttons]
    assert all(names)
    assert {"Use answer 1", "Copy answer 1", "Copy answer 2", "Scroll together"} <= set(names)
    assert "Left answer: Answer 1 of 2" in names
    unreached = [
        b.accessibleName() for b in buttons if not b.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    # Of two that exclude each other Tab reaches the chosen one, an arrow the other.
    assert unreached == ["Show: Differences"]
    QTest.keyClick(page.head.modes.buttons["answers"], Qt.Key.Key_Right)
    await until(lambda: page.comparison is not None)
    assert page.left.accessibleName().startswith("Left: Answer 1 of 2, lumen-4")
    page.deleteLater()


async def test_another_look_is_taken_on_at_once_and_the_marks_with_it(app: QApplication) -> None:
    page = page_of(alternative(1, said("One word."), TurnFinished("completed")), WHOLE)
    QTest.mouseClick(page.head.modes.buttons["differences"], Qt.MouseButton.LeftButton)
    await until(lambda: page.comparison is not None)
    page.set_theme(load_theme("dark"))
    await until(page.left.transcript.is_idle)
    assert page.left.transcript.stage.flow.style.theme.is_dark
    page.deleteLater()


async def test_an_older_comparison_that_comes_late_changes_nothing(app: QApplication) -> None:
    third = alternative(3, said("Something else."), TurnFinished("completed"))
    page = page_of(alternative(1, said("One."), TurnFinished("completed")), WHOLE, third)
    QTest.mouseClick(page.head.modes.buttons["differences"], Qt.MouseButton.LeftButton)
    page.right.chosen.emit(3)
    await until(lambda: page.comparison is not None)
    await until(page.right.transcript.is_idle)
    place = page.comparison.places[0].right
    assert page.right.marks.text[slice(*place)] == "Something else"
    page.deleteLater()


async def test_who_does_not_see_it_hears_each_difference(
    app: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(compare_page, "announce", lambda widget, words: heard.append(words))
    page = page_of(alternative(1, said("A half answer, so far."), TurnFinished("completed")), WHOLE)
    QTest.mouseClick(page.head.modes.buttons["differences"], Qt.MouseButton.LeftButton)
    await until(lambda: page.comparison is not None)
    page.step(1)
    page.step(1)
    assert heard == ["1 of 2. Left: half. Right: whole.", "2 of 2. Left: , so far. Right: nothing."]
    page.deleteLater()


async def test_marks_keep_no_document_of_what_is_not_seen(app: QApplication) -> None:
    long = "\n\n".join(f"Paragraph {number} of the answer." for number in range(160))
    other = long.replace("answer", "reply")
    page = page_of(
        alternative(1, said(long), TurnFinished("completed")),
        alternative(2, said(other), TurnFinished("completed"), is_current=True),
    )
    QTest.mouseClick(page.head.modes.buttons["differences"], Qt.MouseButton.LeftButton)
    await until(lambda: page.comparison is not None)
    flow, bar = page.left.transcript.stage.flow, page.left.transcript.verticalScrollBar()
    flow.cache.limit = 20
    for place in range(0, bar.maximum(), 500):
        bar.setValue(place)
        await until(page.left.transcript.is_idle)
    gc.collect()
    alive = [made[0]() for made in page.left.marks._made.values() if made[0]() is not None]
    assert len(page.left.marks._made) > 100
    assert len(alive) <= flow.cache.limit + 5
    page.deleteLater()


async def test_a_model_may_have_any_name(app: QApplication) -> None:
    names = ("<b>bold</b>", "m" * 400, "R&D")
    for name in names:
        first = alternative(1, said("One.", name), TurnFinished("completed"), profile=name)
        page = page_of(first, WHOLE)
        assert page.left.line.textFormat() == Qt.TextFormat.PlainText
        assert page.left.line.text().replace("\u200b", "").startswith(name)
        # It makes nothing wider than it is.
        assert page.minimumSizeHint().width() < 900
        QTest.mouseClick(page.left.choice, Qt.MouseButton.LeftButton)
        assert page.left.menu is not None
        assert (
            page.left.menu.actions()[0]
            .text()
            .replace("&&", "&")
            .startswith(f"Answer 1: {name}"[:120])
        )
        page.left.menu.close()
        page.deleteLater()


@pytest.mark.parametrize("zoom", [100, 150, 200])
async def test_both_answers_begin_on_one_level_whichever_is_in_the_conversation(
    app: QApplication, zoom: int
) -> None:
    look = Look(app, "light")
    look.set_zoom(zoom)
    page = page_of(alternative(1, said("One."), TurnFinished("completed", duration_s=41.2)), WHOLE)
    page.set_theme(look.theme)
    await until(page.left.transcript.is_idle)
    assert page.left.transcript.y() == page.right.transcript.y()
    look.set_zoom(100)


def test_a_chosen_model_has_more_room_where_words_are_larger(app: QApplication) -> None:
    button = MenuButton("shield", "Ask before changes, always", "Approvals")
    look = Look(app, "light")
    wanted = {}
    for zoom in (100, 200):
        look.set_zoom(zoom)
        words = QFontMetrics(current_theme().font("meta")).horizontalAdvance(button.text())
        wanted[zoom] = button.sizeHint().width() - words
    look.set_zoom(100)
    assert wanted[200] == wanted[100]
