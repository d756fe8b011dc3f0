"""Vendors as data, addresses as typed, probing in words."""

from __future__ import annotations

import json

import httpx
import pytest
from provider_server import Playing, ScriptedServer, says_ok

from kinet.core.errors import BadRequestError
from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.providers.catalog import VENDORS, list_models, probe, vendor_of
from kinet.providers.transport.addresses import chat_address, messages_address, models_address


@pytest.mark.parametrize(
    ("base_url", "model", "vendor"),
    [
        ("https://api.openai.com/v1", "anything", "openai"),
        ("https://open.bigmodel.cn/api/paas/v4", "glm-4.6", "glm"),
        ("https://gateway.test/api/paas/v4", "x", "glm"),
        ("https://me.openai.azure.com/openai/v1", "gpt-5", "azure"),
        ("http://localhost:11434/v1", "mistral-small", "ollama"),
        ("http://127.0.0.1:1234/v1", "gpt-oss", "lmstudio"),
        ("http://127.0.0.1:8080", "deepseek-r1", "llamacpp"),
        ("http://127.0.0.1:45001/v1", "deepseek-reasoner", "deepseek"),
        ("https://gateway.test/v1", "gpt-5-mini", "openai"),
        ("https://gateway.test/v1", "anthropic/claude-sonnet-4.5", "openrouter"),
        ("https://gateway.test/v1", "who-knows", "generic"),
        ("https://api.openai.com.evil.test/v1", "x", "generic"),
    ],
)
def test_the_vendor_is_told_from_host_port_path_and_model(base_url, model, vendor):
    assert vendor_of(ModelProfile("t", base_url, model)).id == vendor


def test_a_named_vendor_wins():
    profile = ModelProfile("t", "https://api.openai.com/v1", "gpt-5", vendor="Kimi")
    assert vendor_of(profile).id == "moonshot"
    assert vendor_of(ModelProfile("t", "x", "y", vendor="no such")).id == "generic"
    assert len({vendor.id for vendor in VENDORS}) == len(VENDORS)


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("https://h.test/v1", "https://h.test/v1/chat/completions"),
        ("https://h.test/v1/", "https://h.test/v1/chat/completions"),
        (" https://h.test/v1\n", "https://h.test/v1/chat/completions"),
        ("https://h.test", "https://h.test/v1/chat/completions"),
        ("h.test/v1", "https://h.test/v1/chat/completions"),
        ("localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("https://h.test/api/paas/v4", "https://h.test/api/paas/v4/chat/completions"),
        ("https://h.test/v1/chat/completions/", "https://h.test/v1/chat/completions"),
        ("https://h.test/v1/models", "https://h.test/v1/chat/completions"),
        ("https://h.test/d?api-version=1", "https://h.test/d/chat/completions?api-version=1"),
    ],
)
def test_an_address_is_completed_not_doubled(typed, asked):
    assert chat_address(typed) == asked


def test_the_other_protocols_have_their_own_ends():
    assert messages_address("https://h.test") == "https://h.test/v1/messages"
    assert messages_address("https://h.test/v1/messages") == "https://h.test/v1/messages"
    assert messages_address("https://h.test/anthropic") == "https://h.test/anthropic/v1/messages"
    assert models_address("https://h.test/v1/chat/completions") == "https://h.test/v1/models"
    assert models_address("https://h.test", "anthropic") == "https://h.test/v1/models"


@pytest.mark.parametrize(
    "typed", ["", "  ", "ftp://h/x", "http://", "https://h:port/", "file:///x"]
)
def test_an_unusable_address_is_told_in_words(typed):
    with pytest.raises(BadRequestError) as caught:
        chat_address(typed)
    assert caught.value.hint


MODELS = json.dumps({"data": [{"id": "b"}, {"id": "a"}]}).encode()


async def lists(play: Playing) -> None:
    """The list of two models."""
    await play.whole(200, MODELS)


def refuses(status: int, words: str):
    """A script that answers with an error."""

    async def script(play: Playing) -> None:
        await play.whole(status, json.dumps({"error": {"message": words}}).encode())

    return script


async def test_a_working_profile_is_told_so_with_its_models():
    async with ScriptedServer(lists, says_ok) as server:
        profile = ModelProfile("t", server.base_url, "a")
        result = await probe(profile, Secret("k"))
        assert (result.ok, result.verdict, result.models) == (True, "works", ("a", "b"))
        assert server.asked[0].headers["authorization"] == "Bearer k"


async def test_a_server_without_a_list_still_works():
    async with ScriptedServer(refuses(404, "no route"), says_ok) as server:
        result = await probe(ModelProfile("t", server.base_url, "a"), None)
    assert (result.ok, result.models) == (True, ())


@pytest.mark.parametrize(
    ("scripts", "verdict"),
    [
        ((refuses(401, "bad key"),), "key_refused"),
        ((lists, refuses(401, "bad key")), "key_refused"),
        ((lists, refuses(402, "Insufficient Balance")), "no_credit"),
        ((lists, refuses(404, "model a does not exist")), "model_not_offered"),
        ((lists, refuses(400, "nonsense")), "protocol"),
    ],
)
async def test_what_is_wrong_has_a_name(scripts, verdict):
    async with ScriptedServer(*scripts) as server:
        result = await probe(ModelProfile("t", server.base_url, "a"), Secret("k"))
    assert (result.ok, result.verdict) == (False, verdict)
    assert result.detail
    assert result.hint


async def test_nothing_listening_has_a_name():
    result = await probe(ModelProfile("t", "http://127.0.0.1:9/v1", "a"), None)
    assert result.verdict == "unreachable"


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (httpx.ConnectError("[Errno -2] Name or service not known"), "host_not_found"),
        (httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed"), "certificate"),
        (httpx.ProxyError("407 Proxy Authentication Required"), "proxy_refused"),
        (httpx.ConnectTimeout(""), "timeout"),
    ],
)
async def test_failures_of_the_network_have_names(error, verdict):
    def handle(request: httpx.Request) -> httpx.Response:
        raise error

    profile = ModelProfile("t", "https://h.test/v1", "a")
    async with httpx.AsyncClient(transport=httpx.MockTransport(handle)) as client:
        result = await probe(profile, None, client)
    assert (result.ok, result.verdict) == (False, verdict)
    assert result.hint


async def test_models_are_listed_from_any_envelope():
    bodies = [b'{"models": [{"name": "models/x"}]}', b'[{"id": "x"}]', b'{"data": ["x"]}']
    for body in bodies:

        async def answers(play: Playing, body: bytes = body) -> None:
            await play.whole(200, body)

        async with ScriptedServer(answers) as server:
            assert await list_models(ModelProfile("t", server.base_url, ""), None) == ["x"]
