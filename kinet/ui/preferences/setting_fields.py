"""One row for one setting: title, help, the control that fits its kind, and the error below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QBoxLayout,
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from kinet.settings.fields import Choice, SettingField
from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import IconButton, repolish, text_label
from kinet.ui.kit.switch import Switch
from kinet.ui.look.theme import current_theme

_CONTROL_WIDTH = 248
_FAR = 2_000_000_000


class FieldRow(QWidget):
    """Shows a setting and tells what the person makes of it. It keeps nothing itself."""

    changed = Signal(str, object)

    def __init__(self, field: SettingField, value: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self.setObjectName(f"setting_{field.key}")
        self._help = text_label(field.help, type="meta", tone="text_3", parent=self)
        self._help.setWordWrap(True)
        self._error = text_label("", type="meta", tone="danger", parent=self)
        self._error.setWordWrap(True)
        self._error.hide()
        title = text_label(field.title, parent=self)
        title.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(self._help)
        words.addWidget(self._error)
        words.addStretch(1)
        self.editor = make_editor(field, self)
        self.editor.widget.setAccessibleDescription(field.help)
        title.setBuddy(self.editor.widget)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 12, 0, 12)
        self._row.setSpacing(24)
        self._row.addLayout(words, 1)
        self._row.addWidget(self.editor, 0, Qt.AlignmentFlag.AlignTop)
        self.set_value(value)
        self.editor.edited.connect(self._edited)

    @property
    def value(self) -> Any:
        """What is shown, as it was given or told last."""
        return self.editor.value

    def set_value(self, value: Any) -> None:
        """Shows a value without telling of a change."""
        self.editor.show_value(value)
        self._show_choice_help(value)

    def offer(self, choices: Sequence[Choice]) -> None:
        """Other values to choose from."""
        box = self.editor.widget
        if isinstance(box, ChoiceBox):
            box.blockSignals(True)
            box.clear()
            for choice in choices:
                box.addItem(choice.label, choice.value)
            box.blockSignals(False)

    def show_error(self, sentence: str) -> None:
        """Says under the control why the value was not kept; "" takes it away."""
        self._error.setText(sentence)
        self._error.setVisible(bool(sentence))
        self.editor.widget.setProperty("invalid", bool(sentence))
        repolish(self.editor.widget)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow page the control goes below its words; a switch has room beside them."""
        super().resizeEvent(event)
        beside = QBoxLayout.Direction.LeftToRight
        below = QBoxLayout.Direction.TopToBottom
        wide = round(_CONTROL_WIDTH * max(1.0, current_theme().zoom / 100))
        stacked = self.width() < 1.7 * wide and self.field.kind != "switch"
        if self.field.kind != "switch":
            # Larger words want a wider control, as far as there is room.
            self.editor.setFixedWidth(min(wide, self.width()))
        if self._row.direction() != (below if stacked else beside):
            self._row.setDirection(below if stacked else beside)
            self._row.setSpacing(8 if stacked else 24)
            self._row.setStretch(0, 0 if stacked else 1)

    def minimumSizeHint(self) -> QSize:
        # However it lies now, it could be as narrow as its control.
        least = super().minimumSizeHint()
        return QSize(min(least.width(), _CONTROL_WIDTH), least.height())

    def matches(self, words: str) -> bool:
        """True if the title or the help holds all the words."""
        choices = " ".join(choice.label for choice in self.field.choices)
        text = f"{self.field.title} {self.field.help} {choices}".lower()
        return all(word in text for word in words.lower().split())

    def _edited(self, value: Any) -> None:
        self._show_choice_help(value)
        self.changed.emit(self.field.key, value)

    def _show_choice_help(self, value: Any) -> None:
        for choice in self.field.choices:
            if choice.value == value and choice.help:
                self._help.setText(f"{self.field.help}\n{choice.label}: {choice.help}")
                return
        self._help.setText(self.field.help)


