"""The parts of an approval card that show what is asked: head and body."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from kinet.core.approval import ApprovalRequest
from kinet.core.server_names import server_and_tool
from kinet.ui.asking.approval_words import (
    CHANGED,
    body_of,
    hidden_text,
    icon_of,
    place_of,
    sentence,
    targets_of,
)
from kinet.ui.asking.budget_figures import BudgetFigures, figures
from kinet.ui.diff.diff_rows import count_changes
from kinet.ui.diff.diff_view import DiffView
from kinet.ui.diff.hunk_list import MOST_HUNKS, HunkList
from kinet.ui.kit.code_box import MOST_ROWS, CodeBox
from kinet.ui.kit.controls import ElidedLabel, repolish, text_label
from kinet.ui.kit.part_buttons import padded
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import Theme

_HIGHEST_DIFF = 400


class ApprovalHead(QFrame):
    """Question, place, counts; how many wait and for how long."""

    def __init__(self, request: ApprovalRequest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("approvalHead")
        self.setFixedHeight(40)
        self._icon_name = icon_of(request)
        self._mark = QLabel(self)
        # Gives way first: the question is read whole.
        self._wait = ElidedLabel("", self)
        self._wait.setProperty("type", "meta")
        self._wait.setProperty("tone", "text_2")
        place, is_code = place_of(request)
        self._place = ElidedLabel(place, self, mode=Qt.TextElideMode.ElideMiddle)
        policy = QSizePolicy.Policy
        self._place.setSizePolicy(policy.Preferred, policy.Preferred)
        self._place.setVisible(bool(place))
        self._place.setProperty("type", "code" if is_code else "")
        self._place.setProperty("tone", "" if is_code else "text_2")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(text_label(spell_out(request.question).text, type="strong", parent=self))
        row.addWidget(self._place)
        if request.kind == "edit":
            added, removed = count_changes(request.body)
            counts = f"+{added} −{removed}"
            row.addWidget(text_label(counts, type="meta", tone="text_2", parent=self))
        row.addStretch(1)
        row.addWidget(self._wait)

    @property
    def wait_text(self) -> str:
        """What stands at the right: how many wait and for how long."""
        return self._wait.whole_text()

    def show_wait(self, words: str, *, late: bool) -> None:
        """Says how many wait and for how long; a long wait is said in warning."""
        self._wait.set_text(words)
        tone = "warning" if late else "text_2"
        if self._wait.property("tone") != tone:
            self._wait.setProperty("tone", tone)
            repolish(self._wait)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        ratio = self.devicePixelRatioF()
        self._mark.setPixmap(theme.pixmap(self._icon_name, "warning", 16, ratio))


class Body(QWidget):
    """The whole command, text or diff, and the notes on it."""

    def __init__(self, request: ApprovalRequest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notes: list[tuple[QLabel, str, str]] = []
        self._box: CodeBox | None = None
        self._changes: CodeBox | None = None
        self._diff: DiffView | None = None
        self.hunks: HunkList | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        inner = QVBoxLayout()
        inner.setContentsMargins(12, 12, 12, 12)
        inner.setSpacing(8)
        if request.kind == "edit" and "@@" in request.body:
            self._add_diff(request, column)
        elif figures(request):
            inner.addWidget(BudgetFigures(request, self))
        elif body := body_of(request):
            self._box = CodeBox(body, "bash" if request.kind == "command" else "", self)
            self._box.view.setAccessibleName(request.question)
            inner.addWidget(self._box)
            self._count = text_label("", type="meta", tone="text_3", parent=self)
            inner.addWidget(self._count)
            if self._box.hidden:
                self._note(inner, "alert", "danger", hidden_text(self._box.hidden))
        if targets := targets_of(request):
            of_server = server_and_tool(request.tool) is not None
            self._note(inner, "plug" if of_server else "folder", "text_2", targets)
        if request.claim:
            words = f"The server says of this tool, unchecked: “{spell_out(request.claim).text}”"
            self._note(inner, "chat", "text_2", words)
        if request.changes:
            self._add_changes(request.changes, inner)
        if request.reason:
            self._note(inner, "info", "text_2", sentence(request.reason))
        if request.risk:
            self._note(inner, "alert", "warning", sentence(request.risk))
        if inner.count():
            column.addLayout(inner)
        else:
            inner.deleteLater()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        ratio = self.devicePixelRatioF()
        for label, icon_name, token in self._notes:
            label.setPixmap(theme.pixmap(icon_name, token, 14, ratio))
            # Beside the first line, however large the words are.
            label.setFixedHeight(theme.line_height("meta"))
        if self._box is not None:
            self._box.set_theme(theme)
            long = self._box.row_count(560, MOST_ROWS + 1) > MOST_ROWS
            lines = self._box.text.count("\n") + 1
            word = "line" if lines == 1 else "lines"
            self._count.setText(
                f"{lines:,} {word}, {len(self._box.text):,} characters: scroll for all"
            )
            self._count.setVisible(long)
        if self._changes is not None:
            self._changes.set_theme(theme)
        if self._diff is not None:
            self._diff.set_theme(theme)
            self._fit_diff()
        if self.hunks is not None:
            self.hunks.set_theme(theme)

    def _add_diff(self, request: ApprovalRequest, column: QVBoxLayout) -> None:
        count = sum(line.startswith("@@ ") for line in request.body.split("\n"))
        if 1 < count <= MOST_HUNKS:
            self.hunks = HunkList(request.body, self)
            column.addWidget(self.hunks)
            return
        self._diff = DiffView(self)
        self._diff.show_diff(request.body)
        self._diff.horizontalScrollBar().rangeChanged.connect(lambda *_: self._fit_diff())
        self._fit_diff()
        column.addWidget(self._diff)
        height = self._diff.content_height()
        if height > _HIGHEST_DIFF:
            words = f"{len(self._diff.rows):,} rows: scroll for all"
            label = text_label(words, type="meta", tone="text_3", parent=self)
            column.addWidget(padded(label, 16, 6, 16, 0))

    def _add_changes(self, changes: str, column: QVBoxLayout) -> None:
        self._note(column, "alert", "warning", CHANGED)
        self._changes = CodeBox(changes, "diff", self)
        self._changes.view.setAccessibleName("What the server says otherwise now")
        column.addWidget(self._changes)

    def _fit_diff(self) -> None:
        """As high as the diff up to a limit, with room for a scroll bar where one is shown."""
        if self._diff is not None:
            bar = 12 if self._diff.horizontalScrollBar().maximum() > 0 else 0
            height = self._diff.content_height() + bar
            self._diff.setFixedHeight(min(_HIGHEST_DIFF, max(40, height)))

    def _note(self, column: QVBoxLayout, icon_name: str, token: str, words: str) -> None:
        mark = QLabel(self)
        mark.setFixedWidth(14)
        mark.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        text = text_label(words, type="meta", tone=token, parent=self)
        text.setWordWrap(True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(text, 1)
        column.addLayout(row)
        self._notes.append((mark, icon_name, token))
