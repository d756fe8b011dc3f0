"""What a click does: fold, wrap, copy, and tell the window of links, steps and retries."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QMenu, QWidget

from kinet.markup.copied import copied
from kinet.ui.kit.clipboard import copy_text
from kinet.ui.transcript.blocks.picture_box import PictureBox
from kinet.ui.transcript.blocks.pieces import Piece
from kinet.ui.transcript.entries.bubble import UserEntry
from kinet.ui.transcript.entries.entry import Entry, Hit
from kinet.ui.transcript.entries.lines import MetaEntry
from kinet.ui.transcript.entries.reasoning import ReasoningEntry
from kinet.ui.transcript.entries.receipt import ReceiptEntry
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.finding import Finder, Match, occurrences
from kinet.ui.transcript.stage.painting import Artist
from kinet.ui.transcript.stage.selection import Place, Selection, code_text
from kinet.ui.transcript.stage.stage import Stage

_COPIED_MS = 1500
_FOR_MESSAGES = frozenset(
    {
        "edit-message", "branch-previous", "branch-next", "compare", "ask-again", "retry-with",
        "continue", "retry-step", "leave", "models", "report",
    }
)  # fmt: skip


class Actor(QObject):
    """Carries out what the pointer and the keyboard ask for."""

    step_activated = Signal(str)
    step_found = Signal(str, str)  # call_id, the text that its output has
    link_activated = Signal(str)
    retry_requested = Signal()
    # "changes", "undo" or "redo", and the turn.
    files_requested = Signal(str, str)
    # What is to be done with it (see `_FOR_MESSAGES`), and the message of the turn.
    message_requested = Signal(str, str)
    # "fact-keep" and so on, the fact, and the text that Forget or Put back brings back.
    fact_requested = Signal(str, str, str)
    copy_wanted = Signal(bool)  # as the words on screen instead of Markdown

    def __init__(
        self, stage: Stage, selection: Selection, finder: Finder, artist: Artist, on: QWidget
    ) -> None:
        super().__init__(on)
        self._stage = stage
        self._selection = selection
        self._finder = finder
        self._artist = artist
        self._on = on
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(self._forget_copied)

    def act(self, entry: Entry, hit: Hit) -> None:
        """Does what a hit stands for."""
        match hit.action:
            case "picture" if isinstance(entry, UserEntry):
                number = int(hit.value)
                name = entry.attachments[number]
                PictureBox(entry.pictures[number], name, self._on).open()
            case "link":
                self.link_activated.emit(hit.value)
            case "step":
                self._stage.follower.hold()
                self.select_step(hit.value)
                self.step_activated.emit(hit.value)
            case "fold":
                self.toggle(entry)
            case "wrap" if isinstance(entry, TextEntry):
                self._wrap(entry, entry.piece(hit.piece))
            case "unfold" if isinstance(entry, TextEntry):
                self._unfold(entry, entry.piece(hit.piece))
            case "copy-code" if isinstance(entry, TextEntry):
                self._copy_code(entry, entry.piece(hit.piece))
            case "copy-turn" if isinstance(entry, MetaEntry):
                self._copy(copied(entry.answer), entry)
            case "changes" | "undo" | "redo":
                self.files_requested.emit(hit.action, hit.value)
            case "fact-keep" | "fact-edit" | "fact-project" | "fact-forget" | "fact-restore":
                if isinstance(entry, ReceiptEntry):
                    self.fact_requested.emit(hit.action, hit.value, entry.before(hit))
            case "retry":
                self.retry_requested.emit()
            case action if action in _FOR_MESSAGES:
                self.message_requested.emit(action, hit.value)

    def toggle(self, entry: Entry) -> None:
        """Opens or folds an entry; its upper edge stays where it is."""
        stage = self._stage
        stage.follower.hold()
        if isinstance(entry, StepGroup):
            entry.toggle()
        elif isinstance(entry, UserEntry | ReasoningEntry):
            entry.open = not entry.open
            entry.refold(stage.flow.style, stage.flow.width)
        stage.flow.changed(entry)
        stage.refresh()

    def select_step(self, call_id: str) -> None:
        """Marks the row of a step and opens its group; "" marks none."""
        self._artist.highlights.selected_step = call_id
        for entry in reversed(self._stage.flow.entries) if call_id else ():
            if isinstance(entry, StepGroup) and call_id in entry.records:
                if not entry.open:
                    self.toggle(entry)
                break
        self._on.update()

    def show_match(self, match: Match | None) -> None:
        """Brings a place that was found into view; a step's place opens the step."""
        stage = self._stage
        flow = stage.flow
        if match is None:
            self._on.update()
            return
        entry = flow.entries[match.entry]
        if match.call_id:
            self.select_step(match.call_id)
            self.step_activated.emit(match.call_id)
            self.step_found.emit(match.call_id, self._finder.text)
        if isinstance(entry, UserEntry | ReasoningEntry) and not entry.open:
            self.toggle(entry)
        above = flow.top_of(match.entry)
        if not isinstance(entry, TextEntry):
            stage.scroll_to(above, above + min(entry.height, 200))
            return
        if entry.piece(match.piece).is_folded:
            self._unfold(entry, entry.piece(match.piece))
        document = entry.document_of(match.piece, flow.style, flow.width)
        flow.changed(entry)
        top = flow.top_of(match.entry) + entry.piece_top(match.piece)
        found = occurrences(document, self._finder.text)
        if match.number < len(found):
            block = document.findBlock(found[match.number][0])
            box = document.documentLayout().blockBoundingRect(block)
            top += int(box.y())
            stage.scroll_to(top, top + min(int(box.height()), 120))
        else:
            stage.scroll_to(top, top + 24)

    def wheel(self, turned: QWheelEvent) -> bool:
        """Scrolls wide code and tables sideways; True if the event was used."""
        shifted = bool(turned.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        delta = turned.pixelDelta().x() or turned.angleDelta().x() // 2
        if shifted and not delta:
            delta = turned.angleDelta().y() // 2
        if not delta or abs(turned.angleDelta().y()) > abs(turned.angleDelta().x()) > 0:
            return False
        stage = self._stage
        number, inner = stage.entry_at(turned.position().toPoint())
        entry = stage.flow.entries[number] if number >= 0 else None
        if not isinstance(entry, TextEntry) or entry.piece_at(inner.y()) < 0:
            return False
        run = entry.piece(entry.piece_at(inner.y())).run
        most = run.content_width - stage.flow.width if run is not None else 0
        if run is None or run.wrap or most <= 0:
            return False
        run.scroll = max(0, min(most, run.scroll - delta))
        self._on.update()
        return True

    def menu(self, found: tuple[int, Hit] | None, place: Place | None, at: QPoint) -> None:
        """The context menu of what is at a place; it is shown and left, no loop waits for it."""
        menu = QMenu(self._on)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        selected = not self._selection.is_empty
        menu.addAction("Copy", lambda: self.copy_wanted.emit(False)).setEnabled(selected)
        menu.addAction("Copy as text", lambda: self.copy_wanted.emit(True)).setEnabled(selected)
        if found is not None and found[1].action == "link":
            url = found[1].value
            menu.addSeparator()
            menu.addAction("Copy link address", lambda: self._copy(url, None))
            menu.addAction("Open link", lambda: self.link_activated.emit(url))
        entry = self._stage.flow.entries[place.entry] if place is not None else None
        if found is not None and found[1].action == "step" and isinstance(entry, StepGroup):
            self._add_step(menu, entry, found[1])
        if place is not None and isinstance(entry, TextEntry):
            self._add_message(menu, entry, place.piece)
        if place is not None:
            self._add_turn(menu, self._line_of(place.entry))
        menu.addSeparator()
        menu.addAction("Select all", self._select_all)
        menu.popup(at)

    def _add_step(self, menu: QMenu, entry: StepGroup, hit: Hit) -> None:
        """What can be done with a step: see it whole, take what it did and what came of it."""
        record = entry.records.get(hit.value)
        if record is None:
            return
        menu.addSeparator()
        menu.addAction("Show the step", lambda: self.act(entry, hit))
        command = record.arguments.get("command")
        line = command if isinstance(command, str) else f"{record.verb} {record.argument}"
        words = "Copy the command" if line is command else "Copy its line"
        menu.addAction(words, lambda: self._copy(line, None))
        output = menu.addAction("Copy the output", lambda: self._copy(record.content, None))
        output.setEnabled(bool(record.content))

    def _add_message(self, menu: QMenu, entry: TextEntry, number: int) -> None:
        """What can be done with the message and, where there is one, with its block of code."""
        menu.addSeparator()
        piece = entry.piece(number) if number < entry.piece_count else None
        if piece is not None and piece.kind == "code":
            wrapped = piece.run is not None and piece.run.wrap
            menu.addAction("Copy code", lambda: self._copy_code(entry, piece))
            words = "Do not wrap lines" if wrapped else "Wrap lines"
            menu.addAction(words, lambda: self._wrap(entry, piece))
            if piece.run is not None and piece.run.can_fold:
                words = "Show all lines" if piece.run.folded else "Fold the code"
                menu.addAction(words, lambda: self._unfold(entry, piece))
        menu.addAction("Copy message", lambda: self._copy(copied(entry.markdown()), None))

    def _line_of(self, number: int) -> MetaEntry | None:
        """The line that ends the turn of an entry; None while that runs."""
        entries = self._stage.flow.entries
        for entry in entries[number:]:
            if isinstance(entry, MetaEntry):
                return entry if entry.turn_id else None
        return None

    def _add_turn(self, menu: QMenu, line: MetaEntry | None) -> None:
        """What can be done with the question of a turn and its answers."""
        if line is None:
            return
        flow = self._stage.flow
        # What cannot be done under the turn cannot be done here: a command has no question.
        acts = {hit.action for hit in line.hits(flow.style, flow.width)}
        offered = []
        if "compare" in acts:
            offered.append(("compare", f"Compare the {line.branch[1]} answers…"))
        if "edit-message" in acts:
            offered += [("edit-message", "Edit the question"), ("ask-again", "Ask this again")]
            offered.append(("retry-with", "Ask this again with…"))
        menu.addSeparator()
        for action, words in offered:
            made = menu.addAction(words)
            made.triggered.connect(
                lambda _=False, act=action: self.message_requested.emit(act, line.turn_id)
            )

    def _select_all(self) -> None:
        self._selection.all()
        self._on.update()

    def _wrap(self, entry: TextEntry, piece: Piece) -> None:
        run = piece.run
        if run is None:
            return
        self._stage.follower.hold()
        run.wrap = not run.wrap
        run.scroll = run.content_width = 0
        for other in entry.pieces:
            if other.run is run:
                other.drop()
        self._stage.refresh()

    def _unfold(self, entry: TextEntry, piece: Piece) -> None:
        stage = self._stage
        if piece.run is None or entry.blocks is None:
            return
        stage.follower.hold()
        width = entry.text_width(stage.flow.style, stage.flow.width)
        entry.blocks.fold(piece.run, stage.flow.style, width)
        entry.measure()
        stage.flow.changed(entry)
        stage.refresh()

    def _copy_code(self, entry: TextEntry, piece: Piece) -> None:
        self._copy(code_text([p for p in entry.pieces if p.run is piece.run]), piece.run)

    def _copy(self, text: str, what: object) -> None:
        copy_text(text)
        self._artist.highlights.copied = what
        self._copied.start()
        self._on.update()

    def _forget_copied(self) -> None:
        self._artist.highlights.copied = None
        self._on.update()
