"""The entry in the desktop's menu: its command opens the window, with title and icon."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("Xvfb", "xwininfo", "xprop")
_PATIENCE_S = 60.0

pytestmark = pytest.mark.window


@pytest.fixture
def display() -> Iterator[str]:
    """A virtual screen of its own; its name for DISPLAY."""
    missing = [name for name in TOOLS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no virtual screen to look at here: {', '.join(missing)} not installed")
    reading, writing = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    ) as server:
        os.close(writing)
        with os.fdopen(reading) as numbers:
            number = numbers.readline().strip()
        assert number, "the virtual screen did not start"
        try:
            yield f":{number}"
        finally:
            server.terminate()


def install(data: Path, *more: str) -> None:
    """What `bootstrap.py install` does, with its files under `data`."""
    subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "menu_entry.py"), *more],
        env={**os.environ, "XDG_DATA_HOME": str(data)},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def entry_of(data: Path) -> dict[str, str]:
    """The values of the desktop entry."""
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(data / "applications" / "kinet.desktop", encoding="utf-8")
    return dict(parser["Desktop Entry"])


def facts_of(name: str, environment: dict[str, str]) -> str:
    """Class, title and icon of the window of this title, "" if there is none."""

    def asked(*command: str) -> str:
        ran = subprocess.run(
            command, env=environment, capture_output=True, encoding="utf-8", check=False
        )
        return ran.stdout

    lines = [line.strip() for line in asked("xwininfo", "-root", "-tree").splitlines()]
    found = [line.split()[0] for line in lines if f'"{name}"' in line]
    wanted = ("WM_CLASS", "_NET_WM_NAME", "_NET_WM_ICON")
    return asked("xprop", "-id", found[0], *wanted) if found else ""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a desktop entry is Linux's way")
def test_the_entry_s_command_opens_the_window_with_title_and_icon(
    display: str, tmp_path: Path
) -> None:
    install(tmp_path / "data")
    entry = entry_of(tmp_path / "data")
    assert Path(entry["Icon"]).read_bytes().startswith(b"<svg")
    command = shlex.split(entry["Exec"])
    if not Path(command[0]).exists():
        pytest.skip("this checkout was not set up by bootstrap.py: it has no kinet-window")
    kept = {key: value for key, value in os.environ.items() if key != "QT_QPA_PLATFORM"}
    kept.pop("WAYLAND_DISPLAY", None)
    environment = {**kept, "DISPLAY": display, "KINET_HOME": str(tmp_path / "home")}
    with subprocess.Popen(command, env=environment, cwd=tmp_path) as program:
        try:
            deadline = time.monotonic() + _PATIENCE_S
            # The icon comes a moment after the first picture.
            while "_NET_WM_ICON(CARDINAL)" not in (facts := facts_of("Kinet", environment)):
                assert program.poll() is None, "the program ended"
                assert time.monotonic() < deadline, f"no window with an icon came up: {facts}"
                time.sleep(0.1)
        finally:
            program.terminate()
            program.wait(30)
    assert f'"{entry["StartupWMClass"]}"' in facts
    assert '_NET_WM_NAME(UTF8_STRING) = "Kinet"' in facts
    assert program.returncode == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a desktop entry is Linux's way")
def test_it_can_be_taken_away_again(tmp_path: Path) -> None:
    install(tmp_path)
    assert entry_of(tmp_path)["Name"] == "Kinet"
    install(tmp_path, "--remove")
    assert not [path for path in tmp_path.rglob("kinet.*") if path.is_file()]
