"""Which first tasks fit a folder: told by the names at its top, never by what is in its files."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from kinet.policy.project import project_root
from kinet.policy.stand_ins import is_stand_in

# A folder with more at its top is not told by its names.
MOST_AT_TOP = 300
# So many names are looked at in all, and so long, in seconds.
_MOST_NAMES = 600
_LONGEST_LOOK = 0.5


def _each(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PROJECT_FILES = _each(
    "build.gradle build.gradle.kts build.zig cargo.toml cmakelists.txt composer.json deno.json"
    " dockerfile flake.nix gemfile go.mod makefile meson.build mix.exs package.json package.swift"
    " pom.xml pubspec.yaml pyproject.toml requirements.txt setup.cfg setup.py"
    " tsconfig.json"
)
_PROJECT_ENDS = frozenset((".csproj", ".sln", ".vcxproj", ".xcodeproj"))
_PROJECT_FOLDERS = frozenset(("app", "lib", "src", "test", "tests"))
_CODE = _each(
    ".c .cc .clj .cpp .cs .css .cu .dart .ex .exs .f90 .fs .go .h .hpp .hs .htm .html .ipynb .java"
    " .jl .js .jsx .kt .lua .m .ml .mjs .php .pl .ps1 .py .r .rb .rs .scala .sh .sql .svelte"
    " .swift .ts .tsx .vue .zig"
)
_DOCUMENTS = _each(".adoc .doc .docx .epub .md .odp .odt .pdf .ppt .pptx .rst .rtf .tex .txt")
_TABLES = _each(".csv .ods .tsv .xls .xlsm .xlsx")
# What nobody wrote by hand tells nothing of a change.
_MADE = _each("__pycache__ bin build coverage dist env node_modules obj out target vendor venv")
_MADE_ENDS = frozenset((".lock", ".log", ".pyc", ".tmp"))
_LITTER = frozenset(("desktop.ini", "thumbs.db"))


@dataclass(frozen=True, slots=True)
class Starters:
    """A sentence and three first tasks. `asks_folder`: one had better be chosen before."""

    sentence: str
    prompts: tuple[str, str, str]
    asks_folder: bool = False


_CHANGED = "What has changed since the last commit?"
_CODE_TASKS = (
    "Explain how this project is structured.",
    "Find the tests of this project and run them.",
)
_TALK = (
    "Explain how compound interest works, with an example.",
    "Write a polite letter that moves an appointment to next week.",
    "Plan a week of simple dinners, with a shopping list.",
)
NO_FOLDER = Starters(
    "Choose a folder to work on its files, or begin with a question.", _TALK, asks_folder=True
)
UNREADABLE = Starters("This folder cannot be read. A question can be asked all the same.", _TALK)
ANY_FOLDER = Starters(
    "A few ways to begin in this folder",
    (
        "What is in this folder?",
        "Which files here changed in the last week?",
        "Which files here take the most space?",
    ),
)
EMPTY = Starters(
    "This folder is empty. Something can be made in it.",
    (
        "Make a web page with a stopwatch.",
        "Make a small Python project with one test.",
        "Write a script that renames photos by the day they were taken.",
    ),
)
_PROJECT = "A few ways to begin with this project"
CODE = Starters(
    _PROJECT,
    (*_CODE_TASKS, "Look for mistakes in the code, and tell me the three worst."),
)
REPOSITORY = Starters(_PROJECT, (*_CODE_TASKS, "What were the last commits about?"))
CHANGED_CODE = Starters(_PROJECT, (_CHANGED, *_CODE_TASKS))


def starters(folder: Path | None, *, trusted: bool = True) -> Starters:
    """What to offer in a new session on `folder`. Looks at names and times; never raises.

    A folder that is not `trusted`, or too large to be told by its names, gets what fits any.
    """
    if folder is None:
        return NO_FOLDER
    if not trusted:
        return ANY_FOLDER
    until = time.monotonic() + _LONGEST_LOOK
    try:
        place = Path(os.path.realpath(folder))
        top = _names(place, MOST_AT_TOP + 1)
        if len(top) > MOST_AT_TOP or _is_no_project(place):
            return ANY_FOLDER
        return _fitting(place, top, until)
    except (OSError, ValueError, RuntimeError):
        # A path that no system takes; a person without a home.
        return UNREADABLE


def _is_no_project(place: Path) -> bool:
    """True for what holds everything: the person's home, the root of a disk."""
    return place in (Path(os.path.realpath(Path.home())), Path(place.anchor))


