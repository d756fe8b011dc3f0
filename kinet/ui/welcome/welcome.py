"""The first page: how Kinet should reach a model."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from kinet.core.errors import KinetError
from kinet.core.profile import ModelProfile
from kinet.ui.kit.column_room import keep_column
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.input_filters import guard_wheel
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tasks import spawn
from kinet.ui.look.theme import Theme
from kinet.ui.models.probe_words import words_of
from kinet.ui.services import FoundModel, Services
from kinet.ui.welcome.welcome_key import KeyTile
from kinet.ui.welcome.welcome_tiles import FoundTile, LocalTile, Tile, TourTile

_COLUMN, _MARGIN = 720, 24
# Where Ollama listens, which most people have.
_LOCAL = "http://127.0.0.1:11434/v1"

# Whether there is a keychain is only known once one is asked, which may open a window of its own.
_WHERE_KEYS_ARE = (
    "Keys are kept in the keychain of this computer or, where it has none, for this session;"
    " never in a file."
)


class WelcomePage(QWidget):
    """Offers what was found, a key to paste, and the tour. Saved profiles are told by signal."""

    profile_chosen = Signal(ModelProfile)
    tour_requested = Signal()
    skipped = Signal()
    # A failure lies in the network settings: the page of this section is to be opened.
    settings_requested = Signal(str)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcomePage")
        self.setAccessibleName("Welcome")
        self._services = services
        # From saving until the person goes on: where the key is has to be read first.
        self.saving = False
        self._looked = self._narrow = False
        # The look that waits until the page is seen.
        self._stale: Theme | None = None
        self._worked: tuple[ModelProfile, str] | None = None
        self._kept: ModelProfile | None = None
        self._asked_to_save: tuple[ModelProfile, str] | None = None
        self.found = FoundTile(self)
        self.key = KeyTile(self)
        self.local = LocalTile(self)
        self.tour = TourTile(self)
        self.skip = TextButton("Skip for now", self, kind="quiet", size="small")
        self.skip.setObjectName("skipButton")
        # The word, not the button's edge, ends at the column's edge.
        self.skip.setStyleSheet("QPushButton { padding-right: 0; }")
        self._build()
        self.found.chosen.connect(lambda item: spawn(self._use(item), "use a found model"))
        self.found.look_requested.connect(lambda: spawn(self.look_around(), "look for models"))
        self.key.key_typed.connect(self._offer)
        self.key.test_requested.connect(lambda: spawn(self._test(), "test a key"))
        self.key.save_requested.connect(lambda: spawn(self._save(), "save a key"))
        self.key.network_requested.connect(lambda: self.settings_requested.emit("network"))
        self.key.start_requested.connect(self._start)
        self.local.requested.connect(lambda: self.key.open_form(_LOCAL))
        self.tour.requested.connect(self.tour_requested)
        self.skip.clicked.connect(self.skipped)
        guard_wheel(self)

    async def look_around(self) -> None:
        """Looks for model servers and keys on this computer, and shows them."""
        self._looked = True
        self.found.show_found(await self._services.discover())

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look; a page that is not seen does so when it is."""
        self._stale = theme if not self.isVisible() else None
        if self._stale is not None:
            return
        for tile in self._tiles:
            tile.set_theme(theme)
        # When the larger words are known.
        QTimer.singleShot(0, self, self._place_tiles)

    def showEvent(self, event: QShowEvent) -> None:
        """Looks around when it is first seen, if there is a loop to do it in."""
        super().showEvent(event)
        if self._stale is not None:
            self.set_theme(self._stale)
        if not self._looked:
            self._looked = True
            spawn(self.look_around(), "look for models")

    def _build(self) -> None:
        column = QWidget(self)
        column.setMaximumWidth(_COLUMN)
        inside = QVBoxLayout(column)
        inside.setContentsMargins(0, 40, 0, 24)
        inside.setSpacing(0)
        title = text_label("How should Kinet reach a model?", type="h1", parent=column)
        title.setWordWrap(True)
        inside.addWidget(title)
        inside.addSpacing(6)
        line = text_label(
            "Pick one. You can add others later in Settings.",
            type="answer",
            tone="text_2",
            parent=column,
        )
        line.setWordWrap(True)
        inside.addWidget(line)
        inside.addSpacing(24)
        self._grid = QGridLayout()
        self._grid.setSpacing(16)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        for number, tile in enumerate(self._tiles):
            self._grid.addWidget(tile, number // 2, number % 2)
        inside.addLayout(self._grid)
        inside.addSpacing(16)
        foot = QHBoxLayout()
        kept = text_label(_WHERE_KEYS_ARE, type="meta", tone="text_3", parent=column)
        kept.setWordWrap(True)
        foot.addWidget(kept, 1)
        foot.addWidget(self.skip)
        inside.addLayout(foot)
        inside.addStretch(1)
        page = QWidget(self)
        row = QHBoxLayout(page)
        row.addStretch(1)
        row.addWidget(column, 1000)
        row.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page.setObjectName("welcomeColumn")
        scroll.setWidget(page)
        keep_column(scroll, row, _MARGIN)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)
        self.setStyleSheet("QWidget#welcomeColumn, QScrollArea { background: transparent; }")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Two tiles beside each other, or where these have no room one below the other."""
        super().resizeEvent(event)
        self._place_tiles()

    def _place_tiles(self) -> None:
        widths = [tile.minimumSizeHint().width() for tile in self._tiles]
        least = max(widths[0::2]) + max(widths[1::2])
        room = min(self.width() - 2 * _MARGIN, _COLUMN)
        narrow = room < least + self._grid.horizontalSpacing()
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for number, tile in enumerate(self._tiles):
            row, column, span = (number, 0, 2) if narrow else (number // 2, number % 2, 1)
            self._grid.removeWidget(tile)
            self._grid.addWidget(tile, row, column, 1, span)

    @property
    def _tiles(self) -> tuple[Tile, ...]:
        """As they are read: two beside each other, then the next two."""
        return (self.found, self.key, self.local, self.tour)

    def _offer(self, key: str) -> None:
        self.key.offer(self._services.profiles_for_key(key) if key else ())

    async def _test(self) -> bool:
        """Tries what the tile holds; True if it works."""
        profile, key = self.key.asked, self.key.key
        if profile is None:
            return False
        self.key.show_busy("Testing…")
        try:
            probe = await self._services.probe(profile, key or None)
        finally:
            self.key.show_busy("")
        words = words_of(probe, profile.model, self._price_known(profile) if probe.ok else None)
        self._worked = (profile, key) if probe.ok else None
        self._asked_to_save = (profile, key)
        self.key.show_result(words, probe.models)
        return probe.ok

    async def _save(self) -> None:
        """Tests first what was not tested yet; keeps it if it works or was asked for twice."""
        profile, key = self.key.profile, self.key.key
        if profile is None:
            return
        tested = (profile, key) in (self._worked, self._asked_to_save)
        if not tested and not await self._test():
            return
        self.key.show_busy("Saving…")
        self.saving = True
        try:
            place = await self._services.save_profile(profile, key or None)
        except KinetError as exc:
            self.saving = False
            self.key.show_busy("")
            self.key.show_error(exc.sentence())
            return
        self.key.show_busy("")
        self._kept = profile
        if place == "session" and key:
            self.key.show_session_only()
        else:
            self._start()

    async def _use(self, item: FoundModel) -> None:
        profile = self._services.profile_from(item)
        try:
            await self._services.save_profile(profile, None)
        except KinetError as exc:
            self.found.line.setText(exc.sentence())
            return
        self._kept = profile
        self._start()

    def _start(self) -> None:
        if self._kept is not None:
            profile, self._kept = self._kept, None
            self.saving = False
            self.key.field.clear()
            self.profile_chosen.emit(profile)

    def _price_known(self, profile: ModelProfile) -> bool:
        return any(
            row.model == profile.model and row.price.input is not None
            for row in self._services.price_rows()
        )
