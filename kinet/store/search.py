"""Full text over everything said and done, in all scripts."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from kinet.core.events import Event, MessageCompleted, ToolFinished, ToolStarted
from kinet.core.own_command import NAME, OwnCommand
from kinet.store.database import Database
from kinet.store.event_rows import decode

# Characters of one event that are indexed; an output beyond that is found by its beginning.
INDEXED = 200_000
_AROUND = 60
# Of a question, so many words are looked for when one is enough.
_MOST_WORDS = 40

# Scripts written without blanks between words.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u3040-\u30ff"
    "\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
_ASKED = "session.id IN (SELECT session_id FROM usage WHERE model = ?)"
_CALLED = (
    "event.type IN ('tool_started', 'tool_finished')"
    " AND ? IN ('*', json_extract(event.body, '$.name'))"
)
# Commands of the person's own that they keep from the model.
_TOLD = (
    " AND NOT (event.type IN ('tool_started', 'tool_finished')"
    f" AND json_extract(event.body, '$.name') = '{NAME}'"
    " AND coalesce(json_extract(event.body, '$.details.private'),"
    " json_extract(event.body, '$.arguments.private'), 0))"
)
_TERM = re.compile(r'"([^"]*)"?|(\S+)')


@dataclass(frozen=True, slots=True)
class SearchHit:
    """An event that holds all the words. `seq` is its number in the session; `call_id` is that of
    the tool call where it stands in the input or the output of one, else ""."""

    session_id: str
    seq: int
    title: str
    snippet: str
    role: str
    at: float
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class SearchChoices:
    """What can be filtered by."""

    folders: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Narrows a search. "" and None leave all in; `since` and `until` are wall time in seconds.

    `model` leaves sessions in which that model was asked; `tool` leaves calls of that tool and
    what came back, and "*" those of any.
    """

    folder: str | None = None
    session_id: str = ""
    model: str = ""
    tool: str = ""
    since: float | None = None
    until: float | None = None

    def condition(self) -> tuple[str, tuple[str | float, ...]]:
        """The words of a query behind its WHERE, and their values."""
        words: list[tuple[str, str | float]] = []
        if self.folder is not None:
            words.append(("session.folder = ?", self.folder))
        if self.session_id:
            words.append(("session.id = ?", self.session_id))
        if self.model:
            words.append((_ASKED, self.model))
        if self.since is not None:
            words.append(("event.at >= ?", self.since))
        if self.until is not None:
            words.append(("event.at < ?", self.until))
        if self.tool:
            words.append((_CALLED, self.tool))
        text = "".join(f" AND {word}" for word, _ in words)
        return text, tuple(value for _, value in words)


class SearchIndex:
    """Searches the saved sessions. Blocks the caller: use it in a thread."""

    def __init__(self, database: Database, fetch: Callable[[str], str | None]) -> None:
        self._database = database
        self._fetch = fetch

    def find(
        self,
        text: str,
        *,
        limit: int = 50,
        within: SearchFilter | None = None,
        best: bool = False,
        any_word: bool = False,
        told: bool = False,
    ) -> list[SearchHit]:
        """Events with all words of `text` ("quoted words" stand together; the last word may be a
        beginning), the newest first, or the best first. With `any_word` one of the words is enough;
        with `told` only what a model may hear of. Never raises for odd input."""
        query = match_query(text, any_word=any_word)
        if not query:
            return []
        order = "search.rank" if best else "search.rowid DESC"
        condition, values = (within or SearchFilter()).condition()
        condition += _TOLD if told else ""
        statement = (
            "SELECT event.session_id, event.seq, session.title, event.body, event.at,"
            " event.call_id FROM search"
            # Crossed, so that the words are looked up first, whatever else narrows it.
            " CROSS JOIN event ON event.id = search.rowid"
            " CROSS JOIN session ON session.id = event.session_id"
            f" WHERE search MATCH ? AND session.deleted IS NULL{condition}"
            f" ORDER BY {order} LIMIT ?"
        )
        asked = (query, *values, limit)
        rows = self._database.read(lambda db: db.execute(statement, asked).fetchall())
        return [self._hit(row, text) for row in rows]

    def choices(self) -> SearchChoices:
        """The folders and models of the saved sessions and the tools they called, by name."""

        def work(db: sqlite3.Connection) -> SearchChoices:
            folders = "SELECT DISTINCT folder FROM session WHERE deleted IS NULL AND folder <> ''"
            models = "SELECT DISTINCT model FROM usage WHERE model <> ''"
            return SearchChoices(
                tuple(sorted(row[0] for row in db.execute(folders))),
                tuple(sorted(row[0] for row in db.execute(models))),
            )

        return self._database.read(work)

    def titles(self, text: str, limit: int = 50) -> list[str]:
        """Ids of the sessions whose name holds `text`, whatever the case, the newest first."""
        wanted = text.casefold()
        statement = (
            "SELECT id, title FROM session WHERE deleted IS NULL AND touched > 0"
            " ORDER BY touched DESC"
        )
        rows = self._database.read(lambda db: db.execute(statement).fetchall())
        return [id_ for id_, title in rows if wanted in title.casefold()][:limit]

    def _hit(self, row: tuple[str, int, str, str, float, str], text: str) -> SearchHit:
        session_id, seq, title, body, at, call_id = row
        role, found = "", ""
        try:
            event = decode(body, self._fetch)
            role, found = _role(event), searchable(event)
            call_id = getattr(event, "call_id", call_id)
        except ValueError:
            found = body
        return SearchHit(session_id, seq, title, snippet(found, text), role, at, call_id)


