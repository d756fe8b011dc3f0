"""One limit for outputs, journal and backups: measured, kept by itself, freed by kind."""

from __future__ import annotations

import os
from pathlib import Path

from kinet.settings.kept_things import KeptThings
from kinet.settings.store import SettingsStore
from kinet.tools.processes.whole_output import place_of

MB = 1_000_000


def kept_with(home: Path, *, outputs: int = 0, backups: int = 0, contents: int = 0) -> KeptThings:
    """`outputs`, `backups` and `contents` of 100 MB each (sparse), the higher the newer."""
    settings = SettingsStore(home)
    settings.set("data.limit_gb", 0.5)
    for number in range(outputs):
        file = place_of(home, "session", f"call{number}")
        assert file is not None
        _sparse(file, number)
    for number in range(backups):
        _sparse(home / "backups" / f"kinet-2026010{number + 1}-000000.db", 100 + number)
    kept = KeptThings(home, settings)
    for number in range(contents):
        digest = f"{number:064x}"
        _sparse(kept.journal.store.folder / digest[:2] / digest, 200 + number)
    return kept


def _sparse(file: Path, age: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        out.truncate(100 * MB)
    os.utime(file, (1_000_000 + age, 1_000_000 + age))


def sizes(kept: KeptThings) -> dict[str, int]:
    return {share.name: share.size // MB for share in kept.shares() if share.size}


def test_what_is_under_the_limit_stays(tmp_path: Path) -> None:
    kept = kept_with(tmp_path, outputs=2, backups=2, contents=1)
    kept.make_room()
    assert sizes(kept) == {"outputs": 200, "backups": 200, "journal": 100}


def test_the_oldest_outputs_and_backups_go_first_and_the_newest_backup_never(
    tmp_path: Path,
) -> None:
    kept = kept_with(tmp_path, outputs=3, backups=3, contents=3)
    kept.make_room()
    assert sizes(kept) == {"backups": 200, "journal": 300}
    newest = tmp_path / "backups" / "kinet-20260103-000000.db"
    assert newest.exists()


def test_the_journal_shrinks_where_nothing_else_is_left(tmp_path: Path) -> None:
    kept = kept_with(tmp_path, backups=1, contents=6)
    kept.make_room()
    assert sizes(kept)["backups"] == 100
    assert sizes(kept).get("journal", 0) <= 400


def test_each_share_is_freed_alone(tmp_path: Path) -> None:
    kept = kept_with(tmp_path, outputs=1, backups=2, contents=1)
    kept.free("outputs")
    assert sizes(kept) == {"backups": 200, "journal": 100}
    kept.free("journal")
    kept.free("backups")
    kept.free("conversations")
    assert sizes(kept) == {"backups": 100}
