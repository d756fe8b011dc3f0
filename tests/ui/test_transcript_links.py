"""Links are reached by the keyboard alone, by a screen reader, and from menus."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from kinet.core.events import ToolFinished, ToolStarted
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, click, point_of, said, settle, shown

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


def test_an_address_in_a_message_of_the_person_can_be_followed(app: object) -> None:
    transcript = shown()
    typed = "See https://example.org/mine, not `https://example.org/no`\n" + "more\n" * 20
    transcript.load([asked(typed + "https://example.org/folded"), said("OK")])
    settle(transcript)
    opened: list[str] = []
    transcript.link_activated.connect(opened.append)
    click(transcript, 0, "link")
    assert opened == ["https://example.org/mine"]
    style, width = transcript.stage.flow.style, transcript.stage.flow.width
    entry = transcript.stage.flow.entries[0]

    def addresses() -> list[str]:
        return [hit.value for hit in entry.hits(style, width) if hit.action == "link"]

    assert addresses() == opened
    click(transcript, 0, "fold")
    assert addresses() == ["https://example.org/mine", "https://example.org/folded"]
    place = point_of(transcript, 0, entry.piece_left(style, width) + 60, 20)
    assert transcript._pointer.hit(place)[1].action == "link"


def test_the_menu_of_a_step_gives_its_command_and_its_output(app: object) -> None:
    transcript = shown()
    call = ToolStarted("c1", "shell", {"command": "make  all"})
    transcript.load(
        [asked("Go."), call, ToolFinished("c1", "shell", True, "", "boom\n"), said("A")]
    )
    settle(transcript)
    flow = transcript.stage.flow
    number = next(n for n, e in enumerate(flow.entries) if isinstance(e, StepGroup))
    flow.entries[number].open = True
    transcript.stage.touch(flow.entries[number])
    settle(transcript)
    hit = next(h for h in flow.entries[number].hits(flow.style, flow.width) if h.action == "step")
    shown_steps: list[str] = []
    transcript.step_activated.connect(shown_steps.append)
    transcript._actor.menu((number, hit), Place(number, 0, 0), QPoint(0, 0))
    menu = transcript.viewport().findChild(QMenu)
    named = {action.text(): action for action in menu.actions()}
    named["Copy the command"].trigger()
    assert QGuiApplication.clipboard().text() == "make  all"
    named["Copy the output"].trigger()
    assert QGuiApplication.clipboard().text() == "boom\n"
    named["Show the step"].trigger()
    assert shown_steps == ["c1"]
    menu.close()


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
