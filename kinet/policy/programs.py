"""The programs that may run unasked, each with the only options that it may have then.

An option that is not listed here asks: a list of bad options could never be complete.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

# What the words beside the options are.
#   paths      names of files, judged by their real place      text      never opened
#   pattern    one pattern, then paths                         none      none allowed
#   special    read by a function of its own in `operands`
Operands = Literal["paths", "text", "pattern", "none", "special"]


@dataclass(frozen=True, slots=True)
class Program:
    """What a program may be given. `values` are short options that take a value."""

    operands: Operands
    flags: str = ""
    values: str = ""
    long_flags: frozenset[str] = field(default_factory=frozenset)
    long_values: frozenset[str] = field(default_factory=frozenset)
    most_operands: int = 1_000
    # `-20` as in head -20.
    takes_number: bool = False
    # Its own parser gives values from the words that follow, however many letters stand together.
    values_apart: bool = False
    # Flags with which a folder is read with all below it.
    recursive: str = ""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PROGRAMS: dict[str, Program] = {
    "ls": Program(
        "paths", "laAhRrtS1dFpisgcGnoQuUvXkBbCmNqxZ", "", _words(
            "all almost-all human-readable recursive reverse size directory classify inode "
            "numeric-uid-gid full-time no-group group-directories-first color"
        ), _words("color sort time format time-style"),
    ),
    "pwd": Program("none", "LP"),
    "cat": Program("paths", "nbsAETvetu", "", _words(
        "number number-nonblank squeeze-blank show-all show-ends show-tabs show-nonprinting")),
    "head": Program("paths", "qv", "nc", _words("quiet silent verbose"), _words("lines bytes"),
                    takes_number=True),
    "tail": Program("paths", "qv", "nc", _words("quiet silent verbose"), _words("lines bytes"),
                    takes_number=True),
    "wc": Program("paths", "lwcmL", "", _words("lines words bytes chars max-line-length")),
    "stat": Program("paths", "t", "c", _words("terse"), _words("format printf")),
    "file": Program("paths", "bih0N", "", _words("brief mime mime-type mime-encoding")),
    "du": Program("paths", "shackmb", "d", _words(
        "summarize human-readable all total bytes apparent-size"), _words("max-depth")),
    "df": Program("paths", "hkmTiPl", "", _words("human-readable print-type inodes local")),
    "uname": Program("none", "asnrvmpio", "", _words("all kernel-name machine")),
    "date": Program("special", "uRI", "d", _words("utc universal rfc-email"), _words("date")),
    "echo": Program("text", "neE"),
    "printf": Program("special"),
    "cut": Program("paths", "sn", "dfcb", _words("complement only-delimited"), _words(
        "delimiter fields characters bytes output-delimiter")),
    "diff": Program("paths", "uqwbBiyscaEtZ", "UW", _words(
        "unified brief ignore-case ignore-all-space ignore-space-change ignore-blank-lines "
        "side-by-side report-identical-files color minimal text"), _words(
        "unified width color label"), most_operands=2),
    "cmp": Program("paths", "slb", "", _words("silent quiet verbose print-bytes"),
                   most_operands=2),
    "comm": Program("paths", "123", "", _words("check-order nocheck-order total"),
                    most_operands=2),
    "sha256sum": Program("paths", "bt", "", _words("binary text tag")),
    "sha1sum": Program("paths", "bt", "", _words("binary text tag")),
    "md5sum": Program("paths", "bt", "", _words("binary text tag")),
    "basename": Program("text", "a", "s", _words("multiple"), _words("suffix")),
    "dirname": Program("text"),
    "grep": Program(
        "pattern", "nirRvwxclLoHhqsEFGPabIyz".replace("R", "").replace("z", ""), "eABCm", _words(
            "line-number ignore-case recursive invert-match word-regexp line-regexp count "
            "files-with-matches files-without-match only-matching with-filename no-filename "
            "quiet silent no-messages extended-regexp fixed-strings basic-regexp perl-regexp color "
            "colour"
        ), _words(
            # No --context: with macOS its number is the pattern, and the pattern a file.
            "regexp after-context before-context max-count include exclude exclude-dir "
            "color colour binary-files"
        ), recursive="r",
    ),
    "rg": Program(
        "pattern", "nNiSsvwxclLoFHhqpIU".replace("L", "").replace("h", "").replace("U", ""),
        "egtTABCmd", _words(
            "line-number no-line-number ignore-case smart-case case-sensitive invert-match "
            "word-regexp line-regexp count count-matches files-with-matches files-without-match "
            "only-matching fixed-strings with-filename no-filename quiet files heading no-heading "
            "column trim stats json vimgrep multiline sort-files"
        ), _words(
            "regexp glob iglob type type-not after-context before-context context max-count "
            "max-depth color sort sortr max-columns"
        ), recursive="*",
    ),
    "nl": Program("paths", "p", "bnwsvi", frozenset(), _words("body-numbering number-format")),
    "tac": Program("paths"),
    "rev": Program("paths"),
    "which": Program("text", "a"),
    "whoami": Program("none"),
    "seq": Program("text", "w", "fs", _words("equal-width"), _words("format separator")),
    "true": Program("text"),
    "false": Program("text"),
    "tr": Program("text", "cCdst", "", _words("complement delete squeeze-repeats truncate-set1"),
                  most_operands=2),
    "sort": Program("paths", "nrufbgidMhVcsmz", "kt", _words(
        "numeric-sort reverse unique ignore-case ignore-leading-blanks general-numeric-sort "
        "dictionary-order human-numeric-sort version-sort month-sort check stable"), _words(
        "key field-separator")),
    "uniq": Program("paths", "cdui", "fsw", _words("count repeated unique ignore-case"), _words(
        "skip-fields skip-chars check-chars"), most_operands=1),
    "find": Program("special"),
    "sed": Program("special"),
    "test": Program("special"),
    "[": Program("special"),
    "command": Program("special"),
    "git": Program("special"),
    # Where the rest begins is looked after by who judges the whole text.
    "cd": Program("special"),
    "type": Program("text", "atp"),
    "id": Program("none", "ugGnr"),
    "groups": Program("none"),
    "arch": Program("none"),
    "nproc": Program("none", "", "", _words("all")),
    "uptime": Program("none", "ps", "", _words("pretty since")),
    # -f asks a name server.
    "hostname": Program("none", "sI"),
    "free": Program("none", "bkmghtw", "", _words("human total wide mega giga")),
    "realpath": Program("paths", "emsq", "", _words("strip quiet canonicalize-missing")),
    "readlink": Program("paths", "fenmqsv", "", _words("canonicalize no-newline")),
    # -o and -R write, -l follows links.
    "tree": Program("paths", "adfipshDFrtQNCn", "LPI", _words("dirsfirst noreport gitignore"),
                    values_apart=True),
    # No xxd: it writes to a second operand, and takes even a closing -- for one.
    "od": Program("paths", "abcdfiloshxv", "AjNt"),
    "hexdump": Program("paths", "bcCdovx", "ns"),
    "strings": Program("paths", "a", "nt", frozenset(), _words("bytes radix")),
    "fold": Program("paths", "bs", "w", _words("bytes spaces"), _words("width")),
    "column": Program("paths", "tx", "s", _words("table"), _words("separator")),
    "paste": Program("paths", "s", "d", _words("serial"), _words("delimiters")),
    "expand": Program("paths", "i", "t", _words("initial"), _words("tabs")),
    "unexpand": Program("paths", "a", "t", _words("all first-only"), _words("tabs")),
    "fmt": Program("paths", "cstu", "w", frozenset(), _words("width")),
    # -i is followed by a file on macOS.
    "base64": Program("paths", "d", "w", _words("decode ignore-garbage"), _words("wrap")),
    "sha224sum": Program("paths", "bt", "", _words("binary text tag")),
    "sha384sum": Program("paths", "bt", "", _words("binary text tag")),
    "sha512sum": Program("paths", "bt", "", _words("binary text tag")),
    "b2sum": Program("paths", "bt", "", _words("binary text tag")),
    "cksum": Program("paths"),
}  # fmt: skip
PROGRAMS["egrep"] = PROGRAMS["fgrep"] = PROGRAMS["grep"]

# Among all their options, those not listed above too, none writes, runs or waits for something. So
# it does no harm where a name that a pattern matches is taken for one.
ONLY_READ = frozenset({
    "ls", "cat", "head", "wc", "stat", "du", "cut", "grep", "egrep", "fgrep", "nl", "tac", "rev",
    "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "od",
    "hexdump", "strings", "fold", "column", "paste", "expand", "unexpand", "fmt", "base64",
})  # fmt: skip

# The tests of find: nothing that runs, writes or deletes. The number is of words that follow.
FIND_TESTS: dict[str, int] = {
    "-name": 1, "-iname": 1, "-path": 1, "-ipath": 1, "-wholename": 1, "-iwholename": 1,
    "-type": 1, "-maxdepth": 1, "-mindepth": 1, "-size": 1, "-mtime": 1, "-mmin": 1, "-ctime": 1,
    "-cmin": 1, "-atime": 1, "-amin": 1, "-newermt": 1, "-perm": 1, "-links": 1, "-empty": 0,
    "-print": 0, "-print0": 0, "-prune": 0, "-not": 0, "-a": 0, "-o": 0, "-and": 0, "-or": 0,
    "-readable": 0, "-writable": 0, "-executable": 0, "-xdev": 0, "-mount": 0, "-depth": 0,
    "-true": 0, "-false": 0, "-quit": 0, "(": 0, ")": 0, "!": 0,
    "-newer": 1, "-anewer": 1, "-cnewer": 1,
}  # fmt: skip

# Programs for which no beginning of a command may ever be remembered: what follows decides.
UNBOUNDED = frozenset({
    "sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh", "pwsh", "powershell", "cmd",
    "python", "python2", "python3", "pypy", "pypy3", "node", "deno", "bun", "ruby", "perl", "php",
    "lua", "tclsh", "Rscript", "julia", "java", "groovy", "scala", "osascript", "awk", "gawk",
    "mawk", "sed", "find", "xargs", "env", "sudo", "doas", "su", "nohup", "setsid", "nice",
    "ionice", "timeout", "time", "stdbuf", "exec", "eval", "source", ".", "command", "builtin",
    "watch", "parallel", "ssh", "scp", "rsync", "docker", "podman", "kubectl", "nsenter",
    "chroot", "unshare", "git", "pip", "pip3", "pipx", "uv", "uvx", "poetry", "conda", "npm",
    "npx", "pnpm", "yarn", "gem", "bundle", "cargo", "go", "apt", "apt-get", "dnf", "yum",
    "pacman", "brew", "snap", "flatpak", "nix", "make", "cmake", "ninja", "gradle", "mvn", "just",
    "rake", "ant", "bazel", "tee", "dd", "vim", "vi", "nvim", "emacs", "ed", "less", "more", "man",
    "gdb", "strace", "script", "expect", "busybox", "crontab", "at", "batch", "systemctl",
    "curl", "wget", "nc", "ncat", "socat", "rm", "mv", "cp", "ln", "chmod", "chown", "tar", "zip",
    "unzip", "m4", "jq", "rg", "fd", "fdfind", "sqlite3", "psql", "mysql",
})  # fmt: skip
