"""Trust is bound to a folder's real path and to exactly what it brought along."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kinet.core.errors import SettingsError
from kinet.skills.brought import brought_skills
from kinet.workspace.folder_content import look
from kinet.workspace.trust import FolderTrust, TrustBook


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    (place / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    return place


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_an_answer_survives_a_restart_and_holds_for_every_spelling(
    folder: Path, data: Path, tmp_path: Path
) -> None:
    TrustBook(data, brought_skills).answer(look(folder, brought_skills), True)
    (tmp_path / "link").symlink_to(folder)
    book = TrustBook(data, brought_skills)
    assert book.state(look(tmp_path / "link", brought_skills)) == "trusted"
    assert book.question(folder) is None
    assert (data / "trust.json").stat().st_mode & 0o777 == 0o600
    assert not list(folder.glob(".kinet*")), "nothing is kept in the project"


@pytest.mark.parametrize(
    "name", ["AGENTS.md", "KINET.md", ".mcp.json", ".kinet/skills/fmt/SKILL.md"]
)
def test_every_change_of_rules_skills_and_servers_asks_again(
    name: str, folder: Path, data: Path
) -> None:
    book = TrustBook(data, brought_skills)
    book.answer(look(folder, brought_skills), True)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"mcpServers": {"x": {"command": "sh"}}}\n', encoding="utf-8")
    assert book.state(look(folder, brought_skills)) == "changed"
    question = book.question(folder)
    assert question is not None
    assert "mcpServers" in question.changes


def test_a_change_by_a_tool_is_accepted_only_if_nothing_else_changed(
    folder: Path, data: Path
) -> None:
    book = TrustBook(data, brought_skills)
    book.answer(look(folder, brought_skills), True)
    (folder / "AGENTS.md").write_text("Use spaces.\n", encoding="utf-8")
    book.accept(folder, ["AGENTS.md"])
    assert book.state(look(folder, brought_skills)) == "trusted"
    (folder / "AGENTS.md").write_text("Use both.\n", encoding="utf-8")
    (folder / "KINET.md").write_text("Never ask.\n", encoding="utf-8")
    book.accept(folder, ["AGENTS.md"])
    assert book.state(look(folder, brought_skills)) == "changed"


def test_writing_a_rules_file_does_not_trust_a_folder_that_never_was(
    folder: Path, data: Path
) -> None:
    book = TrustBook(data, brought_skills)
    book.accept(folder, ["AGENTS.md"])
    assert book.state(look(folder, brought_skills)) == "new"


@pytest.mark.parametrize("text", ["{", "[]", '{"folders": 3}', "[" * 100_000])
def test_a_damaged_file_trusts_nothing_and_is_set_aside(
    text: str, folder: Path, data: Path
) -> None:
    data.mkdir()
    (data / "trust.json").write_text(text, encoding="utf-8")
    book = TrustBook(data, brought_skills)
    assert book.state(look(folder, brought_skills)) == "new"
    assert "could not be read" in book.problem
    assert list(data.glob("trust.damaged-*"))


def test_an_entry_that_is_not_whole_trusts_nothing(folder: Path, data: Path) -> None:
    data.mkdir()
    entry = {"trusted": True, "digest": look(folder, brought_skills).digest}
    kept = {"version": 1, "folders": {str(folder.resolve()): entry}}
    (data / "trust.json").write_text(json.dumps(kept), encoding="utf-8")
    assert TrustBook(data, brought_skills).state(look(folder, brought_skills)) == "new"


def test_an_answer_that_cannot_be_kept_is_told(folder: Path, data: Path) -> None:
    data.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(SettingsError):
        TrustBook(data, brought_skills).answer(look(folder, brought_skills), True)


def test_without_a_window_a_named_folder_counts_as_trusted_for_its_rules(
    folder: Path, data: Path
) -> None:
    assert FolderTrust(data, brought_skills).rules(folder)[0]
    assert FolderTrust(data, brought_skills, trust=True).rules(folder)[0]
    assert FolderTrust(data, brought_skills, trust=False).rules(folder) == ((), ())


def test_a_change_without_a_window_is_used_with_a_word(folder: Path, data: Path) -> None:
    TrustBook(data, brought_skills).answer(look(folder, brought_skills), True)
    (folder / "AGENTS.md").write_text("Use spaces.\n", encoding="utf-8")
    sections, told = FolderTrust(data, brought_skills).rules(folder)
    assert "Use spaces." in sections[0].text
    assert "changed since they were trusted" in told[0]


@pytest.mark.parametrize(
    ("place", "said"), [("home", "home folder"), ("home/Downloads/x", "downloads")]
)
def test_odd_places_are_warned_of(
    place: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / place).mkdir(parents=True)
    assert said in look(tmp_path / place, brought_skills).warnings[0]


def test_programs_of_the_git_configuration_are_listed_and_switches_are_not(
    folder: Path,
) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(
        '[core]\n\tfsmonitor = ./watch.sh\n\tpager = less\n[filter "lfs"]\n\tclean = git-lfs\n'
        "[alias]\n\tst = status\n\tx = !sh x\n[user]\n\tname = A\n[core]\n\tfsmonitor = false\n",
        encoding="utf-8",
    )
    assert look(folder, brought_skills).programs == (
        ("core.fsmonitor", "./watch.sh"),
        ("core.pager", "less"),
        ("filter.lfs.clean", "git-lfs"),
        ("alias.x", "!sh x"),
    )


@pytest.mark.parametrize("answer", [True, False])
def test_a_folder_that_was_answered_for_can_be_looked_at_again(
    answer: bool, folder: Path, data: Path, tmp_path: Path
) -> None:
    trust = FolderTrust(data, brought_skills)
    trust.asks = True
    question = trust.pending(folder)
    assert question is not None
    trust.answer(question, answer)
    assert trust.pending(folder) is None
    again = trust.reconsider(folder)
    assert again is not None
    assert again.content.texts == question.content.texts
    trust.answer(again, not answer)
    assert trust.trusts(folder) is not answer
    (tmp_path / "bare").mkdir()
    assert trust.reconsider(tmp_path / "bare") is None
    assert trust.reconsider(None) is None
    assert FolderTrust(data, brought_skills, False).reconsider(folder) is None
