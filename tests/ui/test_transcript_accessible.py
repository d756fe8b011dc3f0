"""A screen reader walks through the conversation: message by message, in order, with names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QAccessible

from kinet.core.approval import ApprovalRequest
from kinet.core.events import FilesChanged, TurnError, TurnFinished
from kinet.ui.asking.answer_card import AnswerCard
from kinet.ui.asking.approval_card import ApprovalCard
from kinet.ui.asking.approval_words import spoken_question
from kinet.ui.chat.announcements import end_words
from kinet.ui.look.theme import load_theme
from kinet.ui.transcript.spoken.accessible_text import spoken_act
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, said, saved, settle, shown, turn

_NO_WAY = TurnError("network", "No way.", "Check the cable.")

ROOT = Path(__file__).resolve().parents[2]


def _named(transcript: Transcript) -> list[str]:
    reader = QAccessible.queryAccessibleInterface(transcript)
    children = [reader.child(number) for number in range(reader.childCount())]
    return [child.text(QAccessible.Text.Name) for child in children]


def test_each_message_is_an_item_in_order_and_says_who_speaks(app: object) -> None:
    transcript = shown(height=1200)
    transcript.load(saved(turn()))
    settle(transcript)
    reader = QAccessible.queryAccessibleInterface(transcript)
    assert reader.role() == QAccessible.Role.List
    assert reader.text(QAccessible.Text.Name) == "Conversation"
    names = _named(transcript)
    assert names[0] == "You: Match `invoices/` with the bank."
    assert names[1] == "Thought 3 s"
    assert names[2].startswith("Worked 4 s, 2 steps")
    assert names[3].startswith("Kinet: Three invoices do not match:\nThe first, see totals.py.")
    assert names[-1].startswith("Turn: ")


def test_the_parts_of_an_answer_say_what_they_are(app: object) -> None:
    transcript = shown(height=1200)
    transcript.load(saved(turn()))
    settle(transcript)
    answer = QAccessible.queryAccessibleInterface(transcript).child(3)
    parts = [answer.child(number) for number in range(answer.childCount())]
    names = [part.text(QAccessible.Text.Name) for part in parts]
    assert names[0] == "Three invoices do not match:"
    table = "Table, 3 rows, 2 columns: Invoice, Sum; one, 1.00; two, 22.50"
    assert any(name.startswith(table) for name in names)
    assert any(name.startswith("Python code of totals.py: def total") for name in names)
    assert parts[0].role() == QAccessible.Role.Paragraph
    assert all(part.parent() is answer for part in parts)


def test_folded_steps_are_read_too(app: object) -> None:
    transcript = shown()
    transcript.load(saved(turn()))
    group = QAccessible.queryAccessibleInterface(transcript).child(2)
    rows = [group.child(n).text(QAccessible.Text.Name) for n in range(group.childCount())]
    assert rows == ["Read totals.py, done, 12 lines", "Edit totals.py, done, +3 −1"]


def test_a_question_is_an_item_of_its_own(app: object) -> None:
    transcript = shown()
    transcript.load([asked("Go."), said("Yes.")])
    request = ApprovalRequest("r", "c", "shell", "command", "Run this command?", "ls")
    card = ApprovalCard(request, theme=load_theme("light"))
    transcript.add_card(card)
    settle(transcript)
    assert "Run this command?" in _named(transcript)[-1]
    transcript.remove_card(card)


def test_another_conversation_is_read_after_switching(app: object) -> None:
    transcript = shown()
    transcript.load([asked("One."), said("First.")])
    assert _named(transcript)[:2] == ["You: One.", "Kinet: First."]
    transcript.load([asked("Two."), said("Second.")])
    assert _named(transcript)[:2] == ["You: Two.", "Kinet: Second."]


def test_the_end_of_a_turn_and_each_question_are_said(app: object) -> None:
    assert end_words(TurnFinished("completed"), "All is well.") == (
        "Kinet has answered. All is well.",
        False,
    )
    failed = TurnFinished("failed", TurnError("network", "No way.", "Check the cable."))
    assert end_words(failed) == ("The turn failed. No way. Check the cable.", True)
    request = ApprovalRequest("r", "c", "shell", "command", "Run this command?", "ls -l\npwd")
    assert spoken_question(request) == "Kinet asks: Run this command? ls -l pwd"
    card = AnswerCard("Which one?", ("red", "blue"), load_theme("light"))
    assert card.spoken() == "Kinet asks: Which one? Answers: red, blue"


def test_each_act_of_each_entry_has_words(app: object) -> None:
    transcript = shown(height=1200)
    events = [*turn()[:-1], FilesChanged(("a.py",), "c2"), TurnFinished("failed", _NO_WAY)]
    transcript.load(saved(events))
    settle(transcript)
    style, width = transcript.stage.flow.style, transcript.stage.flow.width
    acts = {
        hit.action: spoken_act(hit)
        for entry in transcript.stage.flow.entries
        for hit in entry.hits(style, width)
        if hit.action
    }
    assert {"fold", "step", "link", "copy-code", "report"} <= set(acts)
    assert [action for action, words in acts.items() if action == words] == []


def test_a_program_in_which_conversations_were_read_closes_well() -> None:
    # Qt tidies its table of what is read when the program ends: an address of something that has
    # gone would end it with a fault of memory, which no test within the program can see.
    code = (
        "from PySide6.QtWidgets import QApplication\n"
        "app = QApplication([])\n"
        "from tests.ui.test_transcript_accessible import _named, asked, said, shown\n"
        "for text in ('One.', 'Two.'):\n"
        "    for transcript in (shown(), shown()):\n"
        "        for answer in ('First.', 'Second.\\n\\n- a\\n- b'):\n"
        "            transcript.load([asked(text), said(answer)])\n"
        "            assert len(_named(transcript)) > 1\n"
        "    del transcript\n"
        "print('closed')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stdout) == (0, "closed\n"), ran.stderr
