"""Gives the model the part of a step's output that it did not get."""

from __future__ import annotations

from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.writing.attachments import Attachment, with_attachments

# More would not fit beside the conversation; the person can save it instead.
LONGEST_REST = 200_000


def send_rest(panel: ChatPanel, title: str, rest: str) -> str:
    """Gives the model what was cut from an output; what to tell the person.

    A turn that runs is steered with it at once. Else it lies in the composer, to be sent with the
    next message: what it is for is for the person to say.
    """
    whole = len(rest)
    item = Attachment(f"Rest of {title}", rest[:LONGEST_REST])
    session = panel.session
    if session is not None and panel.runner.running:
        session.steer(with_attachments(f"The rest of the output of {title}:", (item,)))
        told = "The rest goes to the model with its next step"
    else:
        composer = panel.composer
        composer.set_content(composer.text(), (*composer.attachments(), item))
        composer.edit.setFocus()
        told = "The rest is attached to your next message"
    return told if whole <= LONGEST_REST else f"{told}: the first {LONGEST_REST:,} characters"
