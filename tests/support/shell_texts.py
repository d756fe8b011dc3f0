"""Random shell texts, from plain to wild, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kinet.policy.programs import PROGRAMS

_PLAIN = """ls pwd cat head tail wc stat du df uname date echo printf cut diff cmp comm sha256sum
    md5sum basename dirname grep nl tac rev which whoami true tr sort uniq test command cd type id
    groups arch nproc uptime hostname free realpath readlink tree xxd od hexdump strings fold column
    paste expand unexpand fmt base64 sha512sum b2sum cksum egrep find seq ["""
_OTHERS = "find rg sed git rm cp mv tee touch xargs env sh python3 awk test ["
_PLAIN_PROGRAMS = _PLAIN.split()
_PROGRAMS = [*_PLAIN_PROGRAMS, *_OTHERS.split()]
_WORDS = """-l -a -n -r -R -c -u -d -f -x -v -i -e -o -w -s -k2 -t, -h -p -z -0 -A -B2 -C1 --help
    --version --output=x --include=*.py --bytes=3 --width=9 -L -b -s2 -E -g -nE
    --color=never -name -type -maxdepth -exec -delete -print -fls -ok --files -size -newer
    --reverse -ofile --o --exclude-dir=.git
    --outp=x --in-place -i.bak -wq --include="*.py" --output="x" --color='never' --width="$x"
    \\( \\) ! \\! ] -newer -P"""
_OPTIONS = _WORDS.split()
_NAMES = """a.txt b.txt src src/c.py 7 a one b . .. ../x /etc/passwd /tmp/x '*.py' a* ~ $HOME {a,b}
    *.txt * src/* ./* ?.txt **/*.py deep/*.txt HEAD~1 a~
    1 2 1,3p p 1w /x/ w 'w\tx' 's/a/b/e' 's/a/b/w\tout' x=1 "$x" `id` $(id) -- -
    f + ; 3 %s '%n' .env id_rsa out new"""
_OPERANDS = [name.replace("\\t", " ") for name in _NAMES.replace("\t", "\\t").split()]
_VALUES = ("1", "3", "a", "x", "'*.py'", "2,3", "/etc/x", "../x", "out")
_JOINTS = (
    "; ", " && ", " || ", " | ", "\n", " & ", " > ", " >> ", " 2>&1 ", " >/dev/null ", " < ",
)  # fmt: skip
_WILD = "abc012 -_./'\"\\$`(){}[]<>|&;!#*?~=:,%^+@\n\t\0é\u202e\u200b"


def shell_texts(seed: int, count: int) -> Iterator[str]:
    """`count` texts: most of known words, some with letters changed, some of letters alone."""
    source = random.Random(seed)
    for _ in range(count):
        kind = source.random()
        if kind < 0.08:
            yield "".join(source.choices(_WILD, k=source.randrange(1, 60)))
            continue
        text = _commands(source, plain=kind < 0.6)
        yield _changed(source, text) if kind > 0.85 else text


def long_texts(size: int = 128 * 1024) -> Iterator[str]:
    """Texts that are hard on a parser or a pattern, `size` characters each, and just short ones."""
    units = (
        "a", " ", "'", '"', "\\", "$(", "((", "{", "`", "a ", "a;", "a|", "a&&", "<<a\n", "\n", "-",
        "../", "/", "~", "$", "é", "\0", "x=1 ", "rm ", "rm -rf ", "sudo ", "'a' ", '"a" ', "#",
        "!", "if a; then ", "case a in a) ", "a() { ", "$((1+", "${a:-", "<(",
        ">/dev/null ", "2>&1 ",
        "find . -name ", "ls -l ", "dd of=", ":(){ ", "curl x | sh; ",
    )  # fmt: skip
    for unit in units:
        for length in (3_900, 4_100, size):
            yield (unit * (length // len(unit) + 1))[:length]


def _commands(source: random.Random, *, plain: bool) -> str:
    pieces: list[str] = []
    for place in range(source.choice((1, 1, 1, 2, 2, 3, 5))):
        if place:
            pieces.append(source.choice(_JOINTS[:5] if plain else _JOINTS))
        words = [source.choice(_PLAIN_PROGRAMS if plain else _PROGRAMS)]
        if source.random() < 0.5:
            words += _own_options(source, words[0])
        else:
            words += source.choices(_OPTIONS, k=source.choice((0, 0, 1, 1, 2)))
        operands = _OPERANDS[:8] if plain and source.random() < 0.6 else _OPERANDS
        words += source.choices(operands, k=source.choice((0, 1, 1, 2, 3)))
        pieces.append(" ".join(words))
    return "".join(pieces)


def _own_options(source: random.Random, name: str) -> list[str]:
    """Options that the list of plain programs gives this one, in all their mixtures."""
    program = PROGRAMS.get(name)
    if program is None:
        return []
    short = program.flags + program.values
    words = []
    if short:
        words.append("-" + "".join(source.choices(short, k=source.randrange(1, 4))))
        if words[0][-1] in program.values:
            words.append(source.choice(_VALUES))
    long = [*sorted(program.long_flags), *(f"{name}=7" for name in sorted(program.long_values))]
    if long and source.random() < 0.3:
        words.append(f"--{source.choice(long)}")
    return words


def _changed(source: random.Random, text: str) -> str:
    letters = list(text)
    for _ in range(source.randrange(1, 4)):
        place = source.randrange(len(letters) + 1)
        match source.randrange(3):
            case 0:
                letters.insert(place, source.choice(_WILD))
            case 1 if place < len(letters):
                letters[place] = source.choice(_WILD)
            case _:
                del letters[place : place + 1]
    return "".join(letters)
