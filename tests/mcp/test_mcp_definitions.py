"""Entries of servers: what is taken, what is refused and in which words, where secrets go."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from kinet.core.errors import SettingsError
from kinet.mcp.definition import KEPT, name_trouble, read_definition
from kinet.mcp.folder_servers import folder_servers
from kinet.mcp.secret_values import is_secret
from kinet.settings.secrets import Keychain
from kinet.settings.server_entries import kept_value
from kinet.settings.server_saving import save_all
from kinet.settings.server_services import ServerServices
from kinet.settings.store import SettingsStore
from kinet.settings.tool_servers import ToolServerBook

WRONG: dict[str, tuple[Any, str]] = {
    "no group": (5, "an entry is a group of values"),
    "nothing": ({}, "has neither command nor url"),
    "both": ({"command": "a", "url": "https://a.example/"}, "has both command and url"),
    "unknown type": ({"type": "carrier pigeon", "url": "https://a.example"}, "known are stdio"),
    "type of the other kind": ({"type": "http", "command": "a"}, "does not fit command"),
    "empty command": ({"command": "  "}, "command is empty"),
    "command as list": ({"command": ["a", "b"]}, "command has to be a text"),
    "args as text": ({"command": "a", "args": "b c"}, "args has to be a list"),
    "args of groups": ({"command": "a", "args": [{}]}, "args may hold texts only"),
    "env as list": ({"command": "a", "env": ["A=1"]}, "env has to be names with their values"),
    "odd env name": ({"command": "a", "env": {"A=B": "1"}}, "cannot be such a name"),
    "env of lists": ({"command": "a", "env": {"A": []}}, "the value of A has to be a text"),
    "no address": ({"url": "nonsense"}, "not a whole web address"),
    "another scheme": ({"url": "file:///etc/passwd"}, "only http and https"),
    "a password in it": ({"url": "https://me:pw@a.example/"}, "user name or password"),
    "header with a line": ({"url": "https://a.example", "headers": {"A": "x\ny"}}, "line break"),
    "our header": ({"url": "https://a.example", "headers": {"Host": "b"}}, "set by Kinet"),
    "timeout of text": ({"command": "a", "timeout": "5"}, "timeout has to be seconds"),
    "timeout of years": ({"command": "a", "timeout": 10**9}, "timeout has to be seconds"),
    "enabled of text": ({"command": "a", "enabled": "yes"}, "enabled has to be true or false"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_said_in_one_sentence(kind: str) -> None:
    entry, words = WRONG[kind]
    with pytest.raises(ValueError, match="srv") as caught:
        read_definition("srv", entry)
    assert words in str(caught.value)


def test_the_usual_forms_are_taken() -> None:
    server = read_definition("a", {"command": "npx", "args": ["-y", 5], "env": {"PORT": 80}})
    assert (server.kind, server.args, server.env) == ("stdio", ("-y", "5"), {"PORT": "80"})
    assert read_definition("a", {"url": "https://a.example/mcp"}).kind == "http"
    assert read_definition("a", {"type": "streamable-http", "url": "http://a.example"}).kind == (
        "http"
    )
    assert read_definition("a", {"type": "SSE", "url": "http://a.example"}).kind == "sse"
    assert read_definition("a", {"command": "a", "disabled": True}).enabled is False
    assert read_definition("a", {"command": "a", "autoApprove": ["all"]}).enabled is True


@pytest.mark.parametrize("name", ["", "a b", "a__b", "_a", "a_", "a" * 33, "ä", "a/b", "../x"])
def test_a_name_that_cannot_begin_a_tools_name_is_refused(name: str) -> None:
    assert name_trouble(name)


@pytest.mark.parametrize("name", ["a", "my-server", "my_server2", "A1-"])
def test_plain_names_are_taken(name: str) -> None:
    assert name_trouble(name) == ""


def test_what_is_started_decides_the_digest_and_switches_do_not() -> None:
    entry = {"command": "a", "args": ["b"], "env": {"A": "1"}}
    plain = read_definition("s", entry)
    assert read_definition("s", {**entry, "enabled": False, "timeout": 5}).digest == plain.digest
    for change in ({"args": ["c"]}, {"env": {"A": "2"}}, {"cwd": "/"}, {"command": "b"}):
        assert read_definition("s", {**entry, **change}).digest != plain.digest


def test_no_value_stands_in_a_line_or_a_printed_definition() -> None:
    entry = {"command": "run it", "args": ["\u202ex"], "env": {"TOKEN": "very-secret"}}
    server = read_definition("s", entry)
    assert server.line == "'run it' '<U+202E>x'  (sets TOKEN)"
    assert "very-secret" not in repr(server)


SECRETS = {
    ("API_KEY", "abc"), ("GITHUB_TOKEN", "x"), ("Authorization", "Bearer abcdefgh"),
    ("X-Api-Key", "1"), ("DB_PASSWORD", "p"), ("ANYTHING", "sk-abcdefghijklmnop123"),
    ("PAT", "x"), ("Cookie", "a=b"), ("URL", "postgres://me:pw@host/db"),
}  # fmt: skip
PLAIN = {
    ("API_KEY", "${API_KEY}"), ("Authorization", "Bearer ${TOKEN}"), ("API_KEY", KEPT),
    ("TZ", "Europe/Berlin"), ("PATH", "/usr/bin"), ("API_KEY", ""), ("LOG_LEVEL", "debug"),
    ("COMPATIBLE", "yes"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), sorted(SECRETS))
def test_a_secret_is_known_by_its_name_or_its_look(name: str, value: str) -> None:
    assert is_secret(name, value)


@pytest.mark.parametrize(("name", "value"), sorted(PLAIN))
def test_other_values_stay_in_the_entry(name: str, value: str) -> None:
    assert not is_secret(name, value)


class Backend:
    """A keychain of this test."""

    def __init__(self) -> None:
        self.items: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.items.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.items[username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.items[username]


@pytest.fixture
def backend() -> Backend:
    return Backend()


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "home")


@pytest.fixture
def services(store: SettingsStore, backend: Backend) -> ServerServices:
    keychain = Keychain(backend=lambda: backend)
    book = ToolServerBook(store, keychain, lambda folder: ("", False))
    return ServerServices(store, keychain, book)


TOKEN = "Bearer ghp_abcdefghijklmnopqrst1234"
WITH_KEY = {"url": "https://a.example/mcp", "headers": {"Authorization": TOKEN, "X-Region": "eu"}}


async def test_a_secret_goes_to_the_keychain_and_never_into_the_file(
    services: ServerServices, store: SettingsStore, backend: Backend
) -> None:
    assert await services.save("git", WITH_KEY) == "keychain"
    assert services.entry("git")["headers"] == {"Authorization": KEPT, "X-Region": "eu"}
    assert "ghp_" not in store.path.read_text()
    assert list(backend.items) == ["mcp:git:header:Authorization"]
    keychain = Keychain(backend=lambda: backend)
    assert kept_value(keychain, "git", "headers", "Authorization") == TOKEN


async def test_marked_values_are_kept_and_a_new_name_takes_them_along(
    services: ServerServices, backend: Backend
) -> None:
    entry = {"command": "a", "env": {"MODE": "quiet please", "TZ": "UTC"}}
    await services.save("one", entry, secrets=("MODE",))
    assert list(backend.items) == ["mcp:one:env:MODE"]
    await services.save("two", services.entry("one"), old_name="one")
    assert services.entry("one") == {}
    assert list(backend.items) == ["mcp:two:env:MODE"]
    keychain = Keychain(backend=lambda: backend)
    assert kept_value(keychain, "two", "env", "MODE") == "quiet please"


async def test_what_an_entry_does_not_name_any_more_leaves_the_keychain(
    services: ServerServices, backend: Backend
) -> None:
    await services.save("git", WITH_KEY)
    await services.save("git", {"url": "https://a.example/mcp"})
    assert backend.items == {}


async def test_a_removal_can_be_taken_back_until_it_is_final(
    services: ServerServices, backend: Backend
) -> None:
    await services.save("git", WITH_KEY)
    before = services.entry("git")
    await services.remove("git")
    assert services.entry("git") == {}
    await services.put_back("git", before)
    await services.forget_removed()
    assert (services.entry("git"), len(backend.items)) == (before, 1)
    await services.remove("git")
    await services.forget_removed()
    assert backend.items == {}


async def test_a_bad_entry_changes_nothing(services: ServerServices, store: SettingsStore) -> None:
    await services.save("good", {"command": "a"})
    for name, entry in (("x", {"comand": "a"}), ("bad name", {"command": "a"})):
        with pytest.raises(SettingsError):
            await services.save(name, entry)
    assert services.check("GOOD", {"command": "b"}) == "There is a server GOOD already."
    assert list(store.values.mcp.servers) == ["good"]


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "a", "args": ["--api-key", "abcdefghij"]},
        {"command": "a", "args": ["--token=abcdefghij"]},
        {"command": "a", "args": ["sk-abcdefghijklmnop1234"]},
        {"url": "https://a.example/mcp?api_key=abcdefghij"},
    ],
    ids=["option", "with value", "by its look", "address"],
)
async def test_a_key_gets_onto_no_command_line_and_into_no_address(
    services: ServerServices, entry: dict[str, Any]
) -> None:
    with pytest.raises(SettingsError, match="looks like a key"):
        await services.save("s", entry)


async def test_an_address_may_name_a_variable(services: ServerServices) -> None:
    await services.save("s", {"url": "https://a.example/mcp?api_key=${MY_KEY}"})
    await services.save("t", {"command": "a", "args": ["--token-file", "/etc/token"]})


def test_without_a_keychain_the_command_line_refuses_secrets(store: SettingsStore) -> None:
    class None_:
        def get_password(self, service: str, username: str) -> str | None:
            raise RuntimeError("no bus")

        set_password = delete_password = get_password

    keychain = Keychain(backend=None_)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="no keychain") as caught:
        save_all(store, keychain, {"s": {"command": "a", "env": {"API_KEY": "abcdefgh"}}})
    assert "${API_KEY}" in caught.value.hint
    assert not store.path.exists()
    save_all(store, keychain, {"s": {"command": "a", "env": {"API_KEY": "${API_KEY}"}}})
    assert list(store.values.mcp.servers) == ["s"]


def test_one_bad_entry_in_the_file_costs_only_itself(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    entries = {
        "good": {"command": "a"},
        "bad": {"args": []},
        "open": {"command": "a", "env": {"API_KEY": "abcdefgh"}},
    }
    (home / "settings.json").write_text(json.dumps({"mcp": {"servers": entries}}))
    store = SettingsStore(home)
    assert list(store.values.mcp.servers) == ["good", "open"]
    assert store.problems[0] == (
        "mcp.servers.bad: has neither command nor url; it needs one of them; it is left out."
    )
    assert "in plain text" in store.problems[1]
    assert "abcdefgh" not in " ".join(store.problems)


@pytest.mark.parametrize("mcp", [5, [], {"servers": []}, {"servers": {"a": 3}}, {"folder_off": 3}])
def test_any_other_thing_in_the_file_is_told_and_harmless(tmp_path: Path, mcp: Any) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.json").write_text(json.dumps({"mcp": mcp}))
    store = SettingsStore(home)
    assert store.values.mcp.servers == {}
    assert store.problems or not mcp


def test_what_is_pasted_is_understood_in_all_usual_forms(services: ServerServices) -> None:
    entry = {"command": "a"}
    for text in (
        {"mcpServers": {"x": entry}},
        {"servers": {"x": entry}, "inputs": []},
        {"x": entry},
    ):
        assert services.parse(json.dumps(text)) == {"x": entry}
    assert services.parse(json.dumps(entry)) == {"": entry}
    with pytest.raises(SettingsError, match="Line 2: this is not JSON"):
        services.parse('{\n"a": }')
    for text in ("[]", "5", "{}", '{"a": 5}'):
        with pytest.raises(SettingsError):
            services.parse(text)


async def test_switches_are_kept(services: ServerServices, store: SettingsStore) -> None:
    await services.save("s", {"command": "a"})
    await services.switch("s", False)
    await services.switch_tool("s", "one", False)
    await services.switch_tool("s", "two", False)
    await services.switch_tool("s", "one", True)
    assert services.entry("s") == {"command": "a", "enabled": False, "tools_off": ["two"]}
    (row,) = await services.rows(None)
    assert (row.name, row.state, row.enabled) == ("s", "off", False)


def folder_text(**servers: Any) -> str:
    return json.dumps({"mcpServers": servers})


def test_a_folders_servers_get_nothing_from_the_keychain() -> None:
    found = folder_servers(
        folder_text(
            good={"command": "a"},
            thief={"url": "https://x.example", "headers": {"A": KEPT}},
            sly={"command": "a", "env": {"B": f"x{KEPT}"}},
            **{"bad name": {"command": "a"}, "worse": 5},
        ),
        "/f",
    )
    assert [server.name for server in found.servers] == ["good"]
    assert found.servers[0].place == "folder"
    assert len(found.problems) == 4


def test_servers_and_tools_of_a_folder_can_be_switched_off(
    services: ServerServices, store: SettingsStore, tmp_path: Path
) -> None:
    async def switch() -> None:
        await services.switch("a", False, folder=tmp_path)
        await services.switch_tools("b", ["x", "y"], folder=tmp_path)
        await services.switch_tools("b", ["y"], folder=tmp_path)

    asyncio.run(switch())
    text = folder_text(a={"command": "a"}, b={"command": "b"})
    found = folder_servers(text, str(tmp_path), store.values.mcp.folder_off).servers
    assert [(it.name, it.enabled, set(it.tools_off)) for it in found] == [
        ("a", False, set()),
        ("b", True, {"y"}),
    ]
