"""A skill called by name: in the prompt until it is taken away, over restarts and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.core.events import ContextCompacted, Notice
from tests.session.conftest import collect, reply
from tests.skills.skill_kit import library, write_skill


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_skill(tmp_path / "data/skills", "fmt", "Format $ARGUMENTS by the book.")
    write_skill(tmp_path / "data/skills", "lint", "Lint it.")
    return tmp_path / "data"


def titles(request) -> list[str]:
    return [section.title for section in request.skills]


async def test_a_called_skill_stays_in_the_prompt_and_is_told_once(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    events = await collect(session.send("/fmt main.py"))
    assert "The skill fmt is active;" in notices(events)[0]
    assert session.active_skills == ("fmt",)
    assert session.history()[0].text == "/fmt main.py", "the message is stored as it was typed"
    assert notices(await collect(session.send("and now?"))) == []
    first, second = world.engine.requests
    assert titles(first) == titles(second) == ["Skills", "Skill fmt"]
    assert "Format main.py by the book." in first.skills[1].text
    assert first.skills == second.skills, "the same bytes"
    assert data / "skills" / "fmt" in first.readable


async def test_hidden_characters_of_a_called_skill_are_taken_out_and_told(start, data):
    write_skill(data / "skills", "quiet", "Read\u200b it.")
    world = await start(skills=library(data))
    session = world.sessions.create()
    told = notices(await collect(session.send("/quiet")))
    assert "1 hidden characters were removed (U+200B" in told[1]
    assert "Read it." in world.engine.requests[0].skills[1].text


async def test_other_arguments_replace_it_and_the_same_ones_cost_nothing(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    counts = []
    for text in ("/fmt a", "/lint", "/fmt a", "/fmt b"):
        counts.append(len(notices(await collect(session.send(text)))))
    assert counts == [1, 1, 0, 1]
    told = [request.skills[1].text for request in world.engine.requests]
    assert told[1] == told[2]
    assert "Format b by" in world.engine.requests[3].skills[1].text
    assert session.active_skills == ("fmt", "lint")


async def test_a_skill_taken_away_is_gone_with_the_next_turn_and_after_a_restart(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    await collect(session.send("/fmt a"))
    await collect(session.send("/lint"))
    session.remove_skill("fmt")
    await collect(session.send("go on"))
    assert titles(world.engine.requests[-1]) == ["Skills", "Skill lint"]
    world = await start(skills=library(data))
    session = world.sessions.open(session.id)
    assert session.active_skills == ("lint",)
    assert notices(await collect(session.send("go on"))) == []
    assert titles(world.engine.requests[-1]) == ["Skills", "Skill lint"]


async def test_after_a_restart_a_changed_skill_says_so_and_a_lost_one_too(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    await collect(session.send("/fmt a"))
    await collect(session.send("/lint"))
    (data / "skills/lint/SKILL.md").unlink()
    file = data / "skills/fmt/SKILL.md"
    file.write_text(file.read_text().replace("by the book", "as you like"))
    world = await start(skills=library(data))
    session = world.sessions.open(session.id)
    told = notices(await collect(session.send("go on")))
    assert "The skill fmt changed" in told[0]
    assert "lint" in told[1]
    assert "no longer active" in told[1]
    assert session.active_skills == ("fmt",)


async def test_a_change_on_the_disk_waits_for_the_next_call(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    await collect(session.send("/fmt a"))
    file = data / "skills/fmt/SKILL.md"
    file.write_text(file.read_text().replace("by the book", "as you like"))
    await collect(session.send("go on"))
    first, second = world.engine.requests
    assert first.skills == second.skills
    await collect(session.send("/fmt a"))
    assert "as you like" in world.engine.requests[2].skills[1].text


async def test_a_skill_that_cannot_be_used_is_explained_and_the_message_is_sent(start, data):
    write_skill(data / "skills", "empty", body="")
    world = await start(skills=library(data))
    session = world.sessions.create()
    (told,) = notices(await collect(session.send("/empty now")))
    assert "no text below its head" in told
    assert "sent as it is" in told
    assert world.engine.requests[0].user.text == "/empty now"
    assert notices(await collect(session.send("/unknown word"))) == []
    assert session.active_skills == ()


async def test_called_skills_outlast_a_compaction_and_the_list_is_made_anew(start, data):
    world = await start(
        [reply("1")], [ContextCompacted(9, 1, 2, "s"), reply("2")], skills=library(data)
    )
    session = world.sessions.create()
    await collect(session.send("/fmt a"))
    write_skill(data / "skills", "third")
    await collect(session.send("2"))
    await collect(session.send("3"))
    _, before, after = world.engine.requests
    assert "third" not in before.skills[0].text
    assert "third" in after.skills[0].text
    assert before.skills[1] == after.skills[1]


async def test_a_queued_call_is_a_call(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    session.enqueue("/lint")
    item = session.take_next()
    await collect(session.send(item.text))
    assert session.active_skills == ("lint",)


async def test_another_folder_reads_its_skills_anew(start, data, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    two.mkdir()
    write_skill(one / ".kinet/skills", "local")
    world = await start(skills=library(data))
    session = world.sessions.create(folder=one)
    await collect(session.send("/local"))
    session.set_folder(two)
    (told,) = notices(await collect(session.send("go on")))
    assert "There is no skill local any more." in told
    assert session.active_skills == ()


async def test_going_back_before_a_call_takes_the_skill_away_and_the_way_there_brings_it(
    start, data
):
    world = await start(skills=library(data))
    session = world.sessions.create()
    await collect(session.send("/lint"))
    await collect(session.send("/fmt a"))
    called = session.history()[2]
    await collect(session.send("go on"))
    await session.go_back(called.id)
    assert session.active_skills == ("lint",)
    await collect(session.send("without it"))
    assert titles(world.engine.requests[-1]) == ["Skills", "Skill lint"]
    await session.switch_branch(session.history()[2].id, -1)
    assert session.active_skills == ("lint", "fmt")
    assert notices(await collect(session.send("and with it"))) == []
    assert "Format a by" in world.engine.requests[-1].skills[2].text
    world = await start(skills=library(data))
    session = world.sessions.open(session.id)
    assert session.active_skills == ("lint", "fmt")


async def test_going_back_before_another_call_brings_the_earlier_arguments(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    await collect(session.send("/fmt a"))
    await collect(session.send("/fmt b"))
    await session.go_back(session.history()[2].id)
    await collect(session.send("go on"))
    first, _, last = world.engine.requests
    assert last.skills == first.skills


async def test_a_skill_taken_away_does_not_come_back_by_going_back(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    await collect(session.send("/fmt a"))
    session.remove_skill("fmt")
    await collect(session.send("go on"))
    await session.go_back(session.history()[2].id)
    assert session.active_skills == ()


async def test_going_back_makes_no_skill_of_a_word_that_was_none(start, data):
    world = await start(skills=library(data))
    session = world.sessions.create()
    await collect(session.send("1"))
    await collect(session.send("/etc is a folder"))
    await session.go_back(session.history()[2].id)
    await collect(session.send("2"))
    await session.switch_branch(session.history()[2].id, -1)
    assert session.active_skills == ()
    assert notices(await collect(session.send("go on"))) == []


def notices(events) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]
