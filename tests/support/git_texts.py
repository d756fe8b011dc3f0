"""Random commands of git, from plain to hostile, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kinet.policy.git_forms import FORMS, Form, words_of

_HOSTILE = """-c core.fsmonitor=TRAP|-c diff.external=TRAP|--config-env=a=b|--exec-path=.|-p
    --paginate|--git-dir=../other/.git|--work-tree=..|--output=out|--outp=out|--ext-diff|--textconv
    -Oorder|-OTRAP|--no-index|--show-signature|--format=%G?|--pretty=%GK|--ext|--text|--help|-h
    --exec=TRAP|--upload-pack=TRAP|--open-files-in-pager=TRAP|--recurse-submodules|-D|-d|-m|-M|-f
    --delete|--force|--set-upstream-to=main|--edit-description|--exclude-from=.env|-X .env
    --contents .env|--ignore-revs-file .env|--submodule=log|--submodule=diff|--remerge-diff|--cc|-c
    --binary|--patch-with-stat|--stdin|--dirty|-L 1,5:.env|-L1,2:.env|--no-walk|--all|--reflog
    --follow|-g|--merge-base|--glob=*|--word-diff-regex=.|--anchored=x|--no-list|--lis""".replace(
    "\n    ", "|"
).split("|")
_NAMES = words_of("""
    add commit push fetch pull checkout reset clean cat-file config ls-remote archive
    difftool show-branch whatchanged rm mv apply am gc fsck format-patch diff-index
    diff-files diff-tree verify-commit update-index var help instaweb bundle notes
    symbolic-ref
""")
_OPERANDS = """HEAD|HEAD~1|HEAD^|HEAD^2|main|topic|v1|keys|other|main..topic|topic..main
    HEAD~2..HEAD|main...topic|@|origin|.|src|docs/a.txt|src/app.py|README.md|.env|plain.txt|HEAD:docs/a.txt
    HEAD:.env|HEAD~1:.env|:.env|:0:.env|HEAD:./.env|:/|:!x|:(glob)*|'*.txt'|'*'|../other
    ../other/file.txt|--|-- .|-- src|-- .env|-- docs/a.txt|-- '.e*'|-- plain.txt|sub|nested|x
    'HEAD^{tree}'|'stash@{0}'|'HEAD@{1}'|refs/heads/main|^HEAD~1 HEAD|new.txt""".replace(
    "\n    ", "|"
).split("|")
_COMMITS = ("HEAD", "HEAD~1", "HEAD^", "main", "topic", "v1", "topic..main", "topic...main",
            "HEAD~2", "keys", "HEAD:docs/a.txt", "HEAD~1:src")  # fmt: skip
_FILES = ("docs/a.txt", "src", "src/app.py", ".", "README.md", "new.txt", "plain.txt", "docs")
_CALM = ("status", "log", "log", "show", "show", "diff", "diff", "diff", "grep", "blame", "branch",
         "tag", "ls-files", "rev-parse", "ls-tree", "rev-list", "describe", "reflog", "remote",
         "shortlog", "for-each-ref", "show-ref", "merge-base", "stash list")  # fmt: skip
_VALUES = ("3", "x", "main", "HEAD", "short", "oneline", "%h %s", "format:%an", "always")


def git_forms(seed: int, count: int, numbers: list[str]) -> Iterator[str]:
    """`count` commands of git: half of them calm ones, the others with hostile words among them.

    `numbers` are those of objects, of any kind.
    """
    source = random.Random(seed)
    operands = [*_OPERANDS, *numbers, *(number[:8] for number in numbers)]
    for _ in range(count):
        words = ["git"]
        if source.random() < 0.5:
            yield _calm(source)
            continue
        if source.random() < 0.15:
            words.append(source.choice(("--no-pager", "-C src", "-C .", "-C nested", "-C sub", "-P",
                                        "-C ../other", *_HOSTILE[:8])))  # fmt: skip
        name = source.choice([*FORMS, *FORMS, *sorted(_NAMES)])
        words.append(name)
        form = FORMS.get(name)
        for _ in range(source.choice((0, 0, 1, 1, 2, 3))):
            words.append(_option(source, form))
        for _ in range(source.choice((0, 1, 1, 2, 3))):
            words.append(source.choice(operands))
        yield " ".join(words)


def _calm(source: random.Random) -> str:
    """A command as people write it: some that is listed, with what usually goes with it."""
    name = source.choice(_CALM)
    form = FORMS[name]
    words = ["git", name]
    for _ in range(source.choice((0, 0, 1, 1, 2))):
        kind = source.random()
        if kind < 0.5 and form.long_flags:
            words.append(f"--{source.choice(sorted(form.long_flags))}")
        elif kind < 0.6 and form.takes_number:
            words.append(source.choice(("-1", "-3", "-n 2")))
        elif form.flags:
            words.append(f"-{source.choice(form.flags)}")
    if form.operands in ("mixed", "commits"):
        words += source.choices(_COMMITS, k=source.choice((0, 1, 1, 2)))
    if form.operands in ("mixed", "paths") and source.random() < 0.4:
        words += ["--", *source.choices(_FILES, k=source.choice((1, 1, 2)))]
    return " ".join(words)


def _option(source: random.Random, form: Form | None) -> str:
    known = form or FORMS["log"]
    long, valued = sorted(known.long_flags), sorted(known.long_values)
    short = known.flags + known.attached
    kind = source.random()
    if kind < 0.12:
        return source.choice(_HOSTILE)
    if kind < 0.45 and long:
        return f"--{source.choice(long)}"
    if kind < 0.65 and valued:
        between = "=" if source.random() < 0.7 else " "
        return f"--{source.choice(valued)}{between}'{source.choice(_VALUES)}'".replace("''", "'")
    if kind < 0.75:
        return source.choice(("-1", "-3", "-n 2", "-p", "-s", "-U1", "-S x", "-G a"))
    if short:
        return "-" + "".join(source.choices(short, k=source.randrange(1, 3)))
    return "-v"
