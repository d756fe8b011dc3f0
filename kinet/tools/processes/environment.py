"""The environment that child processes get: a short list of harmless names, never a key."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

_NAMES = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP",
    "PWD", "HOSTNAME", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA",
    "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMDATA", "USERPROFILE",
    "HOMEDRIVE", "HOMEPATH", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
    "VIRTUAL_ENV", "JAVA_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR",
    "PYENV_ROOT", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
    "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "SOURCE_DATE_EPOCH",
})  # fmt: skip
_FAMILIES = ("LC_",)
# Nobody sits at a terminal: no pager may wait and no program may ask for a password.
_FIXED = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "DEBIAN_FRONTEND": "noninteractive",
}


def child_environment(
    *,
    extra_names: Iterable[str] = (),
    without: Path | None = None,
    source: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """What a child may know of this process's environment.

    `extra_names` are names the person added. Entries of PATH that are relative or empty are left
    out, and with `without` (a real path) those inside that folder too.
    """
    known = os.environ if source is None else source
    wanted = _NAMES.union(name.upper() for name in extra_names)
    chosen = {
        name: value
        for name, value in known.items()
        if name.upper() in wanted or name.upper().startswith(_FAMILIES)
    }
    chosen.update(_FIXED)
    chosen["PATH"] = _safe_path(known.get("PATH", os.defpath), without)
    return chosen


def _safe_path(path: str, without: Path | None) -> str:
    kept = [entry for entry in path.split(os.pathsep) if os.path.isabs(entry)]
    if without is not None:
        kept = [entry for entry in kept if not _inside(entry, without)]
    return os.pathsep.join(kept) or os.defpath.lstrip(os.pathsep + ".")


def _inside(entry: str, folder: Path) -> bool:
    real = Path(os.path.realpath(entry))
    return real == folder or folder in real.parents
