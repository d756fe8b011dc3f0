"""One's own skills: made, changed, deleted and put back; taken in from folders and zip files."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from kinet.core.errors import SettingsError
from kinet.skills.editing import OwnSkills
from kinet.skills.importing import LARGEST_FILE, import_skills
from kinet.skills.skill import skill_of
from tests.skills.skill_kit import BROKEN, CASES, TEN, library, write_skill


@pytest.fixture
def own(tmp_path: Path) -> OwnSkills:
    return OwnSkills(tmp_path / "data")


def names(own: OwnSkills) -> list[str]:
    return [item.skill.name for item in library(own.place.parent).catalog(None).skills]


def zipped(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries.items():
            packed.writestr(name, data)
    return path


GOOD = b"---\nname: fmt\ndescription: Formats\n---\nDo it.\n"


def test_a_new_skill_can_be_used_as_it_is_made(own: OwnSkills) -> None:
    file = own.create("write-tests")
    assert skill_of(file.read_text(encoding="utf-8"), "write-tests").problem == ""
    assert names(own) == ["write-tests"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(SettingsError, match="already"):
        own.create("write-tests")
    for bad in ("Bad", "a b", "../x", "", "shell", "-x", "x" * 65):
        with pytest.raises(SettingsError):
            own.create(bad)


def test_a_text_changed_elsewhere_is_not_overwritten(own: OwnSkills) -> None:
    file = own.create("fmt")
    before = file.read_text(encoding="utf-8")
    own.save(file, before + "More.\n", before)
    with pytest.raises(SettingsError, match="changed by another program"):
        own.save(file, "mine", before)
    assert file.read_text(encoding="utf-8") == before + "More.\n"


def test_a_deleted_skill_comes_back_whole(own: OwnSkills) -> None:
    file = own.create("fmt")
    (file.parent / "notes.md").write_text("kept")
    (listed,) = library(own.place.parent).catalog(None).skills
    deleted = own.delete(listed.skill)
    assert names(own) == []
    own.put_back(deleted)
    assert names(own) == ["fmt"]
    assert (file.parent / "notes.md").read_text() == "kept"


def test_what_belongs_to_others_is_not_deleted(own: OwnSkills, tmp_path: Path) -> None:
    write_skill(tmp_path / "home/.claude/skills", "fmt")
    (listed,) = library(own.place.parent, tmp_path / "home").catalog(None).skills
    with pytest.raises(SettingsError, match="belongs to another program"):
        own.delete(listed.skill)


def test_ten_skills_are_taken_in_from_a_folder_and_from_a_zip(
    own: OwnSkills, tmp_path: Path
) -> None:
    done = import_skills(CASES, own)
    assert tuple(sorted(done.names)) == TEN
    assert done.refused == ()
    assert (own.place / "run-checks/assets/mark.bin").read_bytes() == bytes(range(256))
    other = OwnSkills(tmp_path / "other")
    with zipfile.ZipFile(tmp_path / "ten.zip", "w") as packed:
        for file in sorted(CASES.rglob("*")):
            packed.write(file, file.relative_to(CASES))
    assert sorted(import_skills(tmp_path / "ten.zip", other).names) == sorted(TEN)
    again = import_skills(tmp_path / "ten.zip", other)
    assert again.names == ()
    assert len(again.refused) == 10, "what is there is not replaced"


def test_broken_ones_are_refused_in_words_and_the_others_taken(
    own: OwnSkills, tmp_path: Path
) -> None:
    source = tmp_path / "mixed"
    write_skill(source, "good")
    for folder in BROKEN.iterdir():
        if folder.name != "empty-folder":
            target = source / folder.name
            target.mkdir()
            for file in folder.iterdir():
                (target / file.name).write_bytes(file.read_bytes())
    done = import_skills(source, own)
    assert done.names == ("good",)
    assert len(done.refused) == 5
    assert names(own) == ["good"]


def test_a_zip_with_a_bare_skill_takes_its_name(own: OwnSkills, tmp_path: Path) -> None:
    file = zipped(tmp_path / "whatever.zip", {"SKILL.md": GOOD, "scripts/a.sh": b"echo\n"})
    assert import_skills(file, own).names == ("fmt",)
    assert (own.place / "fmt/scripts/a.sh").exists()


def link_entry(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("fmt/SKILL.md", GOOD)
        link = zipfile.ZipInfo("fmt/key")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
    return path


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"fmt/SKILL.md": GOOD, "../out.txt": b"x"}, "leads out"),
        ({"fmt/SKILL.md": GOOD, "fmt/../../out.txt": b"x"}, "leads out"),
        ({"fmt/SKILL.md": GOOD, "/out.txt": b"x"}, "leads out"),
        ({"fmt/SKILL.md": GOOD, "fmt\\..\\..\\out.txt": b"x"}, "leads out"),
        ({"fmt/SKILL.md": GOOD, "C:out.txt": b"x"}, "leads out"),
        ({"fmt/SKILL.md": GOOD, "fmt/zeros": bytes(6 * 1024**2)}, "would grow"),
        ({"fmt/SKILL.md": GOOD, "fmt/" + "d/" * 20 + "x": b"x"}, "nested"),
        ({"fmt/readme.md": b"x"}, "No SKILL.md"),
        ({"fmt/SKILL.md": GOOD, **{f"fmt/{n}": b"" for n in range(1_001)}}, "more than 1,000"),
    ],
    ids=["up", "up inside", "root", "backslash", "drive", "bomb", "deep", "none", "many"],
)
def test_a_zip_that_means_harm_is_refused_and_leaves_nothing(
    entries: dict[str, bytes], why: str, own: OwnSkills, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=why):
        import_skills(zipped(tmp_path / "bad.zip", entries), own)
    assert list(own.place.iterdir()) == []
    assert not (tmp_path / "out.txt").exists()
    assert not (own.place.parent / "out.txt").exists()


def test_links_sizes_and_files_that_are_no_zip_are_refused(own: OwnSkills, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is a link"):
        import_skills(link_entry(tmp_path / "link.zip"), own)
    (tmp_path / "not.zip").write_bytes(b"PK not a zip")
    with pytest.raises(SettingsError, match="not a zip file"):
        import_skills(tmp_path / "not.zip", own)
    with pytest.raises(SettingsError, match="There is no folder"):
        import_skills(tmp_path / "nowhere", own)
    source = write_skill(tmp_path / "source", "fmt").parent
    (source / "key").symlink_to("/etc/passwd")
    with pytest.raises(SettingsError, match="key is a link"):
        import_skills(source, own)
    (source / "key").unlink()
    with (source / "huge").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(SettingsError, match="too large"):
        import_skills(source, own)
    assert list(own.place.iterdir()) == []


def test_a_zip_that_lies_about_its_sizes_is_stopped(
    own: OwnSkills, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import random

    noise = random.Random(7).randbytes(LARGEST_FILE + 10)
    file = zipped(tmp_path / "liar.zip", {"fmt/SKILL.md": GOOD, "fmt/noise": noise})
    whole = zipfile.ZipFile.infolist

    def lying(self: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
        found = whole(self)
        for item in found:
            item.file_size = min(item.file_size, 10)
        return found

    monkeypatch.setattr(zipfile.ZipFile, "infolist", lying)
    with pytest.raises(SettingsError):
        import_skills(file, own)
    assert list(own.place.iterdir()) == []
