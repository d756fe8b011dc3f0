"""The commands of git that only read, each with the only options that it may have unasked.

As with other programs an option that is not listed asks. What a form needs besides is found out
here from its words; whether the repository gives it, `git_reading` looks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

# What the words beside the options are.
#   mixed      commits, and names of files            none    none allowed
#   commits    commits alone                          paths   names of files alone
#   patterns   names of branches or tags to list, only where an option says so
Operands = Literal["mixed", "commits", "paths", "patterns", "none"]
Shows = Literal["names", "contents"]


@dataclass(frozen=True, slots=True)
class Form:
    """What one command may be given. `values` are short options that take a value."""

    operands: Operands
    flags: str = ""
    values: str = ""
    long_flags: frozenset[str] = field(default_factory=frozenset)
    long_values: frozenset[str] = field(default_factory=frozenset)
    # Contents of files are shown by itself, with these options, and not with those.
    shows: Shows = "names"
    showing: frozenset[str] = field(default_factory=frozenset)
    hiding: frozenset[str] = field(default_factory=frozenset)
    # It looks at the files of the working tree, through filters and into submodules.
    looks: bool = False
    # Without one of these it would make what it is given instead of listing it.
    listing: frozenset[str] = field(default_factory=frozenset)
    takes_number: bool = False
    # Letters whose value, if there is any, is the rest of the same word.
    attached: str = ""


@dataclass(frozen=True, slots=True)
class GitWords:
    """A command of git, taken apart. `before` and `after` stand on either side of `--`, if it is
    there (`parted`).

    `contents` says that it shows contents of files, `compares` that it looks at such all the same;
    `folder` is that of -C.
    """

    name: str
    form: Form
    folder: str
    options: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    contents: bool
    compares: bool
    parted: bool
    # How many commits it shows at most, 0 where it says nothing of that.
    number: int


def words_of(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())


# Short of a patch; any of them shows names and figures alone.
_NAMES_ONLY = words_of("stat shortstat numstat name-only name-status summary compact-summary raw s "
                     "no-patch quiet dirstat")  # fmt: skip
_PATCH = words_of("p u patch U unified word-diff color-words W function-context check")
_DIFF_FLAGS = "pubwRWsz"
_DIFF_LONG = words_of(
    "patch stat shortstat numstat name-only name-status summary compact-summary raw no-patch "
    "no-color color word-diff color-words minimal patience histogram no-renames find-renames "
    "ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol function-context "
    "no-ext-diff no-textconv exit-code no-prefix text full-index dirstat quiet check"
)
_DIFF_VALUES = words_of("unified color word-diff diff-filter stat abbrev find-renames "
                      "diff-algorithm inter-hunk-context")  # fmt: skip
_LOG_FLAGS = _DIFF_FLAGS.replace("R", "") + "giE"
_LOG_LONG = _DIFF_LONG | words_of(
    "oneline graph decorate no-decorate all branches tags remotes merges no-merges first-parent "
    "reverse follow abbrev-commit no-abbrev-commit topo-order date-order author-date-order "
    "walk-reflogs regexp-ignore-case all-match invert-grep relative-date left-right cherry-mark "
    "cherry-pick boundary no-walk source parents children full-history simplify-by-decoration "
    "no-notes log-size pickaxe-regex pickaxe-all invert-grep fixed-strings perl-regexp"
)
_LOG_VALUES = _DIFF_VALUES | words_of(
    "max-count skip since until after before author committer grep pretty format date decorate "
    "min-parents max-parents branches tags remotes glob"
)
_LIST_LONG = words_of("list all remotes verbose no-color color show-current contains merged "
                    "no-merged no-contains ignore-case no-abbrev")  # fmt: skip
_LIST_VALUES = words_of("sort format color contains merged no-merged no-contains points-at abbrev "
                      "column")  # fmt: skip

FORMS: dict[str, Form] = {
    "status": Form("paths", "sbz", "", words_of(
        "short branch show-stash porcelain long ignored untracked-files ahead-behind "
        "no-ahead-behind no-renames find-renames"), words_of(
        "porcelain untracked-files ignored ignore-submodules find-renames"), looks=True,
        attached="u"),
    "log": Form("mixed", _LOG_FLAGS, "nSG", _LOG_LONG, _LOG_VALUES, showing=_PATCH,
                takes_number=True, attached="UM"),
    "show": Form("mixed", _LOG_FLAGS, "nSG", _LOG_LONG, _LOG_VALUES, shows="contents",
                 showing=_PATCH, hiding=_NAMES_ONLY, takes_number=True, attached="UM"),
    "diff": Form("mixed", _DIFF_FLAGS, "SG", _DIFF_LONG | words_of("cached staged"),
                 _DIFF_VALUES, shows="contents", showing=_PATCH, hiding=_NAMES_ONLY, looks=True,
                 attached="UM"),
    "grep": Form("mixed", "nivwlLchHoqEFGPaIpW", "eABCm", words_of(
        "line-number ignore-case invert-match word-regexp files-with-matches name-only count "
        "files-without-match extended-regexp fixed-strings perl-regexp basic-regexp only-matching "
        "quiet full-name heading break color no-color cached show-function function-context column "
        "no-textconv all-match"), words_of("max-count max-depth context after-context "
        "before-context color threads"), shows="contents"),
    "blame": Form("mixed", "bcefglnstw", "L", words_of(
        "show-name show-number show-email line-porcelain porcelain root"), words_of("abbrev date"),
        shows="contents", looks=True),
    "branch": Form("patterns", "arvi", "", _LIST_LONG, _LIST_VALUES, listing=words_of("list")),
    "tag": Form("patterns", "li", "", _LIST_LONG - words_of("all remotes verbose show-current"),
                _LIST_VALUES, listing=words_of("l list"), attached="n"),
    "ls-files": Form("paths", "comdstuivzk", "", words_of(
        "others cached modified deleted stage unmerged ignored exclude-standard full-name "
        "error-unmatch directory no-empty-directory eol killed deduplicate abbrev"), words_of(
        "exclude abbrev"), looks=True),
    "rev-parse": Form("commits", "", "", words_of(
        "abbrev-ref short verify quiet show-toplevel show-prefix show-cdup git-dir git-common-dir "
        "absolute-git-dir is-inside-work-tree is-inside-git-dir is-bare-repository symbolic "
        "symbolic-full-name all branches tags remotes is-shallow-repository show-object-format"
        ), words_of("short abbrev-ref"), takes_number=False),
    "remote": Form("none", "v", "", words_of("verbose")),
    "remote get-url": Form("commits", "", "", words_of("push all")),
    "describe": Form("commits", "", "", words_of(
        "tags all always long exact-match first-parent"), words_of(
        "match exclude abbrev candidates")),
    "shortlog": Form("commits", "sne", "", words_of(
        "summary numbered email no-merges merges all"), words_of(
        "since until after before author")),
    "reflog": Form("none", "", "n", words_of("oneline all"), words_of(
        "max-count date format pretty"), takes_number=True),
    "reflog show": Form("commits", "", "n", words_of("oneline all"), words_of(
        "max-count date format pretty"), takes_number=True),
    "ls-tree": Form("mixed", "rdtlz", "", words_of(
        "name-only name-status full-name full-tree long"), words_of("abbrev")),
    "merge-base": Form("commits", "a", "", words_of("all is-ancestor octopus fork-point")),
    "rev-list": Form("mixed", "", "n", words_of(
        "count all branches tags remotes merges no-merges first-parent reverse oneline parents "
        "left-right topo-order date-order no-walk abbrev-commit"), words_of(
        "max-count skip since until after before author grep"), takes_number=True),
    "name-rev": Form("commits", "", "", words_of("tags name-only always")),
    "show-ref": Form("commits", "dq", "", words_of(
        "head tags heads verify hash dereference quiet abbrev"), words_of("hash abbrev")),
    "for-each-ref": Form("commits", "", "", words_of("ignore-case"), words_of(
        "format sort count contains merged no-merged points-at")),
    "count-objects": Form("none", "vH", "", words_of("verbose human-readable")),
    "stash list": Form("none"),
    "worktree list": Form("none", "v", "", words_of("porcelain verbose")),
    "version": Form("none", "", "", words_of("build-options")),
}  # fmt: skip
# Their value stands in the same word, behind an equals sign, or nowhere.
_OPTIONAL = words_of(
    "color word-diff decorate stat find-renames untracked-files ignored porcelain branches tags "
    "remotes abbrev short abbrev-ref hash date column pretty format unified ignore-submodules"
)
# Where there is a next word, it is their value.
_LAST_ALONE = words_of("contains no-contains merged no-merged")
_GLOBAL = words_of("--no-pager -P --no-optional-locks --no-replace-objects")
_NUMBER = re.compile(r"\A-\d{1,9}\Z")
# The word that ends in it: the number alone, or what it is given to in front.
_VALUE_OF_NUMBER = re.compile(r"\A(?:-n|--max-count=)?(\d{1,9})\Z")
_NAMED_FORMAT = re.compile(r"\A(?:oneline|short|medium|full|fuller|reference|email|raw|mboxrd)\Z")
# Colours, places, and letters that stand for what a commit says of itself; no signature.
_LOG_FORMAT = re.compile(
    r"\A(?:t?format:)?(?:[^%]|%(?:[HhTtPpsfbBNdDeSnm%]|[ac][nNeElLdDrtiIsh]|g[dDnNeEs]"
    r"|C(?:\([a-z0-9 ,]*\)|red|green|blue|reset)|x[0-9a-fA-F]{2}|w\([0-9,]*\)"
    r"|[<>]{1,2}\|?\(\d+[^()%]*\)|\(trailers(?::[a-zA-Z0-9,=_ -]*)?\)))*\Z"
)
_LIST_FORMAT = re.compile(
    r"\A(?:[^%]|%%|%[0-9a-fA-F]{2}|%\((?:refname|objectname|objecttype|objectsize|upstream|push|HEAD"
    r"|subject|body|contents|contents:subject|contents:lines=\d+|authorname|authoremail|authordate"
    r"|committername|committeremail|committerdate|creatordate|creator|author|committer|taggerdate"
    r"|taggername|symref|worktreepath|align:[a-z0-9,=]+|end|if|then|else|color:[a-z ]+)"
    r"(?::[a-z0-9,=%_-]+)?\))*\Z",
    re.I,
)


def take_apart(words: Sequence[str]) -> GitWords | str:
    """The command by its parts, or why it may not run unasked. `words` begin with `git`."""
    at, folder = 1, ""
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-C" and at + 1 < len(words) and not folder and words[at + 1]:
            folder = words[at + 1]
            at += 1
        elif words[at] not in _GLOBAL:
            return _not_listed("git", words[at])
        at += 1
    name = words[at] if at < len(words) else ""
    both = " ".join(words[at : at + 2])
    if both in FORMS and " " in both:
        return _split(both, FORMS[both], folder, list(words[at + 2 :]))
    if name not in FORMS:
        return f"{' '.join(('git', both)).strip()} is not on the list of what only reads in git"
    return _split(name, FORMS[name], folder, list(words[at + 1 :]))


def _not_listed(name: str, word: str) -> str:
    return f"{name}: {word} is not on the list of its options"


def _split(name: str, form: Form, folder: str, words: list[str]) -> GitWords | str:
    options: list[str] = []
    before: list[str] = []
    after: list[str] = []
    parted = "--" in words
    at = number = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            after = words[at:]
            break
        if not word.startswith("-") or word == "-":
            before.append(word)
            continue
        if form.takes_number and _NUMBER.match(word):
            number = int(word[1:])
            continue
        following = words[at : at + 1]
        if word.startswith("--"):
            given = _long(name, form, word, following)
        else:
            given = _short(form, word, following)
        if given is None:
            return _not_listed(f"git {name}", word)
        options += given[0]
        at += given[1]
        if given[0][-1] in ("n", "max-count") and form.takes_number:
            # Less than none is all of them to git.
            digits = _VALUE_OF_NUMBER.match(words[at - 1])
            number = int(digits.group(1)) if digits else 0
    known = set(options)
    contents = form.shows == "contents" and not known & form.hiding
    contents = contents or bool(known & form.showing)
    compares = contents or form.shows == "contents" or bool(known & {"S", "G"})
    found = GitWords(
        name, form, folder, tuple(options), tuple(before), tuple(after), contents, compares,
        parted, number,
    )  # fmt: skip
    return _unfit(found) or found


def _unfit(found: GitWords) -> str:
    """Why words of no option cannot stand there, "" if they can."""
    form, name = found.form, f"git {found.name}"
    if form.operands == "none" and (found.before or found.after):
        return f"{name} takes nothing more unasked"
    if form.operands in ("commits", "patterns") and found.parted:
        return f"{name} with -- may do more than list"
    if form.operands == "patterns" and found.before and not form.listing & set(found.options):
        return f"{name} with a name and without --list may change something"
    if found.name == "shortlog" and not found.before and "all" not in found.options:
        return f"{name} without a commit reads its input"
    return ""


def _long(
    name: str, form: Form, word: str, following: Sequence[str]
) -> tuple[list[str], int] | None:
    """(the option, how many words it takes besides), None if it may not be given."""
    option, equals, value = word[2:].partition("=")
    if equals:
        good = option in form.long_values and _fits(name, option, value)
        return ([option], 0) if good else None
    if option in form.long_flags:
        return [option], int(option in _LAST_ALONE and bool(following))
    if option in form.long_values and option not in _OPTIONAL and following:
        return ([option], 1) if _fits(name, option, following[0]) else None
    return None


def _fits(name: str, option: str, value: str) -> bool:
    if option in ("pretty", "format") and name in ("branch", "tag", "for-each-ref"):
        return bool(_LIST_FORMAT.match(value))
    if option in ("pretty", "format"):
        return bool(_NAMED_FORMAT.match(value) or ("%" in value and _LOG_FORMAT.match(value)))
    return True


def _short(form: Form, word: str, following: Sequence[str]) -> tuple[list[str], int] | None:
    found: list[str] = []
    for index, letter in enumerate(word[1:], 1):
        if letter in form.values:
            found.append(letter)
            taken = int(not word[index + 1 :])
            return None if taken and not following else (found, taken)
        if letter not in form.flags + form.attached:
            return None
        found.append(letter)
        if letter in form.attached:
            return found, 0
    return found, 0
