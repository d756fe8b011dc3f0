"""The box in which commands run unasked: no network, only the project is written, no secrets."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.guarded_places import Guarded
from kinet.tools.processes.program import run_now

_PROGRAMS = "/usr/bin:/bin:/usr/local/bin"
_PROBE_SECONDS = 5.0
# Its private folders for passing files lie in memory.
_PRIVATE_BYTES = 2 * 1024 * 1024 * 1024
_BOX = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")  # fmt: skip
_PRIVATE = ("/tmp", "/run", "/var/tmp")
_HOMES = ("/home", "/root", "/Users")
# Programs that people keep below their home; what lies beside them stays hidden.
_TOOLS = (
    ".local/bin", ".local/lib", ".cargo/bin", ".rustup", ".nvm", ".pyenv", ".rbenv", ".asdf",
    ".volta", ".deno/bin", ".bun/bin", "go/bin", ".sdkman/candidates", "miniconda3", "anaconda3",
    ".local/share/uv/python", ".local/share/mise/installs", ".local/pipx/venvs",
)  # fmt: skip
_TOOL_NAMES = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "RUSTUP_HOME", "JAVA_HOME",
               "GOROOT")  # fmt: skip
_FORBIDDEN = ("namespace", "uid map", "gid map", "Operation not permitted", "Permission denied")


@dataclass(frozen=True, slots=True)
class SandboxState:
    """What the probe found. `problem` is "" where it works, else why not, and `hint` what helps."""

    program: str = ""
    problem: str = ""
    hint: str = ""
    has_size: bool = True

    def sentence(self) -> str:
        """For the person."""
        if not self.problem:
            return "Commands of “Allow everything” run in a sandbox (bubblewrap)."
        return f"No sandbox works here: {self.problem}. {self.hint}".strip()


@functools.cache
def state() -> SandboxState:
    """Tries it out, once in the life of the program. Blocks for a moment, 5 s at most."""
    return probe(sys.platform, shutil.which("bwrap", path=_PROGRAMS))


def probe(platform: str, program: str | None) -> SandboxState:
    """Runs the program `true` in a box as commands get it."""
    if platform != "linux":
        return SandboxState(problem="there is none for this system")
    if program is None:
        return SandboxState(
            problem="bubblewrap is not installed",
            hint="Install it with the system's package manager: the package is called bubblewrap.",
        )
    said = ""
    for has_size in (True, False):
        private = _private(_PRIVATE[:1], has_size)
        try:
            result = run_now(
                [program, *_BOX, *private, "true"],
                folder=Path("/"),
                environment=child_environment(),
                timeout_s=_PROBE_SECONDS,
            )
        except OSError as exc:
            return SandboxState(problem=f"bubblewrap cannot be started ({exc.strerror or exc})")
        if result.code == 0 and not result.timed_out:
            return SandboxState(program, has_size=has_size)
        said = result.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        if result.timed_out or "--size" not in said:
            break
    return SandboxState(problem=_why(said), hint=_what_helps(said))


def problem_for(folder: Path, home: Path | None = None) -> str:
    """Why commands on this folder cannot run in a box, "" if they can. Blocks like `state`."""
    found = state()
    if found.problem:
        return found.problem
    root = Path(os.path.realpath(folder))
    own = Path(os.path.realpath(home or Path.home()))
    if root == own or root in own.parents or str(root) in _HOMES:
        return "the folder holds the whole home folder, which a sandbox has to hide"
    return ""


def boxed(
    command: Sequence[str],
    *,
    root: Path,
    start: Path,
    environment: Mapping[str, str],
    guarded: Guarded,
    data_dir: Path | None,
    home: Path | None = None,
) -> list[str]:
    """The command as the box gets it. `root` and `start` are real paths, `start` inside `root`."""
    found = state()
    own = Path(os.path.realpath(home or Path.home()))
    words = [found.program, *_BOX, *_private(_existing(_PRIVATE), found.has_size)]
    for place in _existing([*_HOMES, str(own)]):
        words += ["--tmpfs", place]
    words += ["--dir", str(own)]
    words += _tools(own, environment)
    data = "" if data_dir is None else os.path.realpath(data_dir)
    if data and os.path.isdir(data):
        words += ["--tmpfs", data]
    words += ["--bind", str(root), str(root)]
    if data and os.path.isdir(data) and root in Path(data).parents:
        words += ["--tmpfs", data]
    for place in guarded.read_only:
        words += ["--ro-bind", place, place]
    for place in guarded.hidden_files:
        words += ["--ro-bind", "/dev/null", place]
    for place in guarded.hidden_folders:
        words += ["--tmpfs", place, "--remount-ro", place]
    return [*words, "--setenv", "TMPDIR", "/tmp", "--chdir", str(start), "--", *command]


def _private(places: Sequence[str], has_size: bool) -> list[str]:
    size = ["--size", str(_PRIVATE_BYTES)] if has_size else []
    return [word for place in places for word in (*size, "--tmpfs", place)]


def _existing(places: Sequence[str]) -> list[str]:
    """Real folders, each once; one that lies in another is hidden by it."""
    real = dict.fromkeys(os.path.realpath(place) for place in places if os.path.isdir(place))
    return [place for place in real if not any(str(above) in real for above in Path(place).parents)]


def _tools(home: Path, environment: Mapping[str, str]) -> list[str]:
    """Read-only binds of the programs below the home folder."""
    places = [home / name for name in _TOOLS]
    named = [environment.get(name, "") for name in _TOOL_NAMES]
    places += [Path(name) for name in named if name]
    places += [Path(entry) for entry in environment.get("PATH", "").split(os.pathsep) if entry]
    words: list[str] = []
    for place in dict.fromkeys(places):
        real = Path(os.path.realpath(place))
        if place.is_dir() and home in place.parents and real != home and real not in home.parents:
            words += ["--ro-bind-try", str(place), str(place)]
    return words


def _why(said: str) -> str:
    if any(word in said for word in _FORBIDDEN):
        return "this system lets no program make one (user namespaces are forbidden)"
    return f"bubblewrap says: {said[:200]}" if said else "bubblewrap did not answer"


def _what_helps(said: str) -> str:
    if not any(word in said for word in _FORBIDDEN):
        return ""
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return "This is a container: it would have to be started with the right to make namespaces."
    if _switch("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "An AppArmor profile for bwrap allows it: Ubuntu has one in the package "
            "apparmor-profiles (bwrap-userns-restrict)."
        )
    if _switch("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "An administrator can allow it: sysctl kernel.unprivileged_userns_clone=1."
    return "An administrator can allow unprivileged user namespaces."


def _switch(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return ""
