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

# What a command of git could start besides, with the value that starts nothing. Names of drivers
# are anybody's; who runs git has to look for those.
GIT_STARTS_NOTHING = (
    ("core.fsmonitor", "false"),
    ("core.hookspath", "/dev/null"),
    ("core.sshcommand", "false"),
    ("core.askpass", "false"),
    ("core.alternaterefscommand", "false"),
    ("core.gitproxy", "none"),
    ("diff.submodule", "short"),
    ("status.submodulesummary", "false"),
    ("submodule.recurse", "false"),
    ("protocol.allow", "never"),
    ("credential.helper", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("log.showsignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.ssh.defaultkeycommand", "false"),
)
GIT_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # Older ones do not know that word; no transport counts for them, whatever a repository allows.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
}


def git_settings(settings: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Variables by which git takes these before all that files say.

    By variables, since a name may hold an equals sign, which -c could not tell apart.
    """
    given: dict[str, str] = {}
    count = 0
    for number, (key, value) in enumerate(settings):
        given[f"GIT_CONFIG_KEY_{number}"] = key
        given[f"GIT_CONFIG_VALUE_{number}"] = value
        count = number + 1
    return {"GIT_CONFIG_COUNT": str(count), **given}


def reading_environment(without: Path) -> dict[str, str]:
    """The environment of a command that runs unasked in the project `without`.

    Programs of the project take no well-known name. git starts and writes nothing beside what it is
    asked for: a diff would else write the index, and run a hook then. Nor does it follow a file to
    its earlier name, which may be a guarded one.
    """
    more = (("diff.autorefreshindex", "false"), ("log.follow", "false"))
    settings = (*GIT_STARTS_NOTHING, *more)
    return {**child_environment(without=without), **GIT_QUIET, **git_settings(settings)}


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
