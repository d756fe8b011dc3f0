"""The places in conversations that hold what is searched for, under the list of sessions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.controls import ElidedLabel, line_room
from kinet.ui.kit.marked_text import draw_marked, from_first
from kinet.ui.kit.part_buttons import TextButton, padded
from kinet.ui.kit.row_ground import draw_ground
from kinet.ui.look.theme import current_theme
from kinet.ui.sessions.session_list import Index, SessionItem, word_of

ROW = 48
_ABOVE = 4
_HIT = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class TextHit:
    """The first place in one session; `count` places were found in it. `at` is wall time;
    `call_id` is that of the tool call the place belongs to, "" for a message."""

    session_id: str
    title: str
    snippet: str
    at: float = 0.0
    count: int = 1
    call_id: str = ""


class SearchHits(QWidget):
    """A head and rows of two lines; hidden while nothing was searched."""

    chosen = Signal(object)  # TextHit
    facts_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words: tuple[str, ...] = ()
        self.head = ElidedLabel("", self)
        self.head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.head.setProperty("type", "meta")
        self.head.setProperty("tone", "text_2")
        self.list = _HitList(self)
        self.facts = TextButton("", self, kind="quiet", size="row", icon_name="memory")
        self.facts.setObjectName("factHits")
        self.facts.clicked.connect(self.facts_wanted)
        self.facts.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(padded(self.head, 16, 8, 16, 4))
        column.addWidget(self.list, 1)
        column.addWidget(padded(self.facts, 8, 0, 8, 4))
        self.list.itemClicked.connect(self._choose)
        self.list.itemActivated.connect(self._choose)
        self.hide()

    def show_hits(self, hits: Sequence[TextHit], words: Sequence[str], narrowed: str = "") -> None:
        """Shows these; `words` are set off, and what it is narrowed to is said."""
        self.words = tuple(words)
        self.list.clear()
        for hit in hits:
            item = QListWidgetItem(hit.title)
            item.setData(_HIT, hit)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{hit.title}: {hit.snippet}")
            item.setToolTip(f"{hit.title}\n{hit.snippet}")
            self.list.addItem(item)
        head = "In conversations" if hits else "Nothing in conversations"
        self.show_words(f"{head} · {narrowed}" if narrowed else head)

    def show_facts(self, count: int) -> None:
        """Says how many facts hold the words; a click wants to see them."""
        self.facts.set_text(f"{count} fact{'' if count == 1 else 's'} in memory")
        self.facts.setVisible(count > 0)

    def show_words(self, text: str) -> None:
        """Shows the head alone, or over what is there."""
        self.head.set_text(text)
        self.list.setVisible(self.list.count() > 0)
        self.show()

    def close_hits(self) -> None:
        """Forgets what was found."""
        self.facts.hide()
        self.list.clear()
        self.hide()

    def hits(self) -> list[TextHit]:
        """What is shown, from the top."""
        return [self.list.item(row).data(_HIT) for row in range(self.list.count())]

    def choose_first(self) -> bool:
        """Chooses the top row; False if there is none."""
        if not self.list.count():
            return False
        self._choose(self.list.item(0))
        return True

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(_HIT))


class _HitList(QListWidget):
    """Enter chooses, whatever the platform holds for activation."""

    def __init__(self, parent: SearchHits) -> None:
        super().__init__(parent)
        self.setObjectName("searchHits")
        self.setAccessibleName("Found in conversations")
        self.setItemDelegate(_Rows(parent))
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.itemClicked.emit(item)
            return
        super().keyPressEvent(event)


class _Rows(QStyledItemDelegate):
    """Title and age above, the place below."""

    def __init__(self, owner: SearchHits) -> None:
        super().__init__(owner)
        self._owner = owner

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        title, below = _lines()
        return QSize(0, max(ROW, title + below + 2 * _ABOVE))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        hit = index.data(_HIT)
        if not isinstance(hit, TextHit):
            return
        theme = current_theme()
        rect: QRect = option.rect
        painter.save()
        reached = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus
        draw_ground(painter, option.state, rect.adjusted(8, 0, -8, 0), ring=reached)
        high, low = _lines()
        over = rect.top() + (rect.height() - high - low) // 2
        top = QRect(rect.left() + 16, over, rect.width() - 32, high)
        meta = theme.font("meta", digits=True)
        word = word_of(SessionItem(hit.session_id, hit.title, updated=hit.at), time.time())
        if hit.count > 1:
            word = f"{hit.count} places"
        painter.setFont(meta)
        painter.setPen(theme.qcolor("text_3"))
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, word)
        taken = QFontMetrics(meta).horizontalAdvance(word) + 12
        title = top.adjusted(0, 0, -taken, 0)
        draw_marked(painter, title, hit.title, (), font=theme.font("ui"))
        below = QRect(top.left(), top.bottom() + 1, top.width(), low)
        words, font = self._owner.words, theme.font("meta")
        place = from_first(hit.snippet, words, font, below.width())
        draw_marked(painter, below, place, words, font=font, token="text_2")
        painter.restore()


def _lines() -> tuple[int, int]:
    """How high the title and the place below it are; larger letters want more."""
    return line_room("ui", 20), line_room("meta", 18)
