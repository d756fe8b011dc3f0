"""What is refused in every mode: told from ordinary work word by word."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.policy.commands import judge_command
from kinet.policy.never import Machine, never_by_redirection, never_by_text, never_by_words

HOME = Path("/home/me")
ROOT = Path("/home/me/work/project")
MACHINE = Machine(ROOT, HOME, Path("/data/kinet"))


def refused(command: str, machine: Machine = MACHINE) -> str:
    return never_by_words(command.split(), machine)


@pytest.mark.parametrize(
    "command",
    [
        "shutdown", "/sbin/shutdown now", "reboot", "halt", "poweroff", "init 0", "init 6",
        "telinit 6", "systemctl poweroff", "systemctl --now reboot", "systemctl halt x",
        "systemctl kexec",
    ],
)  # fmt: skip
def test_nothing_turns_the_machine_off(command: str) -> None:
    assert refused(command) == "it turns the machine off"


@pytest.mark.parametrize(
    "command",
    ["init 3", "init", "telinit q", "systemctl status", "systemctl restart x", "echo reboot",
     "grep halt x", "cat shutdown"],
)  # fmt: skip
def test_words_about_power_are_no_harm(command: str) -> None:
    assert refused(command) == ""


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("mkfs.ext4 x", "makes or wipes"), ("mkfs x", "makes or wipes"),
        ("wipefs x", "makes or wipes"), ("mkswap x", "makes or wipes"),
        ("format C:", "makes or wipes"), ("format C:\\", "makes or wipes"),
        ("dd if=x of=/dev/sda", "writes over a disk"), ("dd of=/dev/nvme0n1p1", "over a disk"),
        ("tee /dev/sdb", "to a disk itself"), ("cp x /dev/vda", "to a disk itself"),
        ("shred /dev/mmcblk0", "to a disk itself"), ("cat x /dev/dm-0", "to a disk itself"),
        ("cryptsetup luksFormat /dev/md0", "to a disk itself"),
        ("kill -9 -1", "every process"), ("kill -KILL -1", "every process"),
        ("pkill -u -1", "every process"),
    ],
)  # fmt: skip
def test_disks_and_all_processes_are_spared(command: str, reason: str) -> None:
    assert reason in refused(command)


@pytest.mark.parametrize(
    "command",
    [
        "format src", "format", "black C:", "dd if=/dev/sda of=x", "dd of=disk.img", "ls /dev/sda",
        "tee out", "cat /dev/null", "kill -1 55", "kill 55", "echo x -1", "cp a /dev/null",
        "kill -9 55 -9",
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_passes_to_the_question(command: str) -> None:
    assert refused(command) == ""


@pytest.mark.parametrize(
    "command",
    [
        "rm -r /", "rm -R /", "rm --recursive /", "rm --no-preserve-root /", "rm -fr /",
        "rm -f -r /", "rm -rf /*", "rm -rf /.*", "rm -rf /etc", "rm -rf /etc/", "rm -rf /etc/*",
        "rm -rf //", "rm -rf /usr/lib", "rm -rf ~", "rm -rf ~/*", "rm -rf ~/", "rm -rf $HOME",
        "rm -rf $HOME/*", "rm -rf ${HOME}/", "rm -rf /home/me", "rm -rf /home", "rm -rf x /",
        "rm -rf /home/me/work", "rm -rf ..", "rm -rf ../..", "rm -rf ../*", "rm -rf a/../..",
        "chmod -R 0 /", "chmod --recursive 0 /usr", "chown -R me /", "chgrp -R me ~",
        "setfacl -R -m x /", "find / -delete", "find ~ -name x -delete", "find / -exec rm {} ;",
        "find .. -delete", "rd /s C:\\", "rmdir /S D:", "del /s C:\\*", "Remove-Item -Recurse C:/",
        "ri -r C:\\", "mv / x", "mv /etc x", "mv ~ x", "mv a /usr x", "rsync -a --delete e/ /",
        "rsync --delete x ~/", "\\rm -rf /", "r\\m -rf /", "/bin/rm -rf /",
    ],
)  # fmt: skip
def test_nothing_far_outside_the_project_is_destroyed(command: str) -> None:
    assert "destroy files" in refused(command)


@pytest.mark.parametrize(
    "command",
    [
        "rm /", "rm -f /etc", "rm -rf build", "rm -rf .", "rm -rf ./", "rm -rf *", "rm -rf /tmp/x",
        "rm -rf /etc/x", "rm -rf /home/me/other", "rm -rf ../other", "rm -rf -- build",
        "chmod 755 /", "chmod -v 755 /usr", "chown me /", "find / -name x", "find . -delete",
        "find / -exec ls {} ;", "rd C:", "del x", "mv x /", "mv x ~", "mv a b ~/",
        "rsync -a / x", "rsync --delete a b", "ls /", "rm -rf $HOME/x", "rm -rf ~me/x",
        "rm -rf $HOMEX", "echo -rf /", "trash -r /", "rmdir /s build",
    ],
)  # fmt: skip
def test_ordinary_removing_is_a_question_of_its_own(command: str) -> None:
    assert refused(command) == ""


@pytest.mark.parametrize(
    "words",
    [
        "cat {config}/settings.json",
        "cat {share}/rules.json",
        "rm -r /data/kinet",
        "cat /data/kinet/x",
        "cp x --target={config}/x",
        "cat ../../.config/kinet/x",
        "cat /DATA/Kinet/x",
        "cat $HOME/.config/kinet/x",
        "x ~/.cache/kinet",
        "x a b={share}",
    ],
)
def test_the_apps_own_files_are_out_of_reach(words: str) -> None:
    text = words.replace("{config}", "~/.config/kinet").replace("{share}", "~/.local/share/kinet")
    assert "own settings or data" in refused(text)
    assert "own settings or data" in never_by_redirection(text.split()[-1].partition("=")[2] or
                                                          text.split()[-1], MACHINE)  # fmt: skip


@pytest.mark.parametrize(
    "words",
    ["cat kinet", "cat .config/kinet/x", "cat ~/.config/other", "cat /data/other", "x y=z",
     "cat ~/.config/kinetic/x", "cat a..b", "cat /data"],
)  # fmt: skip
def test_files_that_only_sound_like_the_apps_own_are_not(words: str) -> None:
    assert refused(words) == ""


def test_away_from_the_project_relative_names_mean_other_places() -> None:
    at_root = Machine(ROOT, HOME, Path("/data/kinet"), Path("/"))
    assert "destroy" in refused("rm -rf etc", at_root)
    assert "destroy" in refused("rm -rf *", at_root)
    assert "own settings" in refused("cat data/kinet/x", at_root)
    assert refused("rm -rf tmp/x", at_root) == ""
    below = Machine(ROOT, HOME, None, ROOT / "src")
    assert not below.is_away
    assert refused("rm -rf *", below) == ""
    assert refused("rm -rf ..", below) == ""
    assert "destroy" in refused("rm -rf ../..", below)


def test_a_cd_before_it_is_followed() -> None:
    assert MACHINE.after(["cd", "/etc"]).begins == Path("/etc")
    assert MACHINE.after(["cd", "src/.."]).begins == ROOT
    assert MACHINE.after(["pushd", "~"]).begins == HOME
    assert MACHINE.after(["cd"]) is MACHINE.after(["cd", "a", "b"]) is MACHINE
    assert MACHINE.after(["ls", "/etc"]) is MACHINE

    def word(command: str) -> str:
        return judge_command(command, ROOT, HOME, windows=False).verdict

    assert word("cd / && rm -rf *") == word("cd ..; rm -rf *") == word("cd ~ && rm -rf .") == "deny"
    assert word("cd build && rm -rf *") == word("cd /tmp/x && rm -rf *") == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "sudo rm -rf /", "env A=1 nice -n 5 rm -rf /", "sudo sudo sudo reboot",
        "bash -c 'rm -rf /'", "sh -c 'ls; rm -rf /'", "eval 'rm -rf /'", "bash -lc 'ls && halt x'",
        "sudo bash -c 'rm -rf ~'", "bash -c 'bash -c \"rm -rf /\"'", "timeout 5 sh -c 'rm -rf /'",
        "bash -c 'ls\nrm -rf /'", "bash -c 'ls | rm -rf /'", "zsh -c 'a & rm -rf /'",
        "xargs rm -rf /", "! rm -rf /", "nohup setsid rm -rf /",
    ],
)  # fmt: skip
def test_wrappers_and_shells_hide_nothing(command: str) -> None:
    assert judge_command(command, ROOT, HOME, windows=False).verdict == "deny"


def test_a_text_given_to_no_shell_is_only_a_text() -> None:
    for command in ("echo 'rm -rf /'", "git commit -m 'rm -rf /'", "python3 -c 'x; rm -rf /'"):
        assert judge_command(command, ROOT, HOME, windows=False).verdict == "ask" or (
            command.startswith("echo")
        ), command


@pytest.mark.parametrize(
    "command",
    [
        "secret-tool lookup service kinet", "keyring get KINET x", "python3 -m keyring get kinet x",
        "security dump-keychain", "security export -k x", "security unlock-keychain",
        "cmdkey /list:kinet",
    ],
)  # fmt: skip
def test_keys_stay_in_the_keychain(command: str) -> None:
    assert refused(command) == "it reads keys from the keychain"


@pytest.mark.parametrize(
    "command",
    ["secret-tool lookup service other", "security list-keychains", "python3 -m pip install kinet",
     "pip install keyring", "python3 keyring.py", "echo kinet keyring",
     "python3 -m keyring get x y"],
)  # fmt: skip
def test_other_keys_and_words_are_a_question(command: str) -> None:
    assert refused(command) == ""


def test_a_fork_bomb_is_seen_in_any_spelling_near_the_beginning() -> None:
    for text in (":(){ :|:& };:", ":(){:|:&};:", "b ( ) { b | b & } ; b", "x.y(){ x.y|x.y&};x.y"):
        assert never_by_text(text), text
    for text in ("b(){ b|c& };b", "f() { ls; }; f", ":(){ :; }; :"):
        assert never_by_text(text) == "", text
    assert never_by_text(":(){ :|:& };:".rjust(4_000))
    assert never_by_text(":(){ :|:& };:".rjust(4_001)) == ""


def test_writing_over_a_disk_or_the_apps_files_by_redirection_is_refused() -> None:
    assert never_by_redirection("/dev/sda", MACHINE)
    assert never_by_redirection("/data/kinet/x", MACHINE)
    assert never_by_redirection("/dev/null", MACHINE) == ""
    assert never_by_redirection("out", MACHINE) == ""
    assert never_by_words([], MACHINE) == ""
