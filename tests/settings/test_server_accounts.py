"""Sign-ins to tool servers: kept in the keychain in pieces, and what becomes of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kinet.core.errors import SettingsError
from kinet.mcp.account import Account, read_account
from kinet.mcp.definition import read_definition
from kinet.net.redact import redact
from kinet.settings.secrets import Keychain
from kinet.settings.server_accounts import KeychainAccounts
from kinet.settings.server_services import ServerServices
from kinet.settings.store import SettingsStore
from kinet.settings.tool_servers import ToolServerBook

URL = "https://mcp.example.com/mcp"
DOCS = read_definition("docs", {"url": URL})


class Items:
    """A keychain in memory, as strict about lengths as the strictest one."""

    def __init__(self) -> None:
        self.items: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.items.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        assert len(password) <= 1_280
        self.items[username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.items[username]


class NoKeychain(Items):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise OSError("no service answers")


@pytest.fixture
def items() -> Items:
    return Items()


def accounts(items: Items, home: Path = Path("/home/a")) -> KeychainAccounts:
    return KeychainAccounts(Keychain(backend=lambda: items), home)


def long_token(size: int = 6_000) -> str:
    """One that nothing packs."""
    import secrets

    return secrets.token_urlsafe(size)


def test_a_long_sign_in_comes_back_whole(items: Items, tmp_path: Path) -> None:
    account = Account(URL, long_token(), long_token(), "a b", 12.5, {"client_id": "漢"})
    assert accounts(items).keep(DOCS, account.to_text()) == "keychain"
    assert len(items.items) > 5
    # Another program with the same keychain and data folder.
    kept = accounts(items).load(DOCS)
    assert read_account(kept, URL) == account
    assert read_account(kept, "https://elsewhere.example/mcp") is None
    accounts(items).keep(DOCS, "short")
    assert accounts(items).load(DOCS) == "short"
    assert len(items.items) == 1, "what is not needed any more goes"
    accounts(items).forget(DOCS)
    assert items.items == {}


def test_a_sign_in_belongs_to_one_server_and_data_folder(items: Items) -> None:
    accounts(items).keep(DOCS, "mine")
    assert accounts(items, Path("/home/b")).load(DOCS) == ""
    for other in (
        replace(DOCS, name="more"),
        replace(DOCS, url="https://other.example/mcp"),
        replace(DOCS, place="folder", folder="/project"),
    ):
        assert accounts(items).load(other) == ""
    assert accounts(items).load(replace(DOCS, enabled=False)) == "mine"


def test_what_was_half_written_is_nothing(items: Items) -> None:
    kept = accounts(items)
    kept.keep(DOCS, long_token())
    before = dict(items.items)
    kept.keep(DOCS, long_token())
    names = sorted(items.items)
    for mixed in (
        {**items.items, names[1]: before[names[1]]},
        {name: text for name, text in items.items.items() if name != names[2]},
        {**items.items, names[0]: "nonsense"},
        {**items.items, names[0]: "999|x"},
        {**items.items, names[0]: items.items[names[0]][:200]},
    ):
        items.items = mixed
        assert accounts(items).load(DOCS) == ""


def test_what_comes_from_the_keychain_is_in_no_log() -> None:
    account = Account(URL, long_token(30), long_token(30), client={"client_secret": long_token(30)})
    read = read_account(account.to_text(), URL)
    assert read == account
    for secret in (account.access_token, account.refresh_token, account.client["client_secret"]):
        assert secret not in redact(f"saw {secret}.")
        assert secret not in repr(read)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"url": 1, "access_token": "x"}', "null"])
def test_nonsense_is_no_account(text: str) -> None:
    assert read_account(text, URL) is None


def test_without_a_keychain_it_ends_with_the_program_and_is_in_no_file(tmp_path: Path) -> None:
    keychain = Keychain(backend=NoKeychain)
    kept = KeychainAccounts(keychain, tmp_path)
    assert kept.keep(DOCS, "secret-sign-in") == "session"
    assert kept.load(DOCS) == "secret-sign-in"
    assert KeychainAccounts(Keychain(backend=NoKeychain), tmp_path).load(DOCS) == ""
    assert list(tmp_path.rglob("*")) == []


def test_one_that_no_keychain_would_take_is_kept_for_the_session(items: Items) -> None:
    kept, huge = accounts(items), long_token(80_000)
    assert kept.keep(DOCS, huge) == "session"
    assert kept.load(DOCS) == huge
    assert items.items == {}


async def test_a_keychain_that_does_not_let_go_is_told(tmp_path: Path, items: Items) -> None:
    def refuse(service: str, username: str) -> None:
        raise PermissionError("no")

    kept = Kept(tmp_path, items)
    await kept.save({"url": URL})
    kept.book.accounts.keep(DOCS, Account(URL, "token-of-the-person").to_text())
    items.delete_password = refuse  # type: ignore[method-assign]
    try:
        with pytest.raises(SettingsError, match="is still there"):
            await kept.services.sign_ins.sign_out("docs", None)
    finally:
        kept.book.close()


class Kept:
    """The settings of one data folder, with servers that are never started."""

    def __init__(self, home: Path, items: Items) -> None:
        keychain = Keychain(backend=lambda: items)
        self.settings = SettingsStore(home)
        self.book = ToolServerBook(self.settings, keychain, lambda folder: ("", False))
        self.services = ServerServices(self.settings, keychain, self.book)

    def signed_in(self, name: str = "docs", url: str = URL) -> bool:
        return self.book.accounts.load(read_definition(name, {"url": url})) != ""

    async def save(self, entry: dict[str, Any], name: str = "docs", old_name: str = "") -> None:
        await self.services.save(name, entry, old_name=old_name)


@pytest.fixture
def kept(tmp_path: Path, items: Items) -> Kept:
    return Kept(tmp_path, items)


async def test_a_sign_in_goes_with_its_server(kept: Kept, items: Items) -> None:
    await kept.save({"url": URL})
    kept.book.accounts.keep(DOCS, "account")
    await kept.save({"url": URL, "timeout": 30})
    assert kept.signed_in(), "nothing that matters was changed"
    await kept.save({"url": URL}, "papers", "docs")
    assert kept.signed_in("papers")
    assert not kept.signed_in("docs")
    await kept.save({"url": "https://new.example/mcp"}, "papers", "papers")
    assert not kept.signed_in("papers")
    assert items.items == {}
    kept.book.accounts.keep(read_definition("papers", {"url": "https://new.example/mcp"}), "again")
    await kept.services.remove("papers")
    assert items.items, "it can be put back"
    await kept.services.forget_removed()
    assert items.items == {}


def written(home: Path) -> str:
    return "".join(path.read_text() for path in home.rglob("*") if path.is_file())


async def test_a_client_secret_lies_in_the_keychain(
    kept: Kept, items: Items, tmp_path: Path
) -> None:
    given = {"clientId": "kinet", "clientSecret": "correct-horse-battery", "callbackPort": 3118}
    await kept.save({"url": URL, "oauth": given})
    entry = kept.services.entry("docs")
    assert entry["oauth"] == {**given, "clientSecret": "${keychain}"}
    assert "correct-horse" not in written(tmp_path)
    assert "correct-horse" in json.dumps(items.items)
    await kept.save({"url": URL, "oauth": {"clientId": "kinet"}})
    assert items.items == {}


@pytest.mark.parametrize(
    ("oauth", "words"),
    [
        ({"callbackPort": 80}, "between 1024 and 65535"),
        ({"callbackPort": "x"}, "between 1024 and 65535"),
        ({"clientSecret": "correct-horse"}, "needs its clientId"),
        ("yes", "oauth has to be names with their values"),
    ],
)
async def test_what_cannot_be_used_is_said(kept: Kept, oauth: Any, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        await kept.save({"url": URL, "oauth": oauth})


async def test_an_unknown_server_is_said(kept: Kept) -> None:
    await kept.save({"url": URL})
    with pytest.raises(SettingsError) as told:
        await kept.services.sign_ins.sign_in("dogs", None, show=lambda visit: None)
    assert told.value.sentence() == "There is no server dogs. There are: docs."
