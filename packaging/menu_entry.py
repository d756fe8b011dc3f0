"""Gives Kinet an entry in the menu of this desktop, with its icon, and takes it away again.

Run by `bootstrap.py install` with the Python of `.venv`. Linux: a desktop entry; macOS: an
application bundle that starts the checkout; Windows: a shortcut in the start menu.
"""

from __future__ import annotations

import os
import plistlib
import shlex
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ICON = ROOT / "resources" / "icons" / "icon.svg"
NAME = "Kinet"


def main(arguments: list[str]) -> int:
    """Installs, or with --remove uninstalls; 0 if it worked."""
    remove = "--remove" in arguments
    if sys.platform == "darwin":
        places = _mac(remove=remove)
    elif os.name == "nt":
        places = _windows(remove=remove)
    else:
        places = _linux(remove=remove)
    print(f"{'Removed' if remove else 'Installed'}: {', '.join(map(str, places))}")
    return 0


def launcher() -> Path:
    """The window's own program in the virtual environment: starts without a console."""
    folder = ROOT / ".venv" / ("Scripts" if os.name == "nt" else "bin")
    return folder / ("kinet-window.exe" if os.name == "nt" else "kinet-window")


def _linux(*, remove: bool) -> list[Path]:
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    entry = data / "applications" / "kinet.desktop"
    icon = data / "icons" / "hicolor" / "scalable" / "apps" / "kinet.svg"
    if remove:
        return _unlink(entry, icon)
    for place in (entry, icon):
        place.parent.mkdir(parents=True, exist_ok=True)
    icon.write_bytes(ICON.read_bytes())
    entry.write_text(desktop_entry(launcher(), icon), encoding="utf-8")
    entry.chmod(0o755)
    subprocess.run(
        ["update-desktop-database", str(entry.parent)], capture_output=True, check=False
    ) if _has("update-desktop-database") else None
    return [entry, icon]


def desktop_entry(program: Path, icon: Path) -> str:
    """The text of a desktop entry; the path is quoted as the specification of Exec asks."""
    quoted = str(program)
    for character in '\\"`$':
        quoted = quoted.replace(character, "\\" + character)
    # A backslash is doubled once more, because the value itself is a string with escapes.
    quoted = quoted.replace("\\", "\\\\").replace("%", "%%")
    lines = [
        "[Desktop Entry]",
        "Type=Application",
        f"Name={NAME}",
        "GenericName=Assistant",
        "Comment=An agent that works on your own folder, step by step",
        f'Exec="{quoted}"',
        f"Icon={icon}",
        "Terminal=false",
        "Categories=Development;Utility;",
        "StartupWMClass=kinet",
        "StartupNotify=true",
    ]
    return "\n".join(lines) + "\n"


def _mac(*, remove: bool) -> list[Path]:
    bundle = Path.home() / "Applications" / f"{NAME}.app"
    program = bundle / "Contents" / "MacOS" / NAME
    icon = bundle / "Contents" / "Resources" / "kinet.icns"
    facts = bundle / "Contents" / "Info.plist"
    if remove:
        return _unlink(program, icon, facts)
    for place in (program, icon):
        place.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\nexec {shlex.quote(str(launcher()))}\n", encoding="utf-8")
    program.chmod(0o755)
    icon.write_bytes(icns(png(512)))
    facts.write_bytes(
        plistlib.dumps(
            {
                "CFBundleName": NAME,
                "CFBundleExecutable": NAME,
                "CFBundleIdentifier": "app.kinet.Kinet",
                "CFBundleIconFile": "kinet.icns",
                "CFBundlePackageType": "APPL",
                "NSHighResolutionCapable": True,
            }
        )
    )
    return [bundle]


def _windows(*, remove: bool) -> list[Path]:
    menu = Path(os.environ["APPDATA"]) / "Microsoft" / "Windows" / "Start Menu" / "Programs"
    link = menu / f"{NAME}.lnk"
    icon = ROOT / ".venv" / "kinet.ico"
    if remove:
        return _unlink(link, icon)
    icon.write_bytes(ico(png(256)))
    script = (
        "$s = (New-Object -ComObject WScript.Shell).CreateShortcut($env:KINET_LINK);"
        "$s.TargetPath = $env:KINET_PROGRAM; $s.IconLocation = $env:KINET_ICON; $s.Save()"
    )
    # Handed over as variables: a path is never part of the script's text.
    environment = {
        **os.environ,
        "KINET_LINK": str(link),
        "KINET_PROGRAM": str(launcher()),
        "KINET_ICON": str(icon),
    }
    subprocess.run(["powershell", "-NoProfile", "-Command", script], env=environment, check=True)
    return [link, icon]


def png(size: int) -> bytes:
    """The icon as a PNG of size x size pixels."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QBuffer, QIODevice, Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    application = QGuiApplication.instance() or QGuiApplication([])
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(ICON)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    del application
    return bytes(buffer.data().data())


def icns(picture: bytes) -> bytes:
    """An Apple icon file that holds one 512 x 512 PNG (type ic09)."""
    block = b"ic09" + struct.pack(">I", len(picture) + 8) + picture
    return b"icns" + struct.pack(">I", len(block) + 8) + block


def ico(picture: bytes) -> bytes:
    """A Windows icon file that holds one 256 x 256 PNG (a size of 0 means 256)."""
    head = struct.pack("<HHH", 0, 1, 1)
    return head + struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 32, len(picture), 22) + picture


def _unlink(*places: Path) -> list[Path]:
    for place in places:
        place.unlink(missing_ok=True)
    return list(places)


def _has(program: str) -> bool:
    import shutil

    return shutil.which(program) is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
