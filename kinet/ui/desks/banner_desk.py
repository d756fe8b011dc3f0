"""Says above a conversation what stands in its way: a key, a server, a folder, a full disk."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QVBoxLayout

from kinet.core.errors import KinetError
from kinet.core.events import NOT_SAVED, Event, MessageCompleted, Notice, TurnFinished
from kinet.core.profile import ModelProfile
from kinet.ui.chat.banner import Banner
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.desks.model_desk import ModelDesk
from kinet.ui.desks.trust_desk import TrustDesk
from kinet.ui.kit.tasks import spawn
from kinet.ui.program import Program

if TYPE_CHECKING:
    from kinet.ui.asking.trust_page import TrustQuestion

OFFLINE, KEY, FOLDER, UNSAVED = "offline", "key", "folder", "unsaved"
# Milliseconds: so often it is looked whether the disk takes things again.
_LOOK_EVERY = 1_000
_UNTRUSTED = "What this folder brings along is not used before you have looked at it."
_CHANGED = "What this folder brings along has changed. It is not used before you have looked at it."
# A server that refuses is one that was reached.
_ANSWERED = ("auth", "rate_limit", "overloaded", "bad_request", "context_too_long")


class BannerDesk(QObject):
    """Serves one panel. The keychain is never asked for this: only the environment is looked at."""

    def __init__(
        self, program: Program, panel: ChatPanel, models: ModelDesk, trust: TrustDesk
    ) -> None:
        super().__init__(panel)
        self._program, self._panel = program, panel
        self._models, self._trust = models, trust
        self.banner = Banner(panel)
        layout = panel.layout()
        assert isinstance(layout, QVBoxLayout)
        # Under the header.
        layout.insertWidget(1, self.banner)
        self._saving = QTimer(self)
        self._saving.setInterval(_LOOK_EVERY)
        self._saving.timeout.connect(self.look_whether_saved)
        panel.event_shown.connect(self._event)
        models.refreshed.connect(self._look_for_key)
        trust.waits.connect(self._folder_waits)
        # Bound methods, here and above: a lambda would hold the panel as long as the window lives.
        trust.answered.connect(self._folder_answered)

    def _event(self, event: Event) -> None:
        if isinstance(event, Notice) and event.about == NOT_SAVED:
            self.banner.tell(UNSAVED, event.text)
            self._saving.start()
        if isinstance(event, MessageCompleted) and event.message.role == "assistant":
            self.banner.take_away(OFFLINE)
        if not isinstance(event, TurnFinished) or event.error is None:
            return
        if event.error.kind in _ANSWERED:
            self.banner.take_away(OFFLINE)
        profile = self._profile()
        if event.error.kind == "network" and profile is not None:
            host = urlsplit(profile.base_url).hostname or profile.base_url
            words = f"{host} cannot be reached. Is this computer online, and the server running?"
            self.banner.tell(OFFLINE, words, "Try again", self._try_again)

    def look_whether_saved(self) -> None:
        """What is not saved is said until it is; the session itself tries again and again."""
        session = self._panel.session
        if session is None or not session.unsaved:
            self._saving.stop()
            self.banner.take_away(UNSAVED)

    def _folder_waits(self, panel: ChatPanel, question: TrustQuestion) -> None:
        if panel is self._panel:
            words = _CHANGED if question.changes else _UNTRUSTED
            show = lambda: self._show_folder(question)  # noqa: E731
            self.banner.tell(FOLDER, words, "Look at it…", show)

    def _folder_answered(self) -> None:
        self.banner.take_away(FOLDER)

    def _show_folder(self, question: TrustQuestion) -> None:
        self.banner.take_away(FOLDER)
        self._trust.show(self._panel, question)

    def _try_again(self) -> None:
        self.banner.take_away(OFFLINE)
        self._panel.retry()

    def _look_for_key(self) -> None:
        profile = self._profile()
        if profile is None or not profile.key_env:
            self.banner.take_away(KEY)
            return
        spawn(self._show_key(profile), "place of a key")

    async def _show_key(self, profile: ModelProfile) -> None:
        try:
            place = await self._program.services.key_place(profile)
        except KinetError:
            # The request itself will say it in better words.
            return
        if place != "none":
            self.banner.take_away(KEY)
            return
        words = f"The key of {profile.name} is missing: {profile.key_env} is not set."
        self.banner.tell(KEY, words, "Models…", lambda: self._models.open_settings("models"))

    def _profile(self) -> ModelProfile | None:
        session = self._panel.session
        return self._program.profile(session.profile if session is not None else "")
