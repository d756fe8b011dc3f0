"""The sample folder of the guided tour: the books of a small shop."""

from __future__ import annotations

from pathlib import Path

from kinet.core.errors import StoreError
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


def sample_beside(home: Path) -> Path:
    """The sample folder of a data folder, made anew. StoreError if it cannot be made."""
    folder = _place_beside(home)
    try:
        return make_sample(folder)
    except OSError as exc:
        raise StoreError(
            f"The sample folder {folder} cannot be made: {exc.strerror or exc}.",
            hint="Choose a folder of your own for the tour.",
        ) from exc


def is_sample(folder: Path, home: Path) -> bool:
    """True for the sample folder of this data folder."""
    return folder == _place_beside(home)


def demo_prompt() -> str:
    """The task that `kinet --demo` gives on the sample folder."""
    text = (resources_dir() / "tour" / "demo.md").read_text(encoding="utf-8")
    return text.strip()


def starter_prompts() -> tuple[str, str, str]:
    """Three first tasks that fit the sample folder."""
    return (demo_prompt(), "Explain the outline of ledger/match.py.", "Search for VAT.")


def _place_beside(home: Path) -> Path:
    # Beside the data folder, not in it: no tool may touch what is inside.
    return home.with_name(f"{home.name}-tour") / FOLDER_NAME
