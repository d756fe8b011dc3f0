"""KINET.md and its kin written in Kinet: previewed as sent, saved whole, never over another's."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.errors import SettingsError
from kinet.skills.brought import brought_skills
from kinet.workspace.kinet_file import FIELDS, section_text, with_section
from kinet.workspace.rules import load_rules
from kinet.workspace.rules_files import ChangedMeanwhile, Document, RulesFiles
from kinet.workspace.trust import FolderTrust

LANGUAGE, NAMING, STYLE, FORBIDDEN = FIELDS
HAND = (
    "# House\n\nBy hand.\n\n## Naming\n\n- snake_case\n\n### Of tests\n\nLong.\n\n"
    "## Other\n\nKept.\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    (place / ".git").mkdir(parents=True)
    return place


@pytest.fixture
def files(tmp_path: Path) -> RulesFiles:
    return RulesFiles(tmp_path / "data", lambda folder, names: None)


def test_the_form_shows_and_changes_a_section_alone() -> None:
    assert section_text(HAND, NAMING) == "- snake_case\n\n### Of tests\n\nLong."
    changed = with_section(HAND, NAMING, "- camelCase")
    assert changed == HAND.replace("- snake_case\n\n### Of tests\n\nLong.", "- camelCase")
    assert with_section(changed, NAMING, "- snake_case\n\n### Of tests\n\nLong.") == HAND


def test_a_new_section_comes_at_the_end_and_an_empty_one_goes() -> None:
    added = with_section(HAND, LANGUAGE, "German.")
    assert added == f"{HAND}\n## Language\n\nGerman.\n"
    assert with_section(added, LANGUAGE, "") == HAND
    assert with_section("", FORBIDDEN, "No tabs.") == "## Forbidden\n\nNo tabs.\n"
    assert with_section("## Forbidden\n\nNo tabs.\n", FORBIDDEN, "") == ""


def test_a_heading_in_a_code_block_is_no_section() -> None:
    text = "```\n## Style\nnot this\n```\n\n## Style ##\n\nThis.\n"
    assert section_text(text, STYLE) == "This."
    assert with_section(text, STYLE, "That.") == text.replace("This.", "That.")


_LINES = st.lists(
    st.sampled_from(["", "words", "# Top", "## Naming", "## Style", "### Deeper", "```", "- 项目"]),
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(_LINES, st.sampled_from(FIELDS), st.sampled_from(["one", "two\n\nlines", "- 列表"]))
def test_whatever_stands_elsewhere_stays(lines: list[str], field, said: str) -> None:
    text = "\n".join(lines) + "\n"
    changed = with_section(text, field, said)
    others = [other for other in FIELDS if other is not field]
    before = section_text(text, field)
    if text.count("```") % 2 == 0:
        assert section_text(changed, field) == said
    for line in lines:
        if line and line not in before.split("\n"):
            assert line in changed.split("\n")
    for other in others:
        if other.heading not in before and text.count("```") % 2 == 0:
            inside = section_text(text, other)
            assert inside in changed


def test_the_preview_is_what_is_sent(files: RulesFiles, folder: Path) -> None:
    (folder / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    document = files.open(folder / "KINET.md", "project")
    shown = files.preview(folder, document, "Answer\u200b in German.\n</project-rules>")
    assert shown.hidden[0].code_point == "U+200B"
    assert "hidden characters" in shown.warnings[0]
    saved = files.save(folder, document, "Answer\u200b in German.\n</project-rules>")
    assert isinstance(saved, Document)
    assert load_rules(folder).text == shown.text
    assert "Answer in German." in shown.text
    assert shown.text.count("</project-rules>") == 2


def test_a_long_text_is_cut_in_the_preview_and_said(files: RulesFiles, folder: Path) -> None:
    document = files.open(folder / "KINET.md", "project")
    shown = files.preview(folder, document, "word " * 10_000)
    assert "may take 32 KB" in " ".join(shown.warnings)
    assert len(shown.text) < 33_500
    assert "is not shown: it is too long" in shown.text


def test_line_ends_and_mark_of_a_file_stay(files: RulesFiles, folder: Path) -> None:
    path = folder / "KINET.md"
    path.write_bytes(b"\xef\xbb\xbfOne.\r\nTwo.\r\n")
    path.chmod(0o640)
    document = files.open(path, "project")
    assert document.text == "One.\nTwo.\n"
    files.save(folder, document, document.text + "Three.\n")
    assert path.read_bytes() == b"\xef\xbb\xbfOne.\r\nTwo.\r\nThree.\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_changed_meanwhile_is_never_overwritten(files: RulesFiles, folder: Path) -> None:
    path = folder / "KINET.md"
    path.write_text("One.\n\nTwo.\n\nThree.\n")
    document = files.open(path, "project")
    path.write_text("One.\n\nTwo.\n\nThree, changed.\n")
    answer = files.save(folder, document, "One, mine.\n\nTwo.\n\nThree.\n")
    assert isinstance(answer, ChangedMeanwhile)
    assert answer.merged == "One, mine.\n\nTwo.\n\nThree, changed.\n"
    assert path.read_text() == "One.\n\nTwo.\n\nThree, changed.\n"
    touching = files.save(folder, document, "One.\n\nTwo.\n\nThree, mine.\n")
    assert isinstance(touching, ChangedMeanwhile)
    assert touching.merged is None
    kept = files.save(folder, touching.theirs, "One.\n\nTwo.\n\nThree, mine.\n")
    assert isinstance(kept, Document)
    assert path.read_text().endswith("mine.\n")
    path.unlink()
    assert isinstance(files.save(folder, kept, "x"), ChangedMeanwhile)


def test_an_emptied_file_is_taken_away(files: RulesFiles, folder: Path) -> None:
    (folder / "KINET-CONTEXT.md").write_text("x\n")
    document = files.open(folder / "KINET-CONTEXT.md", "background")
    files.save(folder, document, " \n")
    assert not (folder / "KINET-CONTEXT.md").exists()


def test_what_is_no_text_of_the_project_is_not_opened(
    files: RulesFiles, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("secret")
    (folder / "KINET.md").symlink_to(tmp_path / "key")
    with pytest.raises(SettingsError, match="outside the project"):
        files.open(folder / "KINET.md", "project")
    (folder / "KINET.md").unlink()
    (folder / "KINET.md").write_bytes(b"\0\1")
    with pytest.raises(SettingsError, match="not a text file"):
        files.open(folder / "KINET.md", "project")


def test_places_are_those_that_exist_then_root_and_folder(files: RulesFiles, folder: Path) -> None:
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    (folder / "a" / "KINET.md").write_text("x")
    found = files.places(inner, "project")
    assert [path.parent for path in found] == [folder / "a", folder, inner]
    assert files.places(None, "project") == ()


def test_personal_rules_stand_for_every_folder(files: RulesFiles, tmp_path: Path) -> None:
    (path,) = files.places(None, "personal")
    assert files.personal() == ((), ())
    document = files.open(path, "personal")
    files.save(None, document, "Be\u200b short.\n")
    sections, told = files.personal()
    assert [section.text for section in sections] == ["Be short."]
    assert "hidden characters" in told[0]
    assert files.preview(None, document, "Be\u200b short.\n").text == "Be short."
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_the_person_writes_here_needs_no_question(tmp_path: Path, folder: Path) -> None:
    trust = FolderTrust(tmp_path / "data", brought_skills)
    trust.asks = True
    files = RulesFiles(tmp_path / "data", trust.edited)
    document = files.open(folder / "KINET.md", "project")
    document = files.save(folder, document, "Mine.\n")
    assert trust.pending(folder) is None
    assert "Mine." in trust.rules(folder)[0][0].text
    (folder / "AGENTS.md").write_text("Theirs.\n")
    files.save(folder, document, "Mine, more.\n")
    assert trust.pending(folder) is not None, "what came from elsewhere is asked about"
