"""Where data and resources lie, and that a wheel takes the resources along."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest

from kinet.paths import data_dir, ensure_private_dir, resources_dir

ROOT = Path(__file__).resolve().parents[2]


def test_the_variable_names_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINET_HOME", "~/elsewhere")
    assert data_dir() == Path.home() / "elsewhere"


def test_a_relative_xdg_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KINET_HOME", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert data_dir() == Path.home() / ".local" / "share" / "kinet"
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert data_dir() == Path("/data/kinet")


def test_resources_are_found_in_a_checkout_and_in_a_frozen_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert (resources_dir() / "prompts" / "base.md").is_file()
    monkeypatch.setattr("sys._MEIPASS", str(tmp_path), raising=False)
    assert resources_dir() == tmp_path / "resources"


def test_the_private_folder_is_for_one_person(tmp_path: Path) -> None:
    place = ensure_private_dir(tmp_path / "a" / "b")
    if os.name == "posix":
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        ensure_private_dir(tmp_path / "file")


def test_the_wheel_lists_every_package_and_the_resources() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "kinet").rglob("__init__.py")
    }
    assert set(setup["packages"]) == found | {"kinet._resources"}
    assert setup["package-dir"]["kinet._resources"] == "resources"
