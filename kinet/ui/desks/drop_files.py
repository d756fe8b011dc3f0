"""What is dropped anywhere on the chat is attached; while it is over the chat, that is said."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.look.theme import current_theme
from kinet.ui.writing.given_pictures import has_picture, picture_in


class DropFiles(QObject):
    """Serves one panel; files and pictures are taken, folders and other things are not."""

    def __init__(self, panel: ChatPanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._veil: _Veil | None = None
        panel.setAcceptDrops(True)
        panel.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event:
            case QDropEvent() if event.type() == QEvent.Type.Drop:
                self._show(False)
                if is_taken(event.mimeData()):
                    event.acceptProposedAction()
                    self._attach(event.mimeData())
                    self._panel.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
            case QDragEnterEvent() | QDragMoveEvent():
                if is_taken(event.mimeData()):
                    event.acceptProposedAction()
                    self._show(True)
                return True
            case _ if event.type() == QEvent.Type.DragLeave:
                self._show(False)
        return False

    def _attach(self, data: QMimeData) -> None:
        files = files_of(data)
        picture = picture_in(data) if not files else None
        if picture is not None:
            self._panel.composer.take_picture(picture)
        else:
            self._panel.composer.attach_all(files)

    def _show(self, shown: bool) -> None:
        if shown and self._veil is None:
            self._veil = _Veil(self._panel)
        elif not shown and self._veil is not None:
            self._veil.deleteLater()
            self._veil.hide()
            self._veil = None


def is_taken(data: QMimeData) -> bool:
    """True for what can be attached."""
    return bool(files_of(data)) or has_picture(data)


def files_of(data: QMimeData) -> list[Path]:
    """The files of this computer in what is dragged."""
    local = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return [path for path in local if path.is_file()]


class _Veil(QWidget):
    """Over the whole panel, letting the mouse through."""

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(panel.rect())
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.qcolor("scrim_light"))
        painter.setPen(QPen(theme.qcolor("accent"), 2, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(12, 12, -12, -12), 12, 12)
        box = QRectF(0, 0, 220, 40)
        box.moveCenter(QRectF(self.rect()).center())
        painter.setPen(theme.qcolor("dialog_border"))
        painter.setBrush(theme.qcolor("raised"))
        painter.drawRoundedRect(box, 8, 8)
        painter.setPen(theme.qcolor("text"))
        painter.setFont(theme.font("ui"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "Drop to attach")
