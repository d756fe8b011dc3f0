"""Development servers are named one by one, checked when they are named, and judged by that."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.core.errors import SettingsError
from kinet.policy.network import judge_url
from kinet.settings.options import Options
from kinet.settings.secrets import Keychain, search_item
from kinet.settings.store import SettingsStore
from kinet.settings.turn_choices import TurnChoices

KEY = "network.local_permits"


def test_a_server_is_kept_in_the_judges_form_and_reaches_the_judge(tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path)
    settings.set(KEY, [" LocalHost:3000", "[::1]:8080", "192.168.0.7:5000"])
    permits = TurnChoices(settings, Options()).local_permits()
    assert permits == {"localhost:3000", "::1:8080", "192.168.0.7:5000"}
    for url in ("http://localhost:3000/a", "http://[::1]:8080/", "http://192.168.0.7:5000/"):
        assert judge_url(url).verdict == "deny"
        assert judge_url(url, local_permits=permits).verdict == "ask"
    for url in ("http://localhost:3001/", "http://127.0.0.1:3000/", "http://192.168.0.7/"):
        assert judge_url(url, local_permits=permits).verdict == "deny"


@pytest.mark.parametrize(
    "text",
    ["localhost", ":80", "a b:80", "localhost:22", "http://localhost:80", "169.254.169.254:80"],
)
def test_what_is_no_server_or_never_one_is_refused_in_words(text: str, tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path)
    with pytest.raises(SettingsError) as caught:
        settings.set(KEY, [text])
    assert "Value error" not in caught.value.sentence()
    assert not settings.get(KEY)


def test_a_file_with_a_wrong_server_permits_none(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"network": {"local_permits": ["x:1", "nonsense"]}}')
    assert TurnChoices(SettingsStore(tmp_path), Options()).local_permits() == frozenset()


class OneKey:
    """A keychain that holds what it was given."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.items.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.items[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.items[service, username]


def test_a_search_key_comes_from_the_keychain(tmp_path: Path) -> None:
    backend = OneKey()
    keychain = Keychain(backend=lambda: backend)
    keychain.set(search_item("brave"), "BRAVE-KEY-123456")
    settings = SettingsStore(tmp_path)
    settings.set("network.search", "brave")
    choice = TurnChoices(settings, Options(), keychain)._search()
    kept = choice.kept_key("brave")
    assert kept is not None
    assert kept.reveal() == "BRAVE-KEY-123456"
    assert choice.kept_key("tavily") is None
    assert "BRAVE-KEY" not in (tmp_path / "settings.json").read_text()
