"""Pictures that tools read: they reach a model that sees, and are words for one that does not."""

from __future__ import annotations

import base64
import io
import json

import pytest
from PIL import Image

from kinet.core.events import ToolFinished, from_json, to_json
from kinet.providers.catalog import create_provider
from kinet.providers.transport.complaints import Complaint
from kinet.providers.transport.refusals import Refusals
from kinet.tools.catalog import builtin_tools
from tests.support.chat import Chat
from tests.support.replies import asks_for, fails, says
from tests.support.scripted_server import ScriptedServer
from tests.support.turns import last

PROTOCOLS = ("openai", "anthropic", "responses")


def picture(side: int = 40) -> bytes:
    out = io.BytesIO()
    Image.linear_gradient("L").resize((side, side)).save(out, "PNG")
    return out.getvalue()


async def read_it(server: ScriptedServer, protocol: str, folder, **fields) -> list:
    provider = create_provider(server.profile(protocol, **fields), None)
    events = await Chat(tools=builtin_tools(), folder=folder).send(provider, "Look at a.png.")
    await provider.close()
    return events


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_picture_that_is_read_reaches_the_model(protocol, tmp_path):
    (tmp_path / "a.png").write_bytes(picture())
    with ScriptedServer(asks_for("read_file", path="a.png"), says("A gradient.")) as server:
        events = await read_it(server, protocol, tmp_path)
    assert server.problems == []
    assert last(events).reason == "completed"
    sent = json.dumps(server.bodies[1])
    assert base64.b64encode(picture()).decode() in sent
    assert "a.png is a PNG picture" in sent
    (finished,) = [event for event in events if isinstance(event, ToolFinished)]
    assert from_json(json.loads(json.dumps(to_json(finished)))) == finished


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_model_that_cannot_see_is_told_so(protocol, tmp_path):
    (tmp_path / "a.png").write_bytes(picture())
    with ScriptedServer(asks_for("read_file", path="a.png"), says("I cannot see.")) as server:
        await read_it(server, protocol, tmp_path, vision=False)
    sent = json.dumps(server.bodies[1])
    assert base64.b64encode(picture()).decode() not in sent
    assert "cannot see pictures" in sent


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "words",
    [
        "This model does not support image input.",
        "unknown variant `image_url`, expected `text`",
        "Invalid content type. image_url is only supported by certain models.",
    ],
)
async def test_a_server_that_takes_no_pictures_gets_words_and_the_turn_goes_on(
    protocol, words, tmp_path
):
    (tmp_path / "a.png").write_bytes(picture())
    refuses = fails(400, json.dumps({"error": {"message": words}}))
    script = (asks_for("read_file", path="a.png"), refuses, says("I cannot see."), says("Yes."))
    with ScriptedServer(*script) as server:
        events = await read_it(server, protocol, tmp_path)
    assert last(events).reason == "completed"
    assert base64.b64encode(picture()).decode() in json.dumps(server.bodies[1])
    assert base64.b64encode(picture()).decode() not in json.dumps(server.bodies[2])
    assert "cannot see pictures" in json.dumps(server.bodies[2])
    assert len(server.bodies) == 3


BODY = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]}


@pytest.mark.parametrize(
    "words",
    [
        "image exceeds 5 MB maximum", "Unsupported image format", "Could not process image",
        "the model does not exist", "Invalid image: not a valid base64 string",
    ],
)  # fmt: skip
def test_a_complaint_about_one_picture_is_no_blindness(words):
    assert not Refusals().learn(Complaint(words), BODY)


def test_blindness_is_not_kept_beyond_the_run():
    told: list[frozenset[str]] = []
    refusals = Refusals(learnt=told.append)
    assert refusals.learn(Complaint("images are not supported"), BODY)
    assert not refusals.learn(Complaint("images are not supported"), BODY)
    assert refusals.learn(Complaint("temperature is not supported"), {"temperature": 1, **BODY})
    assert told == [frozenset({"temperature"})]
    assert BODY["messages"][0]["content"][0]["type"] == "image_url", "kept pieces are not touched"


def test_only_words_are_left_where_a_server_takes_only_words():
    refusals = Refusals()
    ollama = {"messages": [{"role": "user", "content": "look", "images": ["iVBOR"]}]}
    assert refusals.learn(Complaint("this model is missing data required for image input"), ollama)
    (message,) = refusals.apply(ollama)["messages"]
    assert message.keys() == {"role", "content"}
    assert message["content"].startswith("look")
    (message,) = refusals.apply(BODY)["messages"]
    assert isinstance(message["content"], str)
