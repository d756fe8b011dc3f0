"""A question of the model in words: answers to choose from, and a line for one's own."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.controls import text_label
from kinet.ui.kit.fitted_frame import FittedFrame
from kinet.ui.kit.in_sight import hand_up
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import Theme

_LONGEST_CHOICE = 200


class AnswerCard(FittedFrame):
    """Asks once. `answered` comes at most once; "" means that the person gives no answer.

    A new card never takes the focus by itself; what is being typed elsewhere stays there.
    """

    answered = Signal(str)

    def __init__(self, question: str, choices: tuple[str, ...], theme: Theme) -> None:
        super().__init__()
        self.setObjectName("answerCard")
        self.setAccessibleName(f"The agent asks: {question[:500]}")
        self._open = True
        self._offered = tuple(_shown(choice) for choice in choices)
        self._question = QLabel(spell_out(question).text, self)
        self._question.setTextFormat(Qt.TextFormat.PlainText)
        self._question.setWordWrap(True)
        self._question.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.field = QLineEdit(self)
        self.field.setObjectName("answerField")
        self.field.setAccessibleName("Your answer")
        self.field.setPlaceholderText("Your answer")
        self.field.returnPressed.connect(self._send)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(8)
        column.addWidget(text_label("The agent asks", type="strong", parent=self))
        column.addWidget(self._question)
        for choice in choices:
            column.addWidget(self._choice(choice))
        column.addLayout(self._row())
        tab_as_laid_out(self)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.setStyleSheet(
            f"QFrame#answerCard {{ background: {theme.color('raised')};"
            f" border: 1px solid {theme.color('border')}; border-radius: 8px; }}"
        )

    def spoken(self) -> str:
        """The question and the answers to choose from, for somebody who hears it."""
        words = f"Kinet asks: {self._question.text()}"
        return f"{words} Answers: {', '.join(self._offered)}" if self._offered else words

    def _choice(self, choice: str) -> QPushButton:
        button = _Choice(_shown(choice), self)
        button.setObjectName("answerChoice")
        button.clicked.connect(lambda: self._give(choice))
        return button

    def _row(self) -> QHBoxLayout:
        send = TextButton("Answer", self, kind="primary")
        send.setObjectName("answerButton")
        send.clicked.connect(self._send)
        # An empty answer is given by the other button.
        send.setEnabled(False)
        self.field.textChanged.connect(lambda text: send.setEnabled(bool(text.strip())))
        skip = TextButton("No answer", self, kind="quiet")
        skip.setObjectName("noAnswerButton")
        skip.clicked.connect(lambda: self._give(""))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(send)
        row.addWidget(skip)
        return row

    def _send(self) -> None:
        if text := self.field.text().strip():
            self._give(text)

    def _give(self, text: str) -> None:
        if self._open:
            self._open = False
            focused = QApplication.focusWidget()
            if focused is not None and self.isAncestorOf(focused):
                hand_up(self)
            self.setEnabled(False)
            self.answered.emit(text)


class _Choice(TextButton):
    """A button whose words go on in the next line: an answer is read whole before it is given."""

    def __init__(self, words: str, parent: QWidget) -> None:
        super().__init__("", parent, name=words)
        label = text_label(words, parent=self)
        label.setWordWrap(True)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 5, 12, 5)
        column.addWidget(label)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        assert layout is not None
        return layout.totalSizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        assert layout is not None
        return layout.totalMinimumSize()

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None
        return layout.totalHeightForWidth(width)


def _shown(choice: str) -> str:
    """An answer as its button says it."""
    return " ".join(spell_out(choice).text.split())[:_LONGEST_CHOICE]
