"""Skills for tests: the ten of `cases`, libraries over them, and folders made up on the spot."""

from __future__ import annotations

import shutil
from pathlib import Path

from kinet.skills.catalog import Choice
from kinet.skills.library import SkillLibrary

CASES = Path(__file__).parent / "cases"
BROKEN = Path(__file__).parent / "broken"
TEN = (
    "by-model", "hanyu", "inner-skill", "nihongo", "no-head", "old-name", "review-change",
    "run-checks", "tidy-notes", "write-report",
)  # fmt: skip


def library(
    data_dir: Path,
    home: Path | None = None,
    *,
    trusted: bool = True,
    choice: Choice | None = None,
) -> SkillLibrary:
    """A library whose home folder is empty unless one is given."""
    chosen = choice or Choice()
    return SkillLibrary(lambda: chosen, lambda folder: trusted, data_dir, home or data_dir / "none")


def ten_skills(data_dir: Path) -> Path:
    """The ten skills in the place of the person's own."""
    return Path(shutil.copytree(CASES, data_dir / "skills"))


def write_skill(place: Path, name: str, body: str = "Do it.", **head: str) -> Path:
    """A small skill in the folder `place`; its file is what comes back."""
    said = {"name": name, "description": f"Does {name}.", **head}
    lines = "\n".join(f"{key.replace('_', '-')}: {value}" for key, value in said.items())
    file = place / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\n{lines}\n---\n{body}\n", encoding="utf-8")
    return file
