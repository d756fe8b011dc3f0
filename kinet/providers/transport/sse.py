"""Splits the bytes of an event stream into events; no I/O."""

from __future__ import annotations

import re
from typing import NamedTuple

from kinet.core.errors import ProtocolError

MAX_LINE_BYTES = 1_000_000

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """One event: its name ("" for none) and its data, lines joined by line feeds."""

    name: str
    data: bytes


_new = tuple.__new__


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
        if b"\r" in piece:
            self._after_cr = piece.endswith(b"\r")
            lines = _LINE_END.split(self._with_rest(piece))
        elif b"\n" not in piece:
            if piece:
                self._keep(piece)
            return []
        else:
            if self._rest:
                piece = self._with_rest(piece)
            if not self._data and not self._name:
                return _plain(piece) or self._blocks(piece.split(b"\n\n"))
            lines = piece.split(b"\n")
        return self._lines(lines, [])

    def finish(self) -> list[ServerEvent]:
        """The events that the end of the body completes: the last line counts without its end."""
        return self._events([self._with_rest(b""), b""])

    def _blocks(self, blocks: list[bytes]) -> list[ServerEvent]:
        """Events of blocks between blank lines; nearly all of them are one line of data."""
        out: list[ServerEvent] = []
        last = blocks.pop()
        for block in blocks:
            if block[:6] == b"data: " and b"\n" not in block and len(block) <= MAX_LINE_BYTES:
                out.append(_new(ServerEvent, ("", block[6:])))
            else:
                out += self._events([*block.split(b"\n"), b""])
        return self._lines(last.split(b"\n"), out) if last else out

    def _lines(self, lines: list[bytes], out: list[ServerEvent]) -> list[ServerEvent]:
        last = lines.pop()
        if last:
            self._keep(last)
        if lines:
            out += self._events(lines)
        return out

    def _with_rest(self, piece: bytes) -> bytes:
        whole = b"".join((*self._rest, piece))
        self._rest.clear()
        self._rest_size = 0
        return whole

    def _keep(self, piece: bytes) -> None:
        # Kept in pieces: joining at each one would cost the square of a long line.
        self._rest.append(piece)
        self._rest_size += len(piece)
        if self._rest_size > MAX_LINE_BYTES:
            raise _too_long()

    def _events(self, lines: list[bytes]) -> list[ServerEvent]:
        out: list[ServerEvent] = []
        data = self._data
        for line in lines:
            if len(line) > MAX_LINE_BYTES:
                raise _too_long()
            if not line:
                if data:
                    out.append(ServerEvent(self._name, data[0] if len(data) == 1 else _join(data)))
                    data.clear()
                    self._data_size = 0
                self._name = ""
            elif line.startswith(b"data: ") and not data:
                # By far the most frequent line, so it comes first.
                data.append(line[6:])
                self._data_size = len(line)
            else:
                self._field(line, out)
        return out

    def _field(self, line: bytes, out: list[ServerEvent]) -> None:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if line.startswith(b"data:") or line == b"data":
            value = line[6:] if line[5:6] == b" " else line[5:]
            self._data.append(value)
            self._data_size += len(value)
            if self._data_size > MAX_LINE_BYTES:
                raise _too_long()
        elif line.startswith(b"event:"):
            self._name = line[6:].strip().decode("utf-8", "replace")
        elif line.lstrip().startswith(b"{") and not self._data:
            out.append(ServerEvent(self._name, line))
        elif not self.strange and not line.startswith((b":", b"id", b"retry", b"event")):
            self.strange = line[:200]


def _plain(piece: bytes) -> list[ServerEvent] | None:
    """The events of a piece that is nothing but events of one data line each; None for others.

    Servers write whole events, so nearly all pieces are of this kind.
    """
    if piece[:6] != b"data: " or piece[-2:] != b"\n\n" or len(piece) > MAX_LINE_BYTES:
        return None
    found = piece[6:-2].split(b"\n\ndata: ")
    if piece.count(b"\n") != 2 * len(found):
        return None
    return [_new(ServerEvent, ("", data)) for data in found]


def _join(data: list[bytes]) -> bytes:
    return b"\n".join(data)


class LineSplitter:
    """Takes bytes as the network cut them and gives one event for each line that is not blank."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self.strange = b""

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """The lines that `piece` completes. ProtocolError for a line over 1 MB."""
        self._rest += piece
        if b"\n" not in piece:
            if len(self._rest) > MAX_LINE_BYTES:
                raise _too_long()
            return []
        *lines, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        return self._events(lines)

    def finish(self) -> list[ServerEvent]:
        """The last line, which counts without its end."""
        line, self._rest = bytes(self._rest), bytearray()
        return self._events([line])

    def _events(self, lines: list[bytes]) -> list[ServerEvent]:
        out: list[ServerEvent] = []
        for line in lines:
            line = line.strip()
            if len(line) > MAX_LINE_BYTES:
                raise _too_long()
            if line[:1] in (b"{", b"["):
                out.append(ServerEvent("", line))
            elif line and not self.strange:
                self.strange = line[:400]
        return out


def _too_long() -> ProtocolError:
    return ProtocolError(
        "The server sent a line of more than 1 MB, which is no part of an answer.",
        hint="Send again; if it happens every time, check the address of the profile.",
    )
