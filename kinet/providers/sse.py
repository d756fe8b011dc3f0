"""Splits the bytes of an event stream into events; no I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kinet.core.errors import ProtocolError

MAX_LINE_BYTES = 1_000_000

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name ("" for none) and its data, lines joined by line feeds."""

    name: str
    data: bytes


class EventSplitter:
    """Takes bytes as the network cut them and gives whole events.

    Only LF, CR and CRLF end a line; other line ends of Unicode are text. A line that is bare JSON
    counts as an event of its own: servers that fail in mid-stream write such. ProtocolError for a
    line over 1 MB.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._data: list[bytes] = []
        self._data_size = 0
        self._name = ""
        self._at_start = True
        # The beginning of what is no line of an event stream.
        self.strange = b""
        # The last byte was a CR: an LF right after it belongs to the same line end.
        self._after_cr = False

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """The events that `piece` completes, in order."""
        if self._after_cr and piece:
            self._after_cr = False
            if piece[:1] == b"\n":
                piece = piece[1:]
        if not piece:
            return []
        if b"\n" not in piece and b"\r" not in piece:
            self._keep(piece)
            return []
        self._after_cr = piece.endswith(b"\r")
        if self._rest:
            piece = b"".join((*self._rest, piece))
            self._rest.clear()
            self._rest_size = 0
        lines = _LINE_END.split(piece) if b"\r" in piece else piece.split(b"\n")
        last = lines.pop()
        if last:
            self._keep(last)
        return self._events(lines)

    def finish(self) -> list[ServerEvent]:
        """The events that the end of the body completes: the last line counts without its end."""
        lines = [b"".join(self._rest), b""]
        self._rest.clear()
        self._rest_size = 0
        return self._events(lines)

    def _keep(self, piece: bytes) -> None:
        # Kept in pieces: joining at each one would cost the square of a long line.
        self._rest.append(piece)
        self._rest_size += len(piece)
        if self._rest_size > MAX_LINE_BYTES:
            raise _too_long()

    def _events(self, lines: list[bytes]) -> list[ServerEvent]:
        out: list[ServerEvent] = []
        for line in lines:
            if self._at_start and (line or self._data):
                self._at_start = False
                line = line.removeprefix(_BYTE_ORDER_MARK)
            if len(line) > MAX_LINE_BYTES:
                raise _too_long()
            if line.startswith(b"data:"):
                value = line[6:] if line[5:6] == b" " else line[5:]
                self._data.append(value)
                self._data_size += len(value)
                if self._data_size > MAX_LINE_BYTES:
                    raise _too_long()
            elif not line:
                self._dispatch(out)
            elif line.startswith(b"event:"):
                self._name = line[6:].strip().decode("utf-8", "replace")
            elif line.lstrip().startswith(b"{") and not self._data:
                out.append(ServerEvent(self._name, line))
            elif line == b"data":
                self._data.append(b"")
            elif not self.strange and not line.startswith((b":", b"id", b"retry", b"event")):
                self.strange = line[:200]
        return out

    def _dispatch(self, out: list[ServerEvent]) -> None:
        if self._data:
            out.append(ServerEvent(self._name, b"\n".join(self._data)))
            self._data = []
            self._data_size = 0
        self._name = ""


def _too_long() -> ProtocolError:
    return ProtocolError(
        "The server sent a line of more than 1 MB, which is no part of an answer.",
        hint="Send again; if it happens every time, check the address of the profile.",
    )
