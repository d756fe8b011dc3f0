"""Fields for an address of one's own: protocol, address, model."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from kinet.core.profile import ModelProfile, WireProtocol
from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import text_label

PROTOCOLS: tuple[tuple[WireProtocol, str], ...] = (
    ("openai", "Chat completions"),
    ("responses", "Responses"),
    ("anthropic", "Messages"),
)


class EndpointForm(QWidget):
    """What is needed to reach a server that no key's first characters name."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.address = QLineEdit(self)
        self.address.setPlaceholderText("https://host/v1")
        self.address.setAccessibleName("Address")
        self.model = ChoiceBox("Model", self)
        self.model.setEditable(True)
        self.model.setInsertPolicy(ChoiceBox.InsertPolicy.NoInsert)
        self.protocol = ChoiceBox("Protocol", self)
        for value, label in PROTOCOLS:
            self.protocol.addItem(label, value)
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(12)
        self._form.setVerticalSpacing(8)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.add_row("Address", self.address)
        self.add_row("Model", self.model)
        self.add_row("Protocol", self.protocol)
        self.address.textEdited.connect(lambda _text: self.changed.emit())
        self.model.editTextChanged.connect(lambda _text: self.changed.emit())
        self.protocol.activated.connect(lambda _row: self.changed.emit())

    def add_row(self, title: str, field: QWidget, *, first: bool = False) -> None:
        """Adds a labelled field below the others, or above them."""
        word = text_label(title, tone="text_2", parent=self)
        word.setMinimumHeight(32)
        word.setBuddy(field)
        self._form.insertRow(0 if first else self._form.rowCount(), word, field)

    def show_profile(self, profile: ModelProfile) -> None:
        """Fills the fields from a profile."""
        self.address.setText(profile.base_url)
        self.model.setEditText(profile.model)
        self.protocol.setCurrentIndex(max(0, self.protocol.findData(profile.protocol)))

    def offer_models(self, models: Sequence[str]) -> None:
        """Lists the models the server offers; what is typed stays."""
        typed = self.model.currentText()
        self.model.blockSignals(True)
        self.model.clear()
        self.model.addItems(list(models))
        # One model is no choice.
        self.model.setEditText(typed or (models[0] if len(models) == 1 else ""))
        self.model.blockSignals(False)

    def profile(self, name: str = "", vendor: str = "") -> ModelProfile:
        """The profile the fields describe; its name defaults to the model's."""
        model = self.model.currentText().strip()
        return ModelProfile(
            name or model or "Model",
            self.address.text().strip().rstrip("/"),
            model,
            self.protocol.currentData(),
            vendor,
        )

    def address_problem(self) -> str:
        """Why nothing can be asked, in one sentence; "" if the server can tell its models."""
        address = self.address.text().strip()
        if not address.startswith(("http://", "https://")):
            return "The address begins with http:// or https://."
        return ""

    def problem(self) -> str:
        """What is missing, in one sentence; "" if nothing."""
        if problem := self.address_problem():
            return problem
        return "" if self.model.currentText().strip() else "The model’s name is missing."
