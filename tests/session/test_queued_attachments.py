"""Pictures and files wait with their message: over a restart, checked again, steered, edited."""

from __future__ import annotations

import asyncio
import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from kinet.core.errors import SettingsError
from kinet.core.messages import ImagePart, Message, TextPart
from kinet.session.attached import Attached, attached_from_json, attached_to_json
from kinet.session.session import Session
from tests.session.conftest import collect, reply


def png(color: str = "red") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), color).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "shot.png"
    path.write_bytes(png())
    return path


def url(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


class Held:
    """A turn that runs until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> None:
        self.begun.set()
        await self.go.wait()


async def running(session: Session, held: Held) -> asyncio.Task[Any]:
    turn = asyncio.create_task(collect(session.send("Ask.")))
    await held.begun.wait()
    return turn


async def is_read(session: Session) -> None:
    """Returns when all files of what waits were read, or cannot be."""
    await asyncio.gather(*session._reading)


async def _sent(session: Session, item: Any) -> Message:
    await collect(session.send(item.text))
    return next(message for message in session.history() if message.text.startswith(item.text))


async def test_a_picture_waits_with_its_message_as_it_was_though_the_file_goes(start, picture):
    held = Held()
    world = await start([held, reply("One.")])
    session = world.sessions.create()
    turn = await running(session, held)
    item = session.enqueue("See.", [picture])
    assert item.attachments == (Attached("shot.png", str(picture)),)
    await is_read(session)
    picture.unlink()
    held.go.set()
    await turn
    item = session.take_next()
    assert item is not None
    # Whoever sends it need not know of what is attached.
    message = await _sent(session, item)
    assert message.images == (ImagePart(url(png())),)
    assert session.queue == []


async def test_it_waits_over_a_restart_also_where_the_file_was_never_read(
    start, picture, monkeypatch
):
    held = Held()
    world = await start([held, reply("One.")])
    session = world.sessions.create()
    turn = await running(session, held)
    session.enqueue("See.", [picture, TextPart("notes"), ImagePart("https://example.org/a.png")])
    monkeypatch.setattr(session, "_read_soon", lambda item: item)
    session.enqueue("And this.", [picture])
    await is_read(session)
    held.go.set()
    await turn
    first, second = session.queue
    assert (first.is_read, second.is_read) == (True, False)
    session = (await start()).sessions.open(session.id)
    assert session.state == "paused"
    assert session.queue == [first, second]
    message = await _sent(session, session.take_queued(first.id))
    assert message.images == (ImagePart(url(png())), ImagePart("https://example.org/a.png"))
    assert "notes" in message.text
    message = await _sent(session, session.take_next())
    assert message.images == (ImagePart(url(png())),)


async def test_a_file_that_is_gone_before_it_was_read_is_refused_when_the_message_is_sent(
    start, picture
):
    held = Held()
    world = await start([held, reply("One.")])
    session = world.sessions.create()
    turn = await running(session, held)
    picture.unlink()
    item = session.enqueue("See.", [picture])
    await is_read(session)
    held.go.set()
    await turn
    taken = session.take_next()
    assert taken == item
    with pytest.raises(SettingsError, match=r"shot\.png cannot be attached"):
        await collect(session.send(taken.text))
    # It is the next one again, and nothing of it was sent.
    assert session.queue == [item]
    assert session.state == "idle"
    assert [message.text for message in session.history()] == ["Ask.", "One."]
    picture.write_bytes(png("blue"))
    message = await _sent(session, session.take_next())
    assert message.images == (ImagePart(url(png("blue"))),)


async def test_a_picture_steers_at_the_next_step_and_what_comes_after_it_keeps_its_place(
    start, picture
):
    seen: list[tuple[Message, ...]] = []
    held, more = Held(), Held()
    world = await start([held, lambda: seen.append(world.engine.requests[0].steering()), more])
    session = world.sessions.create()
    turn = await running(session, held)
    first = session.steer("See.", [picture])
    session.steer("And hear.")
    held.go.set()
    await more.begun.wait()
    # The file was still being read: what was said after it does not overtake it.
    assert seen == [()]
    await is_read(session)
    steered = world.engine.requests[0].steering()
    assert [message.text for message in steered] == ["See.", "And hear."]
    assert steered[0].images == (ImagePart(url(png())),)
    assert (steered[0].kind, steered[0].id) == ("steer", first.id)
    more.go.set()
    await turn


async def test_a_file_that_cannot_be_read_keeps_nothing_from_steering(start, picture):
    held, more = Held(), Held()
    world = await start([held, more])
    session = world.sessions.create()
    turn = await running(session, held)
    picture.unlink()
    session.steer("See.", [picture])
    session.steer("Stop that.")
    await is_read(session)
    assert [item.text for item in session.queue] == ["See."]
    (steered,) = world.engine.requests[0].steering()
    assert steered.text == "Stop that."
    held.go.set()
    more.go.set()
    await turn


async def test_what_a_turn_was_given_and_never_told_waits_again(start, picture):
    """The listener leaves in the moment in which the engine takes it."""
    held = Held()
    world = await start([held])
    session = world.sessions.create()
    turn = await running(session, held)
    item = session.steer("See.", [picture])
    await is_read(session)
    assert [message.id for message in world.engine.requests[0].steering()] == [item.id]
    assert session.steering == []
    turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    assert not session.is_running
    assert [(one.id, one.steering) for one in session.queue] == [(item.id, False)]
    session = (await start()).sessions.open(session.id)
    assert [one.text for one in session.queue] == ["See."]


async def test_what_could_not_steer_any_more_waits_with_its_picture(start, picture):
    held = Held()
    world = await start([held, reply("One.")])
    session = world.sessions.create()
    turn = await running(session, held)
    item = session.steer("See.", [picture])
    held.go.set()
    await turn
    await is_read(session)
    (waiting,) = session.queue
    assert waiting.id == item.id
    assert waiting.attachments[0].part == ImagePart(url(png()))


async def test_a_waiting_message_is_edited_with_what_is_attached_to_it_and_removed(
    start, picture, tmp_path
):
    held = Held()
    world = await start([held, reply("One.")])
    session = world.sessions.create()
    turn = await running(session, held)
    item = session.enqueue("See.", [picture])
    assert session.edit_queued(item.id, "Look.")
    await is_read(session)
    (waiting,) = session.queue
    assert (waiting.text, waiting.attachments[0].part) == ("Look.", ImagePart(url(png())))
    other = tmp_path / "other.png"
    other.write_bytes(png("blue"))
    assert session.edit_queued(item.id, "Look.", [other])
    await is_read(session)
    assert session.queue[0].attachments[0].part == ImagePart(url(png("blue")))
    assert session.edit_queued(item.id, "Look.", [])
    assert session.queue[0].attachments == ()
    again = session.enqueue("See.", [picture])
    assert session.remove_queued(again.id)
    await is_read(session)
    # What was read meanwhile does not bring it back.
    assert [item.text for item in session.queue] == ["Look."]
    held.go.set()
    await turn
    session = (await start()).sessions.open(session.id)
    assert [(item.text, item.attachments) for item in session.queue] == [("Look.", ())]


async def test_sent_while_a_turn_runs_it_waits_with_its_picture(start, picture):
    held = Held()
    world = await start([held, reply("One.")])
    session = world.sessions.create()
    turn = await running(session, held)
    (notice,) = await collect(session.send("See.", attachments=[picture]))
    assert "when it has ended" in notice.text
    await is_read(session)
    assert session.queue[0].attachments[0].part == ImagePart(url(png()))
    held.go.set()
    await turn


async def test_a_second_message_that_comes_while_a_large_file_is_read_waits(start, picture):
    """Reading goes on in a thread; meanwhile the session is busy already."""
    world = await start([reply("One.")])
    session = world.sessions.create()
    first = asyncio.create_task(collect(session.send("See.", attachments=[picture])))
    await asyncio.sleep(0)
    assert session.is_running
    (notice,) = await collect(session.send("And then?"))
    assert "when it has ended" in notice.text
    assert (await first)[-1].reason == "completed"
    assert [item.text for item in session.queue] == ["And then?"]


def test_what_is_attached_is_the_same_after_it_was_kept():
    items = (
        Attached("shot.png", "/tmp/shot.png", 12, ImagePart(url(png()))),
        Attached("far", part=ImagePart("https://example.org/a.png", "low")),
        Attached("notes.txt", "/tmp/notes.txt", 3, TextPart("notes.txt:\n```\n\n```")),
        Attached("unread.png", "/tmp/unread.png", 9),
    )
    assert attached_from_json(attached_to_json(items)) == items
    assert attached_from_json([None, 3, {}, {"name": "x", "part": 7}, "y"]) == ()
    assert attached_from_json(None) == ()
    assert [item.is_picture for item in items] == [True, True, False, True]
    assert [item.data for item in items] == [png(), None, None, None]
