"""The names that need more than a usual question: secrets, start-up files, the app's own."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

# Folders and files that hold keys: reading is asked each time, searching leaves them out.
_SECRET_FOLDERS = frozenset({
    ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".password-store", ".mozilla",
    ".oci", ".terraform.d", ".thunderbird", ".gcloud", ".1password", ".bitwarden",
})  # fmt: skip
# Ordinary words, which mean profiles and key stores only below a folder of settings.
_STORES = frozenset({
    "keyrings", "keychains", "gcloud", "google-chrome", "google", "chromium", "bravesoftware",
    "microsoft-edge", "1password", "bitwarden", "firefox", "gh", "hub", "rclone", "op",
})  # fmt: skip
_SETTINGS_FOLDERS = frozenset({".config", ".local", "library", "appdata", "snap", ".var"})
_SECRET_NAMES = (
    ".env", ".env.*", ".env-*", ".env_*", ".envrc", "*.env", "*.pem", "*.key", "*.p12", "*.pfx",
    "*.p8", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.keychain", "*.keychain-db", ".netrc",
    "_netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".git-credentials", ".pgpass",
    ".my.cnf", ".htpasswd", ".vault-token", ".dockercfg", ".boto", ".s3cfg", "credentials",
    "credentials.json", "credentials.csv", "credentials.ini", "credentials.toml",
    "credentials.yml", "credentials.yaml", "credentials.xml", ".credentials", ".credentials.*",
    "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml",
    "service-account*.json", "service_account*.json", "client_secret*.json", "shadow",
    "gshadow", "master.key", "logins.json", "cookies.sqlite", "login data",
    "key3.db", "key4.db", "*.tfstate", "*.tfvars",
    ".bash_history", ".zsh_history",
    ".python_history", ".psql_history", ".mysql_history", ".secrets",
)  # fmt: skip
_PRIVATE_KEY = re.compile(r"\Aid_[a-z0-9_-]+\Z")

# Instructions to an agent, and files that another program runs or obeys.
_ASKED_FOLDERS = frozenset({
    ".kinet", ".vscode", ".idea", ".github", ".gitlab", ".circleci", ".husky", ".githooks",
    ".devcontainer", ".claude", ".cursor", ".codex", ".agents", ".buildkite", ".woodpecker",
    ".forgejo", ".gitea", ".fleet", ".zed",
})  # fmt: skip
_ASKED_NAMES = (
    "agents.md", "agents.*.md", "agents.override.md", "claude.md", "claude.*.md", "gemini.md",
    "kinet.md", "kinet-context.md", ".mcp.json", "mcp.json", ".envrc", ".gitattributes",
    ".gitmodules", ".gitconfig", ".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml",
    ".travis.yml", ".drone.yml", "bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml",
    "cloudbuild.yaml", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml",
    ".cursorrules", ".windsurfrules", "skill.md", "sitecustomize.py", "usercustomize.py",
    "*.code-workspace", "*.pth", ".editrc", ".inputrc", ".lldbinit", ".gdbinit", ".vimrc",
    ".exrc", ".nvimrc", ".tool-versions", ".mise.toml", "mise.toml", ".envrc.local",
)  # fmt: skip
# Run or obeyed at login, by the system or by a shell; they lie outside any project.
_START_UP = (
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv",
    ".zprofile", ".zlogin", ".zlogout", ".xprofile", ".xsession", ".xinitrc", ".pam_environment",
    "config.fish", "authorized_keys", "crontab", "autostart", "systemd", "launchagents",
    "launchdaemons", "startup", "cron.d", "cron.daily", "profile.d", "environment.d",
)  # fmt: skip

# Characters that some file systems drop when they compare names.
_IGNORED = re.compile("[\u00ad\u034f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_SHORT_GIT = re.compile(r"\Agit~\d+\Z")


def folded(component: str) -> str:
    """The name as the most forgiving file system would compare it."""
    if component.isascii():
        return component.lower().split(":", 1)[0].rstrip(". ")
    name = unicodedata.normalize("NFKC", _IGNORED.sub("", component)).casefold()
    # An NTFS stream (`.git::$INDEX_ALLOCATION`) and closing dots or blanks name the same entry.
    return name.split(":", 1)[0].rstrip(". ")


def is_repository(components: Sequence[str]) -> bool:
    """True if one of the names stands for `.git`."""
    return any(name == ".git" or _SHORT_GIT.match(name) for name in map(folded, components))


def is_secret(components: Sequence[str]) -> bool:
    """True if the path, in components, names something that holds keys or passwords."""
    names = [folded(component) for component in components]
    if not names:
        return False
    if any(name in _SECRET_FOLDERS for name in names):
        return True
    if _SETTINGS_FOLDERS.intersection(names) and _STORES.intersection(names):
        return True
    last = names[-1]
    return bool(_PRIVATE_KEY.match(last) or _IS_SECRET_NAME.match(last))


def is_secret_name(name: str) -> bool:
    """The part of `is_secret` that the last name alone decides; folders are not looked at."""
    last = folded(name)
    return last in _SECRET_FOLDERS or bool(_PRIVATE_KEY.match(last) or _IS_SECRET_NAME.match(last))


def is_start_up(components: Sequence[str]) -> bool:
    """True if the path names something that runs at login or opens the machine."""
    return any(folded(component) in _START_UP for component in components)


def is_always_asked(components: Sequence[str]) -> bool:
    """True if writing there gives orders to an agent or to another program."""
    names = [folded(component) for component in components]
    return any(name in _ASKED_FOLDERS for name in names) or (
        bool(names) and _IS_ASKED_NAME.match(names[-1]) is not None
    )


def is_disguised(components: Sequence[str]) -> bool:
    """True if a guarded folder is written in a spelling that is not its plain one."""
    return any(
        folded(component) in _ASKED_FOLDERS and component not in _ASKED_FOLDERS
        for component in components
    )


# The one folder of the app's data whose files a person may let a command use.
OWN_SKILLS = "skills"


def own_folders(home: Path, data_dir: Path | None) -> tuple[Path, ...]:
    """Where the app keeps its settings and data, whether or not the folders exist."""
    found = [
        home / ".config" / "kinet",
        home / ".local" / "share" / "kinet",
        home / ".local" / "state" / "kinet",
        home / ".cache" / "kinet",
        home / "Library" / "Application Support" / "kinet",
        home / "AppData" / "Roaming" / "kinet",
        home / "AppData" / "Local" / "kinet",
    ]
    return (*found, data_dir) if data_dir is not None else tuple(found)


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns))


# One expression each: these are asked for every name of a tree.
_IS_SECRET_NAME = _any_of(_SECRET_NAMES)
_IS_ASKED_NAME = _any_of(_ASKED_NAMES)
