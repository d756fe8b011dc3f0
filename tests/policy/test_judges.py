"""More instances of the kinds of attack that the corpora hold."""

from __future__ import annotations

import ipaddress
import random
from pathlib import Path

import pytest

from kinet.policy import commands, protected, shell_syntax
from kinet.policy.addresses import may_be_permitted, special
from kinet.policy.commands import judge_command
from kinet.policy.network import judge_url
from kinet.policy.paths import judge_path
from kinet.policy.shell_words import split_plain
from kinet.policy.visible import visible, visible_line
from kinet.policy.windows_names import trouble


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    for name in ("f.txt", "src/a.py", "a.txt"):
        (folder / name).write_text("x\n")
    return folder


def word(command: str, project: Path) -> str:
    home = project.parent / "home"
    return judge_command(command, project, home, windows=False).verdict


@pytest.mark.parametrize(
    "command",
    [
        "ls -la src 2>/dev/null", "grep -rn x src 2>&1 | head -20", "head -5 f.txt",
        "find . -name '*.py' -not -path './x/*'", "sed -n '3p' f.txt", ["wc -l", " /dev/null"][0],
        "echo 'a;b' && pwd", "sort f.txt | uniq -c | sort -rn", "rg -n --glob '*.py' x src",
        "cat f.txt a.txt\nls", "tail -n +2 f.txt", "printf '%s %d%%\\n' a 5", "date +%F",
    ],
)  # fmt: skip
def test_plain_reading_passes(command: str, project: Path) -> None:
    assert word(command, project) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "ls ~", "ls .*", "time ls", "coproc ls", "ls \\\n-la", "ls ;; ls", "! ls",
        "ls {a,b}", "ls &", "ls # x", "ls $HOME", 'ls "$HOME"', "ls > out", "ls >> /dev/null2",
        "ls 2>/dev/null/../x", "cat < f.txt", "a=1 ls", "ls\t-la", "ls a\u00a0b", "ls [a]",
        "find . -fprintf x y", "find . -exec ls {} +", "find -L . -name x", "rg --pre=cat x",
        "rg --search-zip x", "rg --hidden x", "rg -uu x", "grep -f f.txt x", "sort -of.txt f.txt",
        "sort --output=x f.txt", "sort --outp=x f.txt", "sort --compress-program=x f.txt",
        "uniq f.txt out", "date -s now", "date 01010000", "tail -f f.txt",
        "tail --follow=name f.txt",
        "printf -v a x", "printf '%n' a", "printf '%*d' 1 2", "sed -n 'w x' f.txt",
        "sed -i 3p f.txt",
        "sed -n 3p -i f.txt", "sed -n 3p --in-place f.txt", "cat /etc/hosts", "cat ../x",
        "cat .env",
        "cat src/../../x", "grep -r x .git", "git status", "du -sh --files0-from=x",
        "file -m x f.txt",
        "file -C", "hostname evil", "ls && make", "true | sh", "stat -c %n /etc",
        "which ls; id -u; useradd x",
        "diff -r . src", "cat 'a'b", "''ls", "wc --files0-from=-",
    ],
)  # fmt: skip
def test_anything_else_asks(command: str, project: Path) -> None:
    assert word(command, project) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf / --no-preserve-root", "sudo rm -rf /*", "rm -r -f ~/", "rm -rf $HOME",
        "rm -rf /etc",
        'rm -rf "$HOME"', "rm -rf ${HOME}", "rm -rf ${HOME}/*", "sudo rm -rf ${HOME}/",
        "bash -c 'rm -rf /'", "true && (sudo rm -rf /usr)",
        "find / -name x -delete",
        "chmod -R 000 /usr", "chown --recursive a /", "mkfs -t ext4 /dev/sdb", "wipefs -a /dev/sda",
        "dd if=x of=/dev/nvme0n1", "cat x > /dev/sdb1", "tee /dev/sda", "sudo poweroff",
        "systemctl reboot", "init 0", "b(){ b|b& };b", "kill -9 -1", "mv / /x",
        "cat ~/.config/kinet/settings.json", "echo x >> $HOME/.local/share/kinet/rules.json",
        "secret-tool lookup service kinet", "security dump-keychain", "nohup nice shutdown now",
        "if true; then rm -rf /; fi", "for i in 1; do rm -rf /home; done", "$(rm -rf /)",
    ],
)  # fmt: skip
def test_the_worst_is_denied_wherever_it_stands(command: str, project: Path) -> None:
    assert word(command, project) == "deny"


@pytest.mark.parametrize(
    "command",
    ["rm -rf build", "mv a.txt ~", "mv a.txt /tmp/", "chmod -R 755 src", "echo rm -rf /",
     "find src -name x -delete", "dd if=f.txt of=out", "echo shutdown", "grep reboot f.txt"],
)  # fmt: skip
def test_ordinary_work_is_not_denied(command: str, project: Path) -> None:
    assert word(command, project) != "deny"


def test_a_search_that_would_meet_a_secret_asks(project: Path) -> None:
    assert word("grep -rn x .", project) == "allow"
    (project / "src" / "server.pem").write_text("k")
    assert word("grep -rn x .", project) == "ask"
    assert word("rg x", project) == "ask"
    assert word("grep -n x f.txt", project) == "allow"
    assert word("ls -R .", project) == "allow"


def test_a_link_out_of_the_project_asks(project: Path) -> None:
    (project.parent / "other.txt").write_text("x")
    (project / "link.txt").symlink_to("../other.txt")
    assert word("cat link.txt", project) == "ask"


def test_without_the_parser_everything_asks(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_syntax, "_parser", lambda: None)
    assert word("ls", project) == "ask"
    assert word("rm -rf /", project) == "deny"
    assert judge_command("ls", project, windows=True).verdict == "ask"


def test_no_text_ever_raises(project: Path) -> None:
    seed = random.Random(7)
    pieces = [
        "ls",
        "f.txt",
        "-la",
        "|",
        "&&",
        ";",
        '"',
        "'",
        "$(",
        "`",
        ">",
        "(",
        ")",
        "{",
        "}",
        "\n",
        "\\",
        "*",
        "<<E",
        "E",
        "\u202e",
        "\x00",
        "é",
        "[[",
        "case",
        "esac",
        "#",
        "~",
        " ",
    ]
    for _ in range(3_000):
        text = "".join(seed.choice(pieces) for _ in range(seed.randrange(1, 20)))
        judged = judge_command(text, project, windows=False)
        if judged.verdict == "allow":
            assert not set(text) & set("$`<(){}*~#\\\x00\u202eé[")
    assert commands.judge_command("x" * 200_000, project).verdict == "ask"


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("93.184.216.34", True), ("8.8.8.8", True), ("2606:2800:220:1::1", True),
        ("127.0.0.1", False), ("10.0.0.1", False), ("100.64.0.1", False), ("192.0.0.8", False),
        ("::ffff:127.0.0.1", False), ("::7f00:1", False), ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d822", True), ("2002:7f00:1::", False), ("fec0::1", False),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", False), ("ff02::1", False),
        ("fd00:ec2::254", False),
        ("168.63.129.16", False), ("::1", False), ("::", False), ("4000::1", False),
        ("2606::200:5efe:7f00:1", False), ("255.255.255.255", False),
    ],
)  # fmt: skip
def test_special_addresses_are_known_in_every_wrapping(text: str, public: bool) -> None:
    assert (special(ipaddress.ip_address(text)) == "") is public


def test_a_development_server_may_be_permitted_and_metadata_never() -> None:
    permits = frozenset({"localhost:3000", "169.254.169.254:80", "127.0.0.1:8000"})
    look_up = {"localhost": ["127.0.0.1", "::1"]}.get

    def verdict(url: str) -> str:
        resolve = lambda host: look_up(host) or []  # noqa: E731
        return judge_url(url, resolve=resolve, permitted=True, local_permits=permits).verdict

    assert verdict("http://localhost:3000/") == "allow"
    assert verdict("http://localhost:3001/") == "deny"
    assert verdict("http://127.0.0.1:8000/") == "ask"
    assert verdict("http://169.254.169.254/") == "deny"
    assert not may_be_permitted(ipaddress.ip_address("100.64.0.1"))


@pytest.mark.parametrize("part", [".GIT", ".git ", "GIT~2", ".gi\u200bt", ".git::$DATA", "．git"])
def test_a_repository_is_protected_in_every_spelling(part: str, project: Path) -> None:
    assert judge_path(f"{part}/config", "write", project).verdict == "deny"


def test_names_that_windows_reads_otherwise() -> None:
    for path in (
        "NUL",
        "a/con.txt",
        r"\\server\x",
        "//server/x",
        "C:x",
        r"\\.\disk",
        "a.txt:s",
        "COM¹",
    ):
        assert trouble(path), path
    for path in ("a.txt", r"C:\x\y.txt", "console.py", "src/aux_file.c"):
        assert not trouble(path), path


def test_hidden_characters_are_spelt_out() -> None:
    assert visible("a\u202eb\u200bc\nd") == "a<U+202E>b<U+200B>c\nd"
    assert visible_line("a\nb") == "a\\nb"
    assert visible("caf\udce9") == "caf\\xe9"


@pytest.mark.parametrize(
    "path",
    [
        ".config/google-chrome/Default/Login Data",
        ".local/share/keyrings/login.keyring",
        "Library/Keychains/login.db",
        "AppData/Roaming/1Password/data",
    ],
)
def test_stores_of_passwords_are_secret_by_their_folders(path: str) -> None:
    assert protected.is_secret(Path(path).parts)
    assert not protected.is_secret(Path(path).parts[1:2])


@pytest.mark.parametrize(
    "text", ["ls &&", "ls ||", "ls |", "&& ls", "; ls", "| wc", "ls ; ; pwd", "ls | | wc", "a'b'"]
)
def test_a_text_with_a_separator_too_many_is_not_plain(text: str) -> None:
    assert split_plain(text) is None


def test_plain_commands_keep_their_words_and_texts() -> None:
    found = split_plain("ls -l  'a b' 2>/dev/null | wc -l\npwd;")
    assert found is not None
    assert [command.words for command in found] == [("ls", "-l", "a b"), ("wc", "-l"), ("pwd",)]
    assert found[1].text == "wc -l"
