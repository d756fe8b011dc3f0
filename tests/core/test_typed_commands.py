"""Which typed texts are commands of the person's own, and which are messages."""

from __future__ import annotations

import pytest

from kinet.core.own_command import OwnCommand, as_message_text, typed_command


@pytest.mark.parametrize(
    ("text", "command", "private"),
    [
        ("!ls", "ls", False),
        ("!!ls -a", "ls -a", True),
        ("!./run.sh  ", "./run.sh", False),
        ("!../up", "../up", False),
        ("!/bin/true", "/bin/true", False),
        ("!~/bin/x", "~/bin/x", False),
        ('!"my program" 1', '"my program" 1', False),
        ("!$EDITOR x", "$EDITOR x", False),
        ("!(cd a; ls)", "(cd a; ls)", False),
        ("!for i in 1 2\ndo echo $i\ndone", "for i in 1 2\ndo echo $i\ndone", False),
        ("!7z l a.7z", "7z l a.7z", False),
    ],
)
def test_a_mark_and_at_once_what_a_command_begins_with_is_a_command(text, command, private):
    assert typed_command(text) == OwnCommand(command, private=private)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "!",
            "!!",
            "!!!",
            "!!!wow",
            "! no",
            "!! no",
            "!= 3",
            "!? really",
            "!.",
            "!...",
            "!:)",
        ),
        *(
            "![a picture](x.png)",
            "!重要",
            "!важно",
            "!é",
            " !ls",
            "\n!ls",
            "a !ls",
            "!\nls",
            "！ls",
        ),
    ],
)
def test_other_texts_that_begin_with_the_mark_are_messages(text):
    assert typed_command(text) is None
    assert as_message_text(text) == text


def test_a_blank_before_it_makes_a_message_of_a_command():
    assert as_message_text("!important") == " !important"
    assert typed_command(as_message_text("!important")) is None
