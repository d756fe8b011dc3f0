"""What a file's bytes mean as text, in a form that gives the very same bytes back."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from kinet.core.errors import ToolError
from kinet.policy.visible import named
from kinet.tools.files.text_guess import guess_encoding

# Longer marks first: the one of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 8_192
# The name for bytes of an encoding that could not be told: ASCII, the rest carried along.
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TextForm:
    """A file as text. `mark` (a byte order mark) + `encode(text)` are exactly the file's bytes."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    def encode(self, text: str, *, path: str = "the file") -> bytes:
        """Bytes of text that was in the file or may join it. ToolError kind encoding if it cannot.

        In a file of unknown encoding only ASCII may join; its own bytes come back as they were.
        """
        try:
            if self.encoding == UNKNOWN:
                return text.encode("ascii", "surrogateescape")
            return text.encode(self.encoding)
        except UnicodeEncodeError as exc:
            bad = named(text[exc.start])
            where = "whose encoding is not known" if self.encoding == UNKNOWN else self.encoding
            raise ToolError(
                f"{bad} cannot be written to {path} ({where}); nothing was changed.",
                hint="Use characters of that encoding, or convert the file first with a command.",
                kind="encoding",
            ) from exc

    def with_text(self, text: str) -> TextForm:
        """The same form with other text."""
        return TextForm(text, self.encoding, self.mark)

    def to_bytes(self, *, path: str = "the file") -> bytes:
        """The whole file. ToolError kind encoding where a character does not fit."""
        return self.mark + self.encode(self.text, path=path)

    @property
    def line_end(self) -> str:
        r"""The line end that most lines have, "\n" where there is none."""
        carriage = self.text.count("\r\n")
        return "\r\n" if carriage * 2 > self.text.count("\n") else "\n"


def read_form(data: bytes, *, path: str = "the file") -> TextForm:
    """The text form of a whole file. ToolError kind binary if it is none."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            form = _exact(data[len(mark) :], encoding, mark)
            if form is not None:
                return form
    if is_binary(data[:_SAMPLE], data[-_SAMPLE:]) or b"\x00" in data:
        raise ToolError(
            f"{path} is a binary file ({len(data):,} bytes); this tool works on text.",
            hint="Use a command that knows this kind of file.",
            kind="binary",
        )
    form = _exact(data, "utf-8", b"")
    if form is None and (guessed := guess_encoding(data)):
        form = _exact(data, guessed, b"")
    return form or TextForm(data.decode("ascii", "surrogateescape"), UNKNOWN)


def is_binary(head: bytes, tail: bytes) -> bool:
    """True if the first or last bytes of a file hold a NUL and no mark explains it."""
    if head.startswith(tuple(mark for mark, encoding in _MARKS if encoding != "utf-8")):
        return False
    return b"\x00" in head or b"\x00" in tail


def encoding_of(head: bytes) -> tuple[str, bytes]:
    """(encoding, mark) told from the first bytes of a file that is too large to be read whole."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, mark
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(head)
    except UnicodeDecodeError:
        return guess_encoding(head) or UNKNOWN, b""
    return "utf-8", b""


def with_line_ends(text: str, line_end: str) -> str:
    r"""The text with every "\n" and "\r\n" as `line_end`; a lone "\r" is data."""
    plain = text.replace("\r\n", "\n")
    return plain if line_end == "\n" else plain.replace("\n", line_end)


def for_reading(text: str) -> str:
    """The text without what cannot be stored or sent: carried bytes become replacement marks."""
    return _LONE.sub("�", text)


def _exact(data: bytes, encoding: str, mark: bytes) -> TextForm | None:
    try:
        text = data.decode(encoding)
        if text.encode(encoding) == data and "\x00" not in text:
            return TextForm(text, encoding, mark)
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None
    return None


_LONE = re.compile("[\ud800-\udfff]")
