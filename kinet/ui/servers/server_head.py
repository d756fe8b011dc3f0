"""The row of one server: mark, name, how it stands, and what it is; pressed, it unfolds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kinet.ui.kit.controls import PaintedButton, draw_icon
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import current_theme
from kinet.ui.servers.server_words import second_line, spoken_row, state_look

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerRow

_ABOVE, _GAP = 10, 2
_LEFT = 36
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class ServerHead(PaintedButton):
    """Checked while what it unfolds is on show. Drawn as a whole: there may be hundreds."""

    def __init__(self, row: ServerRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("serverHead")
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._row = row
        self.show_row(row)

    def show_row(self, row: ServerRow) -> None:
        """Shows how it stands now."""
        self._row = row
        self.setAccessibleName(spoken_row(row))
        self.setAccessibleDescription(spell_out(second_line(row)[0][:2_000]).text)
        self.update()

    def sizeHint(self) -> QSize:
        theme = current_theme()
        high = theme.line_height("ui") + _GAP + theme.line_height("meta") + 2 * _ABOVE
        return QSize(240, high)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def surface(self) -> str:
        """Open is told by the chevron, not by a colour."""
        return "hover" if self.underMouse() or self.isDown() else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter unfolds too, as a row of a list does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """What is cut says itself, worked out only for the row under the pointer."""
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(self._cut_words())
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """Larger words want a higher row."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        self.paint_surface(painter, self.surface())
        word, token, icon = state_look(self._row)
        top, below = self._lines()
        middle = top.center().y() + 1
        draw_icon(painter, icon, token, QPoint(20, middle))
        fold = "chevron-down" if self.isChecked() else "chevron-right"
        draw_icon(painter, fold, "text_2", QPoint(self.width() - 16, self.height() // 2), 12)
        name_font, meta = theme.font("ui", bold=True), theme.font("meta", digits=True)
        name, word = self._fitted(top, name_font, meta, word)
        painter.setFont(name_font)
        painter.setPen(theme.qcolor("text" if self._row.state != "off" else "text_2"))
        painter.drawText(top, _MIDDLE, name)
        taken = QFontMetrics(name_font).horizontalAdvance(name) + 10
        painter.setFont(meta)
        painter.setPen(theme.qcolor(token))
        painter.drawText(top.adjusted(taken, 0, 0, 0), _MIDDLE, word)
        line, tone = second_line(self._row, unfolded=self.isChecked())
        painter.setPen(theme.qcolor(tone))
        painter.drawText(below, _MIDDLE, self._elided(line, meta, below.width()))

    def _lines(self) -> tuple[QRect, QRect]:
        theme = current_theme()
        width = self.width() - _LEFT - 32
        top = QRect(_LEFT, _ABOVE, width, theme.line_height("ui"))
        return top, QRect(_LEFT, top.bottom() + 1 + _GAP, width, theme.line_height("meta"))

    def _fitted(self, top: QRect, name_font: QFont, meta: QFont, word: str) -> tuple[str, str]:
        """Name and word as far as there is room: the word is read whole, the name gives way."""
        names = QFontMetrics(name_font)
        words = QFontMetrics(meta)
        wanted = words.horizontalAdvance(word) + 10
        least = min(top.width() // 3, names.horizontalAdvance(self._row.name))
        name_room = max(least, top.width() - wanted)
        name = names.elidedText(self._row.name, Qt.TextElideMode.ElideRight, name_room)
        rest = top.width() - names.horizontalAdvance(name) - 10
        return name, words.elidedText(word, Qt.TextElideMode.ElideRight, rest)

    def _elided(self, line: str, meta: QFont, width: int) -> str:
        mode = Qt.TextElideMode.ElideRight if line == self._row.reason else _CENTRE
        words = " ".join(spell_out(line[:4_000]).text.split())
        return QFontMetrics(meta).elidedText(words, mode, width)

    def _cut_words(self) -> str:
        theme = current_theme()
        top, below = self._lines()
        line = " ".join(
            spell_out(second_line(self._row, unfolded=self.isChecked())[0][:4_000]).text.split()
        )
        meta = QFontMetrics(theme.font("meta", digits=True))
        name = QFontMetrics(theme.font("ui", bold=True)).horizontalAdvance(self._row.name)
        word = state_look(self._row)[0]
        crowded = name + 10 + meta.horizontalAdvance(word) > top.width()
        said = [f"{self._row.name}: {word}"] if crowded else []
        said += [line] if meta.horizontalAdvance(line) > below.width() else []
        return "\n".join(said)


_CENTRE = Qt.TextElideMode.ElideMiddle
