"""Lets two transcripts scroll together, or apart."""

from __future__ import annotations

from PySide6.QtCore import QObject

from kinet.ui.transcript.view import Transcript

_ROUNDS = 3


class ScrollLink(QObject):
    """What the person scrolls on one side, the other follows: by shares, since lengths differ."""

    def __init__(self, left: Transcript, right: Transcript, parent: QObject) -> None:
        super().__init__(parent)
        self.linked = True
        # Moves of the program are none of the person's: layout and the other side's following.
        left.stage.follower.moved.connect(lambda: self._follow(left, right))
        right.stage.follower.moved.connect(lambda: self._follow(right, left))

    def _follow(self, moved: Transcript, other: Transcript) -> None:
        moved.stage.follower.hold()
        if not self.linked:
            return
        source, target = moved.verticalScrollBar(), other.verticalScrollBar()
        share = source.value() / source.maximum() if source.maximum() else 0.0
        other.stage.follower.hold()
        # What comes into view is laid out, and then the whole may be longer or shorter.
        for _ in range(_ROUNDS):
            wanted = round(share * target.maximum())
            with other.stage.follower.own_moves():
                target.setValue(wanted)
            other.stage.refresh(anew=True)
            if round(share * target.maximum()) == wanted:
                break
