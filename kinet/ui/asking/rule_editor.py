"""The rule editor inside an approval card: which commands are allowed, and where."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLineEdit, QWidget

from kinet.core.approval import ApprovalRequest, Decision, Scope
from kinet.policy.rules import begins_with, suggested_beginning, too_broad
from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import repolish, text_label
from kinet.ui.kit.input_filters import guard_wheel
from kinet.ui.kit.segments import Segments
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import Theme

_SCOPES: dict[str, Scope] = {"session": "session", "folder": "folder", "always": "always"}


class RuleEditor(QFrame):
    """Makes a rule out of a command. `recent` are earlier commands, against which it is counted."""

    changed = Signal()

    def __init__(
        self, request: ApprovalRequest, recent: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("ruleEditor")
        self._command = str(request.arguments.get("command") or request.body)
        self._recent = tuple(recent)
        beginning = suggested_beginning(self._command)
        self.match = ChoiceBox("How commands are compared", self)
        self.match.setObjectName("ruleMatch")
        if beginning:
            self.match.addItem("starting with", "prefix")
        self.match.addItem("exactly", "exact")
        self.words = QLineEdit(self)
        self.words.setObjectName("ruleWords")
        self.words.setAccessibleName("The words of the rule")
        self.words.setProperty("type", "code")
        self._beginning = beginning
        self._below = False
        self.reach = Segments(
            [("session", "This session"), ("folder", "This folder"), ("always", "Always")],
            "Valid for",
            self,
        )
        self.reach.setObjectName("ruleReach")
        self.reach.choose("folder" if "folder" in request.scopes else "session")
        self.fits = text_label("", type="meta", tone="text_3", parent=self)
        self.fits.setObjectName("ruleFits")
        self.trouble_label = text_label("", type="meta", tone="danger", parent=self)
        self.trouble_label.setObjectName("ruleTrouble")
        self.trouble_label.setWordWrap(True)
        self._arrange()
        self.match.currentIndexChanged.connect(self._match_changed)
        self.words.textChanged.connect(self._show)
        self.reach.chosen.connect(lambda _value: self._show())
        self._match_changed()
        guard_wheel(self)

    @property
    def trouble(self) -> str:
        """Why this rule may not be kept, "" if it may."""
        if self._kind == "exact":
            return too_broad("shell", "exact", self._command, self._scope)
        rule = self.words.text().strip()
        broad = too_broad("shell", "prefix", rule, self._scope)
        if not broad and not begins_with(self._command, rule):
            return "The rule has to begin with the first words of the command above."
        return broad

    def decision(self) -> Decision:
        """Allowed, with the rule as it stands."""
        if self._kind == "exact":
            return Decision(True, self._scope)
        return Decision(True, self._scope, reach="prefix", rule=self.words.text().strip())

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.setStyleSheet(
            f"QFrame#ruleEditor {{ background: {theme.color('subtle')}; border: 0;"
            f" border-top: 1px solid {theme.color('border')}; }}"
        )
        self.reach.set_theme(theme)

    @property
    def _kind(self) -> str:
        return str(self.match.currentData())

    @property
    def _scope(self) -> Scope:
        return _SCOPES[self.reach.value]

    def _arrange(self) -> None:
        # With large letters the rule has a line of its own: it is to be read before it is kept.
        first, second = QWidget(self), QWidget(self)
        rule = WrappingRow(first, filling=self.words)
        rule.addWidget(text_label("Allow commands", tone="text_2", parent=self))
        rule.addWidget(self.match)
        rule.addWidget(self.words)
        where = WrappingRow(second, aside=self.fits)
        where.addWidget(self.reach)
        where.addWidget(self.fits)
        self._rows = (first, second)
        self._labels = (
            text_label("New rule", type="strong", parent=self),
            text_label("Valid for", tone="text_2", parent=self),
        )
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 12, 12, 12)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the rows have no room beside their labels they stand below them."""
        super().resizeEvent(event)
        labels = max(label.sizeHint().width() for label in self._labels)
        room = self.width() - 2 * 12 - 24 - labels
        below = room < max(row.minimumSizeHint().width() for row in self._rows)
        if below != self._below:
            self._below = below
            self._place()

    def _place(self) -> None:
        while self._grid.takeAt(0) is not None:
            pass
        for number, (label, row) in enumerate(zip(self._labels, self._rows, strict=True)):
            if self._below:
                self._grid.addWidget(label, 2 * number, 0, 1, 2)
                self._grid.addWidget(row, 2 * number + 1, 0, 1, 2)
            else:
                self._grid.addWidget(label, number, 0)
                self._grid.addWidget(row, number, 1)
        self._grid.addWidget(self.trouble_label, 4, 0 if self._below else 1, 1, -1)

    def _match_changed(self) -> None:
        exact = self._kind == "exact"
        self.words.setReadOnly(exact)
        self.words.setText(spell_out(self._command).text if exact else self._beginning)
        # Of a rule that is too long for its field the beginning is seen.
        self.words.setCursorPosition(0 if exact else len(self.words.text()))
        self._show()

    def _show(self) -> None:
        trouble = self.trouble
        self.trouble_label.setText(trouble)
        self.trouble_label.setVisible(bool(trouble))
        self.words.setProperty("invalid", bool(trouble))
        repolish(self.words)
        self.fits.setText(self._fits())
        self.changed.emit()

    def _fits(self) -> str:
        if not self._recent:
            return ""
        rule = self.words.text().strip()
        if self._kind == "exact":
            count = self._recent.count(self._command)
        else:
            count = sum(begins_with(command, rule) for command in self._recent)
        total = len(self._recent)
        return f"Fits {count} of the last {total} command{'' if total == 1 else 's'}"
