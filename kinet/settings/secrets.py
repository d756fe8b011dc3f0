"""Keys in the keychain of this computer; else in the environment, or for this session only."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from typing import Any, Literal, Protocol, TypeVar

from kinet.core.errors import SettingsError
from kinet.core.profile import ModelProfile
from kinet.net import redact
from kinet.net.secret import Secret

T = TypeVar("T")

SERVICE = "kinet"
# An item that is never written: asking for it shows whether the keychain answers.
PROBE = "kinet-probe"
LONGEST_WAIT = 3.0
# Characters; what the keychain of Windows takes.
LONGEST_KEY = 1_280

KeychainState = Literal["found", "none", "locked", "refused", "unavailable", "plain-text"]
KeyPlace = Literal["keychain", "environment", "session", "none"]

REASONS: dict[KeychainState, str] = {
    "locked": "The keychain of this computer is locked.",
    "refused": "The keychain of this computer refused.",
    "unavailable": "This computer has no keychain that answers.",
    "plain-text": "The keychain set up here would write keys into a plain file; it is not used.",
}


def search_item(service: str) -> str:
    """The keychain's item for the key of a search service."""
    return f"search:{service}"


class Backend(Protocol):
    """What a keychain can do."""

    def get_password(self, service: str, username: str) -> str | None:
        """The kept text, or None."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keeps a text."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Removes a text."""
        ...


class Keychain:
    """The keys of all profiles. Nothing is asked before a key is needed, each item once per run.

    Methods that ask the keychain may block for `seconds`: call them in a thread. `backend` gives
    the keychain; by default the library's choice, which honours PYTHON_KEYRING_BACKEND.
    """

    def __init__(
        self, *, seconds: float = LONGEST_WAIT, backend: Callable[[], Backend] | None = None
    ) -> None:
        self._seconds = seconds
        self._find_backend = backend or _library_backend
        self._guard = threading.RLock()
        self._kept: dict[str, Secret | None] = {}
        self._session: dict[str, Secret] = {}
        self._stuck: threading.Thread | None = None
        self._state: KeychainState = "none"

    def get(self, profile_name: str) -> Secret | None:
        """The key kept for a profile: given for this session, or in the keychain; else None.

        A keychain that cannot answer gives None too; `state` says why.
        """
        with self._guard:
            if profile_name in self._session:
                return self._session[profile_name]
            if profile_name in self._kept:
                return self._kept[profile_name]
            state, text = self._ask(lambda backend: backend.get_password(SERVICE, profile_name))
            self._state = "found" if state == "none" and text else state
            secret = _secret(text) if text else None
            if state == "none":
                self._kept[profile_name] = secret
            return secret

    def get_now(self, name: str) -> Secret | None:
        """As `get`, but asked anew: another program may have changed it since."""
        with self._guard:
            self._kept.pop(name, None)
            return self.get(name)

    def key_for(self, profile: ModelProfile) -> Secret | None:
        """The key a request of this profile carries: environment first, then `get`; else None."""
        if profile.key_env:
            value = os.environ.get(profile.key_env, "")
            return _secret(value) if value.strip() else None
        return self.get(profile.name)

    def place(self, profile: ModelProfile) -> KeyPlace:
        """Where the key of this profile is."""
        if profile.key_env:
            return "environment" if os.environ.get(profile.key_env, "").strip() else "none"
        return self.kept_place(profile.name)

    def kept_place(self, name: str) -> KeyPlace:
        """Where the item of this name is kept, whatever the environment holds."""
        if name in self._session:
            return "session"
        return "keychain" if self.get(name) is not None else "none"

    def set(self, profile_name: str, key: Secret | str, *, session_only: bool = False) -> KeyPlace:
        """Keeps a key in the keychain, or where that cannot be for this session. Says where.

        SettingsError for a key that cannot be one. It is never written to a file.
        """
        secret = key if isinstance(key, Secret) else Secret(key)
        if not secret:
            raise SettingsError("The key is empty.", hint="Paste the whole key.")
        if len(secret.reveal()) > LONGEST_KEY:
            raise SettingsError(
                f"The key is longer than {LONGEST_KEY:,} characters: too long for a keychain.",
                hint="Check what was pasted, or put it into an environment variable.",
            )
        redact.register(secret)
        with self._guard:
            if not session_only:
                value = secret.reveal()
                state, _ = self._ask(lambda it: it.set_password(SERVICE, profile_name, value))
                self._state = "found" if state == "none" else state
                if state == "none":
                    self._session.pop(profile_name, None)
                    self._kept[profile_name] = secret
                    return "keychain"
            self._session[profile_name] = secret
            return "session"

    def delete(self, profile_name: str) -> None:
        """Removes the key of a profile, wherever it is kept; none is fine.

        SettingsError if the keychain holds one and would not remove it.
        """
        with self._guard:
            self._session.pop(profile_name, None)
            if self.get(profile_name) is None:
                return
            state, _ = self._ask(lambda it: it.delete_password(SERVICE, profile_name))
            if state != "none":
                raise SettingsError(
                    f"{REASONS[state]} The key of {profile_name} is still there.",
                    hint="Unlock the keychain and try again, or remove the item kinet in it.",
                )
            self._kept[profile_name] = None

    def state(self) -> KeychainState:
        """Whether keys can be kept: "found" and "none" mean yes. Asks the keychain."""
        with self._guard:
            state, text = self._ask(lambda backend: backend.get_password(SERVICE, PROBE))
            self._state = (
                "found" if state == "none" and (text or any(self._kept.values())) else state
            )
            return self._state

    @property
    def last_state(self) -> KeychainState:
        """What the keychain answered last, without asking it."""
        return self._state

    def _ask(self, act: Callable[[Backend], T]) -> tuple[KeychainState, T | None]:
        """What came back, "none" meaning that the keychain did it. Ends within the limit."""
        if self._stuck is not None and self._stuck.is_alive():
            return "unavailable", None
        answer: Future[tuple[KeychainState, T | None]] = Future()
        thread = threading.Thread(
            target=_answer,
            args=(self._find_backend, act, answer),
            name="kinet-keychain",
            daemon=True,
        )
        thread.start()
        try:
            return answer.result(self._seconds)
        except TookTooLong:
            # A thread that hangs in the system cannot be ended; it is left alone, and no other
            # is sent after it.
            self._stuck = thread
            return "unavailable", None