class Editor(QWidget):
    """A control that shows a value and tells of the person's own changes."""

    edited = Signal(object)

    def __init__(self, widget: QWidget, show: Callable[[Any], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.widget = widget
        self._show = show
        self._told: Any = None
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(8)
        self.row.addWidget(widget)

    @property
    def value(self) -> Any:
        """What is shown, as it was given or told last."""
        return self._told

    def show_value(self, value: Any) -> None:
        """Shows a value without telling of a change."""
        self._told = value
        self.widget.blockSignals(True)
        self._show(value)
        self.widget.blockSignals(False)
        self.widget.update()

    def tell(self, value: Any) -> None:
        """Tells of a change, once."""
        if value != self._told:
            self._told = value
            self.edited.emit(value)


def make_editor(field: SettingField, parent: QWidget) -> Editor:
    """The control for the field's kind."""
    makers: dict[str, Callable[[SettingField, QWidget], Editor]] = {
        "switch": _switch,
        "integer": _integer,
        "number": _number,
        "choice": _choice,
        "path": _path,
        "folder": _path,
        "multiline": _multiline,
    }
    editor = makers.get(field.kind, _text)(field, parent)
    editor.widget.setAccessibleName(field.title)
    if field.kind != "switch":
        editor.setFixedWidth(_CONTROL_WIDTH)
        editor.widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return editor


def _switch(field: SettingField, parent: QWidget) -> Editor:
    switch = Switch(field.title, parent)
    editor = Editor(switch, lambda value: switch.setChecked(bool(value)), parent)
    switch.toggled.connect(editor.tell)
    return editor


def _choice(field: SettingField, parent: QWidget) -> Editor:
    box = ChoiceBox(field.title, parent)
    for choice in field.choices:
        box.addItem(choice.label, choice.value)
        if choice.help:
            box.setItemData(box.count() - 1, choice.help, Qt.ItemDataRole.ToolTipRole)
    editor = Editor(box, lambda value: box.setCurrentIndex(max(0, box.findData(value))), parent)
    box.currentIndexChanged.connect(lambda place: editor.tell(box.itemData(place)))
    return editor


def _integer(field: SettingField, parent: QWidget) -> Editor:
    box = QSpinBox(parent)
    box.setRange(int(_bound(field.minimum, -_FAR)), int(_bound(field.maximum, _FAR)))
    box.setSingleStep(_step(field))
    _dress_number(box, field)
    editor = Editor(box, lambda value: box.setValue(int(value)), parent)
    box.valueChanged.connect(editor.tell)
    return editor


def _number(field: SettingField, parent: QWidget) -> Editor:
    box = QDoubleSpinBox(parent)
    whole = field.unit in ("seconds", "days") or float(field.default) >= 10
    box.setDecimals(0 if whole else 2)
    box.setRange(_bound(field.minimum, -_FAR), _bound(field.maximum, _FAR))
    box.setSingleStep(0.05 if (field.maximum or _FAR) <= 1 else _step(field))
    _dress_number(box, field)
    editor = Editor(box, lambda value: box.setValue(float(value)), parent)
    box.valueChanged.connect(editor.tell)
    return editor


def _text(field: SettingField, parent: QWidget) -> Editor:
    line = QLineEdit(parent)
    editor = Editor(line, lambda value: line.setText(str(value)), parent)
    line.editingFinished.connect(lambda: editor.tell(line.text().strip()))
    return editor


def _path(field: SettingField, parent: QWidget) -> Editor:
    editor = _text(field, parent)
    line = editor.widget
    assert isinstance(line, QLineEdit)
    folder = field.kind == "folder"
    button = IconButton("folder-open", f"Choose: {field.title}", parent=editor, size=32)
    button.clicked.connect(lambda: _choose(editor, line, folder, field.title))
    editor.row.addWidget(button)
    return editor


def _multiline(field: SettingField, parent: QWidget) -> Editor:
    area = _Lines(parent)
    area.setProperty("field", True)
    area.setFixedHeight(96)
    editor = Editor(area, lambda value: area.setPlainText("\n".join(value)), parent)
    area.left.connect(
        lambda: editor.tell([line for line in area.toPlainText().splitlines() if line.strip()])
    )
    return editor


class _Lines(QPlainTextEdit):
    """Several lines; told when the focus leaves."""

    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self.left.emit()


def _choose(editor: Editor, line: QLineEdit, folder: bool, title: str) -> None:
    dialog = QFileDialog(editor.window(), title, line.text())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    mode = QFileDialog.FileMode
    dialog.setFileMode(mode.Directory if folder else mode.ExistingFile)
    if folder:
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)

    def take(path: str) -> None:
        line.setText(path)
        editor.tell(path)

    dialog.fileSelected.connect(take)
    dialog.open()


def _dress_number(box: QSpinBox | QDoubleSpinBox, field: SettingField) -> None:
    box.setKeyboardTracking(False)
    box.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
    box.setGroupSeparatorShown(True)
    # The style sheet's padding does not reach the text inside.
    box.lineEdit().setTextMargins(8, 0, 0, 0)
    if field.unit:
        box.setSuffix(f" {field.unit}")
    if field.zero and field.minimum == 0:
        box.setSpecialValueText(field.zero[:1].upper() + field.zero[1:])


def _step(field: SettingField) -> int:
    """A step that gets somewhere: a tenth of the usual value, as a round figure."""
    usual = abs(float(field.default)) or 10
    for step in (1000, 500, 100, 50, 10, 5):
        if usual >= step * 8:
            return step
    return 1


def _bound(value: float | None, far: float) -> float:
    return far if value is None else value
