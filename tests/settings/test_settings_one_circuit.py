"""A server that fails again and again is left alone by the engine, and by nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.core.errors import ProviderError
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.providers.base import ModelRequest
from kinet.settings.model_choice import ModelChoice
from kinet.settings.options import Options
from kinet.settings.secrets import Keychain
from kinet.settings.store import SettingsStore
from tests.support.scripted_server import ScriptedServer, fails


async def test_what_the_engine_asks_in_spite_of_failures_reaches_the_server(tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path)
    settings.set("network.retries", 0)
    models = ModelChoice(settings, Keychain(), Options())
    with ScriptedServer(*[fails(500) for _ in range(7)]) as server:
        profile = ModelProfile("tester", server.base_url, "m")
        settings.save_profile(profile)
        request = ModelRequest(messages=(Message("user", "hello"),))
        for _ in range(7):
            with pytest.raises(ProviderError) as told:
                await models.provider(profile).stream(request).__anext__()
            assert told.value.status == 500
        assert len(server.requests) == 7
    await models.close()
