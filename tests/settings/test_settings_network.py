"""Every connection setting acts on the client that all models are asked over."""

from __future__ import annotations

import ssl
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from kinet.core.errors import SettingsError
from kinet.core.profile import ModelProfile
from kinet.net.client import RoutingTransport
from kinet.net.recording import RecordingTransport
from kinet.providers.transport.complaints import Complaint
from kinet.settings.model_choice import ModelChoice
from kinet.settings.options import Options
from kinet.settings.secrets import Keychain
from kinet.settings.store import SettingsStore

PROFILE = ModelProfile("tester", "https://api.server.test/v1", "m")
CERTIFICATE = Path(__file__).parents[1] / "attacks" / "certificates"


@pytest.fixture
def settings(tmp_path: Path) -> SettingsStore:
    store = SettingsStore(tmp_path)
    store.save_profile(PROFILE)
    return store


@pytest.fixture
async def models(settings: SettingsStore):
    choice = ModelChoice(settings, Keychain(), Options())
    yield choice
    await choice.close()


async def way(models: ModelChoice, url: str) -> str:
    """Which way a request to `url` goes now."""
    recording = (await models.client())._transport
    assert isinstance(recording, RecordingTransport)
    transport = recording._inner
    assert isinstance(transport, RoutingTransport)
    return "direct" if transport.route(httpx.URL(url)) is transport._direct else "proxied"


async def test_a_proxy_and_its_exceptions_count_from_the_next_request(settings, models):
    assert await way(models, PROFILE.base_url) == "direct"
    settings.set("network.proxy", "http://proxy.test:3128")
    assert await way(models, PROFILE.base_url) == "proxied"
    assert await way(models, "http://127.0.0.1:11434/v1") == "direct"
    settings.set("network.no_proxy", ".server.test, 10.0.0.0/8")
    assert await way(models, PROFILE.base_url) == "direct"
    assert await way(models, "https://elsewhere.test/") == "proxied"


async def test_a_client_in_use_is_kept_until_the_end(settings, models):
    before = await models.client()
    settings.set("network.proxy", "http://proxy.test:3128")
    after = await models.client()
    assert after is not before
    assert not before.is_closed
    await models.close()
    assert before.is_closed
    assert after.is_closed


async def test_an_extra_certificate_is_trusted(settings, models, monkeypatch):
    trusted: list[str] = []
    load = ssl.SSLContext.load_verify_locations

    def note(self, cafile=None, capath=None, cadata=None):
        trusted.append(str(cafile))
        return load(self, cafile, capath, cadata)

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", note)
    file = CERTIFICATE / "authority.pem"
    settings.set("network.ca_file", str(file))
    await models.client()
    assert str(file) in trusted


async def test_a_file_that_is_no_certificate_is_named(settings, models, tmp_path):
    broken = tmp_path / "broken.pem"
    broken.write_text("nothing")
    settings.set("network.ca_file", str(broken))
    with pytest.raises(SettingsError, match="broken"):
        await models.client()


async def test_silence_and_retries_reach_the_provider(settings, models):
    settings.set("network.stall_seconds", 7)
    settings.set("network.retries", 1)
    provider = models.provider(PROFILE)
    assert provider._retries == 1
    assert provider._connection.stall_seconds == 7


async def test_what_a_server_refuses_by_name_is_remembered_for_the_profile(settings, models):
    refusals = models.provider(PROFILE)._dialect._refusals
    complaint = Complaint("Unsupported parameter: temperature", param="temperature")
    assert refusals.learn(complaint, {"temperature": 0.5, "model": "m"})
    settings.set("network.retries", 0)
    assert models.provider(PROFILE)._dialect._refusals.names == {"temperature"}
    again = ModelChoice(settings, Keychain(), Options())
    assert again.provider(PROFILE)._dialect._refusals.names == {"temperature"}
    other = replace(PROFILE, model="another")
    assert again.provider(other)._dialect._refusals.names == set()
    await again.close()


async def test_an_empty_variable_means_no_key_and_a_missing_one_is_named(models, monkeypatch):
    profile = replace(PROFILE, key_env="PINE_KEY")
    monkeypatch.setenv("PINE_KEY", "")
    assert models.key(profile) is None
    monkeypatch.delenv("PINE_KEY")
    with pytest.raises(SettingsError, match="PINE_KEY"):
        models.key(profile)