def _answer(
    find: Callable[[], Backend],
    act: Callable[[Backend], T],
    answer: Future[tuple[KeychainState, T | None]],
) -> None:
    from keyring.errors import InitError, KeyringError, KeyringLocked, NoKeyringError

    try:
        backend = find()
        unfit = _unfit(backend)
        answer.set_result((unfit, None) if unfit else ("none", act(backend)))
    except KeyringLocked:
        answer.set_result(("locked", None))
    except (NoKeyringError, InitError, ImportError):
        answer.set_result(("unavailable", None))
    except KeyringError:
        answer.set_result(("refused", None))
    except Exception as exc:  # noqa: BLE001 - back ends raise what their system raises
        answer.set_result((_state_of(exc), None))


def _library_backend() -> Backend:
    import keyring

    return keyring.get_keyring()


def _unfit(backend: Any) -> KeychainState | None:
    """Why a back end is not used, None if it may be."""
    chain = getattr(backend, "backends", None)
    if isinstance(chain, list | tuple):
        # A chain keeps with its first member and reads from all: one that is unfit spoils it.
        return next((unfit for link in chain if (unfit := _unfit(link))), None)
    kind = type(backend)
    name = f"{kind.__module__}.{kind.__qualname__}".lower()
    if "plaintext" in name or "keyrings.alt" in name or "cryptfile" in name:
        return "plain-text"
    if name.startswith(("keyring.backends.fail", "keyring.backends.null")):
        return "unavailable"
    return None


def _state_of(exc: Exception) -> KeychainState:
    # Without a message bus or a service on it, back ends raise errors of their own libraries.
    return "refused" if isinstance(exc, PermissionError) else "unavailable"


def _secret(text: str) -> Secret:
    secret = Secret(text)
    redact.register(secret)
    return secret
