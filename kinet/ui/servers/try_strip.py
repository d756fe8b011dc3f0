"""How a trial of a server goes: live while it runs, then what it brings or why it failed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QWidget

from kinet.markup.visible import without_escapes
from kinet.ui.kit.announce import announce
from kinet.ui.kit.code_box import CodeBox
from kinet.ui.kit.figures import seconds_words
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import current_theme
from kinet.ui.servers.server_words import tried_words, wrote_words
from kinet.ui.servers.toned_strip import TonedStrip

if TYPE_CHECKING:
    from kinet.settings.server_services import Tried

# Names of tools that are told; the list has them all once the server is saved.
_MOST_NAMES = 24


class TryStrip(TonedStrip):
    """Hidden until there is something to say. `told` comes once that has its place."""

    told = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("try", parent)
        self._doing, self._began = "", 0.0
        self.wrote = CodeBox("", "", self)
        self.wrote.view.setAccessibleName("The last it wrote")
        self.column.addWidget(self.wrote)
        self._tick = QTimer(self)
        self._tick.setInterval(1_000)
        self._tick.timeout.connect(self._show_time)
        self.clear()

    def clear(self) -> None:
        """Nothing to say."""
        self._tick.stop()
        self.hide()

    def show_doing(self, words: str) -> None:
        """What it does now; the seconds count from the first of these words."""
        if not self._tick.isActive():
            self._began = time.monotonic()
            self._tick.start()
        self._doing = spell_out(words).text
        self._say("accent", self._doing, "", "")
        self._show_time()

    def show_tried(self, tried: Tried) -> None:
        """How it went."""
        self._tick.stop()
        if tried.ok:
            names = [spell_out(tool.name).text for tool in tried.tools]
            more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
            listed = ", ".join(names[:_MOST_NAMES]) + more
            said = [tried_words(tried.tools, tried.title, tried.seconds), listed, *tried.notes]
            self._say("success", "It works", "\n".join(line for line in said if line), "")
        else:
            wrote = without_escapes(tried.stderr).strip("\n")
            said = [
                tried.reason,
                tried.hint,
                *tried.notes,
                wrote_words(wrote, tried.exit_code, tried.reason),
            ]
            self._say("danger", "It does not work", "\n".join(line for line in said if line), wrote)
        announce(self, f"{self.word.text()}. {self.detail.text()}", urgent=not tried.ok)

    def show_problem(self, word: str, sentence: str) -> None:
        """Why it was not tried, or not kept."""
        self._tick.stop()
        self._say("danger", word, sentence, "")
        announce(self, f"{word}. {sentence}", urgent=True)

    def changeEvent(self, event: QEvent) -> None:
        """Another look."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_tick"):
            self.wrote.set_theme(current_theme())

    def _show_time(self) -> None:
        spent = time.monotonic() - self._began
        self.word.setText(f"{self._doing}… {seconds_words(spent)}" if spent >= 1 else self._doing)

    def _say(self, tone: str, word: str, detail: str, wrote: str) -> None:
        self.say(tone, word, detail)
        self.wrote.set_text(wrote)
        self.wrote.setVisible(bool(wrote))
        self.wrote.view.verticalScrollBar().setValue(self.wrote.view.verticalScrollBar().maximum())
        QTimer.singleShot(0, self, self.told.emit)
