"""kinet config, models, memory, check and the words of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Kinet


def test_a_setting_is_kept(kinet: Kinet) -> None:
    assert kinet("config", "set", "appearance.theme", "dark").code == 0
    assert kinet("config", "get", "appearance.theme").out == "dark\n"
    assert kinet("config", "list", "--json").json["appearance.theme"] == "dark"


def test_the_path_lies_in_the_data_folder(kinet: Kinet, home: Path) -> None:
    assert Path(kinet("config", "path").out.strip()).parent == home


def test_prices_are_kept_and_what_is_left_out_stays_unset(kinet: Kinet) -> None:
    kinet("config", "set", "prices", '{"pine": {"input": 3, "output": 15}}')
    prices = kinet("config", "get", "prices").json
    assert prices["pine"]["input"] == 3
    assert prices["pine"].get("cache_read") is None


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("config", "set", "appearance.theme", "pink"), 1, "appearance.theme"),
        (("config", "set", "appearance.thema", "dark"), 1, "appearance.theme"),
        (("config", "set", "prices", "{not json"), 1, "not JSON"),
        (("config", "get", "nothing.here"), 1, "There is no setting"),
        (("config", "set-key", "nobody", "-"), 1, "There is no profile"),
        (("sessions", "show", "nope"), 1, "There is no session"),
        (("sessions", "export", "nope", "--format", "md"), 1, "There is no session"),
        (("memory", "delete", "nope"), 1, "There is no fact"),
        (("frobnicate",), 2, "frobnicate"),
        (("run", "--max-steps", "-1", "x"), 2, "--max-steps"),
        (("run", "--budget", "much", "x"), 2, "--budget"),
        (("tool",), 2, "--list"),
        (("tool", "grep", "{"), 2, "not JSON"),
        (("tool", "grep", "[]"), 2, "not a JSON object"),
        (("undo", "x"), 1, "no session"),
        (("serve",), 2, "--stdio"),
        (("serve", "--stdio", "--approve", "some"), 2, "--approve"),
        (("serve", "--stdio", "--profile", "none"), 1, "There is no profile"),
        (("serve", "--stdio", "--preset", "none"), 1, "There is no preset"),
        (("trust",), 2, "--list"),
        (("trust", "no-such-folder"), 1, "There is no folder"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    kinet: Kinet, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = kinet(*arguments)
    assert ran.code == code
    assert said in ran.err
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1


def test_a_damaged_settings_file_is_set_aside_with_a_word(kinet: Kinet, home: Path) -> None:
    home.mkdir()
    (home / "settings.json").write_text('{"appearance": {"theme": "da')
    ran = kinet("config", "get", "appearance.theme")
    assert ran.code == 0
    assert ran.out == "system\n"
    assert "damaged" in ran.err
    assert [path.read_text() for path in home.glob("settings.damaged-*")] == [
        '{"appearance": {"theme": "da'
    ]


def test_a_data_folder_that_cannot_be_made_is_named(kinet: Kinet, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = str(tmp_path / "file" / "home")
    ran = kinet("config", "set", "appearance.theme", "dark", env={"KINET_HOME": place})
    assert ran.code == 1
    assert place in ran.err


def test_a_key_is_never_written_where_there_is_no_keychain(kinet: Kinet, home: Path) -> None:
    profile = {"name": "pine", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
    kinet("config", "set", "profiles", json.dumps([profile]))
    ran = kinet("config", "set-key", "pine", "-", given="sk-canary-1234567890\n")
    assert ran.code == 1
    assert "keychain" in ran.err
    kept = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert not any(b"canary" in data for data in kept)
    assert "canary" not in ran.out + ran.err


def test_models_are_listed_with_what_is_known(kinet: Kinet) -> None:
    profile = {"name": "pine", "base_url": "http://127.0.0.1:1/v1", "model": "pine-30b"}
    kinet("config", "set", "profiles", json.dumps([profile]))
    kinet("config", "set", "prices", '{"pine-30b": {"input": 3, "output": 15}}')
    row = kinet("models", "--json").json[0]
    assert (row["profile"], row["default"], row["price"]["output"]) == ("pine", True, 15)
    assert "3 in, 15 out" in kinet("models").out


def test_facts_are_added_listed_carried_over_and_deleted(kinet: Kinet, tmp_path: Path) -> None:
    first = kinet("memory", "add", "Speaks German").out.strip()
    kinet("memory", "add", "Uses tabs", "--project")
    rows = kinet("memory", "list", "--json").json
    assert [(row["text"], row["scope"]) for row in rows] == [
        ("Speaks German", "person"),
        ("Uses tabs", "project"),
    ]
    (tmp_path / "facts-export.json").write_text(kinet("memory", "export").out)
    assert kinet("memory", "delete", first).code == 0
    assert kinet("memory", "import", tmp_path / "facts-export.json").code == 0
    texts = [row["text"] for row in kinet("memory", "list", "--json").json]
    assert sorted(texts) == ["Speaks German", "Uses tabs"]


def test_check_judges_a_line_per_line_of_stdin(kinet: Kinet) -> None:
    given = '"ls"\n\n"rm -rf /"\nnot json\n'
    ran = kinet("check", "command", "-", given=given)
    assert ran.code == 2
    assert len(ran.events) == 2
    assert all(row["verdict"] in ("allow", "ask", "deny") for row in ran.events)
    assert "Line 4" in ran.err


def test_sessions_go_out_and_come_back_as_jsonl(kinet: Kinet, tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Count the ü"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "grep", "arguments": '{"pattern": "ü"}'},
                }
            ],
        },
        {"role": "tool", "content": "a.md:1:ü", "tool_call_id": "c1", "name": "grep"},
        {"role": "assistant", "content": "One."},
    ]
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join(json.dumps(message) for message in messages))
    session = kinet("sessions", "import", file).out.strip()
    assert kinet("sessions", "export", session, "--format", "jsonl").events == messages
    listed = kinet("sessions", "list", "--json").json
    assert [(row["id"], row["title"]) for row in listed] == [(session, "Count the ü")]
    assert kinet("sessions", "search", "Count", "--json").json[0]["session"] == session
    assert "One." in kinet("sessions", "show", session).out
    assert "<script" not in kinet("sessions", "export", session, "--format", "html").out
    kinet("sessions", "delete", session)
    assert kinet("sessions", "list", "--json").json == []
    kinet("sessions", "restore", session)
    assert len(kinet("sessions", "list", "--json").json) == 1


def test_a_line_that_is_no_message_is_named_and_nothing_is_imported(
    kinet: Kinet, tmp_path: Path
) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text('{"role": "user", "content": "x"}\n{"role": "king"}\n')
    ran = kinet("sessions", "import", file)
    assert ran.code == 1
    assert "Line 2" in ran.err
    assert kinet("sessions", "list", "--json").json == []


def test_what_is_logged_stays_off_the_terminal_and_holds_no_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import logging

    from kinet.cli.log_file import begin_logging

    root = logging.getLogger()
    kept, level = root.handlers, root.level
    begin_logging(tmp_path)
    try:
        assert not (tmp_path / "logs").exists()
        logging.getLogger("kinet.test").error("the key was sk-canary-1234567890abcdef")
    finally:
        root.handlers[0].close()
        root.handlers, root.level = kept, level
    written = (tmp_path / "logs" / "kinet.log").read_text()
    assert "the key was" in written
    assert "canary" not in written
    assert capsys.readouterr().err == ""
