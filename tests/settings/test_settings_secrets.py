"""Keys are in the keychain, the environment or memory, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from keyring.backends.chainer import ChainerBackend
from keyring.backends.fail import Keyring as FailKeyring
from keyring.errors import KeyringLocked, NoKeyringError, PasswordSetError

from kinet.core.errors import SettingsError
from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.settings.secrets import SERVICE, Keychain

KEY = "sk-canary-0123456789abcdef"
PROFILE = ModelProfile("work", "https://example.org/v1", "m")


class FakeKeychain:
    """A keychain in memory that counts how often it is asked."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], str] = {}
        self.reads = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.reads += 1
        return self.items.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.items[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.items[service, username]


class Failing(FakeKeychain):
    """A keychain that answers everything with an error."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def get_password(self, service: str, username: str) -> str | None:
        raise self.error

    def set_password(self, service: str, username: str, password: str) -> None:
        raise self.error


class PlaintextKeyring(FakeKeychain):
    """A keychain that is a plain file, by its name."""


class Hanging(FakeKeychain):
    """A keychain that does not come back until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.started = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.started += 1
        self.gate.wait(20)
        return None


def chain_of(backend: object) -> ChainerBackend:
    class Chain(ChainerBackend):
        backends = [backend]  # noqa: RUF012 - as the library declares it

    return Chain()


def test_a_key_is_kept_in_the_keychain_and_read_once_a_run():
    fake = FakeKeychain()
    assert Keychain(backend=lambda: fake).set("work", f"  {KEY}\n") == "keychain"
    assert fake.items == {(SERVICE, "work"): KEY}
    again = Keychain(backend=lambda: fake)
    assert [again.get("work"), again.get("work")] == [Secret(KEY), Secret(KEY)]
    assert again.get("other") is None
    assert again.get("other") is None
    assert fake.reads == 2
    assert again.place(PROFILE) == "keychain"


def test_a_removed_key_is_gone_everywhere():
    fake = FakeKeychain()
    keychain = Keychain(backend=lambda: fake)
    keychain.set("work", KEY)
    keychain.set("tour", KEY, session_only=True)
    keychain.delete("work")
    keychain.delete("tour")
    keychain.delete("never was")
    assert fake.items == {}
    assert keychain.get("work") is None
    assert keychain.get("tour") is None


@pytest.mark.parametrize(
    ("backend", "state"),
    [
        (FailKeyring(), "unavailable"),
        (Failing(NoKeyringError()), "unavailable"),
        (Failing(OSError("no bus")), "unavailable"),
        (Failing(KeyringLocked()), "locked"),
        (Failing(PasswordSetError()), "refused"),
        (Failing(PermissionError()), "refused"),
        (PlaintextKeyring(), "plain-text"),
        (chain_of(PlaintextKeyring()), "plain-text"),
        (FakeKeychain(), "none"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_each_state_is_told_and_the_key_holds_for_this_session(backend, state):
    keychain = Keychain(backend=lambda: backend)
    assert keychain.state() == state
    assert keychain.get("work") is None
    usable = state == "none"
    assert keychain.set("work", KEY) == ("keychain" if usable else "session")
    assert keychain.get("work") == Secret(KEY)
    assert keychain.place(PROFILE) == ("keychain" if usable else "session")
    if isinstance(backend, PlaintextKeyring):
        assert backend.items == {}


def test_a_backend_that_cannot_be_loaded_is_unavailable():
    def broken() -> FakeKeychain:
        raise ImportError("no such back end")

    assert Keychain(backend=broken).state() == "unavailable"


def test_a_hanging_keychain_ends_at_the_limit_and_gets_no_second_thread():
    hanging = Hanging()
    keychain = Keychain(seconds=0.05, backend=lambda: hanging)
    try:
        assert keychain.get("work") is None
        assert keychain.last_state == "unavailable"
        assert keychain.state() == "unavailable"
        assert keychain.set("work", KEY) == "session"
        assert hanging.started == 1
        assert keychain.get("work") == Secret(KEY)
    finally:
        hanging.gate.set()


def test_the_environment_comes_first_and_is_never_written(monkeypatch):
    fake = FakeKeychain()
    keychain = Keychain(backend=lambda: fake)
    profile = ModelProfile("work", "https://example.org/v1", "m", key_env="KINET_TEST_KEY")
    monkeypatch.delenv("KINET_TEST_KEY", raising=False)
    assert keychain.key_for(profile) is None
    assert keychain.place(profile) == "none"
    monkeypatch.setenv("KINET_TEST_KEY", KEY)
    assert keychain.key_for(profile) == Secret(KEY)
    assert keychain.place(profile) == "environment"
    assert fake.reads == 0
    assert fake.items == {}


@pytest.mark.parametrize("key", ["", " \n", "k" * 1_281], ids=["empty", "blank", "too long"])
def test_what_cannot_be_a_key_is_refused_in_words(key):
    with pytest.raises(SettingsError) as caught:
        Keychain(backend=FakeKeychain).set("work", key)
    assert caught.value.hint


def test_the_back_end_named_in_the_environment_is_used(tmp_path: Path):
    (tmp_path / "own_backend.py").write_text(
        "from keyring.backend import KeyringBackend\n"
        "class Keyring(KeyringBackend):\n"
        "    priority = 1\n"
        "    def get_password(self, service, username): return f'{service}-{username}-key'\n"
        "    def set_password(self, service, username, password): pass\n"
        "    def delete_password(self, service, username): pass\n"
    )
    program = (
        "from kinet.settings.secrets import Keychain\n"
        "keychain = Keychain(seconds=30)\nprint(keychain.get('work').reveal())\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHON_KEYRING_BACKEND": "own_backend.Keyring"},
    )  # fmt: skip
    assert said.stdout.strip() == "kinet-work-key"
