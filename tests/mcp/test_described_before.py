"""What is told of a server's tool that is described otherwise than at its last call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kinet.mcp.definition import read_definition
from kinet.mcp.described_before import DescribedBefore
from kinet.mcp.offered import OfferedTool, offer_of

DOCS = read_definition("docs", {"command": "docs-server"})


def tool(description: str = "Finds pages.\nQuick.", **more: object) -> OfferedTool:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    raw = {"name": "find", "description": description, "inputSchema": schema, **more}
    (made,) = offer_of("docs", [raw], DOCS.digest).tools
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "described.json"


def test_a_first_call_and_the_same_words_again_tell_nothing(path: Path) -> None:
    described = DescribedBefore(path)
    assert described.changes(DOCS, tool()) == ""
    described.note(DOCS, tool())
    assert described.changes(DOCS, tool()) == ""


def test_words_claims_and_arguments_that_changed_are_told(path: Path) -> None:
    DescribedBefore(path).note(DOCS, tool(annotations={"readOnlyHint": True}))
    schema = {
        "type": "object",
        "properties": {"query": {"type": "string"}, "to": {"type": "string"}},
    }
    told = DescribedBefore(path).changes(DOCS, tool("Finds pages.\nSends.", inputSchema=schema))
    lines = told.splitlines()
    assert "-Quick." in lines
    assert "+Sends." in lines
    assert "-It says that it only reads." in lines
    assert any(line.startswith("+") and '"to"' in line for line in lines)
    assert not [line for line in lines if line.startswith(("@@", "---", "+++"))]


def test_another_program_behind_the_same_words_is_told(path: Path) -> None:
    described = DescribedBefore(path)
    described.note(DOCS, tool())
    other = read_definition("docs", {"command": "other-server"})
    (now,) = offer_of("docs", [{"name": "find"}], other.digest).tools
    assert "-server: docs-server\n+server: other-server" in described.changes(other, now)


def test_what_changed_unseen_is_said_to_be_so(path: Path) -> None:
    described = DescribedBefore(path)
    long = "x" * 2_000
    described.note(DOCS, tool(long))
    assert described.changes(DOCS, tool(long + "!")).startswith("It was changed in parts")


def test_servers_of_folders_and_other_tools_are_others(path: Path) -> None:
    described = DescribedBefore(path)
    described.note(DOCS, tool())
    changed = tool("Other.")
    assert described.changes(replace(DOCS, place="folder", folder="/w"), changed) == ""
    assert described.changes(replace(DOCS, name="more"), changed) == ""


def test_much_is_cut_and_counted(path: Path) -> None:
    described = DescribedBefore(path)
    described.note(DOCS, tool())
    described.note(DOCS, tool())
    names = {f"name_{number}": {"type": "string"} for number in range(120)}
    told = described.changes(DOCS, tool(inputSchema={"type": "object", "properties": names}))
    assert len(told.splitlines()) == 81
    assert told.splitlines()[-1].startswith("… and ")


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b'{"a": 1}', b'{"a": {"text": 1}}', b"[" * 9_000]
)
def test_a_file_that_cannot_be_read_tells_nothing(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    described = DescribedBefore(path)
    assert described.changes(DOCS, tool()) == ""
    described.note(DOCS, tool())
    assert DescribedBefore(path).changes(DOCS, tool("Other.")) != ""


def test_without_a_place_to_write_it_is_known_in_this_run(tmp_path: Path) -> None:
    described = DescribedBefore(tmp_path / "missing" / "file.json")
    described.note(DOCS, tool())
    assert "+Other." in described.changes(DOCS, tool("Other."))


def test_two_programs_keep_what_the_other_wrote(path: Path) -> None:
    one, other = DescribedBefore(path), DescribedBefore(path)
    assert other.changes(DOCS, tool()) == ""
    one.note(DOCS, tool())
    other.note(replace(DOCS, name="more"), tool())
    assert DescribedBefore(path).changes(DOCS, tool("Other.")) != ""
    assert DescribedBefore(path).changes(replace(DOCS, name="more"), tool("Other.")) != ""


def test_only_so_many_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinet.mcp.described_before._MOST_TOOLS", 2)
    described = DescribedBefore(path)
    servers = [replace(DOCS, name=f"s{number}") for number in range(3)]
    for server in servers:
        described.note(server, tool())
    told = [bool(described.changes(server, tool("Other."))) for server in servers]
    assert told == [False, True, True]
