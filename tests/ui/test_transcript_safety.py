"""A message is text: it fetches nothing, opens nothing, hides nothing, and hangs nothing."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kinet.core.events import TextDelta, TurnStarted
from kinet.ui.transcript.blocks.documents import SafeDocument
from tests.support.markdown_cases import cases, pieces
from tests.ui.transcript_kit import asked, live, point_of, said, settle, shown

_HOSTILE = [
    "x" * 60_000,
    "[" * 5000,
    "*a_b " * 3000,
    "![[" * 3000,
    ">" * 3000 + " x",
    "\n".join(" " * (2 * depth) + "- x" for depth in range(200)),
    "a" + "\u0301\u0302" * 8000,
    "👩‍👩‍👧‍👦" * 2000,
    "\n" * 20_000 + "x",
    "ab\n" * 5000,
    "\u202eabc\u2066 שלום \ud83d" * 300,
    "|" + "a|" * 20 + "\n|" + "-|" * 20 + "\n" + ("|" + "cell|" * 20 + "\n") * 100,
]


@pytest.mark.parametrize("number", range(len(_HOSTILE)))
def test_hostile_text_is_shown_opened_and_streamed(app: object, number: int) -> None:
    text = _HOSTILE[number]
    transcript = shown()
    transcript.load([asked("Go."), said(text)])
    settle(transcript)
    transcript.verticalScrollBar().setValue(0)
    settle(transcript)
    streamed = shown()
    presenter = live(streamed, [TurnStarted("s"), asked("Go.")])
    for start in range(0, len(text), 2048):
        presenter.show(TextDelta(text[start : start + 2048]))
    settle(streamed)
    assert streamed.block_count() >= 2


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case["id"]))
def test_no_known_attack_loads_anything_opened_streamed_or_copied(
    app: object, case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for: list[object] = []

    def load(self: SafeDocument, kind: int, url: object) -> None:
        asked_for.append(url)

    monkeypatch.setattr(SafeDocument, "loadResource", load)
    transcript = shown()
    arriving = pieces(case)
    transcript.load([asked("Go."), said("".join(arriving))])
    settle(transcript)
    streamed = shown()
    presenter = live(streamed, [TurnStarted("s"), asked("Go.")])
    for piece in arriving:
        for start in range(0, len(piece), 4096):
            presenter.show(TextDelta(piece[start : start + 4096]))
    settle(streamed)
    streamed.selection.all()
    assert streamed.selection.text()
    assert asked_for == []


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "vscode://x", "data:text/html,x", "//h/s"]
)
def test_only_web_and_mail_addresses_are_links(app: object, url: str) -> None:
    transcript = shown()
    opened: list[str] = []
    transcript.link_activated.connect(opened.append)
    transcript.load([asked("Go."), said(f"[click here to see it all]({url})")])
    settle(transcript)
    where = point_of(transcript, 1, 30, 12)
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert opened == []
    assert (
        url.split(":")[0].strip("/")
        in transcript.stage.flow.entries[1].piece(0).document.toPlainText()
    )


def test_a_link_tells_its_host_and_opens_nothing_but_a_signal(app: object) -> None:
    transcript = shown()
    opened: list[str] = []
    hovered: list[str] = []
    transcript.link_activated.connect(opened.append)
    transcript.link_hovered.connect(hovered.append)
    transcript.load([asked("Go."), said("[https://bank.test](https://evil.test/login)")])
    settle(transcript)
    assert "evil.test" in transcript.stage.flow.entries[1].piece(0).document.toPlainText()
    where = point_of(transcript, 1, 30, 12)
    QTest.mouseMove(transcript.viewport(), where + QPoint(1, 0))
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert opened == ["https://evil.test/login"]
    assert hovered[-1] == "https://evil.test/login"


def test_html_in_a_message_is_text(app: object) -> None:
    transcript = shown()
    source = "<span style='font-size:0.1px'>hidden order</span>"
    transcript.load([asked("Go."), said(source)])
    settle(transcript)
    assert transcript.stage.flow.entries[1].piece(0).document.toPlainText() == source


def test_marks_that_reorder_code_are_visible(app: object) -> None:
    transcript = shown()
    transcript.load([asked("Go."), said('```py\nif x != "user\u202e \u2066":\n```')])
    settle(transcript)
    text = transcript.stage.flow.entries[1].piece(0).document.toPlainText()
    assert "\u202e" not in text
    assert text.count("\u2426") == 2


def test_the_count_of_nones_does_not_fall(app: object) -> None:
    timer = QTimer()
    before = sys.getrefcount(None)
    for _ in range(2000):
        timer.stop()
    assert sys.getrefcount(None) > before - 200


def test_a_stream_of_5000_pieces_leaves_the_process_alive(app: object) -> None:
    transcript = shown()
    presenter = live(transcript, [TurnStarted("s"), asked("Go.")])
    for number in range(5000):
        presenter.show(TextDelta("word " if number % 40 else "word.\n\n"))
        if number % 100 == 0:
            transcript.stage.pacer.flush()
            QApplication.processEvents()
    settle(transcript)
    assert transcript.plain_text().count("word") == 5000
