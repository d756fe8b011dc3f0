"""The strips of the step panel beside its text: what the model got, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from kinet.ui.kit.controls import ElidedLabel
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import Theme
from kinet.ui.panel.model_share import ModelShare

_COPIED_MS = 1500


class ShareRow(QFrame):
    """One line that says how much of the output the model got."""

    cut_requested = Signal()
    rest_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = QLabel(self)
        self._share = ModelShare("none")
        self.text = ElidedLabel("", self)
        self.text.setProperty("type", "meta")
        self.text.setProperty("tone", "text_2")
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._cut = TextButton("Show cut", self, kind="link", size="row")
        self._cut.setToolTip("Go to the place where the model’s part breaks off")
        self._cut.clicked.connect(self.cut_requested)
        self._rest = TextButton("Send the rest", self, kind="link", size="row")
        self._rest.setObjectName("sendRestButton")
        self._rest.setToolTip(
            "While a turn runs, the rest goes to the model with its next step; else it is "
            "attached to your next message"
        )
        self._rest.clicked.connect(self.rest_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(self.text, 1)
        row.addWidget(self._cut)
        row.addWidget(self._rest)
        self.setFixedHeight(36)
        # As wide as the panel, whatever its words need: they give way.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_share(self, share: ModelShare, theme: Theme) -> None:
        """Says it; hides itself where nothing can be said yet."""
        self.setVisible(share.kind != "none")
        self._share = share
        whole = share.kind == "all"
        self._mark.setVisible(whole)
        if whole:
            ratio = self.devicePixelRatioF()
            self._mark.setPixmap(theme.pixmap("check", "success", 16, ratio))
        self._cut.setVisible(share.kind == "cut")
        self._rest.setVisible(share.kind == "cut")
        self._fit()

    @property
    def sentence(self) -> str:
        """All that can be said, whatever there is room for."""
        return self._share.sentence()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """The whole sentence where it has room, else one with less in it; a number is never cut."""
        self.text.ensurePolished()
        whole = self.sentence
        said = (whole, self._share.short_sentence("characters"), self._share.short_sentence())
        wide = self.text.fontMetrics().horizontalAdvance
        buttons = [self._cut, self._rest] if self._share.kind == "cut" else []
        room = self.width() - 28 - sum(button.sizeHint().width() + 8 for button in buttons)
        room -= 24 if not self._mark.isHidden() else 0
        # The output itself shows the cut too: the way to it goes first.
        leads = bool(buttons) and wide(said[-1]) <= room
        self._cut.setVisible(leads)
        room += self._cut.sizeHint().width() + 8 if buttons and not leads else 0
        shown = next((words for words in said if wide(words) <= room), said[-1])
        self.text.set_text(shown)
        if shown != whole:
            self.text.setToolTip(whole)


class StepFoot(QWidget):
    """Copy all, Save, Find, Wrap."""

    copy_requested = Signal()
    save_requested = Signal()
    find_requested = Signal()
    wrap_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(44)
        self._copy = self._button("copy", "Copy all")
        self._save = self._button("save", "Save")
        self._find = self._button("search", "Find")
        self._wrap = self._button("wrap", "Wrap")
        self._wrap.setCheckable(True)
        self._copy.clicked.connect(self.copy_requested)
        self._save.clicked.connect(self.save_requested)
        self._find.clicked.connect(self.find_requested)
        self._wrap.toggled.connect(self._toggle)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(0)
        row.addWidget(self._copy)
        row.addWidget(self._save)
        row.addStretch(1)
        row.addWidget(self._find)
        row.addWidget(self._wrap)
        # As wide as the panel, whatever its words need: they give way.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def tell_copied(self) -> None:
        """Says for a moment that the text is on the clipboard."""
        self._copy.set_text("Copied")
        self._copy.set_icon("check", "success")
        QTimer.singleShot(_COPIED_MS, self, self._restore)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self._restore()
        self._save.refresh_icon()
        self._find.refresh_icon()
        self._toggle(self._wrap.isChecked())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Icons with words where all fit, else icons alone."""
        buttons = (self._copy, self._save, self._find, self._wrap)
        for button in buttons:
            button.show_word(True)
        needed = 16 + sum(button.sizeHint().width() for button in buttons)
        if needed > self.width():
            for button in buttons:
                button.show_word(False)

    def _restore(self) -> None:
        self._copy.set_text("Copy all")
        self._copy.set_icon("copy")
        self._fit()

    def _toggle(self, wrap: bool) -> None:
        self._wrap.set_icon("wrap", "accent" if wrap else "text_2")
        if self.sender() is self._wrap:
            self.wrap_toggled.emit(wrap)

    def _button(self, icon_name: str, text: str) -> TextButton:
        return TextButton(text, self, kind="quiet", size="small", icon_name=icon_name)
