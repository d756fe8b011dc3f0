"""The settings window: a list of pages, built from the settings schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence, QMouseEvent, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from kinet.core.errors import KinetError
from kinet.settings.fields import Choice
from kinet.ui.kit.controls import IconButton, text_label
from kinet.ui.kit.input_filters import guard_wheel
from kinet.ui.kit.part_buttons import name_buttons_in, padded
from kinet.ui.kit.round_corners import cut_corners
from kinet.ui.kit.row_ground import RingDelegate
from kinet.ui.kit.scrim import Scrim
from kinet.ui.kit.when_kept import when_kept
from kinet.ui.look.theme import Theme, current_theme, icon
from kinet.ui.preferences.folder_parts import FolderParts
from kinet.ui.preferences.live_parts import LiveParts
from kinet.ui.preferences.models_page import ModelsPage
from kinet.ui.preferences.pages_away import PagesAway
from kinet.ui.preferences.settings_page import SettingsPage
from kinet.ui.preferences.settings_toast import SettingsToast
from kinet.ui.preferences.trash_view import TrashView
from kinet.ui.services import SHOWN_ELSEWHERE, Services

if TYPE_CHECKING:
    from kinet.settings.store import SettingsStore

SIZE = QSize(904, 688)
_LIST_WIDTH = 200
_RADIUS = 12
_ICONS = {
    "general": "settings",
    "models": "model",
    "approvals": "shield",
    "memory": "memory",
    "appearance": "sun",
    "network": "web",
    "limits": "gauge",
    "data": "archive",
    "skills": "skill",
    "mcp": "plug",
}
# Settings that hold the name of a profile.
_NAMES_PROFILE = ("memory.profile",)


class SettingsDialog(QDialog):
    """Shown with `open()`. Every change is kept at once and can be taken back for a while."""

    profiles_changed = Signal()
    session_wanted = Signal(str)
    sessions_changed = Signal()
    # The question about the folder is to be seen.
    trust_wanted = Signal()

    def __init__(
        self,
        services: Services,
        settings: SettingsStore,
        parent: QWidget | None = None,
        *,
        folder: str = "",
    ) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        self.setWindowTitle("Settings")
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setModal(True)
        self._services, self._settings, self._folder = services, settings, folder
        self.pages: dict[str, SettingsPage] = {}
        self._scrim: Scrim | None = None
        self._trash: TrashView | None = None
        self._shown_before = False
        self._build()
        self._add_pages()
        self.toast = SettingsToast(self._frame)
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(self.search.setFocus)
        self.finished.connect(self._finish)
        self._is_stale = False
        self._dressing = QTimer(self)
        self._dressing.setSingleShot(True)
        self._dressing.timeout.connect(self._dress)
        self._dress()
        self.list.setCurrentRow(0)
        guard_wheel(self)

    def refresh(self) -> None:
        """Reads everything again: something else may have changed it while this was closed."""
        for page in self.pages.values():
            for key, row in page.rows.items():
                if key in _NAMES_PROFILE:
                    row.offer(_profile_choices(self._settings))
                row.set_value(self._settings.get(key))
                row.show_error("")
        self.models.refresh()
        self.parts.refresh()

    def show_page(self, section: str) -> None:
        """Turns to the page of `section`; unknown names change nothing."""
        for number in range(self.list.count()):
            item = self.list.item(number)
            if item.data(Qt.ItemDataRole.UserRole) == section:
                self.search.clear()
                self.list.setCurrentRow(number)

    def put_away(self) -> None:
        """Another look is about to be applied: what is not shown takes it on when it is."""
        if not self.isVisible():
            self._away.put_away(self.pages.values())

    def set_folder(self, folder: str) -> None:
        """The project that facts added here may belong to; "" for none."""
        self.parts.set_folder(folder)

    def showEvent(self, event: QShowEvent) -> None:
        """In the middle of its window, over a scrim; never larger than the window."""
        super().showEvent(event)
        if self._is_stale:
            self._is_stale = False
            self._dress()
        if not self._away.is_empty:
            self._turn(self.list.currentRow())
            self._away.bring_slowly()
        if self._shown_before:
            self.refresh()
        if self._trash is not None:
            self._trash.refresh()
        self._shown_before = True
        parent = self.parentWidget()
        if parent is None:
            self.resize(SIZE)
            return
        window = parent.window()
        # Larger words want more room, as far as the window has it.
        wanted = SIZE * max(1.0, current_theme().zoom / 100)
        self.resize(wanted.boundedTo(window.size() - QSize(32, 32)))
        # The names of the pages are read whole.
        names = self.list.sizeHintForColumn(0) + 2 * self.list.frameWidth() + 24
        share = self.width() * _LIST_WIDTH // SIZE.width()
        self._side.setFixedWidth(max(names, share))
        middle = window.mapToGlobal(window.rect().center()) - self.rect().center()
        self.move(middle)
        if self._scrim is None:
            self._scrim = Scrim(window)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The toast keeps its corner."""
        super().resizeEvent(event)
        cut_corners(self, _RADIUS)
        self.toast.place()
        self.close_button.move(self._frame.width() - 28 - 26, 22)

    def changeEvent(self, event: QEvent) -> None:
        """Another look: the icons are drawn anew, once, and when it is seen."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.StyleChange)
        if event.type() in kinds and hasattr(self, "_dressing"):
            self._is_stale = not self.isVisible()
            if not self._is_stale:
                self._dressing.start(0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The head can be dragged, since there is no frame to take hold of."""
        handle = self.windowHandle()
        if event.position().y() < 64 and handle is not None:
            handle.startSystemMove()

    def _build(self) -> None:
        self._frame = QFrame(self)
        self._frame.setObjectName("settingsFrame")
        # While nothing is in it.
        self._frame.setStyleSheet(_sheet(current_theme()))
        self._side = QFrame(self._frame)
        self._side.setObjectName("settingsSide")
        self._side.setFixedWidth(_LIST_WIDTH)
        title = padded(text_label("Settings", type="strong", parent=self._side), 8, 0, 0, 0)
        self.search = QLineEdit(self._side)
        self.search.setObjectName("settingsSearch")
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search the settings")
        self.search.setTextMargins(-4, 0, 0, 0)
        self._glass = QAction(self.search)
        self.search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        name_buttons_in(self.search)
        self.search.textChanged.connect(self._filter)
        self.list = QListWidget(self._side)
        self.list.setObjectName("settingsList")
        self.list.setAccessibleName("Pages")
        self.list.setIconSize(QSize(16, 16))
        self.list.setItemDelegate(RingDelegate(self.list))
        self.list.currentRowChanged.connect(self._turn)
        side = QVBoxLayout(self._side)
        side.setContentsMargins(8, 16, 8, 8)
        side.setSpacing(8)
        side.addWidget(title)
        side.addSpacing(4)
        side.addWidget(self.search)
        side.addWidget(self.list, 1)
        self.stack = QStackedWidget(self._frame)
        self._away = PagesAway(self.stack)
        self._nothing = text_label("No setting has these words. Try another one.", tone="text_3")
        self._nothing.setObjectName("settingsNothing")
        self._nothing.setWordWrap(True)
        self._nothing.setMargin(32)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.stack.addWidget(self._nothing)
        row = QHBoxLayout(self._frame)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        row.addWidget(self._side)
        row.addWidget(self.stack, 1)
        self.close_button = IconButton("close", "Close the settings", "Esc", self._frame)
        self.close_button.clicked.connect(self.accept)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._frame)

    def _add_pages(self) -> None:
        for field in self._settings.fields():
            section = field.key.partition(".")[0]
            if section not in self.pages:
                self._add_page(section, field.section)
            if field.key in _NAMES_PROFILE:
                field = replace(field, kind="choice", choices=_profile_choices(self._settings))
            if field.key not in SHOWN_ELSEWHERE:
                self.pages[section].add_fields([(field, self._settings.get(field.key))])
        theme = self.pages["appearance"].rows.get("appearance.theme")
        if theme is not None:
            theme.editor.widget.setObjectName("themeChoice")
        self.parts = FolderParts(self._services, self.pages, self._folder, self)
        self.parts.told.connect(self._tell)
        self.parts.session_wanted.connect(self._leave_for)
        self.parts.trust_wanted.connect(self.accept)
        self.parts.trust_wanted.connect(self.trust_wanted)
        self.finished.connect(self.parts.forget_removed)
        self._live = LiveParts(self._services, self.pages, self)
        self._live.told.connect(self._tell)
        if "data" in self.pages:
            self._trash = TrashView(lambda: self._services.trash, self)
            self._trash.changed.connect(self.sessions_changed)
            self.pages["data"].add_part(self._trash)

    def _add_page(self, section: str, title: str) -> None:
        if section == "models":
            page: SettingsPage = self._models_page(title)
        else:
            page = SettingsPage(section, title, self)
        page.changed.connect(self._change)
        self.pages[section] = page
        self.stack.addWidget(page)
        item = QListWidgetItem(title, self.list)
        item.setData(Qt.ItemDataRole.UserRole, section)

    def _models_page(self, title: str) -> ModelsPage:
        page = ModelsPage(self._services, self._settings, title, self)
        page.profiles.told.connect(self._tell)
        page.prices.told.connect(self._tell)
        page.profiles.changed.connect(self.profiles_changed)
        page.profiles.network_requested.connect(lambda: self.show_page("network"))
        self.finished.connect(page.profiles.forget_deleted)
        self.models = page
        return page

    def _change(self, key: str, value: Any) -> None:
        """Keeps a value at once; says what went wrong under its control, or offers to undo."""
        row = self.pages[key.partition(".")[0]].rows[key]
        before = self._settings.get(key)
        try:
            kept = self._settings.keep(key, value)
        except KinetError as exc:
            row.show_error(exc.sentence())
            return
        row.show_error("")
        self._live.setting_changed(key, value)

        def undo() -> None:
            when_kept(self, self._settings.keep(key, before), row.show_error)
            row.set_value(before)
            self._live.setting_changed(key, before)

        when_kept(self, kept, row.show_error, lambda: self._tell(f"{row.field.title} saved", undo))

    def _tell(self, sentence: str, undo: Callable[[], None] | None) -> None:
        self.toast.tell(sentence, "Undo" if undo else "", undo)

    def _leave_for(self, session_id: str) -> None:
        self.accept()
        self.session_wanted.emit(session_id)

    def _turn(self, number: int) -> None:
        if number >= 0:
            section = self.list.item(number).data(Qt.ItemDataRole.UserRole)
            page = self.pages[section]
            self._away.bring(page)
            self.stack.setCurrentWidget(page)
            self._live.show_page(section)

    def _filter(self, words: str) -> None:
        first = -1
        for number in range(self.list.count()):
            item = self.list.item(number)
            fits = self.pages[item.data(Qt.ItemDataRole.UserRole)].filter(words.strip())
            item.setHidden(not fits)
            first = number if fits and first < 0 else first
        current = self.list.currentItem()
        if first >= 0 and (current is None or current.isHidden()):
            self.list.setCurrentRow(first)
        if first < 0:
            self.stack.setCurrentWidget(self._nothing)
        elif self.stack.currentWidget() is self._nothing:
            self._turn(self.list.currentRow())

    def _dress(self) -> None:
        # Given to everything in the dialog, an eighth of a second: not a second time for nothing.
        if self._frame.styleSheet() != (sheet := _sheet(current_theme())):
            self._frame.setStyleSheet(sheet)
        self._glass.setIcon(icon("search", "text_3"))
        for number in range(self.list.count()):
            item = self.list.item(number)
            name = _ICONS.get(item.data(Qt.ItemDataRole.UserRole), "settings")
            item.setIcon(icon(name, "text_2"))
        self.models.set_theme()

    def _finish(self) -> None:
        if self._scrim is not None:
            self._scrim.deleteLater()
            self._scrim = None


def _sheet(theme: Theme) -> str:
    return (
        f"QFrame#settingsFrame {{ background: {theme.color('canvas')};"
        f" border: 1px solid {theme.color('dialog_border')}; border-radius: {_RADIUS}px; }}"
        f"QFrame#settingsSide {{ background: {theme.color('side')}; border: 0;"
        f" border-right: 1px solid {theme.color('border')}; border-top-left-radius: 11px;"
        f" border-bottom-left-radius: 11px; }}"
        f"QListWidget::item:selected {{ font-weight: 600; }}"
    )


def _profile_choices(settings: SettingsStore) -> tuple[Choice, ...]:
    """The profiles to choose from; none is the session's own."""
    names = [profile.name for profile in settings.profiles()]
    return (Choice("", "The session's own"), *(Choice(name, name) for name in names))
