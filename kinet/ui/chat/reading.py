"""What is read of one session: its transcript, made when it is first needed, and what is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from kinet.core.events import Event
from kinet.ui.chat.announcements import announce_event
from kinet.ui.chat.chat_body import ChatBody
from kinet.ui.conversation_text import last_answer
from kinet.ui.kit.letting_go import let_go
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.program import OpenSession

if TYPE_CHECKING:
    from kinet.ui.transcript.entries.receipt import FactState
    from kinet.ui.transcript.presenter import Presenter
    from kinet.ui.transcript.view import Transcript


class Reading(QObject):
    """Serves one panel; asks for things by signal."""

    made = Signal()  # the transcript is there
    # A saved conversation: its events before they are shown; and afterwards.
    restored = Signal(object)
    replayed = Signal()
    step_chosen = Signal(str)  # call_id
    link_chosen = Signal(str)
    found = Signal(int, int)  # number of the place that was searched for, number of all
    files_chosen = Signal(str, str)  # changes, undo or redo; turn_id
    fact_chosen = Signal(str, str, str)  # what is to be done; fact; text that comes back
    message_chosen = Signal(str, str)  # what is to be done; message id
    retry_requested = Signal()

    def __init__(
        self, body: ChatBody, session: Callable[[], OpenSession | None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._body, self._session, self._panel = body, session, parent
        self.presenter: Presenter | None = None
        self._scrolling = "follow"

    @property
    def transcript(self) -> Transcript:
        """The transcript; built when it is first asked for."""
        self.build()
        transcript = self._body.transcript
        assert transcript is not None
        return transcript

    def build(self, again: bool = False) -> None:
        """Makes the transcript, and shows the saved conversation in it; `again` shows it anew."""
        if self.presenter is not None:
            if again:
                self._replay(self.presenter)
            return
        # Not needed for the first frame: an empty transcript looks like the empty body.
        from kinet.ui.transcript.presenter import Presenter
        from kinet.ui.transcript.view import Transcript

        transcript = Transcript(current_theme(), self._body)
        self._body.set_transcript(transcript)
        transcript.step_activated.connect(self.step_chosen)
        transcript.link_activated.connect(self.link_chosen)
        transcript.found.connect(self.found)
        transcript.retry_requested.connect(self.retry_requested)
        transcript.files_requested.connect(self.files_chosen)
        transcript.message_requested.connect(self.message_chosen)
        transcript.fact_requested.connect(self.fact_chosen)
        self.presenter = Presenter(transcript)
        self.set_scrolling(self._scrolling)
        self._replay(self.presenter)
        self.made.emit()

    def set_scrolling(self, scrolling: str) -> None:
        """What the conversation does while text comes: follow, question or off."""
        self._scrolling = scrolling
        if self._body.transcript is not None:
            self._body.transcript.stage.follower.mode = scrolling

    def jump_to_bottom(self) -> None:
        """Shows the end. A transcript that is made later begins with it."""
        if self._body.transcript is not None:
            self._body.transcript.jump_to_bottom()

    def is_idle(self) -> bool:
        """True if all that is on screen is there."""
        return self._body.transcript is None or self._body.transcript.is_idle()

    def show(self, event: Event) -> None:
        """Shows and announces what happens now."""
        if self.presenter is not None:
            self.presenter.show(event)
        session = self._session()
        if session is not None:
            # A hidden transcript cannot speak; its panel can.
            place = self._body.transcript or self._panel
            messages = session.conversation.messages
            announce_event(place, event, lambda: self._answer_words(session), messages)

    def _answer_words(self, session: OpenSession) -> str:
        """The last answer in the words that are shown; its source where nothing is shown yet."""
        transcript = self._body.transcript
        if transcript is not None:
            # There is a transcript: its modules are imported already.
            from kinet.ui.transcript.spoken.spoken import last_answer_words

            if shown := last_answer_words(transcript.stage.flow):
                return shown
        return last_answer(session.conversation.messages)

    def show_undo(self, standing: Mapping[str, bool]) -> None:
        """Which turns can be taken back, by id; True for those that were."""
        if self.presenter is not None:
            self.presenter.show_undo(standing)

    def show_facts(self, known: Mapping[str, FactState], has_project: bool) -> None:
        """How the facts stand that receipts name, by id; `has_project`: there is a folder."""
        if self.presenter is not None:
            self.presenter.show_facts(known, has_project)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        if self._body.transcript is not None:
            self._body.transcript.set_theme(theme)
            self._body.transcript.set_zoom(theme.zoom)

    def let_go(self) -> None:
        """Empties the transcript of a panel that goes: widgets, slots and what they show hang
        together in circles, and a long conversation must not wait for the collector of garbage."""
        if self.presenter is not None:
            shown = self.presenter.stage.flow.entries
            self.presenter.replay(())
            # Bit by bit.
            let_go(shown)

    def _replay(self, presenter: Presenter) -> None:
        session = self._session()
        if session is None:
            return
        events = session.events()
        self.restored.emit(events)
        presenter.replay(events, given=True)
        self.replayed.emit()
