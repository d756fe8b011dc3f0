"""kinet serve: saved profiles, and what a session is without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import environment
from tests.serve.conftest import new
from tests.support.rpc_client import Error, RpcClient
from tests.support.scripted_server import Gate, ScriptedServer, says


def _settings(home: Path, **values: Any) -> None:
    home.mkdir()
    (home / "settings.json").write_text(json.dumps(values))


def _profile(name: str, server: ScriptedServer, model: str) -> dict[str, str]:
    return {"name": name, "base_url": server.base_url, "protocol": "openai", "model": model}


def test_sessions_ask_the_profiles_that_were_chosen_for_them(
    home: Path, folder: Path, model: ScriptedServer
) -> None:
    _settings(
        home,
        profiles=[_profile("Fast", model, "fast-1"), _profile("Deep", model, "deep-1")],
        approvals={"mode": "plan"},
    )
    with RpcClient(env=environment(home), cwd=folder) as client:
        told = client.greet()
        assert told["profiles"] == [
            {"name": "Fast", "model": "fast-1"},
            {"name": "Deep", "model": "deep-1"},
        ]
        # The person's settings are the widest, where the command line says nothing.
        assert (told["mode"], told["modes"]) == ("plan", ["deny", "plan"])
        with pytest.raises(Error, match=r"no profile 'Slow'. Profiles: Fast, Deep\."):
            client.call("session/new", profile="Slow")
        usual, deep = new(client), new(client, profile="Deep")
        for session in (usual, deep):
            client.call("session/send", session_id=session, text="hello")
        client.call("session/set", session_id=usual, profile="Deep", effort="high")
        assert client.call("session/get", session_id=usual)["profile"] == "Deep"
        client.call("session/send", session_id=usual, text="and now")
    assert [body["model"] for body in model.bodies] == ["fast-1", "deep-1", "deep-1"]


def test_without_a_model_it_is_said_what_to_do_and_nothing_is_stored(
    home: Path, folder: Path
) -> None:
    with RpcClient(env=environment(home), cwd=folder) as client:
        client.greet()
        session = new(client)
        with pytest.raises(Error, match=r"No model is chosen yet\.") as told:
            client.call("session/send", session_id=session, text="hello")
        assert (told.value.code, told.value.data["kind"]) == (-32000, "settings")
        assert "Choose one in the settings" in told.value.data["hint"]
        assert client.call("session/list") == {"sessions": []}
        # In the queue it waits, and says why.
        client.call("queue/add", session_id=session, text="hello")
        client.wait(lambda: any(item["method"] == "queue/refused" for item in client.told))
        assert [item["text"] for item in client.call("session/get", session_id=session)["queue"]]


def test_a_session_goes_to_another_folder_between_turns_alone(
    home: Path, folder: Path, model: ScriptedServer, tmp_path: Path
) -> None:
    _settings(home, profiles=[_profile("Fast", model, "fast-1")])
    gate = Gate()
    model.replies(says("One", gate, "."))
    other = tmp_path / "other"
    other.mkdir()
    with RpcClient(env=environment(home), cwd=folder) as client:
        client.greet()
        session = new(client)
        turn = client.ask("session/send", session_id=session, text="one")
        client.wait(lambda: "text_delta" in client.types(session))
        with pytest.raises(Error, match="when it has ended"):
            client.call("session/open", session_id=session, cwd=str(other))
        gate.open()
        client.answer(turn)
        moved = client.call("session/open", session_id=session, cwd=str(other))
        assert moved["cwd"] == str(other)
        client.call("session/send", session_id=session, text="two")
    assert str(other) in json.dumps(model.bodies[1]["messages"][-1])
