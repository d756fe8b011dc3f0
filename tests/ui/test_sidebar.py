"""The list of sessions: order, marks and words, search, ten thousand rows."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu

from kinet.ui.desks.session_search import per_session
from kinet.ui.frame.window_geometry import sidebar_room
from kinet.ui.kit.marked_text import from_first
from kinet.ui.look.theme import load_theme, set_current
from kinet.ui.sessions.search_hits import TextHit
from kinet.ui.sessions.session_list import SessionItem, SessionModel, word_of
from kinet.ui.sessions.sidebar import MONTH, Sidebar
from tests.support.window import until

NOW = time.time()


@pytest.fixture
def sidebar(app: QApplication) -> Sidebar:
    """A sidebar with four sessions."""
    widget = Sidebar()
    widget.resize(259, 700)
    widget.set_sessions(
        [
            SessionItem("a", "Old ledger", "/w/ledger", NOW - 9_000),
            SessionItem("b", "New ledger", "/w/ledger", NOW - 100),
            SessionItem("c", "Recipe", "", NOW - 10),
            SessionItem("d", "Garden", "/w/garden", NOW - 5_000),
        ],
        "b",
    )
    widget.show()
    return widget


def test_folders_follow_their_newest_session_and_no_folder_stands_last(sidebar: Sidebar) -> None:
    assert sidebar.model.shown_ids() == ["b", "a", "d", "c"]
    assert sidebar.list.current_id() == "b"


def test_search_shows_only_what_holds_every_word(sidebar: Sidebar) -> None:
    sidebar.search.setText("ledger old")
    assert sidebar.model.shown_ids() == ["a"]
    sidebar.search.setText("nothing like it")
    assert sidebar.model.shown_ids() == []
    QTest.keyClick(sidebar.search, Qt.Key.Key_Escape)
    assert len(sidebar.model.shown_ids()) == 4


def test_a_click_chooses_a_session_and_a_group_is_no_session(sidebar: Sidebar) -> None:
    chosen: list[str] = []
    sidebar.session_chosen.connect(chosen.append)
    for row in (0, sidebar.model.row_of("a")):
        place = sidebar.list.visualRect(sidebar.model.index(row)).center()
        QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen == ["a"]


def test_enter_chooses_and_delete_alone_deletes_nothing(sidebar: Sidebar) -> None:
    chosen: list[str] = []
    deleted: list[str] = []
    sidebar.session_chosen.connect(chosen.append)
    sidebar.delete_requested.connect(deleted.append)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert chosen == ["b"]
    assert deleted == []


def test_the_menu_key_means_the_marked_session_wherever_the_list_is(sidebar: Sidebar) -> None:
    deleted: list[str] = []
    sidebar.delete_requested.connect(deleted.append)
    sidebar.list.setCurrentIndex(sidebar.model.index(sidebar.model.row_of("a")))
    # Where Qt says the key was pressed: in the middle of the list, whatever lies there.
    middle = sidebar.list.viewport().rect().center()
    reason = QContextMenuEvent.Reason.Keyboard
    asked = QContextMenuEvent(reason, middle, sidebar.list.viewport().mapToGlobal(middle))
    QApplication.sendEvent(sidebar.list.viewport(), asked)
    menu = sidebar.list.findChild(QMenu)
    assert menu is not None
    row = sidebar.list.visualRect(sidebar.list.currentIndex())
    assert menu.pos().y() - sidebar.list.viewport().mapToGlobal(row.bottomLeft()).y() in (0, 1)
    next(action for action in menu.actions() if "trash" in action.text()).trigger()
    assert deleted == ["a"]
    menu.close()


async def test_a_title_is_edited_in_place(sidebar: Sidebar) -> None:
    renamed: list[tuple[str, str]] = []
    sidebar.rename_requested.connect(lambda key, title: renamed.append((key, title)))
    sidebar.list.setCurrentIndex(sidebar.model.index(sidebar.model.row_of("a")))
    sidebar.list.edit(sidebar.list.currentIndex())
    field = sidebar.list.findChild(QLineEdit)
    assert field is not None
    field.setText("Older ledger")
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: renamed == [("a", "Older ledger")])


def test_a_state_takes_the_place_of_the_time(sidebar: Sidebar) -> None:
    item = SessionItem("x", "X", updated=NOW - 130)
    assert word_of(item, NOW) == "2 min"
    assert word_of(SessionItem("x", "X", "", NOW, "waiting"), NOW) == "Needs you"
    assert word_of(SessionItem("x", "X", "", NOW - 3 * 3600), NOW) == "3 h"
    assert word_of(SessionItem("x", "X", "", NOW - 5), NOW) == "now"


def test_a_screen_reader_hears_title_and_state(sidebar: Sidebar) -> None:
    sidebar.update_session(SessionItem("d", "Garden", "/w/garden", NOW - 5_000, "failed"))
    index = sidebar.model.index(sidebar.model.row_of("d"))
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Garden, Failed"


def test_ten_thousand_sessions_are_listed_and_the_last_can_be_reached(app: QApplication) -> None:
    model = SessionModel()
    model.set_items(
        SessionItem(f"s{number}", f"Session {number}", f"/w/{number % 40}", NOW - number)
        for number in range(10_000)
    )
    assert model.rowCount() == 10_040
    assert model.row_of("s9999") > 0
    assert model.item("s5000") is not None


def test_a_place_that_was_found_has_room_for_both_its_lines_with_larger_words(
    sidebar: Sidebar,
) -> None:
    sidebar.show_hits([TextHit("a", "October", "the *sum* of it")], ["sum"])
    assert sidebar.hits.list.sizeHintForRow(0) == 48
    theme = load_theme("light", 200)
    set_current(theme)
    both = sum(QFontMetrics(theme.font(size)).height() for size in ("ui", "meta"))
    assert sidebar.hits.list.sizeHintForRow(0) >= both


def test_the_word_that_was_found_is_seen_however_narrow_the_place(app: QApplication) -> None:
    font = load_theme("light").font("meta")
    text = "It says before that the three invoices of October do not match"
    wide = QFontMetrics(font).horizontalAdvance(text) * 2
    assert from_first(text, ["invoices"], font, wide) == text
    narrow = from_first(text, ["invoices"], font, 100)
    assert narrow.startswith("…")
    assert narrow.index("invoices") < 12
    assert from_first("不" * 90 + "发票", ["发票"], font, 60) == "…发票"


def test_a_place_in_an_answer_is_told_without_marks_and_one_of_a_tool_as_it_is() -> None:
    def hit(session: str, call: str) -> SimpleNamespace:
        words = "# Sum of **all**, see `a.py`"
        return SimpleNamespace(session_id=session, title="T", snippet=words, at=0.0, call_id=call)

    said, printed = per_session([hit("a", ""), hit("b", "c1")])
    assert said.snippet == "Sum of all, see a.py"
    assert printed.snippet == "# Sum of **all**, see `a.py`"


def test_where_the_month_has_no_room_its_money_stays(sidebar: Sidebar) -> None:
    label = sidebar.month_label
    sidebar.set_month(f"{MONTH}≈ $12.84")
    label.resize(label.sizeHint())
    assert (label.text(), label.toolTip()) == ("This month ≈ $12.84", "")
    label.resize(label.sizeHint().width() - 20, label.height())
    assert (label.text(), label.toolTip()) == ("≈ $12.84", "This month ≈ $12.84")


@pytest.mark.parametrize(
    ("chosen", "window", "zoom", "room"),
    [(260, 1200, 100, 260), (260, 1200, 80, 260), (260, 1200, 150, 360), (260, 1900, 150, 390),
     (260, 1900, 200, 400), (260, 900, 200, 270), (260, 720, 200, 360), (300, 1900, 200, 300)],
)  # fmt: skip
def test_a_sidebar_that_nobody_dragged_grows_with_larger_words(
    chosen: int, window: int, zoom: int, room: int
) -> None:
    assert sidebar_room(chosen, window, zoom) == room


def test_without_sessions_one_sentence_says_what_to_do(app: QApplication) -> None:
    widget = Sidebar()
    widget.set_sessions([])
    assert "Your first message starts one." in widget._empty.text()
