"""The rules kept by Kinet: text or form on the left, what the model gets on the right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from kinet.core.errors import KinetError
from kinet.ui.asking.approval_words import home_short
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.rules.changed_question import ChangedQuestion
from kinet.ui.rules.rules_frame import RulesFrame
from kinet.workspace.rules_files import ChangedMeanwhile, Document, Kind, RulesFiles, change_of

_WAIT = 200  # milliseconds from the last key to the preview
_KINDS: tuple[tuple[Kind, str, str], ...] = (
    ("project", "This project", "KINET.md: how to work here. It belongs to the folder, so others "
     "who work on it have it too."),
    ("background", "Background", "KINET-CONTEXT.md: facts about the project that are no rules: "
     "what it is for, who uses it, words it uses."),
    ("personal", "All projects", "Your own rules for every folder, kept on this computer: "
     "language, tone, habits."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Page:
    """A document and the text it has in this window."""

    document: Document
    text: str

    @property
    def changed(self) -> bool:
        """True where something would be lost."""
        return self.text != self.document.text


class RulesDialog(RulesFrame):
    """Opened with `open()`. `saved` carries a sentence; all files are read and written in a thread.

    Whatever was written stays in the window until it is saved or discarded by name.
    """

    saved = Signal(str)

    def __init__(self, files: RulesFiles, folder: Path | None, parent: QWidget) -> None:
        super().__init__([(kind, word) for kind, word, _ in _KINDS], parent)
        self._files, self._folder = files, folder
        self._pages: dict[Path, _Page] = {}
        self._page: _Page | None = None
        # What was written, also where a question came between.
        self._done: list[str] = []
        self._filling = self._discarding = False
        self.kinds.chosen.connect(self.show_kind)
        self.views.chosen.connect(lambda view: self.show_form(view == "form"))
        self.place.activated.connect(lambda number: self._open(self.place.itemData(number)))
        self.edit.textChanged.connect(self._typed)
        self.form.changed.connect(self._set_text)
        self.cancel.clicked.connect(self.reject)
        self.save_button.clicked.connect(self.save)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WAIT)
        self._timer.timeout.connect(lambda: spawn(self._preview(), "preview of rules"))
        self.views.choose("text")

    def show_kind(self, kind: str) -> None:
        """Turns to a kind of rules: project, background or personal."""
        assert kind in get_args(Kind)
        self.kinds.choose(kind)
        self.about.setText(next(about for name, _, about in _KINDS if name == kind))
        self.views.setVisible(kind != "background")
        if kind == "background":
            self.show_form(False)
        spawn(self._find(kind), "rules files")  # type: ignore[arg-type]

    def show_form(self, shown: bool) -> None:
        """The form, or the whole text."""
        self.views.choose("form" if shown else "text")
        self.stack.setCurrentWidget(self.form if shown else self.edit)
        if shown and self._page is not None:
            self.form.set_text(self._page.text)

    def save(self) -> None:
        """Writes every text that was changed here."""
        self.say("", "")
        spawn(self._save(), "saving rules")

    def reject(self) -> None:
        """Closes; with changes that are not saved only when asked a second time."""
        self._keep()
        names = [page.document.path.name for page in self._pages.values() if page.changed]
        if names and not self._discarding:
            self._discarding = True
            self.cancel.set_text("Discard")
            self.say(f"{' and '.join(names)} not saved yet. Save, or discard.", "warning")
            return
        super().reject()

    async def _find(self, kind: Kind) -> None:
        places = await in_thread(lambda: self._files.places(self._folder, kind))
        self.place.clear()
        for path in places:
            self.place.addItem(self._shown(path), path)
            self.place.setItemData(
                self.place.count() - 1, home_short(str(path)), Qt.ItemDataRole.ToolTipRole
            )
        self.place.setEnabled(bool(places))
        for part in (self.edit, self.form):
            part.setEnabled(bool(places))
        if not places:
            self._keep()
            self._page = None
            self._fill("")
            self.say("This session has no folder; choose one to give it rules.", "warning")
            return
        await self._load(places[0], kind)

    def _shown(self, path: Path) -> str:
        """A file as it lies in the folder of the session; whole where it lies elsewhere."""
        folder = self._folder
        if folder is not None and path.is_relative_to(folder):
            return str(path.relative_to(folder))
        return home_short(str(path))

    def _open(self, path: Path) -> None:
        kind = self.kinds.value
        spawn(self._load(path, kind), "a rules file")  # type: ignore[arg-type]

    async def _load(self, path: Path, kind: Kind) -> None:
        self._keep()
        if path not in self._pages:
            try:
                document = await in_thread(lambda: self._files.open(path, kind))
            except KinetError as exc:
                self._page = None
                self._fill("")
                self.edit.setEnabled(False)
                self.say(exc.sentence(), "danger")
                return
            self._pages[path] = _Page(document, document.text)
        self._page = self._pages[path]
        self._fill(self._page.text)
        self.say("" if self._page.document.exists else "This file does not exist yet.", "text_3")
        await self._preview()

    async def _preview(self) -> None:
        self._keep()
        page = self._page
        if page is None:
            return
        preview = await in_thread(
            lambda: self._files.preview(self._folder, page.document, page.text)
        )
        if page is self._page:
            self.preview.show_preview(preview)

    async def _save(self) -> None:
        self._keep()
        for page in [page for page in self._pages.values() if page.changed]:
            try:
                done = await in_thread(partial(self._write, page))
            except KinetError as exc:
                self.say(exc.sentence(), "danger")
                return
            if isinstance(done, ChangedMeanwhile):
                self._ask(page, done)
                return
            self._take(_Page(done, done.text))
            self._done.append(done.path.name)
        if self._done:
            names = " and ".join(self._done)
            self.saved.emit(f"{names} saved; it applies from the next turn on")
        super().accept()

    def _write(self, page: _Page) -> Document | ChangedMeanwhile:
        return self._files.save(self._folder, page.document, page.text)

    def _ask(self, page: _Page, changed: ChangedMeanwhile) -> None:
        question = ChangedQuestion(
            page.document.path.name,
            change_of(page.document, changed.theirs),
            joinable=changed.merged is not None,
            parent=self,
        )
        question.answered.connect(lambda answer: self._answered(answer, page, changed))
        question.open()

    def _answered(self, answer: str, page: _Page, changed: ChangedMeanwhile) -> None:
        text = {"mine": page.text, "theirs": changed.theirs.text}.get(answer, changed.merged)
        self._take(_Page(changed.theirs, text or ""))
        self.save()

    def _take(self, page: _Page) -> None:
        """The page of this file is this one now; on screen too, if it is shown."""
        shown = self._page is not None and self._page.document.path == page.document.path
        self._pages[page.document.path] = page
        if shown:
            self._page = page
            self._fill(page.text)

    def _keep(self) -> None:
        """Takes over what stands in the editor."""
        if self._page is not None and self.edit.is_changed:
            self._page = replace(self._page, text=self.edit.text())
            self._pages[self._page.document.path] = self._page

    def _fill(self, text: str) -> None:
        self._filling = True
        self.edit.set_text(text)
        self.form.set_text(text)
        self._filling = False
        self._refresh()

    def _set_text(self, text: str) -> None:
        """What the form made of it."""
        self._filling = True
        self.edit.set_text(text)
        self.edit.is_changed = True
        self._filling = False
        self._typed()

    def _typed(self) -> None:
        if not self._filling:
            self._discarding = False
            self._timer.start()
            self._refresh()

    def _refresh(self) -> None:
        self._keep()
        changed = any(page.changed for page in self._pages.values())
        self.save_button.setEnabled(changed)
        if not self._discarding:
            self.cancel.set_text("Cancel" if changed else "Close")