def _fitting(place: Path, top: Sequence[_Name], until: float) -> Starters:
    shown = [name for name in top if not name.is_litter]
    if not shown:
        return EMPTY
    kind = _kind(shown)
    git = project_root(place) / ".git"
    if not git.exists() or is_stand_in(git):
        return kind or ANY_FOLDER
    changed = _has_changed(git, place, until)
    if changed is None:
        return kind or ANY_FOLDER
    if kind in (CODE, None):
        return CHANGED_CODE if changed else REPOSITORY
    if changed:
        return Starters(kind.sentence, (_CHANGED, *kind.prompts[:2]))
    return kind


def _kind(shown: Sequence[_Name]) -> Starters | None:
    """What these names tell; None for nothing."""
    files = [name for name in shown if not name.is_folder]
    if any(name.tells_project for name in shown):
        return CODE
    ends = [name.end for name in files]
    code, documents, tables = (
        sum(end in kind for end in ends) for kind in (_CODE, _DOCUMENTS, _TABLES)
    )
    if code and code >= documents + tables:
        return CODE
    if documents or tables:
        return _papers(documents, tables)
    folders = {name.text.lower() for name in shown if name.is_folder}
    return CODE if folders & _PROJECT_FOLDERS else None


def _papers(documents: int, tables: int) -> Starters:
    """For so many documents and tables; two are needed to compare them."""
    gaps = "Look for mistakes and gaps in the tables."
    compared = "Compare the two newest tables." if tables > 1 else gaps
    if not documents:
        last = gaps if tables > 1 else "Which figures in the table stand out?"
        first = "Summarise what the tables in this folder hold."
        return Starters("A few ways to begin with these tables", (first, compared, last))
    first = "Summarise the documents in this folder."
    if tables:
        last = "Where do the documents and the tables disagree?"
        return Starters("A few ways to begin with these files", (first, compared, last))
    dates = "List all dates and deadlines in the documents."
    if documents > 1:
        second = "Compare the two newest documents."
        return Starters("A few ways to begin with these documents", (first, second, dates))
    last = "Suggest how this document could be clearer."
    return Starters(
        "A few ways to begin with this document",
        ("Summarise the document in this folder.", dates.replace("documents", "document"), last),
    )


def _has_changed(git: Path, place: Path, until: float) -> bool | None:
    """Whether files seem to have been written since the last commit, by their times.

    None where no commit is found: there is none yet, or the log of a work tree lies elsewhere.
    A fresh clone writes all files after its log and before its index.
    """
    try:
        commit = os.lstat(git / "logs" / "HEAD").st_mtime_ns
        index = os.lstat(git / "index").st_mtime_ns
    except OSError:
        return None
    times = list(_times(place, until))
    later = sum(at > commit for at in times)
    return 0 < later < len(times) or any(at > max(commit, index) for at in times)


def _times(place: Path, until: float) -> Iterator[int]:
    """When files were written, those at the top first."""
    todo, left = [place], _MOST_NAMES
    for folder in todo:
        if left <= 0 or time.monotonic() > until:
            return
        try:
            names = _names(folder, left)
        except OSError:
            continue
        left -= len(names)
        for name in names:
            if name.text.startswith(".") or name.is_made:
                continue
            if name.is_folder:
                todo.append(folder / name.text)
            elif name.written:
                yield name.written


@dataclass(frozen=True, slots=True)
class _Name:
    text: str
    is_folder: bool
    # In nanoseconds; 0 for a link and whatever else is no file.
    written: int

    @property
    def end(self) -> str:
        return PurePath(self.text).suffix.lower()

    @property
    def is_litter(self) -> bool:
        """What a system or a tool keeps there for itself."""
        return self.text.startswith((".", "~$")) or self.text.lower() in _LITTER

    @property
    def is_made(self) -> bool:
        return self.text.lower() in _MADE if self.is_folder else self.end in _MADE_ENDS

    @property
    def tells_project(self) -> bool:
        return self.text.lower() in _PROJECT_FILES or self.end in _PROJECT_ENDS


def _names(folder: Path, most: int) -> list[_Name]:
    """At most so many names of a folder. OSError if it cannot be read."""
    found: list[_Name] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(found) >= most:
                break
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            mode = status.st_mode
            written = status.st_mtime_ns if stat.S_ISREG(mode) else 0
            found.append(_Name(entry.name, stat.S_ISDIR(mode), written))
    return found
