"""`kinet skills`, and skills in `kinet run`: called by name, ordered in the prompt, trusted."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.cli.conftest import Kinet
from tests.skills.skill_kit import BROKEN, CASES, ten_skills, write_skill
from tests.support.scripted_server import ScriptedServer, says


def test_all_skills_are_listed_with_what_becomes_of_them(
    kinet: Kinet, home: Path, tmp_path: Path
) -> None:
    ten_skills(home)
    write_skill(home / "skills", "empty", body="")
    write_skill(tmp_path / "person/.codex/skills", "hanyu", "Old.")
    write_skill(tmp_path / "work/.claude/skills", "local")
    rows = kinet("skills", "list", "--cwd", str(tmp_path / "work"), "--json").json
    states = {(row["source"], row["name"]): row["state"] for row in rows}
    assert states["project", "local"] == "used"
    assert states["kinet", "hanyu"] == "used"
    assert states["codex", "hanyu"] == "hidden"
    assert states["kinet", "empty"] == "broken"
    assert len(rows) == 13
    told = kinet("skills", "list", "--cwd", str(tmp_path / "work"))
    assert told.code == 0
    assert "empty [broken]" in told.out.replace("  [", " [")
    assert "no text below its head" in told.out


def test_a_skill_is_checked_in_words(kinet: Kinet) -> None:
    good = kinet("skills", "check", str(CASES / "hanyu"))
    assert (good.code, good.out) == (0, "hanyu: can be used\n")
    bad = kinet("skills", "check", str(BROKEN / "no-text" / "SKILL.md"))
    assert bad.code == 1
    assert "There is no text below its head" in bad.out
    every = kinet("skills", "check", str(BROKEN), "--json")
    assert every.code == 1
    assert all(row["problem"] for row in every.json)


def test_skills_are_taken_in(kinet: Kinet, home: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "fmt.zip", "w") as packed:
        packed.writestr("fmt/SKILL.md", "---\nname: fmt\ndescription: x\n---\nDo it.\n")
    assert kinet("skills", "import", str(tmp_path / "fmt.zip")).out == "fmt\n"
    assert (home / "skills/fmt/SKILL.md").exists()
    again = kinet("skills", "import", str(tmp_path / "fmt.zip"))
    assert again.code == 1
    assert "already" in again.err
    none = kinet("skills", "import", str(tmp_path / "nowhere"))
    assert none.code == 1
    assert "There is no folder or zip file" in none.err


def test_k03_a_run_sends_everything_in_its_order_with_nested_folders(
    kinet: Kinet, home: Path, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    inner = work / "app" / "core"
    inner.mkdir(parents=True)
    (work / ".git").mkdir()
    home.mkdir(exist_ok=True)
    (home / "rules.md").write_text("MARK-personal\n")
    write_skill(work / ".kinet/skills", "fmt", "MARK-skill", description="MARK-list")
    for place, name in ((work, "root"), (work / "app", "middle"), (inner, "inner")):
        (place / "AGENTS.md").write_text(f"MARK-agents-{name}\n")
        (place / "KINET.md").write_text(f"MARK-kinet-{name}\n")
        (place / "KINET-CONTEXT.md").write_text(f"MARK-context-{name}\n")
    (work / "CLAUDE.md").write_text("MARK-claude\n")
    (work / "app" / "AGENTS.md").unlink()
    (work / "app" / "CLAUDE.md").write_text("MARK-agents-middle\n")
    with ScriptedServer(says("One."), says("Two.")) as server:
        model = ("--base-url", server.base_url, "--model", "scripted", "--cwd", str(inner))
        ran = kinet("run", "/fmt it", *model)
        assert ran.code == 0, ran.err
        assert "The skill fmt is active" in ran.err + ran.out
        refused = kinet("run", "/fmt it", "--no-trust", *model)
        assert refused.code == 0
    text = str(server.bodies[0]["messages"][0]["content"])
    levels = ("root", "middle", "inner")
    wanted = [
        "You are the agent of Kinet", "MARK-personal", "MARK-list", "MARK-skill",
        *(f"MARK-agents-{name}" for name in levels),
        *(f"MARK-kinet-{name}" for name in levels),
        *(f"MARK-context-{name}" for name in levels),
    ]  # fmt: skip
    places = [text.find(mark) for mark in wanted]
    assert -1 not in places
    assert places == sorted(places)
    assert "MARK-claude" not in text, "AGENTS.md stands in for it"
    untrusted = str(server.bodies[1]["messages"][0]["content"])
    assert "MARK-personal" in untrusted
    assert "MARK-skill" not in untrusted
    assert "MARK-agents" not in untrusted


def test_the_tool_loads_a_skill_and_its_files_are_read(kinet: Kinet, home: Path) -> None:
    place = ten_skills(home) / "run-checks"
    loaded = kinet("tool", "skill", '{"name": "run-checks", "arguments": "src"}')
    assert loaded.code == 0
    assert "with src and read" in loaded.json["content"]
    assert loaded.json["preview"] == "run-checks, 3 files"
    read = kinet("tool", "read_file", f'{{"path": "{place}/references/rules.md"}}')
    assert "No tabs." in read.json["content"], read.out
    other = kinet("tool", "read_file", f'{{"path": "{home}/settings.toml"}}')
    assert other.code != 0
    wrong = kinet("tool", "skill", '{"name": "run-check"}')
    assert wrong.code == 1
    assert "Did you mean run-checks" in wrong.json["content"]


def test_the_rules_of_a_folder_are_checked_whole(kinet: Kinet, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "in").mkdir(parents=True)
    (work / ".git").mkdir()
    (work / "AGENTS.md").write_text("Tabs.\u200b\n")
    (work / "in/KINET.md").write_text("Spaces.\n")
    told = kinet("check", "rules", str(work / "in")).json
    assert [Path(file["path"]).name for file in told["files"]] == ["AGENTS.md", "KINET.md"]
    assert told["files"][0]["hidden"] == [{"code_point": "U+200B", "offset": 5}]
    assert told["text"].count("<project-rules") == 2
    one = kinet("check", "rules", str(work / "AGENTS.md")).json
    assert len(one["files"]) == 1
