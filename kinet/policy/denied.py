"""Whether a command runs what a person said never to run, alone or as a part of something else."""

from __future__ import annotations

from kinet.policy.commands import LONGEST, split_loosely
from kinet.policy.shell_syntax import read_syntax
from kinet.policy.shell_words import split_plain


def runs_denied(command: str, denied: str) -> bool:
    """True if the words of `denied` stand together in any command of the text.

    A yes needs proof that it fits, a no does not: it holds in a list, a pipe or a subshell, behind
    `sudo` or an assignment, and for a text that no parser understands. So it may also meet a
    command that only names those words.
    """
    wanted = split_plain(denied)
    if wanted is None or len(wanted) != 1:
        return False
    words = wanted[0].words
    return any(_hold(found, words) for found in _commands(command))


def _commands(command: str) -> tuple[tuple[str, ...], ...]:
    if len(command) > LONGEST:
        return split_loosely(command)
    return read_syntax(command).loose or split_loosely(command)


def _hold(found: tuple[str, ...], words: tuple[str, ...]) -> bool:
    length = len(words)
    return any(found[at : at + length] == words for at in range(len(found) - length + 1))
