"""Any text gets a verdict: random ones, hard ones, long ones; the large run is in tests/bench."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kinet.policy.commands import judge_command
from tests.support.shell_texts import long_texts, shell_texts


def test_random_texts_are_judged_and_writing_programs_never_pass(tmp_path: Path) -> None:
    seen = set()
    for text in shell_texts(seed=11, count=4_000):
        verdict = judge_command(text, tmp_path, tmp_path).verdict
        seen.add(verdict)
        if verdict == "allow":
            words = text.replace("|", " ").replace(";", " ").replace("&", " ").split()
            assert not {"touch", "rm", "mv", "cp", "tee", "xargs", "awk", "python3"} & {words[0]}
            # Between single quotes nothing means anything.
            bare = re.sub(r"'[^']*'", "", text)
            assert "`" not in bare
            assert "$" not in bare
    assert seen >= {"allow", "ask"}


@pytest.mark.parametrize("text", list(long_texts()), ids=lambda text: f"{text[:6]!r}-{len(text)}")
def test_a_long_or_hard_text_is_asked_about_or_plain(text: str, tmp_path: Path) -> None:
    judgement = judge_command(text, tmp_path, tmp_path)
    assert judgement.verdict in ("ask", "allow", "deny")
    if len(text) > 4_000:
        assert judgement.verdict != "allow"


@pytest.mark.parametrize(
    "command",
    [
        "sudo sudo env nice rm -rf /",
        "nohup setsid timeout 5 sudo bash -c 'rm -rf ~'",
        "env A=1 B=2 C=3 D=4 E=5 F=6 G=7 H=8 rm -rf /",
        "bash -c 'sudo shutdown now'",
    ],
)
def test_what_must_never_run_is_seen_behind_wrappers(command: str, tmp_path: Path) -> None:
    assert judge_command(command, tmp_path, tmp_path / "home").verdict == "deny"
