"""The store from the command line: looked over, carried elsewhere whole, and never doubled."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from kinet.core.events import MessageCompleted, ToolFinished, TurnFinished, TurnStarted
from kinet.core.messages import Message, ToolCall
from kinet.store.blobs import LARGE
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore
from tests.cli.conftest import Kinet


def fill(home: Path) -> None:
    store = SessionStore(Database(home / FILE_NAME))
    for id_ in ("one", "two"):
        store.create(NewSession(id_, title=f"About {id_}"))
        events = [
            TurnStarted(id_, "m"),
            MessageCompleted(Message("user", f"你好 {id_}", id="m")),
            MessageCompleted(Message("assistant", "", (ToolCall("c", "shell", "{}"),))),
            ToolFinished("c", "shell", content=f"{id_} " * LARGE),
            TurnFinished("completed"),
        ]
        store.put(id_, events).result()
    store.database.close()


def test_everything_goes_out_in_one_file_and_comes_back_once(
    kinet: Kinet, home: Path, tmp_path: Path
) -> None:
    fill(home)
    kinet("memory", "add", "Likes tea.")
    ran = kinet("sessions", "export", "--all", tmp_path / "all.zip")
    assert (ran.code, ran.err) == (0, f"2 sessions written to {tmp_path / 'all.zip'}.\n")
    other = {"KINET_HOME": str(tmp_path / "other")}
    ran = kinet("sessions", "import", tmp_path / "all.zip", env=other)
    assert sorted(ran.out.split()) == ["one", "two"]
    assert "2 new sessions." in ran.err
    assert "1 new fact." in ran.err
    assert kinet("sessions", "check", env=other).code == 0
    assert [fact["text"] for fact in kinet("memory", "list", "--json", env=other).json] == [
        "Likes tea."
    ]
    again = kinet("sessions", "import", tmp_path / "all.zip", env=other)
    assert again.out == ""
    assert "2 were there already" in again.err
    assert len(kinet("sessions", "list", "--json", env=other).json) == 2


def test_a_single_session_goes_out_whole_and_a_cut_one_is_refused(
    kinet: Kinet, home: Path, tmp_path: Path
) -> None:
    fill(home)
    lines = kinet("sessions", "export", "one", "--format", "kinet").out
    other = {"KINET_HOME": str(tmp_path / "other")}
    assert kinet("sessions", "import", "-", given=lines, env=other).out == "one\n"
    assert kinet("sessions", "import", "-", given=lines, env=other).out == "one\n"
    back = kinet("sessions", "export", "one", "--format", "kinet", env=other).out
    assert back == lines
    cut = kinet("sessions", "import", "-", given=lines[: len(lines) // 2])
    assert cut.code == 1
    assert "Nothing was imported" in cut.err or "cannot be read" in cut.err


def test_the_same_messages_are_imported_once(kinet: Kinet) -> None:
    text = '{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "ho"}\n'
    first, second = (kinet("sessions", "import", "-", given=text) for _ in range(2))
    assert first.out == second.out
    assert "there already" in second.err
    assert len(kinet("sessions", "list", "--json").json) == 1


def test_check_says_what_is_wrong_by_its_exit_code_too(kinet: Kinet, home: Path) -> None:
    fill(home)
    ran = kinet("sessions", "check")
    assert ran.code == 0
    assert ran.out.startswith("2 sessions, 10 events, 2 output files: all well.")
    connection = sqlite3.connect(home / FILE_NAME)
    connection.execute("INSERT INTO search (rowid, words) VALUES (9999, 'x')")
    connection.execute("UPDATE event SET body = 'x' WHERE session_id = 'one' AND seq = 2")
    connection.commit()
    connection.close()
    ran = kinet("sessions", "check", "--json")
    assert ran.code == 1
    assert {found["kind"] for found in ran.json["findings"]} == {"orphan rows", "unreadable"}
    ran = kinet("sessions", "check", "--mend")
    assert ran.code == 1
    assert "orphan" not in ran.out
    assert "unreadable [one]" in ran.out


def test_check_names_a_damaged_file_in_one_sentence(kinet: Kinet, home: Path) -> None:
    home.mkdir()
    (home / FILE_NAME).write_bytes(b"no database at all" * 400)
    ran = kinet("sessions", "check")
    assert ran.code == 1
    assert "is not a database of Kinet" in ran.out + ran.err
    assert "Traceback" not in ran.err


def test_a_replay_of_what_is_no_report_is_refused(kinet: Kinet) -> None:
    for text in ("", "[]", '{"kinet_report": 1}', json.dumps({"kinet_report": 99})):
        ran = kinet("replay", "-", given=text)
        assert ran.code == 1
        assert "report" in ran.err


def test_every_act_on_sessions_and_facts_answers_in_json_where_asked(
    kinet: Kinet, home: Path, tmp_path: Path
) -> None:
    database = Database(home / FILE_NAME)
    store = SessionStore(database)
    for id_ in ("older", "newer"):
        store.create(NewSession(id_, title=id_))
        store.put(id_, [MessageCompleted(Message("user", id_))]).result()
    database.close()
    (fact,) = kinet("memory", "add", "Likes tea.", "--json").json
    whole = tmp_path / "all.zip"
    written = kinet("sessions", "export", "--all", str(whole), "--json").json
    assert written == {"sessions": 2, "file": str(whole)}
    assert kinet("sessions", "export", "older", "--json").json["id"] == "older"
    assert kinet("memory", "delete", fact["id"], "--json").json["id"] == fact["id"]
    for act in ("delete", "restore"):
        assert kinet("sessions", act, "older", "--json").json == {"id": "older", "act": act}
    again = kinet("sessions", "import", str(whole), "--json").json
    assert (again["new"], sorted(again["known"]), again["facts"]) == ([], ["newer", "older"], 1)
    facts = tmp_path / "facts.json"
    facts.write_text(kinet("memory", "export").out, encoding="utf-8")
    assert kinet("memory", "import", str(facts), "--json").json == {"facts": 0}
    assert kinet("memory", "delete", "none", "--json").code == 1


def test_sessions_taken_in_from_an_archive_stand_in_the_order_they_had(
    kinet: Kinet, home: Path, tmp_path: Path
) -> None:
    database = Database(home / FILE_NAME)
    store = SessionStore(database)
    for id_ in ("first", "second", "third"):
        store.create(NewSession(id_, title=id_))
        store.put(id_, [MessageCompleted(Message("user", id_))]).result()
    database.close()
    whole = tmp_path / "all.zip"
    before = [row["id"] for row in kinet("sessions", "list", "--json").json]
    kinet("sessions", "export", "--all", str(whole))
    (home / FILE_NAME).unlink()
    kinet("sessions", "import", str(whole))
    assert [row["id"] for row in kinet("sessions", "list", "--json").json] == before


def test_facts_are_listed_for_a_folder(kinet: Kinet, tmp_path: Path) -> None:
    for text, more in (("Likes tea.", ()), ("Uses tabs.", ("--project", "--cwd", str(tmp_path)))):
        kinet("memory", "add", text, *more)

    def texts(*more: str) -> list[str]:
        return sorted(fact["text"] for fact in kinet("memory", "list", "--json", *more).json)

    assert texts() == ["Likes tea.", "Uses tabs."]
    assert texts("--cwd", str(tmp_path)) == ["Likes tea.", "Uses tabs."]
    assert texts("--cwd", str(tmp_path / "other")) == ["Likes tea."]


def test_a_store_that_was_set_aside_is_told_also_where_the_session_is_missing_for_it(
    kinet: Kinet, home: Path
) -> None:
    home.mkdir()
    for words in (["undo", "one"], ["sessions", "delete", "one"], ["memory", "add", "Tea."]):
        (home / FILE_NAME).write_bytes(b"no database " * 400)
        ran = kinet(*words)
        assert "damaged" in ran.err, words
        assert "kept as" in ran.err, words
