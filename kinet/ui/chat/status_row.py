"""The row under the composer: what happens now, how full the context is, what it cost."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from kinet.core.conversation import Conversation
from kinet.ui.kit.controls import (
    ElidedLabel,
    PaintedButton,
    draw_icon,
    repolish,
    text_label,
)
from kinet.ui.kit.figures import cost_words, seconds_words, tokens_words
from kinet.ui.look.theme import current_theme

HEIGHT = 32
# So much of the state is read before the cost gives way.
_LEAST_WORDS = 160
_BAR_WIDTH, _BAR_HEIGHT = 80, 6


@dataclass(frozen=True, slots=True)
class Status:
    """One line: a mark, a word, and since when. `since` is `time.monotonic()`, 0 for no timer."""

    text: str
    icon: str = ""
    token: str = "text_2"
    since: float = 0.0
    detail: str = ""
    strong: bool = False
    # time.monotonic() of what is waited for: the row counts down to it.
    until: float = 0.0


class StatusLabel(ElidedLabel):
    """What happens now; shown as far as there is room, told whole to whoever asks."""

    def text(self) -> str:
        return self.whole_text()


class StatusRow(QWidget):
    """Read-outs; only the gauge can be pressed, for the map of the context."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self._status = Status("")
        # True once a model was asked: before that there are no figures.
        self._asked = False
        self._mark = _Mark(self)
        self.label = StatusLabel("", self)
        self.label.setProperty("type", "meta")
        self.label.setProperty("tone", "text_3")
        self.label.setObjectName("statusLabel")
        self._detail = text_label("", type="meta", tone="text_3", parent=self)
        self.gauge = ContextGauge(self)
        self.cost = CostLabel(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(3, 0, 4, 0)
        row.setSpacing(0)
        for widget, gap in ((self._mark, 5), (self.label, 12), (self._detail, 0)):
            row.addWidget(widget)
            row.addSpacing(gap)
        row.addStretch(1)
        row.addWidget(self.gauge)
        row.addSpacing(12)
        row.addWidget(self.cost)
        self._clock = QTimer(self)
        self._clock.setInterval(1_000)
        self._clock.timeout.connect(self._tick)

    def show_status(self, status: Status) -> None:
        """Shows another state; a running one counts its seconds."""
        self._status = status
        self._mark.set_mark(status.icon, status.token)
        self.label.setProperty("tone", "" if status.strong else "text_3")
        repolish(self.label)
        self._detail.setText(status.detail)
        self._tick()
        self._fit()
        if status.since or status.until:
            self._clock.start()
        else:
            self._clock.stop()

    def show_figures(self, conversation: Conversation, window: int) -> None:
        """Shows how full the context is and what was spent; nothing before a model was asked."""
        usage = conversation.usage
        asked = usage.tokens_in or conversation.cost or conversation.occupancy
        self._asked = self._asked or bool(conversation.turns and asked)
        if not conversation.turns or not self._asked:
            return
        self.gauge.set_use(conversation.occupancy, window, exact=usage.known)
        lines: tuple[str, ...] = (
            f"Input {usage.tokens_in:,} tokens, {usage.cache_read:,} of them cached",
            f"Output {usage.tokens_out:,} tokens",
        )
        estimated = conversation.cost_estimated
        if estimated:
            lines = (*lines, "The price of this model is not known; a usual one was taken.")
        self.cost.set_cost(conversation.cost, conversation.cost_known, lines, estimated=estimated)
        self._fit()

    @property
    def status(self) -> Status:
        """What is shown now."""
        return self._status

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """The detail goes first where there is no room for all, then the cost: it stands under
        each answer too."""
        words, detail = self.label.sizeHint().width(), self._detail.sizeHint().width() + 24
        room = self.width() - 40
        if not self.gauge.isHidden():
            room -= self.gauge.sizeHint().width() + 12
        cost = self.cost.sizeHint().width() + 12 if self._asked else 0
        self._detail.setVisible(bool(self._status.detail) and words + detail + cost <= room)
        self.cost.setVisible(self._asked and min(words, _LEAST_WORDS) + cost <= room)

    def _tick(self) -> None:
        text = self._status.text
        if self._status.until:
            left = math.ceil(self._status.until - time.monotonic())
            self.label.set_text(f"{text} in {seconds_words(left)}" if left > 0 else f"{text} now")
            return
        seconds = time.monotonic() - self._status.since if self._status.since else 0.0
        if seconds >= 1:
            text = f"{text} {seconds_words(seconds)}"
        self.label.set_text(text)


class ContextGauge(PaintedButton):
    """How much of the model's window the conversation takes; pressed, it tells of what."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextGauge")
        self.setAccessibleName("Context")
        # A click leaves the focus where one writes.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._share: float | None = None
        self._text = ""
        self.hide()

    def set_use(self, tokens: int, window: int, *, exact: bool = True) -> None:
        """`tokens` of `window`; a window of 0 is not known and shows "—"."""
        about = "" if exact else "≈ "
        if window > 0:
            self._share = min(1.0, tokens / window)
            percent = round(self._share * 100)
            self._text = f"{about}{percent} % of {tokens_words(window)}"
            self.setToolTip(f"Context: {about}{tokens:,} of {window:,} tokens")
        else:
            self._share = None
            self._text = f"{about}{tokens_words(tokens)} of —"
            self.setToolTip(f"Context: {about}{tokens:,} tokens; the model's window is not known")
        self.setAccessibleName(self.toolTip())
        self.show()
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The words beside the bar."""
        return self._text

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(current_theme().font("meta", digits=True))
        return QSize(_BAR_WIDTH + 8 + metrics.horizontalAdvance(self._text) + 1, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        self.paint_surface(painter, "")
        reached = self.isDown() or self.underMouse()
        painter.setPen(Qt.PenStyle.NoPen)
        top = (self.height() - _BAR_HEIGHT) / 2
        painter.setBrush(theme.qcolor("hover"))
        painter.drawRoundedRect(QRectF(0, top, _BAR_WIDTH, _BAR_HEIGHT), 3, 3)
        if self._share:
            painter.setBrush(theme.qcolor(_gauge_token(self._share)))
            width = max(float(_BAR_HEIGHT), _BAR_WIDTH * self._share)
            painter.drawRoundedRect(QRectF(0, top, width, _BAR_HEIGHT), 3, 3)
        painter.setFont(theme.font("meta", digits=True))
        # Its words answer to the pointer: a ground would touch what stands beside it.
        painter.setPen(theme.qcolor("accent" if self.isDown() else "text" if reached else "text_3"))
        area = self.rect().adjusted(_BAR_WIDTH + 8, 0, 0, 0)
        painter.drawText(
            area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._text
        )


class CostLabel(QLabel):
    """What the session cost so far, in the price table's money."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("costLabel")
        self.setProperty("type", "meta")
        self.setProperty("tone", "text_3")
        self.hide()

    def set_cost(
        self, cost: float, known: bool, lines: tuple[str, ...] = (), *, estimated: bool = False
    ) -> None:
        """`known` False: some call had no price, `cost` is then a lower bound."""
        self.setText(cost_words(cost, known, estimated))
        self.setToolTip("\n".join(lines))
        self.setAccessibleName(f"Cost: {self.text()}")
        self.show()


class _Mark(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(16, HEIGHT)
        self._icon, self._token = "", "text_2"

    def set_mark(self, icon: str, token: str) -> None:
        self._icon, self._token = icon, token
        self.setVisible(bool(icon))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._icon:
            draw_icon(QPainter(self), self._icon, self._token, QPoint(8, HEIGHT // 2))


def _gauge_token(share: float) -> str:
    if share >= 0.9:
        return "danger"
    return "warning" if share >= 0.7 else "accent"