def index(
    connection: sqlite3.Connection, session_id: str, fetch: Callable[[str], str | None]
) -> None:
    """Adds the events that are not in the index yet; for use inside a transaction."""
    row = connection.execute(
        "SELECT indexed_to FROM session WHERE id = ?", (session_id,)
    ).fetchone()
    if row is None:
        return
    events = connection.execute(
        "SELECT id, seq, body FROM event WHERE session_id = ? AND seq > ? AND type IN"
        " ('message_completed', 'tool_started', 'tool_finished') ORDER BY seq",
        (session_id, row[0]),
    ).fetchall()
    newest = row[0]
    for number, seq, body in events:
        newest = seq
        try:
            text = searchable(decode(body, fetch))
        except ValueError:
            continue
        if text:
            connection.execute(
                "INSERT INTO search (rowid, words) VALUES (?, ?)", (number, spaced(text[:INDEXED]))
            )
    connection.execute("UPDATE session SET indexed_to = ? WHERE id = ?", (newest, session_id))


def forget(connection: sqlite3.Connection, session_id: str) -> None:
    """Takes a session out of the index; for use inside a transaction, before its events go."""
    connection.execute(
        "DELETE FROM search WHERE rowid IN (SELECT id FROM event WHERE session_id = ?)",
        (session_id,),
    )


def searchable(event: Event) -> str:
    """The text of an event that can be found."""
    match event:
        case MessageCompleted(message=message):
            return message.text
        case ToolStarted(name=name, arguments=arguments) if name == NAME:
            return OwnCommand(str(arguments.get("command", ""))).typed()
        case ToolStarted(name=name, arguments=arguments):
            return f"{name} {json.dumps(dict(arguments), ensure_ascii=False, default=str)}"
        case ToolFinished(content=content):
            return content
        case _:
            return ""


def spaced(text: str) -> str:
    """The text with pairs of letters in place of words where a script has no blanks.

    The last letter of a run stands alone too, so that one letter is found as a beginning.
    """
    return _RUN.sub(lambda run: f" {_pairs(run.group())} ", text)


def match_query(text: str, *, any_word: bool = False) -> str:
    """The query for the index: every term a phrase, the last one open at its end. "" for none.

    With `any_word` every word or pair of letters by itself, one of which is enough.
    """
    if any_word:
        words = re.findall(r"\w+", spaced(text.replace("\0", " ")))
        return " OR ".join(f'"{word}"' for word in dict.fromkeys(words[:_MOST_WORDS]))
    terms = [quoted or bare for quoted, bare in _TERM.findall(text.replace("\0", " "))]
    phrases = [phrase for term in terms if (phrase := _phrase(term))]
    if not phrases:
        return ""
    # A lone letter of an unspaced script stands in the index as the beginning of a pair.
    opened = [f"{phrase} *" if _RUN.fullmatch(phrase[1:-1]) else phrase for phrase in phrases[:-1]]
    return " AND ".join([*opened, _open_at_end(phrases[-1])])


def snippet(text: str, query: str) -> str:
    """The place of the first word of `query` that `text` holds, with a little around it."""
    folded = text.casefold()
    if len(folded) != len(text):
        folded = text.lower() if len(text.lower()) == len(text) else text
    places = [
        place
        for quoted, bare in _TERM.findall(query)
        if (quoted or bare) and (place := folded.find((quoted or bare).casefold())) >= 0
    ]
    start = max(0, min(places, default=0) - _AROUND)
    end = start + 3 * _AROUND
    piece = " ".join(text[start:end].split())
    return ("…" if start else "") + piece + ("…" if end < len(text) else "")


def _phrase(term: str) -> str:
    words = re.findall(r"\w+", _RUN.sub(lambda run: f" {_open_pairs(run.group())} ", term))
    return '"' + " ".join(words) + '"' if words else ""


def _open_at_end(phrase: str) -> str:
    """The phrase as a beginning; a pair of letters is whole, and found much faster as such."""
    last = phrase[1:-1].rpartition(" ")[2]
    return phrase if len(last) == 2 and _RUN.fullmatch(last) else f"{phrase} *"


def _pairs(run: str) -> str:
    return " ".join([*(run[i : i + 2] for i in range(len(run) - 1)), run[-1]])


def _open_pairs(run: str) -> str:
    # Without the lone last letter: in the text another letter may follow there.
    return run if len(run) == 1 else " ".join(run[i : i + 2] for i in range(len(run) - 1))


def _role(event: Event) -> str:
    if isinstance(event, MessageCompleted):
        return event.message.role
    named = event.name if isinstance(event, ToolStarted | ToolFinished) else ""
    return "command" if named == NAME else "tool"
