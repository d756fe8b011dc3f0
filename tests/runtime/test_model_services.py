"""Models for a face: found, pasted, named without a clash, tried and priced."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.core.profile import ModelProfile, Price
from kinet.local.discovery import Found
from kinet.local.known_keys import owners
from kinet.runtime import create_runtime
from kinet.settings.services import Services
from tests.support.scripted_server import ScriptedServer


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return create_runtime(tmp_path / "home").services


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("sk-ant-api03-abcdefgh", ["Anthropic"]),
        ("sk-or-v1-abcdefgh", ["OpenRouter"]),
        ("sk-proj-abcdefgh", ["OpenAI"]),
        ("0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp", ["GLM"]),
    ],
)
def test_the_first_characters_tell_whose_key_it_is(key: str, names: list[str]) -> None:
    assert [known.name for known in owners(f" {key}\n")] == names


def test_a_key_that_tells_nothing_may_be_of_any_common_vendor() -> None:
    names = [known.name for known in owners("sk-1234567890abcdef")]
    assert {"OpenAI", "DeepSeek", "Kimi", "Qwen"} <= set(names)
    assert "Anthropic" not in names


async def test_a_found_server_and_a_found_key_become_profiles(services: Services) -> None:
    server = Found("ollama", "Ollama, port 11434", "", "http://127.0.0.1:11434/v1", "", ("oak",))
    assert services.profile_from(server) == ModelProfile("Ollama", server.base_url, "oak")
    key = Found("key", "Key in ANTHROPIC_API_KEY", key_env="ANTHROPIC_API_KEY")
    profile = services.profile_from(key)
    assert (profile.protocol, profile.key_env) == ("anthropic", "ANTHROPIC_API_KEY")


async def test_a_second_profile_of_a_vendor_gets_a_name_of_its_own(services: Services) -> None:
    (first,) = services.profiles_for_key("sk-ant-abcdefgh")
    await services.save_profile(first, None)
    (second,) = services.profiles_for_key("sk-ant-abcdefgh")
    assert (first.name, second.name) == ("Anthropic", "Anthropic 2")


async def test_a_profile_is_tried_with_one_verdict(services: Services) -> None:
    with ScriptedServer() as server:
        works = await services.probe(ModelProfile("x", server.base_url, "scripted"), "")
    gone = await services.probe(ModelProfile("x", server.base_url, "scripted"), "")
    assert (works.ok, works.verdict) == (True, "works")
    assert (gone.ok, gone.verdict, bool(gone.hint)) == (False, "unreachable", True)


async def test_the_models_of_the_profiles_come_first_in_the_price_table(
    services: Services,
) -> None:
    await services.save_profile(ModelProfile("mine", "http://127.0.0.1:1/v1", "my-own"), None)
    services.set_price("my-own", Price(input=1.0, output=2.0))
    first = services.price_rows()[0]
    assert (first.model, first.own, first.price.output) == ("my-own", True, 2.0)
    services.reset_price("my-own")
    assert not services.price_rows()[0].own
