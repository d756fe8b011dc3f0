"""What a screen reader says of each entry: a name for the whole, and its parts in order."""

from __future__ import annotations

from kinet.markup.highlight import language_title
from kinet.markup.visible import shown, unbroken
from kinet.ui.transcript.blocks.documents import columns_in_order, table_of
from kinet.ui.transcript.blocks.durations import duration, plural
from kinet.ui.transcript.blocks.formula_objects import OBJECT
from kinet.ui.transcript.blocks.pieces import Piece
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.error_card import ErrorEntry
from kinet.ui.transcript.entries.files_entry import FilesEntry
from kinet.ui.transcript.entries.lines import MetaEntry
from kinet.ui.transcript.entries.reasoning import ReasoningEntry
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.flow import Flow

# Readers ask for names again and again; a longer text is read part by part.
LONGEST_NAME = 2_000


def name_of(entry: Entry, flow: Flow) -> str:
    """The name of an entry: who speaks, and what they say, in the words that are shown."""
    match entry:
        case ReasoningEntry():
            took = f" {duration(entry.seconds)}" if entry.seconds else ""
            return f"Thought{took}" if not entry.is_live else "Thinking"
        case StepGroup():
            return entry.spoken()
        case MetaEntry():
            return "Turn: " + ", ".join(entry.spoken_parts())
        case ErrorEntry():
            return f"{entry.title}. {entry.message} {entry.hint}".strip()
        case TextEntry() if entry.kind == "answer":
            return f"Kinet: {_beginning(entry, flow)}"
        case TextEntry():
            return f"You: {shown(entry.source.strip())[:LONGEST_NAME]}"
        case FilesEntry():
            return entry.markdown().replace("`", "")
        case _:
            return entry.markdown().strip("[]")


def last_answer_words(flow: Flow) -> str:
    """The newest answer, as its name tells it; "" if there is none below the last question."""
    for entry in reversed(flow.entries):
        if isinstance(entry, TextEntry):
            return _beginning(entry, flow) if entry.kind == "answer" else ""
    return ""


def _beginning(entry: TextEntry, flow: Flow) -> str:
    """An answer as far as a name goes: its parts one after the other."""
    said: list[str] = []
    room = LONGEST_NAME
    for number in range(count_of_parts(entry)):
        if room <= 0:
            break
        said.append(name_of_part(entry, number, flow))
        room -= len(said[-1]) + 1
    return "\n".join(said)[:LONGEST_NAME]


def count_of_parts(entry: Entry) -> int:
    """How many parts an entry has: blocks of an answer, rows of a group of steps."""
    if isinstance(entry, StepGroup):
        return len(entry.records)
    if not isinstance(entry, TextEntry) or entry.kind != "answer":
        return 0
    return sum(bool(piece.block.source.strip()) for piece in entry.pieces)


def name_of_part(entry: Entry, number: int, flow: Flow) -> str:
    """The name of part `number`; "" if there is none."""
    if isinstance(entry, StepGroup):
        rows = entry.spoken_rows()
        return rows[number] if number < len(rows) else ""
    place = piece_of_part(entry, number)
    return part_name(entry, place, flow) if place >= 0 and isinstance(entry, TextEntry) else ""


def words_of(entry: Entry, flow: Flow) -> str:
    """What of an entry without parts is read letter by letter."""
    return shown(entry.source) if isinstance(entry, TextEntry) else name_of(entry, flow)


def piece_of_part(entry: Entry, number: int) -> int:
    """The number of the block that is part `number`; -1 for none."""
    if not isinstance(entry, TextEntry):
        return -1
    told = [place for place, piece in enumerate(entry.pieces) if piece.block.source.strip()]
    return told[number] if number < len(told) else -1


def words_of_part(entry: Entry, number: int, flow: Flow) -> str:
    """What of a part is read letter by letter: the words of prose, the very code, the cells."""
    if isinstance(entry, StepGroup):
        return name_of_part(entry, number, flow)
    place = piece_of_part(entry, number)
    if place < 0 or not isinstance(entry, TextEntry):
        return ""
    piece = entry.piece(place)
    if piece.kind == "code":
        return piece.text().text
    document = entry.document_of(place, flow.style, flow.width)
    flow.cache.touch(piece)
    return unbroken(document.toPlainText().replace(OBJECT, " formula "))


def part_name(entry: TextEntry, number: int, flow: Flow) -> str:
    """A block as it is read: code and tables say what they are."""
    piece = entry.piece(number)
    if piece.kind == "code":
        return _code(piece)
    document = entry.document_of(number, flow.style, flow.width)
    flow.cache.touch(piece)
    table = table_of(document)
    if piece.kind != "table" or table is None:
        words = document.toPlainText().replace(OBJECT, " formula ")
        return unbroken(words).strip()[:LONGEST_NAME]
    rows = []
    for row in range(0 if piece.first else 1, table.rows()):
        cells = []
        for column in columns_in_order(table):
            cell = table.cellAt(row, column)
            begin, end = cell.firstPosition(), cell.lastPosition()
            cells.append(document.toPlainText()[begin:end])
        rows.append(", ".join(cells))
    size = f"{plural(len(rows), 'row')}, {plural(table.columns(), 'column')}"
    return unbroken(f"Table, {size}: " + "; ".join(rows))[:LONGEST_NAME]


def _code(piece: Piece) -> str:
    code = piece.text()
    title = f"{language_title(code.language)} code" if code.language else "Code"
    named = f" of {code.name}" if code.name else ""
    return f"{title}{named}: {code.text.strip()}"[:LONGEST_NAME]
