"""Fields for an address of one's own: protocol, address, model."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from kinet.core.profile import ModelProfile, WireProtocol
from kinet.ui.controls import text_label

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
        self.model = QComboBox(self)
        self.model.setEditable(True)
        self.model.setAccessibleName("Model")
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.protocol = QComboBox(self)
        self.protocol.setAccessibleName("Protocol")
        for value, label in PROTOCOLS:
            self.protocol.addItem(label, value)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for title, field in (
            ("Address", self.address),
            ("Model", self.model),
            ("Protocol", self.protocol),
        ):
            label = text_label(title, tone="text_2", parent=self)
            label.setMinimumHeight(32)
            label.setBuddy(field)
            form.addRow(label, field)
        self.address.textEdited.connect(lambda _text: self.changed.emit())
        self.model.editTextChanged.connect(lambda _text: self.changed.emit())
        self.protocol.activated.connect(lambda _row: self.changed.emit())

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
        self.model.setEditText(typed)
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

    def problem(self) -> str:
        """What is missing, in one sentence; "" if nothing."""
        address = self.address.text().strip()
        if not address.startswith(("http://", "https://")):
            return "The address begins with http:// or https://."
        return "" if self.model.currentText().strip() else "The model’s name is missing."
