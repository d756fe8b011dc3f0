"""Sets Kinet up on a fresh machine, then starts it, tests it, or gives it a menu entry.

    python3 packaging/bootstrap.py run [-- ARGUMENTS FOR KINET]
    python3 packaging/bootstrap.py test [-- ARGUMENTS FOR PYTEST]
    python3 packaging/bootstrap.py install | uninstall

Standard library only. Everything is kept in `.venv` beside this checkout; a second start finds it
ready and takes no longer than Kinet itself.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)

# What Qt needs to draw, off-screen too. Found out in a bare Debian 12.
DEBIAN_RUN = (
    "python3-venv",
    "git",
    "libegl1",
    "libgl1",
    "libxkbcommon0",
    "libfontconfig1",
    "libdbus-1-3",
    "libglib2.0-0",
)
# What a window on a virtual screen, a reader of its contents, and every script need as well.
DEBIAN_TEST = (
    "xvfb",
    "xauth",
    "x11-utils",
    "libxcb-cursor0",
    "libxkbcommon-x11-0",
    "libxcb-icccm4",
    "libxcb-image0",
    "libxcb-keysyms1",
    "libxcb-randr0",
    "libxcb-render-util0",
    "libxcb-shape0",
    "dbus",
    "at-spi2-core",
    "gir1.2-atspi-2.0",
    "python3-gi",
    "fonts-noto-cjk",
    "fonts-noto-color-emoji",
    # The real model server of tests/real computes with it.
    "libgomp1",
    # The sandbox of commands. Where a container forbids it, those tests say so and are skipped.
    "bubblewrap",
)


class SetupError(Exception):
    """Set-up cannot go on; the text says what, why and what to do."""


def main(argv: list[str]) -> int:
    """Does what the first argument says; returns the exit code of what was started."""
    parser = argparse.ArgumentParser(prog="bootstrap.py", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "test", "install", "uninstall"])
    parser.add_argument("--quick", action="store_true", help="test: without linters and types")
    own, rest = _split(argv)
    options = parser.parse_args(own)
    try:
        if options.what == "uninstall":
            return _menu_entry(["--remove"])
        _set_up(test=options.what == "test")
        if options.what == "run":
            return _run(rest)
        if options.what == "install":
            return _menu_entry([])
        return _test(rest, quick=options.quick)
    except SetupError as error:
        print(f"kinet set-up: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in argv:
        return argv, []
    place = argv.index("--")
    return argv[:place], argv[place + 1 :]


# --- set-up ------------------------------------------------------------------------------------


def _set_up(*, test: bool) -> None:
    if sys.version_info < OLDEST:
        raise SetupError(
            f"this is Python {sys.version_info.major}.{sys.version_info.minor}, Kinet needs"
            f" {OLDEST[0]}.{OLDEST[1]} or newer. Start this script with a newer python3."
        )
    _system_packages(DEBIAN_RUN + DEBIAN_TEST if test else DEBIAN_RUN)
    stamp = _stamp()
    mark = VENV / "kinet-setup.txt"
    wanted = "test" if test else "run"
    done = mark.read_text(encoding="utf-8").split() if mark.exists() else []
    if done[:1] == [stamp] and wanted in done[1:]:
        return
    if done[:1] != [stamp]:
        done = [stamp]
    _make_venv()
    print("kinet set-up: installing packages (this takes a minute or two the first time)")
    _pip("install", "--editable", f"{ROOT}[dev]" if test else str(ROOT))
    if test:
        _real_servers()
    words = [*done, "run", wanted]
    mark.write_text(" ".join(dict.fromkeys(words)), encoding="utf-8")


def _stamp() -> str:
    """Changes when the dependencies, the interpreter or the place of the checkout change."""
    lists = ("pyproject.toml", "packaging/real-servers.txt")
    facts = b"".join((ROOT / name).read_bytes() for name in lists)
    facts += sys.version.encode() + str(ROOT).encode()
    return hashlib.sha256(facts).hexdigest()[:16]


def _system_packages(wanted: tuple[str, ...]) -> None:
    """Installs missing Debian packages when root, else says the exact command."""
    if not shutil.which("dpkg-query") or not shutil.which("apt-get"):
        return
    missing = [name for name in wanted if not _installed(name)]
    if not missing:
        return
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        if _works_without(missing):
            return
        raise SetupError(
            "some system packages are missing and only root may install them. Run:\n"
            f"    sudo {' '.join(command)}\nThen start this command again."
        )
    print(f"kinet set-up: installing system packages: {' '.join(missing)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["apt-get", "update"], command):
        done = subprocess.run(step, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0 and step is command:
            raise SetupError(f"`{' '.join(step)}` failed:\n{_tail(done.stderr or done.stdout)}")


def _installed(package: str) -> bool:
    """True if the package, or one that provides it under the same or a renamed name, is there."""
    for name in (package, f"{package}t64"):
        query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}\n", name]
        done = subprocess.run(query, capture_output=True, text=True, check=False)
        if "installed" in done.stdout.split():
            return True
    return False


def _works_without(missing: list[str]) -> bool:
    """Without root: what is missing is no hindrance if only fonts and the virtual screen are."""
    needed = set(DEBIAN_RUN) - {"git", "python3-venv"}
    if needed & set(missing):
        return False
    return "python3-venv" not in missing or _python(VENV).exists() or _has_ensurepip()


def _has_ensurepip() -> bool:
    code = "import ensurepip, venv"
    return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def _make_venv() -> None:
    if _python(VENV).exists() and _venv_is_ours():
        return
    if VENV.exists():
        shutil.rmtree(VENV)
    done = subprocess.run(
        [sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SetupError(
            f"no virtual environment could be made in {VENV}:\n{_tail(done.stdout + done.stderr)}"
        )


def _venv_is_ours() -> bool:
    """A moved checkout or another Python leaves an environment that does not start properly."""
    code = "import sys; print(sys.prefix, *sys.version_info[:2])"
    done = subprocess.run(
        [str(_python(VENV)), "-c", code], capture_output=True, text=True, check=False
    )
    version = f"{sys.version_info.major} {sys.version_info.minor}"
    return done.returncode == 0 and done.stdout.strip() == f"{VENV} {version}"


def _real_servers() -> None:
    """The model server that tests/real talks to; where it has no wheel, those tests are skipped."""
    try:
        _pip("install", "--no-deps", "--requirement", str(ROOT / "packaging/real-servers.txt"))
    except SetupError as error:
        if os.environ.get("CI"):
            raise
        print(f"kinet set-up: tests against a real model server will be skipped: {error}")


def _pip(*arguments: str) -> None:
    command = [str(_python(VENV)), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupError(
            "the Python packages could not be installed (is the network there?):\n"
            + _tail(done.stderr or done.stdout)
        )


def _python(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _tail(text: str, lines: int = 15) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])


# --- what it was set up for --------------------------------------------------------------------


def _run(arguments: list[str]) -> int:
    return _start([str(_python(VENV)), "-m", "kinet", *arguments])


def _test(arguments: list[str], *, quick: bool) -> int:
    """All checks, the cheap ones first; stops at the first that fails."""
    # Files in the order of tests/conftest.py, whole ones each to a process.
    spread = ["--numprocesses=auto", "--dist=loadfile", "--no-loadscope-reorder"]
    tests = ["pytest", *(arguments or spread)]
    checks = [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["importlinter.cli", "lint-imports"],
    ]
    for check in [*([] if quick else checks), tests]:
        print(f"kinet test: {check[0]}", flush=True)
        code = _call([str(_python(VENV)), *_module(check)])
        if code != 0:
            return code
    return 0


def _module(check: list[str]) -> list[str]:
    if check[0] == "importlinter.cli":
        return ["-c", "from importlinter.cli import lint_imports_command as run; run()"]
    return ["-m", *check]


def _menu_entry(arguments: list[str]) -> int:
    script = ROOT / "packaging" / "menu_entry.py"
    python = _python(VENV) if _python(VENV).exists() else Path(sys.executable)
    return _call([str(python), str(script), *arguments])


def _call(command: list[str]) -> int:
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _start(command: list[str]) -> int:
    """Becomes the command where the system can, so that signals and the terminal are its own."""
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
