"""The step panel shows a step whole and says what the model got of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from kinet.core.completion import Usage
from kinet.core.events import ToolProgress, ToolStarted
from kinet.markup.terminal_codes import Pen
from kinet.markup.terminal_inks import Inks, record
from kinet.ui.kit import row_hits
from kinet.ui.kit.controls import ElidedLabel
from kinet.ui.panel.step_detail import CHANGES, INPUT, MODEL, OUTPUT, RAW, StepDetail
from kinet.ui.steps import MOST_PROGRESS, StepBook, StepRecord


def cut(whole: str) -> str:
    note = f"\n\n[{len(whole) - 6000:,} characters omitted here.]\n\n"
    return whole[:3000] + note + whole[-3000:]


def step(content: str = "", **values: Any) -> StepRecord:
    values.setdefault("state", "done")
    values.setdefault("name", "shell")
    values.setdefault("arguments", {"command": "pytest -q"})
    return StepRecord("call-1", content=content, **values)


@pytest.fixture
def panel(app: object, qtbot: QtBot) -> StepDetail:
    panel = StepDetail()
    qtbot.addWidget(panel)
    panel.resize(400, 800)
    panel.show()
    return panel


def shown_rows(panel: StepDetail) -> list[str]:
    panel.output.flush()
    return [row.text for row in panel.output.rows if not row.height]


def test_the_names_that_scripts_rely_on(panel: StepDetail) -> None:
    assert panel.objectName() == "stepDetail"
    assert panel.findChild(QPlainTextEdit, "stepDetailOutput") is panel.output
    assert panel.findChild(QPlainTextEdit, "stepDetailInput") is panel.input
    assert panel.findChild(QPlainTextEdit, "changesTab") is panel.changes


def test_a_miss_of_the_cache_is_named_with_its_cost(panel: StepDetail) -> None:
    note = "the system prompt changed: about 3,000 tokens were read anew"
    panel.show_step(step("x", cache_note=note))
    miss = panel._head.miss
    assert miss.isVisible()
    assert miss.toolTip() == note[:1].upper() + note[1:]
    panel.show_step(step("x"))
    assert not miss.isVisible()


def test_what_the_model_call_took_is_one_line_of_the_head(panel: StepDetail) -> None:
    note = "tools changed: about 3,000 tokens were read anew"
    usage = Usage(12_000, 80, 9_000)
    panel.show_step(replace(step("x", cache_note=note), usage=usage, cost=0.0123))
    line = panel._head.call
    assert line.isVisible()
    assert line.whole_text() == (f"12,000 in · 9,000 cached (75 %) · 80 out · ≈ $0.012 · {note}")
    assert line.text().endswith("…")
    panel.show_step(step("x"))
    assert not line.isVisible()


def test_the_line_of_a_call_that_cost_nothing_says_free(panel: StepDetail) -> None:
    panel.show_step(replace(step("x"), usage=Usage(4_829, 83), cost=0.0))
    assert panel._head.call.whole_text() == "4,829 in · none cached · 83 out · free"


@pytest.mark.parametrize("width", [300, 400])
def test_nothing_in_head_and_foot_is_cut_in_a_narrow_panel(panel: StepDetail, width: int) -> None:
    panel.resize(width, 800)
    panel.show_step(step("x" * 123_456, state="failed", duration_s=754.0, details={"exit": 101}))
    QApplication.processEvents()
    for part in (panel._head, panel._foot):
        for piece in part.findChildren(QLabel) + part.findChildren(QPushButton):
            if piece.isVisible() and not isinstance(piece, ElidedLabel) and piece.text():
                assert piece.width() >= piece.sizeHint().width(), piece.text()
        right = max(piece.mapTo(panel, piece.rect().topRight()).x() for piece in words(part))
        assert right < width
    button = panel._foot._wrap
    assert button.text().strip() == ("Wrap" if width == 400 else "")
    assert button.accessibleName() == "Wrap"


def words(part: QWidget) -> list[QWidget]:
    """What can be read or pressed in a part."""
    pieces = [*part.findChildren(QLabel), *part.findChildren(QPushButton)]
    return [piece for piece in pieces if piece.isVisible()]


def test_where_the_tabs_have_no_room_the_longest_word_becomes_a_short_one(
    panel: StepDetail,
) -> None:
    panel.show_step(step("x", details={"diff": "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"}))
    assert panel.tabs.tabText(MODEL) == "Model’s view"
    panel.resize(300, 800)
    assert panel.tabs.tabText(MODEL) == "Model"
    assert panel.tabs.tabToolTip(MODEL) == "Model’s view"
    panel.resize(400, 800)
    assert panel.tabs.tabText(MODEL) == "Model’s view"


def test_all_of_a_long_output_is_there(panel: StepDetail) -> None:
    whole = "".join(f"line {number}\n" for number in range(5_000))
    panel.show_step(step(whole, model_content=cut(whole)))
    assert panel.full_text() == whole
    assert panel.output.toPlainText() == whole
    assert f"first and last 3,000 of {len(whole):,}" in panel._share_row.sentence


def test_the_cut_is_marked_where_the_models_part_ends(panel: StepDetail) -> None:
    whole = "x" * 10_000 + "\n" + "y" * 10_000
    panel.show_step(step(whole, model_content=cut(whole)))
    (place,) = [number for number, row in enumerate(panel.output.rows) if row.kind == "mark"]
    before = [row for row in panel.output.rows[:place] if not row.height]
    assert "".join(row.text for row in before) == "x" * 3000
    assert all(row.sent for row in before)
    after = [row for row in panel.output.rows[place + 1 :] if row.sent]
    assert "".join(row.text for row in after) == "y" * 3000
    assert panel.output.rows[place].label.startswith("14,001 characters")


def test_copy_all_gives_the_exact_output(panel: StepDetail, qtbot: QtBot) -> None:
    whole = "a\u00a0b\x1b[31m\r\nüñ\t漢字 🙂\n\n"
    panel.show_step(step(whole))
    panel._copy()
    assert QGuiApplication.clipboard().text() == whole


def test_a_copied_selection_has_no_marker_and_no_added_breaks(panel: StepDetail) -> None:
    whole = "🙂" * 2000 + "x" * 30_000 + "\u00a0end\nlast"
    panel.show_step(step(whole, model_content=cut(whole)))
    panel.output.selectAll()
    assert panel.output.createMimeDataFromSelection().text() == whole


def test_an_empty_output_is_said(panel: StepDetail) -> None:
    panel.show_step(step("", details={"exit_code": 0}))
    assert panel._empty.isVisible()
    assert panel._empty.text() == "No output, exit 0"


def test_head_and_facts_say_how_it_went(panel: StepDetail) -> None:
    record = step("out", state="failed", details={"exit_code": 1}, duration_s=12.4)
    panel.show_step(record, "step 4 of 6")
    facts = [label.text() for label in panel._head._facts]
    assert facts == ["Failed, exit 1", "12.4 s", "3 characters", "step 4 of 6"]


def test_output_grows_while_the_step_runs(panel: StepDetail) -> None:
    panel.show_step(step(state="running", progress="one\ntw"))
    panel.append_progress("call-1", "o\nthr")
    panel.append_progress("another", "not mine")
    assert shown_rows(panel) == ["one", "two", "thr"]
    panel.append_progress("call-1", "ee\r\n10 %\r20 %")
    assert shown_rows(panel) == ["one", "two", "three", "20 %"]
    panel.show_step(step("one\ntwo\nthree\n"))
    assert shown_rows(panel) == ["one", "two", "three"]


def test_bars_of_several_rows_stay_in_place_and_in_colour(panel: StepDetail) -> None:
    panel.show_step(step(state="running"))
    printed = [
        "start\n",
        *(f"\r\x1b[32mA: {n}%\x1b[0m\n\rB: {n}%\x1b[A" for n in range(50)),
        "\n\n",
    ]
    for piece in printed:
        panel.append_progress("call-1", piece)
    assert shown_rows(panel) == ["start", "A: 49%", "B: 49%"]
    content = "start\nA: 49%\nB: 49%\n[exit 1]"
    panel.show_step(step(content, details={"printed": "".join(printed)}))
    assert shown_rows(panel) == content.split("\n")
    assert [bool(row.runs) for row in panel.output.rows] == [False, True, False, False]
    assert panel.output.toPlainText() == panel.full_text() == content
    # The very bytes are in the raw form.
    panel.tabs.setCurrentIndex(RAW)
    assert "\\u001b[32mA: 49%\\u001b[0m\\n\\rB: 49%\\u001b[A" in panel.raw.toPlainText()


def test_rows_take_on_colours_that_lie_apart_when_they_are_seen(panel: StepDetail) -> None:
    line = "Fehler im Test\n"
    content = "[begun]\n" + line * 3_000 + "\x00e\u0301 odd"
    asked: list[tuple[str, object]] = []
    panel.whole.colours_wanted.connect(lambda *one: asked.append(one))
    panel.show_step(step(content, details={"colours": [8, 0, 0, 0]}))
    assert asked == [("call-1", [8, 0, 0, 0])]
    panel.output.finish_loading()
    red, blue = Pen("c1"), Pen("", "#112233", "b")
    parts = [record(n * len(line), 6, 0) for n in range(3_000)]
    parts.append(record(3_000 * len(line), 1, 1))
    panel.whole.show_colours("another", [Inks(b"", [])])
    panel.whole.show_colours("call-1", [Inks(b"".join(parts), [red, blue], 8)])
    rows = panel.output.rows
    assert rows[0].runs == ()
    assert [(run.start, run.length, run.token) for run in rows[1].runs] == [(0, 6, "danger")]
    assert rows[2_000].runs == ()
    panel.output.scroll_to_row(2_000)
    assert rows[2_000].runs == rows[1].runs
    assert panel.output.document().findBlockByNumber(2_000).layout().formats()
    panel.output.scroll_to_row(3_001)
    (odd,) = rows[-1].runs
    assert (rows[-1].text[: odd.length], odd.ground) == ("\u2400", "#112233")
    assert panel.output.toPlainText() == content.replace("\x00", "\u2400")
    panel.show_step(step(content))
    assert not any(row.runs for row in panel.output.rows)


def test_every_row_is_written_from_the_left(panel: StepDetail) -> None:
    panel.show_step(step("שלום: an error in line 3\nplain\n"))
    for wrap in (False, True):
        panel.output.set_wrap(wrap)
        panel.output.grab()
        line = panel.output.document().begin().layout().lineAt(0)
        word, behind = line.cursorToX(1)[0], line.cursorToX(8)[0]
        assert word < behind


def test_a_flood_of_moves_never_holds_the_window_and_all_of_it_comes(panel: StepDetail) -> None:
    panel.show_step(step(state="running"))
    for number in range(20):
        panel.append_progress("call-1", "\x1b[100L\x1b[100M" * 900 + f"\r{number}")
    assert panel.output.is_behind
    panel.output.flush()
    assert not panel.output.is_behind
    assert shown_rows(panel)[-1:] == ["19"]


def test_a_link_in_an_output_is_asked_for_by_click_and_by_key(
    panel: StepDetail, qtbot: QtBot
) -> None:
    def linked(address: str, words: str) -> str:
        return f"\x1b]8;;{address}\x07{words}\x1b]8;;\x07\n"

    printed = linked("https://a.test/page", "the page") + linked("file:///etc/passwd", "a file")
    panel.show_step(step("the page\na file\n", details={"printed": printed}))
    chosen: list[str] = []
    panel.link_chosen.connect(chosen.append)
    assert shown_rows(panel) == ["the page a.test", "a file file:///etc/passwd"]
    view = panel.output
    for number in (0, 1):
        cursor = QTextCursor(view.document().findBlockByNumber(number))
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, n=2)
        place = view.cursorRect(cursor).center()
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
        view.setTextCursor(cursor)
        qtbot.keyClick(view, Qt.Key.Key_Return)
        assert view.links.under(place) == ("https://a.test/page", "file:///etc/passwd")[number]
    assert view.links.under(QPoint(300, place.y())) == ""
    assert chosen == ["https://a.test/page"] * 2
    view.selectAll()
    assert view.createMimeDataFromSelection().text() == "the page\na file"
    assert view.toPlainText() == "the page\na file\n"


def test_output_that_came_while_the_panel_was_closed_is_caught_up(panel: StepDetail) -> None:
    panel.show_step(step(state="running", progress="one\n"))
    panel.append_progress("call-1", "two\n")
    panel.show_step(step(state="running", progress="one\ntwo\nthree\n"))
    assert shown_rows(panel) == ["one", "two", "three"]


def test_a_program_that_prints_for_hours_keeps_its_newest_output_and_the_count(
    panel: StepDetail,
) -> None:
    book = StepBook()
    book.apply(ToolStarted("call-1", "shell", {"command": "yes"}))
    record = book.record("call-1")
    for number in range(100):
        record = book.apply(ToolProgress("call-1", f"{number:02} {'y' * 60}\n" * 1_000))
        assert record is not None
        panel.show_step(record)
    assert record is not None
    assert record.printed == 6_400_000
    assert MOST_PROGRESS <= len(record.progress) <= 2 * MOST_PROGRESS
    panel.output.flush()
    assert shown_rows(panel)[-1] == f"99 {'y' * 60}"
    assert [label.text() for label in panel._head._facts][2] == "6,400,000 characters"


EARLIER = "Earlier output is left out while it runs"


def labels(panel: StepDetail) -> list[tuple[int, str]]:
    """The drawn rows: (number, words)."""
    return [(n, row.label) for n, row in enumerate(panel.output.rows) if row.label]


def test_what_is_left_out_of_a_live_output_is_told_above_its_oldest_row(panel: StepDetail) -> None:
    panel.show_step(step(state="running", progress="first\n"))
    assert labels(panel) == []
    for part in range(30):
        panel.append_progress("call-1", "".join(f"{part}-{line}\n" for line in range(500)))
        panel.output.flush()
    assert labels(panel) == [(0, EARLIER)]
    assert panel.output.toPlainText().endswith("29-499")
    assert EARLIER not in panel.output.toPlainText()


def test_one_piece_that_is_too_much_is_told_as_cut_too(panel: StepDetail) -> None:
    panel.show_step(step(state="running", progress="first\n"))
    panel.append_progress("call-1", f"{'x' * 300}\n" * 2_000 + "last\n")
    panel.output.flush()
    assert labels(panel) == [(0, EARLIER)]
    assert "first" not in panel.output.toPlainText()
    assert panel.output.toPlainText().endswith("x\nlast")


def test_a_live_output_that_is_opened_late_tells_what_is_not_kept(panel: StepDetail) -> None:
    panel.show_step(step(state="running", progress="end\n", passed=700_000))
    assert labels(panel) == [(0, EARLIER)]
    panel.show_step(step("whole\n"))
    assert labels(panel) == []


def test_a_live_output_stays_at_its_end_unless_the_person_scrolled(panel: StepDetail) -> None:
    panel.show_step(step(state="running"))
    panel.append_progress("call-1", "".join(f"{number}\n" for number in range(200)))
    panel.output.flush()
    bar = panel.output.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    bar.setValue(5)
    panel.append_progress("call-1", "more\n" * 50)
    panel.output.flush()
    assert bar.value() == 5


def test_an_endless_output_keeps_its_newest_rows_only(panel: StepDetail) -> None:
    panel.show_step(step(state="running"))
    for number in range(60):
        panel.append_progress("call-1", "".join(f"{number}-{line}\n" for line in range(500)))
    panel.output.flush()
    assert len(panel.output.rows) <= 10_001
    assert panel.output.rows[-1].text == "59-499"
    assert panel.output.document().blockCount() <= 10_001


def test_the_changes_tab_is_there_only_with_a_diff(panel: StepDetail) -> None:
    panel.show_step(step("done"))
    assert not panel.tabs.isTabVisible(CHANGES)
    panel.show_step(step("done", details={"diff": "@@ -1 +1 @@\n-a\n+b\n"}))
    assert panel.tabs.isTabVisible(CHANGES)
    assert panel.changes.toPlainText().split() == ["a", "b"]


def test_input_models_view_and_raw(panel: StepDetail) -> None:
    panel.show_step(step("whole", model_content="short"))
    assert panel.input.toPlainText() == "pytest -q"
    panel.tabs.setCurrentIndex(MODEL)
    assert panel.model.toPlainText() == "short"
    panel.tabs.setCurrentIndex(RAW)
    assert '"command": "pytest -q"' in panel.raw.toPlainText()
    panel.tabs.setCurrentIndex(INPUT)
    panel.show_step(step("another", arguments={"command": "ls"}))
    assert panel.tabs.currentIndex() == INPUT
    assert panel.input.toPlainText() == "ls"


def test_find_counts_and_walks_through_the_hits(panel: StepDetail, qtbot: QtBot) -> None:
    panel.show_step(step("half\n" * 3 + "nothing\n" * 100 + "HALF 🙂 half\n"))
    panel.open_find()
    qtbot.keyClicks(panel.find_strip.field, "half")
    panel.find_strip.search_now()
    assert panel.find_strip.count.text() == "1 of 5"
    qtbot.keyClick(panel.find_strip.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert panel.find_strip.count.text() == "5 of 5"
    assert panel.output.verticalScrollBar().value() > 50
    qtbot.keyClick(panel.find_strip.field, Qt.Key.Key_Escape)
    assert not panel.find_strip.isVisible()


def test_a_long_output_is_looked_through_in_slices_and_the_count_follows(
    panel: StepDetail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_hits, "_FIRST_SECONDS", 0.0)
    monkeypatch.setattr(row_hits, "_SLICE_SECONDS", 0.0)
    panel.show_step(step("nothing\n" * 3_000 + "needle\n" * 500 + "nothing\n" * 2_000 + "needle\n"))
    count = panel.find_strip.count
    panel.find_text("needle")
    assert count.text() == "…"
    while not panel.output.hits.places:
        QApplication.processEvents()
    assert count.text().endswith("…")
    assert panel.output.hit == 0
    while not panel.output.hits.is_done:
        QApplication.processEvents()
    assert count.text() == "1 of 501"


def test_a_step_back_from_the_first_hit_leads_to_the_last_of_all(
    panel: StepDetail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_hits, "_FIRST_SECONDS", 0.0)
    panel.show_step(step("needle\n" * 9_000))
    panel.find_text("needle")
    assert not panel.output.hits.is_done
    panel.find_strip.step(-1)
    assert panel.output.hit == 8_999
    assert panel.output.textCursor().blockNumber() == 8_999


def test_a_hit_on_or_below_the_screen_is_the_first_that_is_shown(
    panel: StepDetail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_hits, "_FIRST_SECONDS", 0.0)
    panel.show_step(step("needle\n" + "nothing\n" * 1_500 + "needle\n" * 3 + "nothing\n" * 50))
    panel.output.scroll_to_row(1_400)
    panel.find_text("needle")
    while not panel.output.hits.is_done:
        QApplication.processEvents()
    assert panel.find_strip.count.text() == "2 of 4"


def test_hits_far_to_the_right_of_a_long_row_are_marked_when_they_are_seen(
    panel: StepDetail,
) -> None:
    panel.show_step(step("need a needle " * 1_000))
    panel.find_text("needle")

    def marked() -> set[int]:
        return {mark.cursor.selectionStart() for mark in panel.output.extraSelections()}

    assert {7, 21, 35} <= marked()
    assert len(marked()) < 40
    panel.find_strip.step(-1)
    row = panel.output.textCursor().block()
    assert panel.output.textCursor().position() in marked()
    assert len(marked()) < 40
    assert row.length() > 500
    panel.output.set_wrap(True)
    assert len(marked()) > 40


def test_a_megabyte_is_laid_out_only_where_it_is_seen(panel: StepDetail) -> None:
    panel.show_step(step("\x1b[32mline\x1b[0m of output\n" * 45_000))
    panel.output.finish_loading()
    laid_out = sum(
        panel.output.document().findBlockByNumber(number).layout().lineCount() > 0
        for number in range(0, 45_000, 50)
    )
    assert laid_out < 20
    assert len(panel.output.extraSelections()) < 100
    assert panel.tabs.currentIndex() == OUTPUT


def test_one_line_of_a_megabyte_is_shown(panel: StepDetail) -> None:
    panel.show_step(step("x" * 1_000_000))
    panel.output.finish_loading()
    assert panel.output.toPlainText() == "x" * 1_000_000
    assert max(len(row.text) for row in panel.output.rows) <= 20_000


def test_every_control_has_a_name(panel: StepDetail) -> None:
    from PySide6.QtWidgets import QAbstractButton, QLineEdit

    for kind in (QAbstractButton, QLineEdit, QPlainTextEdit):
        for control in panel.findChildren(kind):
            if control.parent() is not panel.tabs:
                assert control.accessibleName(), control


def test_saving_an_output_in_a_file_asks_for_the_whole_of_it(
    panel: StepDetail, tmp_path: Path
) -> None:
    wanted: list[tuple[str, str]] = []
    panel.whole_wanted.connect(lambda call_id, path: wanted.append((call_id, path)))
    record = step("HEAD\n[…]\nTAIL", details={"kept_whole": True, "characters": 1_200_000})
    panel.show_step(record)
    panel._foot.save_requested.emit()
    (dialog,) = panel.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "all.txt"))
    dialog.close()
    assert wanted == [(record.call_id, str(tmp_path / "all.txt"))]
    assert not (tmp_path / "all.txt").exists()


def test_an_output_in_a_file_is_read_part_by_part(panel: StepDetail) -> None:
    detail = panel
    asked: list[tuple[str, int]] = []
    detail.part_requested.connect(lambda call_id, part: asked.append((call_id, part)))
    content = "HEAD\n[1,000,000 characters lie in the kept file]\nTAIL"
    record = step(content, details={"kept_whole": True, "characters": 1_200_000})
    detail.show_step(record)
    strip = detail.whole
    assert not strip.isHidden()
    assert strip.text.whole_text() == "Beginning and end of 1,200,000 characters"
    strip.ends.click()
    assert asked == [(record.call_id, 0)]
    strip.show_part(record.call_id, 0, "PART ONE")
    assert detail.output.toPlainText() == "PART ONE"
    assert strip.text.whole_text() == "Part 1 of 3"
    assert not strip.before.isEnabled()
    strip.after.click()
    assert asked[-1] == (record.call_id, 1)
    strip.show_part("another", 1, "NOT THIS")
    assert detail.output.toPlainText() == "PART ONE"
    strip.ends.click()
    assert detail.output.toPlainText() == content
    problems: list[str] = []
    detail.problem.connect(problems.append)
    strip.show_part(record.call_id, 0, None)
    assert strip.isHidden()
    assert "not kept any more" in problems[0]
    detail.show_step(replace(step("short"), call_id="call-2"))
    assert strip.isHidden()
