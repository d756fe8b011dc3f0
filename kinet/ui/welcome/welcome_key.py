"""The tile that takes a pasted key: whose it is, whether it works, and what to do if not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from kinet.core.profile import ModelProfile
from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import repolish
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import Theme
from kinet.ui.models.endpoint_form import EndpointForm
from kinet.ui.models.key_field import KeyField
from kinet.ui.models.probe_row import ProbeRow
from kinet.ui.models.probe_words import (
    CHANGE_ADDRESS,
    CHANGE_KEY,
    CHOOSE_MODEL,
    NETWORK,
    TRY_AGAIN,
    ProbeWords,
)
from kinet.ui.welcome.welcome_tiles import Tile

START = 100
_ANY_SERVER = "Any server that speaks one of the three protocols."


class KeyTile(Tile):
    """Collects a key and a profile; testing and saving are asked for by signal."""

    key_typed = Signal(str)
    test_requested = Signal()
    save_requested = Signal()
    network_requested = Signal()
    start_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("key", "Paste a key", "The first characters tell whose key it is.", parent)
        self.field = KeyField("Paste the key here", self)
        self.field.setObjectName("welcomeKeyField")
        self.test = TextButton("Test", self)
        self.test.setObjectName("welcomeTestButton")
        self.owner = ChoiceBox("Whose key it is", self)
        self.owner.hide()
        self.form = EndpointForm(self)
        self.form.hide()
        self.models = ChoiceBox("Model", self)
        self.models.hide()
        self.result = ProbeRow(self)
        self.save = TextButton("Save and start", self)
        self.save.setObjectName("welcomeSaveButton")
        self.other = TextButton("Other endpoint…", self, kind="quiet")
        self._arrange()
        self._connect()
        self._refresh()

    @property
    def key(self) -> str:
        """The key as typed, cleaned."""
        return self.field.key

    @property
    def profile(self) -> ModelProfile | None:
        """The profile the key is for; None if that is not known yet."""
        if not self.form.isHidden():
            return None if self.form.problem() else self.form.profile()
        chosen = self.owner.currentData()
        if not isinstance(chosen, ModelProfile):
            return None
        model = "" if self.models.isHidden() else self.models.currentText()
        return chosen if not model else _with_model(chosen, model)

    @property
    def asked(self) -> ModelProfile | None:
        """The profile that can be tested: the server of an address tells its models itself."""
        if self.form.isHidden():
            return self.profile
        return None if self.form.address_problem() else self.form.profile()

    def offer(self, profiles: Sequence[ModelProfile]) -> None:
        """Whose key it may be: one is taken, several are offered."""
        if not self.form.isHidden():
            return
        before = self.owner.currentText()
        self.owner.clear()
        for profile in profiles:
            self.owner.addItem(profile.name, profile)
        self.owner.setCurrentIndex(max(0, self.owner.findText(before)))
        self.owner.setVisible(len(profiles) > 1)
        if len(profiles) == 1:
            self.line.setText(f"A key for {profiles[0].name}.")
        elif profiles:
            self.line.setText("Its first characters are not known here. Whose key is it?")
        else:
            self.line.setText("The first characters tell whose key it is.")
        self._refresh()

    def show_busy(self, word: str) -> None:
        """While something is under way the buttons wait; "" ends that."""
        self.test.set_text(word or "Test")
        focused = QApplication.focusWidget()
        if word and focused is not None and self.isAncestorOf(focused):
            # A button that is disabled would hand the focus to any neighbour.
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.setReadOnly(bool(word))
        for part in (self.test, self.save):
            part.setEnabled(not word)
        if not word:
            self._refresh()

    def show_result(self, words: ProbeWords, models: Sequence[str] = ()) -> None:
        """How the test went, and the models to choose from."""
        self.result.show_words(words)
        if words.act == CHOOSE_MODEL and models and not words.ok:
            self.form.offer_models(models)
            self.models.clear()
            self.models.addItems(list(models))
            self.models.setVisible(self.form.isHidden())
        elif models and not self.form.isHidden():
            self.form.offer_models(models)
        self.save.set_text("Save and start" if words.ok else "Save anyway")
        self._refresh(primary=words.ok)

    def show_error(self, sentence: str) -> None:
        """Something could not be kept."""
        self.result.show_words(ProbeWords(False, "Not saved", sentence))

    def show_session_only(self) -> None:
        """The key could not be kept: said once, and the person goes on."""
        self.result.show_warning(
            "Kept for this session only",
            "This computer has no keychain that answers, and keys are never written to a file."
            " To keep it, put the key into an environment variable.",
            "Start",
            START,
        )
        self._refresh(primary=False)
        self.result.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        super().set_theme(theme)
        if hasattr(self, "result"):
            self.field.refresh_icons()
            self.result.set_theme(theme)

    def open_form(self, local: str = "") -> None:
        """Unfolds the fields for an address of one's own, or for that of a `local` server."""
        chosen = self.owner.currentData()
        if local:
            self.form.show_profile(ModelProfile("", local, ""))
        elif self.form.isHidden() and isinstance(chosen, ModelProfile):
            self.form.show_profile(chosen)
        self.owner.hide()
        self.models.hide()
        self.form.show()
        self.other.hide()
        self.form.address.setFocus(Qt.FocusReason.OtherFocusReason)
        self._refresh()

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.test)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.save)
        buttons.addWidget(self.other)
        buttons.addStretch(1)
        self.column.addSpacing(8)
        self.column.addLayout(row)
        for part in (self.owner, self.form, self.result, self.models):
            self.column.addSpacing(4)
            self.column.addWidget(part)
        self.column.addStretch(1)
        self.column.addSpacing(8)
        self.column.addLayout(buttons)

    def _connect(self) -> None:
        self.field.key_changed.connect(self._typed)
        self.field.returnPressed.connect(self._test)
        self.test.clicked.connect(self._test)
        self.save.clicked.connect(self.save_requested)
        self.other.clicked.connect(lambda: self.open_form())
        self.owner.activated.connect(lambda _row: self._edited())
        self.models.activated.connect(lambda _row: self._edited())
        self.form.changed.connect(self._edited)
        self.result.acted.connect(self._act)

    def _typed(self, key: str) -> None:
        self.models.hide()
        self.key_typed.emit(key)
        self._edited()

    def _edited(self) -> None:
        self.result.hide()
        self.save.set_text("Save and start")
        self._refresh()

    def _test(self) -> None:
        if self.test.isEnabled():
            self.test_requested.emit()

    def _act(self, act: int) -> None:
        if act == TRY_AGAIN:
            self.test_requested.emit()
        elif act == CHANGE_KEY:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            self.field.selectAll()
        elif act == CHANGE_ADDRESS:
            self.open_form()
        elif act == CHOOSE_MODEL:
            chooser = self.models if self.form.isHidden() else self.form.model
            chooser.setFocus(Qt.FocusReason.OtherFocusReason)
            chooser.showPopup()
        elif act == NETWORK:
            self.network_requested.emit()
        elif act == START:
            self.start_requested.emit()

    def _refresh(self, primary: bool = False) -> None:
        """Buttons follow what is filled in; the saving one is filled once the key works."""
        given = bool(self.key) or not self.form.isHidden()
        self.test.setEnabled(self.asked is not None and given)
        ready = self.profile is not None and given
        self.save.setEnabled(ready)
        if not self.form.isHidden():
            # Why the buttons wait, once something was typed.
            problem = self.form.problem() if self.form.address.text().strip() else ""
            self.line.setText(problem or _ANY_SERVER)
        kind = "primary" if primary and ready else ""
        if (self.save.property("kind") or "") != kind:
            self.save.setProperty("kind", kind)
            repolish(self.save)
        self.set_active(bool(self.key) or not self.form.isHidden())


def _with_model(profile: ModelProfile, model: str) -> ModelProfile:
    return replace(profile, model=model)
