"""Options and operands of the plain programs, and texts that two readers have to agree on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kinet.policy import searches, shell_syntax
from kinet.policy.commands import judge_command
from kinet.policy.operand_paths import Place
from kinet.policy.operands import objection, objection_to_start
from kinet.policy.shell_syntax import parser_available, read_syntax
from kinet.policy.shell_words import split_plain


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src" / "deep").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "src/c.py", "src/deep/d.txt"):
        (folder / name).write_text("x\n")
    return folder


def why(command: str, root: Path, start: Path | None = None) -> str:
    return objection(command.split(), Place(root, root.parent / "home", start or root))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("make", "make is not on the list of programs"),
        ("ls -w 5", "ls: -w is not on the list of its options"),
        ("ls -lw", "ls: -lw is not on the list of its options"),
        ("ls --colour=x", "--colour=x is not on the list"),
        ("ls --all=x", "--all=x is not on the list"),
        ("head -n", "head: -n lacks its value"), ("head --lines", "--lines lacks its value"),
        ("head -qn", "-qn lacks its value"), ("cut -d", "cut: -d lacks its value"),
        ("head -1x a.txt", "-1x is not on the list"), ("cat -5 a.txt", "-5 is not on the list"),
        ("head -1234567890 a.txt", "not on the list"),
        ("pwd x", "pwd takes no operand"), ("whoami x", "takes no operand"),
        ("diff a b c", "diff with more than 2 operands"), ("uniq a b", "uniq with more than 1"),
        ("tr a b c", "tr with more than 2"), ("grep", "grep lacks a pattern"),
        ("grep -n", "grep lacks a pattern"), ("rg", "rg lacks a pattern"),
        ("grep x ../y", "../y is outside the project"), ("cat ../x", "../x is outside"),
        ("cat -- ../x", "../x is outside"), ("cat a.txt ../x", "../x is outside"),
        ("cat .env", ".env may hold keys"), ("cat x/.ssh/y", "may hold keys"),
        ("cat .git/config", "a repository's own files"), ("date now", "it may set the clock"),
        ("date -Id 01010000", "it may set the clock"),
        ("date -uId 01010000", "it may set the clock"),
        ("date +%F now", "it may set the clock"), ("find /etc", "/etc is outside"),
        ("find . -foo", "find: -foo is not on the list of its tests"),
        ("find . -name", "find: a test lacks its value"), ("find -exec x", "not on the list"),
        ("find . ! -fls x", "not on the list"), ("printf", "may set a variable"),
        ("printf -v x", "may set a variable"), ("sed -n", "sed only prints"),
        ("sed -n 1p a.txt ../x", "../x is outside"),
        ("sed -n 1p ../x", "../x is outside"), ("sed -n 1p -i", "sed: -i is not on the list"),
        ("sed 1p a.txt", "sed only prints"), ("sed", "sed only prints"),
        ("sed -E 1p a.txt", "sed only prints"), ("sed -n -e", "sed only prints"),
        ("test -f", "test looks at one file"), ("test -f ../x", "../x is outside"),
        ("test -v x", "test looks at one file"), ("cd", "cd goes to one folder"),
        ("cd -", "cd goes to one folder"), ("cd ../x", "../x is outside"),
        ("cd a.txt", "a.txt is a link or no folder"), ("cd new", "new is a link or no folder"),
        ("command ls", "command runs what follows"), ("command -v", "command runs what follows"),
        ("command -v -x", "command runs what follows"),
    ],
)  # fmt: skip
def test_each_objection_says_what_it_is_about(command: str, words: str, root: Path) -> None:
    assert words in why(command, root)


@pytest.mark.parametrize(
    "command",
    [
        "ls", "ls -la src", "ls --color", "ls --color=auto", "head -5 a.txt", "head -n5 a.txt",
        "head -n 5 a.txt", "head -qn 5 a.txt", "head --lines 5 a.txt", "head --lines=5 a.txt",
        "cat -", "cat -- -x", "cat missing", "cat a.txt/x", "cat src/../a.txt", "cut -d, -f1 a.txt",
        "grep x", "grep -e x a.txt", "grep -r x", "grep --regexp x a.txt", "grep -- -x a.txt",
        "rg x", "rg --files", "rg --files src", "rg x src", "diff a.txt b.txt", "diff src src",
        "uniq a.txt", "date", "date +%F", "date -d now +%F",
        "date -I", "date -I -d now", "date -uI", "find", "find . src -name x",
        "find . ! -name x", "find -name x -o -type f", "printf %s a", "sed -n 1p",
        "sed -n 1,5p a.txt b.txt", "sed -n -E -e /x/,+2p a.txt", "sed -n $p a.txt", "sed -n -",
        "test -f a.txt", "test -d missing", "cd src", "cd .", "command -v ls x", "tr a b",
        "true --anything", "ls --help", "find --version", "echo -n x", "basename /etc/x",
    ],
)  # fmt: skip
def test_what_only_reads_meets_no_objection(command: str, root: Path) -> None:
    if command in ("sed -n -", "true --anything"):
        assert why(command, root)
    else:
        assert why(command, root) == ""


def test_a_secret_is_known_by_the_name_given_and_by_the_real_one(root: Path) -> None:
    (root / ".env").write_text("k")
    (root / "plain").symlink_to(".env")
    (root / "x.pem").symlink_to("a.txt")
    for command in ("cat .env", "cat plain", "cat x.pem", "test -f plain"):
        assert "may hold keys" in why(command, root), command


def test_words_that_no_file_has_are_no_operands(root: Path) -> None:
    place = Place(root, root, root)
    assert objection(["cat", ""], place) == "an operand is empty"
    assert objection(["cat", "x" * 200 + "/" + "y" * 799], place) == ""
    assert objection(["cat", "x" * 200 + "/" + "y" * 800], place) == "an operand is very long"
    assert "cannot be looked at" in objection(["cat", "a\x00b"], place)


def test_a_search_looks_for_secrets_pipes_and_size_below(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert why("grep -r x src", root) == why("rg x", root) == why("diff src src", root) == ""
    (root / "src" / "deep" / "server.pem").write_text("k")
    for command in ("grep -r x src", "grep --recursive x .", "grep -r x", "rg x", "rg x src"):
        assert "may hold keys or passwords (server.pem)" in why(command, root), command
    assert why("diff src src", root)
    assert why("grep x src", root) == why("ls -R src", root) == why("du src", root) == ""
    (root / "src" / "deep" / "server.pem").unlink()
    (root / ".git").mkdir()
    (root / ".git" / "key.pem").write_text("k")
    (root / "link").symlink_to("/etc")
    assert why("rg x", root) == "", "a search passes by .git and links"
    os.mkfifo(root / "src" / "pipe")
    assert "a pipe or device lies below" in why("rg x src", root)
    assert "is not a regular file" in why("cat src/pipe", root)
    (root / "src" / "pipe").unlink()
    monkeypatch.setattr(searches, "_MOST_ENTRIES", 3)
    assert why("grep -r x src", root) == ""
    (root / "src" / "more").write_text("")
    assert "too large to make sure" in why("grep -r x src", root)


def test_a_folder_of_exactly_4000_names_is_looked_through(root: Path) -> None:
    many = root / "many"
    many.mkdir()
    for number in range(4_000):
        (many / f"f{number}").touch()
    assert why("grep -r x many", root) == ""
    (many / "one").touch()
    assert "too large" in why("grep -r x many", root)


def test_relative_names_begin_where_the_command_does(root: Path) -> None:
    assert why("cat ../a.txt", root, root / "src") == ""
    assert "outside" in why("cat ../../x", root, root / "src")
    assert objection_to_start(Place(root, root, root)) == ""
    assert objection_to_start(Place(root, root, root / "src")) == ""
    assert "it would begin in" in objection_to_start(Place(root, root, root.parent))
    start = root.parent / "elsewhere"
    start.mkdir()
    judged = judge_command("ls", root, root.parent / "home", start=start, windows=False)
    assert (judged.verdict, judged.memorable) == ("ask", False)
    inside = judge_command("ls", root, root.parent / "home", start=root / "src", windows=False)
    assert inside.verdict == "allow"
    asked = judge_command("make x", root, root.parent / "home", start=root / "src", windows=False)
    assert asked.memorable


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("ls $X", "a variable"), ("ls ${X}", "a variable"), ("ls $(x)", "inside another"),
        ("ls <(x)", "inside another"), ("(ls)", "a subshell"), ("ls <<< x", "a here-string"),
        ("cat <<E\nx\nE", "a here-document"), ("X=1 ls", "sets a variable"), ("X=1", "a variable"),
        ("ls # x", "a comment"), ("ls 'a'b", "joins quoted"), ("ls & pwd", "in the background"),
        ("f() { ls; }", "a function"), ("export X=1", "environment"), ("ls (", "without error"),
        ("./* x", "plain words only"), ("if x", "without error"),
        ("for i in a; do ls; done", "more than plain commands"), ("ls > x", "plain words only"),
        ("[[ a ]]", "more than plain commands"),
    ],
)  # fmt: skip
def test_a_text_that_is_not_plain_says_why(text: str, trouble: str) -> None:
    syntax = read_syntax(text)
    assert syntax.plain is None
    assert trouble in syntax.trouble


def test_every_command_and_redirection_of_any_text_is_found() -> None:
    syntax = read_syntax('X=1 a \'b c\' "d\\"e" 5 ${F} > out 2>> $LOG | ( $(g h) ); i`j`k')
    assert ("a", "b c", 'd"e', "5", "${F}") in syntax.loose
    assert ("g", "h") in syntax.loose
    assert ("j",) in syntax.loose
    assert set(syntax.redirected) == {"out", "$LOG"}
    assert parser_available()
    assert read_syntax("'a'\"b\"c x").loose == (("abc", "x"),)
    assert read_syntax('a "x\\\\y" "\\$z" "\\`" "\\n"').loose == (("a", "x\\y", "$z", "`", "\\n"),)


def test_texts_that_cost_a_parser_too_much_are_not_read() -> None:
    assert read_syntax("echo " + "(" * 200).trouble != "it is nested too deeply"
    assert read_syntax("echo " + "(" * 201).trouble == "it is nested too deeply"
    assert read_syntax("echo " + "({[`" * 51).trouble == "it is nested too deeply"
    few, many = (";".join(["ls"] * count) for count in (401, 402))
    assert len(read_syntax(few).plain or ()) == 401
    assert read_syntax(many).trouble == "it has too many parts"
    assert (
        read_syntax("ls | " * 134 + "ls & " * 134 + "ls\n" * 134).trouble == "it has too many parts"
    )


def test_a_plain_text_is_split_as_the_shell_would() -> None:
    def words(text: str) -> list[tuple[str, ...]]:
        return [command.words for command in split_plain(text) or ()]

    assert words("  ls  -l ; pwd\n\nid") == [("ls", "-l"), ("pwd",), ("id",)]
    assert words("ls;") == words("ls\n") == words("\nls") == [("ls",)]
    assert words("ls 2>/dev/null >/dev/null 2>&1 >&2") == [("ls",)]
    assert words('echo "a\\"b" "\\\\" "c\\d"') == [("echo", 'a"b', "\\", "c\\d")]
    assert words("grep --include=*.py x") == [("grep", "--include=*.py", "x")]
    for text in ("ls *.py", "grep -l*", "a --x=* z*", "a=b c", "ls; A=1 sh x", "ls >/dev/null2"):
        assert split_plain(text) is None, text
    for text in ("", ";", "ls &&", "| ls", "ls ;; ls", "ls\n&& ls", "> /dev/null", "''x"):
        assert split_plain(text) is None, text
    found = split_plain("ls -l | wc  -l")
    assert found is not None
    assert [command.text for command in found] == ["ls -l", "wc  -l"]


def test_a_text_of_very_many_words_has_too_many_parts() -> None:
    assert read_syntax("a " * 25_000).trouble == "it has too many parts"
    assert read_syntax("echo " + "a " * 1_900).trouble == ""


def test_without_the_parser_nothing_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    shell_syntax._parser.cache_clear()
    try:
        assert not parser_available()
        syntax = read_syntax("ls")
        assert (syntax.plain, syntax.loose) == (None, ())
        assert "not installed" in syntax.trouble
    finally:
        shell_syntax._parser.cache_clear()


def test_a_command_that_goes_to_too_many_folders_asks(root: Path) -> None:
    names = [f"d{number}" for number in range(4)]
    for first in names:
        for second in names:
            (root / first / second).mkdir(parents=True)
        (root / "/".join(names) / first).mkdir(parents=True, exist_ok=True)

    def judged(count: int) -> str:
        text = "; ".join(
            f"cd {root}/{name}" for name in [*names, *(f"d0/{n}" for n in names)][:count]
        )
        return judge_command(f"{text}; ls", root, root.parent / "home", windows=False).reason

    assert judged(7) == "it only reads inside the project"
    assert judged(8) == "it goes to too many folders"


FIND_ALONE = """-empty -print -print0 -prune -not -a -o -and -or -readable -writable -executable
    -xdev -mount -depth -true -false -quit"""
FIND_VALUED = """-name -iname -path -ipath -wholename -iwholename -type -maxdepth -mindepth -size
    -mtime -mmin -ctime -cmin -atime -amin -newermt -perm -links"""


@pytest.mark.parametrize("name", FIND_ALONE.split())
def test_this_test_of_find_stands_alone(name: str) -> None:
    place = Place(Path("/nowhere"), Path("/home"), Path("/nowhere"))
    assert objection(["find", ".", name], place) == ""
    assert "is not on the list of its tests" in objection(["find", name, "x"], place)


@pytest.mark.parametrize("name", FIND_VALUED.split())
def test_this_test_of_find_takes_one_word(name: str) -> None:
    place = Place(Path("/nowhere"), Path("/home"), Path("/nowhere"))
    assert objection(["find", ".", name, "1"], place) == ""
    assert "lacks its value" in objection(["find", ".", name], place)
    assert "is not on the list of its tests" in objection(["find", name, "1", "x"], place)


def test_no_program_may_be_given_the_operand_that_it_would_write_to(root: Path) -> None:
    for command in ("uniq a.txt b.txt", "cmp a b c", "comm a b c", "tr a b c"):
        assert "operands may write" in why(command, root), command
    for command in ("head -20 a.txt", "tail -20 a.txt", "cmp a b", "comm a b"):
        assert why(command, root) == "", command


def test_a_thousand_operands_pass_and_one_more_asks(root: Path) -> None:
    assert why("cat" + " a" * 1_000, root) == ""
    assert "with more than 1000 operands" in why("cat" + " a" * 1_001, root)


def test_a_link_is_followed_by_name_whatever_else_its_name_could_mean(root: Path) -> None:
    for name in ("-", "-n", "--", "--count", "b"):
        (root / name).symlink_to("/etc/hostname")
    for command in ("cat -", "hexdump -", "rev -", "tree -", "grep x -"):
        assert "- is outside" in why(command, root), command
    # GNU's programs take these for options; those of BSD and macOS take them for files.
    for command in (
        "cat a.txt -n",
        "nl a.txt -b -n",
        "grep x a.txt --count",
        "head a.txt -n b",
        "ls . -- a.txt",
    ):
        assert "is outside" in why(command, root), command
    assert why("cat -n a.txt", root) == why("grep --count x a.txt", root) == ""
    assert why("ls a.txt -l", root) == why("grep -r x src --include=*.py", root) == ""
    assert why("diff a.txt b.txt -u", root) == why("wc src/c.py -l", root) == ""
    assert why("head a.txt -5", root) == why("tail -n +5 a.txt", root) == ""


def test_folders_with_links_are_not_compared_unasked(root: Path) -> None:
    (root / "src" / "deep" / "out").symlink_to("/etc/hostname")
    for command in ("diff src src/deep", "diff a.txt src/deep", "diff src src"):
        assert "a link lies below" in why(command, root), command
    assert why("diff a.txt b.txt", root) == why("rg x src", root) == ""


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("tail -cf a.txt", "-cf is not on the list"), ("tail -n5f a.txt", "-n5f is not on"),
        ("tail +5f a.txt", "+5f for an option of old"),
        ("tree -Po x out", "-Po is not on the list"), ("tree -aL 1", "-aL is not on the list"),
        ("strings -n @a.txt b.txt", "options from the file a.txt"),
        ("strings -a -- @a.txt", "options from the file a.txt"),
        ("rg -g --pre=*/* x", "--pre=*/* may become several words"),
        ("grep --regexp --file=? x", "--file=? may become several words"),
        ("cat -- --number=*", "--number=* may become several words"),
        ("find . -name --delete=*", "--delete=* may become several words"),
        ("uniq a.txt -c", "uniq with more than 1"),
        ("uniq a.txt --", "uniq with more than 1"),
    ],
)  # fmt: skip
def test_a_word_that_a_program_could_take_for_something_else_asks(
    command: str, words: str, root: Path
) -> None:
    assert words in why(command, root)


def test_values_and_globs_of_an_option_of_their_own_pass(root: Path) -> None:
    passing = "tree -L 2 src|tree -a -I x|tail -c5 a.txt|tail -c +5 a.txt|head -n-2 a.txt"
    passing += "|head -c1kB a.txt|grep -rn x --include=*.py .|strings -n 4 a.txt|uniq -c a.txt"
    passing += "|rg -g *.py x|find . -name *.py|cut -d- -f1 a.txt|cut -df -f1 a.txt"
    for command in passing.split("|"):
        assert why(command, root) == "", command
