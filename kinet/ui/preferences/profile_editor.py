"""The fields of one profile, for a new one and for an old one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from kinet.core.profile import ModelProfile
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.models.endpoint_form import EndpointForm
from kinet.ui.models.key_field import KeyField
from kinet.ui.models.probe_row import ProbeRow
from kinet.ui.models.probe_words import CHANGE_KEY, CHOOSE_MODEL, NETWORK, TRY_AGAIN, ProbeWords


class ProfileEditor(QFrame):
    """Unfolds below the list. Testing and saving are asked for by signal."""

    test_requested = Signal()
    save_requested = Signal()
    cancelled = Signal()
    network_requested = Signal()
    key_typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("profileEditor")
        self.setProperty("surface", "card")
        self._before: ModelProfile | None = None
        self.title = text_label("New profile", type="strong", parent=self)
        self.name = QLineEdit(self)
        self.name.setAccessibleName("Name")
        self.name.setPlaceholderText("As the model, if left empty")
        self.name.setMaxLength(80)
        self.key = KeyField("Paste the key; none for a server on this computer", self)
        self.key.setObjectName("profileKeyField")
        self.key.key_changed.connect(self.key_typed)
        self.variable = QLineEdit(self)
        self.variable.setAccessibleName("Variable that holds the key")
        self.variable.setPlaceholderText("Instead of a key: NAME_OF_A_VARIABLE")
        self.window_size = QSpinBox(self)
        self.window_size.setAccessibleName("Context window in tokens")
        self.window_size.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.window_size.setRange(0, 100_000_000)
        self.window_size.setSingleStep(8_192)
        self.window_size.setGroupSeparatorShown(True)
        self.window_size.lineEdit().setTextMargins(8, 0, 0, 0)
        self.window_size.setSuffix(" tokens")
        self.window_size.setSpecialValueText("As known for the model")
        self.form = EndpointForm(self)
        self.form.add_row("Name", self.name, first=True)
        self.form.add_row("Key", self.key)
        self.form.add_row("Key from", self.variable)
        self.form.add_row("Window", self.window_size)
        self.result = ProbeRow(self)
        self.result.acted.connect(self._act)
        self.save = TextButton("Save profile", self, kind="primary")
        self.save.setObjectName("profileSaveButton")
        self.test = TextButton("Test", self)
        self._cancel = TextButton("Cancel", self, kind="quiet")
        self.save.clicked.connect(self._save)
        self.test.clicked.connect(self._test)
        self._cancel.clicked.connect(self.cancelled)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.save, self.test, self._cancel):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(12)
        column.addWidget(self.title)
        column.addWidget(self.form)
        column.addWidget(self.result)
        column.addLayout(buttons)
        self.hide()

    def begin(self, profile: ModelProfile | None) -> None:
        """Opens for an old profile, or for a new one."""
        self._before = profile
        self.title.setText(f"Edit {profile.name}" if profile else "New profile")
        shown = profile or ModelProfile("", "https://", "")
        self.form.show_profile(shown)
        self.name.setText(shown.name)
        # The key is kept under the profile's name: an old one keeps its own.
        self.name.setReadOnly(profile is not None)
        self.variable.setText(shown.key_env)
        self.window_size.setValue(shown.window)
        self.key.clear()
        self.result.hide()
        self.show()
        first = self.form.model.lineEdit() if profile else self.name
        (first or self.name).setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def is_old(self) -> bool:
        """True while an old profile is edited."""
        return self._before is not None

    def profile(self) -> ModelProfile:
        """The profile as it is filled in; what has no field here stays as it was."""
        typed = self.form.profile(self.name.text().strip())
        base = self._before or typed
        return replace(
            base,
            name=typed.name,
            base_url=typed.base_url,
            model=typed.model,
            protocol=typed.protocol,
            key_env=self.variable.text().strip(),
            window=self.window_size.value(),
        )

    def offer(self, profile: ModelProfile) -> None:
        """Fills in what a key's first characters tell, where nothing was typed yet."""
        if self._before is None and self.form.address.text().strip() in ("", "https://"):
            self.form.show_profile(profile)
            self.variable.clear()
            if not self.name.text().strip():
                self.name.setText(profile.name)

    def show_busy(self, word: str) -> None:
        """While something is under way the buttons wait; "" ends that."""
        self.test.set_text(word or "Test")
        if word:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        for button in (self.test, self.save):
            button.setEnabled(not word)

    def show_result(self, words: ProbeWords, models: Sequence[str]) -> None:
        """How the test went."""
        self.result.show_words(words)
        if models:
            self.form.offer_models(models)

    def show_error(self, sentence: str) -> None:
        """Why it cannot be tested or kept."""
        self.result.show_words(ProbeWords(False, "Not saved", sentence))

    def _test(self) -> None:
        if problem := self.form.address_problem():
            self.result.show_words(ProbeWords(False, "Not tested", problem))
        else:
            self.test_requested.emit()

    def _save(self) -> None:
        if problem := self.form.problem():
            self.show_error(problem)
        else:
            self.save_requested.emit()

    def _act(self, act: int) -> None:
        if act == TRY_AGAIN:
            self._test()
        elif act == NETWORK:
            self.network_requested.emit()
        elif act == CHANGE_KEY:
            self.key.setFocus(Qt.FocusReason.OtherFocusReason)
        elif act == CHOOSE_MODEL:
            self.form.model.setFocus(Qt.FocusReason.OtherFocusReason)
            self.form.model.showPopup()
        else:
            self.form.address.setFocus(Qt.FocusReason.OtherFocusReason)
