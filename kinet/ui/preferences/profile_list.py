"""The list of profiles: which is the default, how each one did in its test, what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from kinet.core.profile import ModelProfile
from kinet.ui.kit.controls import ElidedLabel, IconButton, Line, repolish, text_label
from kinet.ui.kit.part_buttons import TextButton, padded
from kinet.ui.look.theme import current_theme
from kinet.ui.models.endpoint_form import PROTOCOLS
from kinet.ui.models.probe_words import CHANGE_KEY, ProbeWords

ROW_HEIGHT = 48


class ProfileRow(QWidget):
    """One profile."""

    test_requested = Signal(str)
    key_requested = Signal(str)
    edit_requested = Signal(str)
    delete_requested = Signal(str)
    default_requested = Signal(str)

    def __init__(self, profile: ModelProfile, default: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.profile = profile
        self.setObjectName("profileRow")
        self.setFixedHeight(round(ROW_HEIGHT * max(1.0, current_theme().zoom / 100)) + 1)
        self._wants_key = False
        self.radio = QRadioButton(self)
        self.radio.setAccessibleName(f"{profile.name} is the default")
        self.radio.setChecked(default)
        self.radio.clicked.connect(lambda: self.default_requested.emit(profile.name))
        name = ElidedLabel(profile.name, self)
        name.setProperty("type", "strong")
        # The page is not to be wider than it is shown; the line below says which model it is.
        name.setMinimumWidth(24)
        detail = ElidedLabel(detail_of(profile), self)
        detail.setProperty("type", "meta")
        detail.setProperty("tone", "text_3")
        self.tag = text_label("Default", type="meta", tone="accent", parent=self)
        tint = current_theme().color("accent_tint")
        self.tag.setStyleSheet(
            f"QLabel {{ background: {tint}; border-radius: 4px; padding: 0 6px; }}"
        )
        self.tag.setFixedHeight(round(18 * max(1.0, current_theme().zoom / 100)))
        self.tag.setVisible(default)
        self._mark = QLabel(self)
        self.result = text_label("", type="meta", parent=self)
        self.button = TextButton("Test", self, size="small", name=f"Test {profile.name}")
        self.button.setFixedWidth(96)
        self.button.clicked.connect(self._pressed)
        self.more = IconButton("more", f"More about {profile.name}", parent=self)
        self.more.clicked.connect(self._open_menu)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(name)
        head.addWidget(self.tag)
        head.addStretch(1)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addStretch(1)
        words.addLayout(head)
        words.addWidget(detail)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 10, 0)
        row.setSpacing(8)
        row.addWidget(self.radio)
        row.addLayout(words, 1)
        row.addWidget(self._mark)
        row.addWidget(self.result)
        row.addSpacing(8)
        row.addWidget(self.button)
        row.addWidget(self.more)

    def show_testing(self) -> None:
        """While the test runs."""
        self._mark.clear()
        self._say("Testing…", "text_3")
        self.button.setEnabled(False)

    def show_words(self, words: ProbeWords) -> None:
        """A mark, a word and a figure; what to do next is on the button."""
        theme, token = current_theme(), "success" if words.ok else "danger"
        pixmap = theme.pixmap("check" if words.ok else "error", token, 16, self.devicePixelRatioF())
        self._mark.setPixmap(pixmap)
        latency = words.detail.split(" · ")[1:2] if words.ok else []
        self._say(", ".join([words.word, *latency]), token)
        self.result.setToolTip(f"{words.detail} {words.hint}".strip())
        self._wants_key = not words.ok and words.act == CHANGE_KEY
        self.button.set_text("New key…" if self._wants_key else "Test")
        self.button.setEnabled(True)

    def _say(self, text: str, tone: str) -> None:
        self.result.setText(text)
        self.result.setProperty("tone", tone)
        repolish(self.result)

    def _pressed(self) -> None:
        signal = self.key_requested if self._wants_key else self.test_requested
        signal.emit(self.profile.name)

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name = self.profile.name
        menu.addAction("Edit…", lambda: self.edit_requested.emit(name))
        menu.addAction("New key…", lambda: self.key_requested.emit(name))
        default = menu.addAction("Make default", lambda: self.default_requested.emit(name))
        default.setEnabled(not self.radio.isChecked())
        menu.addSeparator()
        menu.addAction("Delete", lambda: self.delete_requested.emit(name))
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))


class ProfileList(QFrame):
    """All profiles in a card."""

    test_requested = Signal(str)
    key_requested = Signal(str)
    edit_requested = Signal(str)
    delete_requested = Signal(str)
    default_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("profileList")
        self.setProperty("surface", "card")
        self.setAccessibleName("Profiles")
        self.rows: dict[str, ProfileRow] = {}
        self._group = QButtonGroup(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)

    def show_profiles(self, profiles: Sequence[ModelProfile], default: str) -> None:
        """Lists them anew."""
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = {}
        if not profiles:
            words = "No profile yet. Add one to reach a model."
            empty = text_label(words, tone="text_3", parent=self)
            self._column.addWidget(padded(empty, 12, 14, 12, 14))
        for number, profile in enumerate(profiles):
            if number:
                self._column.addWidget(Line(self))
            row = ProfileRow(profile, profile.name == default, self)
            self._group.addButton(row.radio)
            row.test_requested.connect(self.test_requested)
            row.key_requested.connect(self.key_requested)
            row.edit_requested.connect(self.edit_requested)
            row.delete_requested.connect(self.delete_requested)
            row.default_requested.connect(self.default_requested)
            self.rows[profile.name] = row
            self._column.addWidget(row)


def detail_of(profile: ModelProfile) -> str:
    """Protocol and host, and the model where the name does not say it."""
    protocol = dict(PROTOCOLS).get(profile.protocol, profile.protocol)
    host = urlsplit(profile.base_url).netloc.rpartition("@")[2] or profile.base_url
    model = [profile.model] if profile.model != profile.name else []
    return " · ".join([protocol, host, *model])
