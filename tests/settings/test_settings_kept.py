"""A setting that a window keeps holds at once, is written beside it in order, and is not lost."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.core.errors import SettingsError
from kinet.core.keeping import Keeper
from kinet.core.profile import Price
from kinet.settings import first_frame
from kinet.settings.store import SettingsStore


class SlowDisk:
    """A keeper whose disk stands still until it is let go."""

    def __init__(self) -> None:
        self.keeper, self._go = Keeper(), threading.Event()
        self.keeper.keep(self._go.wait)

    def let_go(self) -> None:
        self._go.set()
        self.keeper.wait()


@pytest.fixture
def disk() -> Iterator[SlowDisk]:
    """Stands still at first."""
    made = SlowDisk()
    yield made
    made.let_go()
    made.keeper.close()


def on_disk(home: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((home / "settings.json").read_text(encoding="utf-8"))
    return found


def test_a_kept_value_holds_before_the_disk_has_it(tmp_path: Path, disk: SlowDisk) -> None:
    store, told = SettingsStore(tmp_path, disk.keeper), []
    store.on_change(lambda key: told.append((key, store.get(key))))
    kept = store.keep("appearance.zoom", "150")
    assert store.get("appearance.zoom") == store.values.appearance.zoom == 150
    assert told == [("appearance.zoom", 150)]
    assert not kept.done()
    assert not (tmp_path / "settings.json").exists()
    disk.let_go()
    kept.result()
    assert on_disk(tmp_path) == {"appearance": {"zoom": 150}}
    assert first_frame.load(tmp_path).zoom == 150


def test_nobody_waits_for_the_disk_but_who_says_so(tmp_path: Path, disk: SlowDisk) -> None:
    """Many kept values are few writes, and the last of each wins."""
    store, writes = SettingsStore(tmp_path, disk.keeper), []
    put, os_replace = os.replace, os.replace
    for zoom in range(100, 200):
        last = store.keep("appearance.zoom", zoom)
    store.keep("approvals.mode", "plan")
    store.keep_price("m", Price(1.0, 2.0))

    def counted(source: str, target: str) -> None:
        writes.append(target)
        put(source, target)

    os.replace = counted  # type: ignore[assignment]
    try:
        disk.let_go()
    finally:
        os.replace = os_replace
    last.result()
    assert len(writes) == 2
    again = SettingsStore(tmp_path)
    assert (again.get("appearance.zoom"), again.get("approvals.mode")) == (199, "plan")
    assert again.prices()["m"]["output"] == 2.0


def test_what_waits_to_be_written_and_what_others_wrote_are_both_kept(
    tmp_path: Path, disk: SlowDisk
) -> None:
    store = SettingsStore(tmp_path, disk.keeper)
    store.keep("appearance.zoom", 120)
    SettingsStore(tmp_path).set("appearance.theme", "dark")
    disk.let_go()
    assert store.get("appearance.theme") == "dark"
    assert on_disk(tmp_path)["appearance"] == {"theme": "dark", "zoom": 120}


def test_set_comes_behind_what_was_kept_before_it(tmp_path: Path, disk: SlowDisk) -> None:
    store = SettingsStore(tmp_path, disk.keeper)
    store.keep("appearance.zoom", 120)
    setting = threading.Thread(target=store.set, args=("appearance.zoom", 130))
    setting.start()
    disk.let_go()
    setting.join()
    assert store.get("appearance.zoom") == 130
    assert SettingsStore(tmp_path).get("appearance.zoom") == 130


def test_what_is_no_value_is_refused_at_once(tmp_path: Path, disk: SlowDisk) -> None:
    store = SettingsStore(tmp_path, disk.keeper)
    store.keep("appearance.zoom", 120)
    for key, value in (("appearance.zoom", "huge"), ("appearance.zom", 1)):
        with pytest.raises(SettingsError):
            store.keep(key, value)
    with pytest.raises(SettingsError):
        store.keep_change("prices", lambda raw: raw.update(prices={"m": {"input": "dear"}}))
    assert store.get("appearance.zoom") == 120
    disk.let_go()
    assert on_disk(tmp_path) == {"appearance": {"zoom": 120}}


def test_what_cannot_be_written_holds_is_told_and_is_tried_again(tmp_path: Path) -> None:
    home, keeper = tmp_path / "home", Keeper()
    store = SettingsStore(home, keeper)
    _ = store.values
    home.write_text("in the way", encoding="utf-8")
    with pytest.raises(SettingsError, match="could not be saved") as caught:
        store.keep("appearance.zoom", 150).result()
    assert "until Kinet is closed" in caught.value.hint
    assert store.get("appearance.zoom") == 150
    home.unlink()
    store.keep("approvals.mode", "plan").result()
    assert on_disk(home) == {"appearance": {"zoom": 150}, "approvals": {"mode": "plan"}}
    keeper.close()


def test_without_a_keeper_it_is_written_when_keep_returns(tmp_path: Path) -> None:
    assert SettingsStore(tmp_path).keep("appearance.zoom", 90).done()
    assert on_disk(tmp_path) == {"appearance": {"zoom": 90}}
