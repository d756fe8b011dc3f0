"""The sample folder of the guided tour: the books of a small shop."""

from __future__ import annotations

from pathlib import Path

from kinet.paths import resources_dir

FOLDER_NAME = "shop-ledger"


def make_sample(path: Path) -> Path:
    """Puts the sample files into `path` and returns it.

    Sample files that are there already get their first content again, so that the tour can be
    taken twice; other files are left alone. Raises OSError if the folder cannot be written.
    """
    source = resources_dir() / "tour" / "sample"
    for file in sorted(source.rglob("*")):
        if file.is_dir() or "__pycache__" in file.parts:
            continue
        target = path / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    return path


def demo_prompt() -> str:
    """The task that `kinet --demo` gives on the sample folder."""
    text = (resources_dir() / "tour" / "demo.md").read_text(encoding="utf-8")
    return text.strip()


def starter_prompts() -> tuple[str, ...]:
    """Three first tasks that fit the sample folder."""
    return (demo_prompt(), "Explain the outline of ledger/match.py", "Search for VAT")
