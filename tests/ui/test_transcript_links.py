"""Links are reached by the keyboard alone, and by a screen reader."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, said, settle, shown

_TEXT = """See [the **bold** page](https://example.org/a), and https://example.org/b here.

- item [one](https://example.org/c) and `[no](https://example.org/no)`

| a | b |
|---|---|
| x | [cell](https://example.org/d) |

```python
link = "https://example.org/no"
```
"""


def _loaded() -> Transcript:
    transcript = shown()
    transcript.load([asked("Go."), said(_TEXT)])
    settle(transcript)
    return transcript


def test_tab_visits_each_link_once_in_reading_order_and_enter_opens_it(app: object) -> None:
    transcript = _loaded()
    opened: list[str] = []
    transcript.link_activated.connect(opened.append)
    transcript.setFocus()
    for _ in range(4):
        QTest.keyClick(transcript, Qt.Key.Key_Tab)
        QTest.keyClick(transcript, Qt.Key.Key_Return)
    assert opened == [f"https://example.org/{name}" for name in "abcd"]
    QTest.keyClick(transcript, Qt.Key.Key_Tab)
    focus = transcript.artist.highlights.focus
    assert focus is not None
    assert focus[1].action == "wrap"


def test_the_place_of_a_link_is_where_the_mouse_finds_it(app: object) -> None:
    transcript = _loaded()
    style, width = transcript.stage.flow.style, transcript.stage.flow.width
    entry = transcript.stage.flow.entries[1]
    links = [hit for hit in entry.hits(style, width) if hit.action == "link"]
    for link in links:
        under = entry.hit(link.rect.center().x(), link.rect.center().y(), style, width)
        assert under is not None
        assert under.value == link.value
    # The words of another face are part of their link.
    assert links[0].rect.width() > 90


def test_a_reader_is_offered_the_links_of_a_paragraph(app: object) -> None:
    transcript = _loaded()
    opened: list[str] = []
    transcript.link_activated.connect(opened.append)
    part = QAccessible.queryAccessibleInterface(transcript).child(1).child(0)
    offers = part.actionInterface()
    assert offers.actionNames() == ["https://example.org/a", "https://example.org/b"]
    offers.doAction("https://example.org/b")
    assert opened == ["https://example.org/b"]
