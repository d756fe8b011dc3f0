"""What is kept of edited messages: on the disk as it was, and nothing where the file is damaged."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.keeping import Keeper
from kinet.session import unsent
from kinet.ui.writing.attachments import Attachment, taken_apart, with_attachments
from kinet.ui.writing.kept_edits import Edit, EditBook, KeptEdit

NOTE = Attachment("note.txt", "one\ntwo", "/home/me/note.txt")


def test_an_edit_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "edits.json"
    book = EditBook(file)
    kept = KeptEdit(Edit("saved 你好", (NOTE,), (0, 2), 3), Edit("open", (), (), 1))
    book.put("s", "m", kept)
    book.put("s", "other", KeptEdit(open=Edit("half")))
    book.save()
    again = EditBook(file)
    assert again.get("s", "m") == kept
    assert list(again.messages("s")) == ["m", "other"]
    assert again.sessions() == {"s"}
    assert again.get("s", "none") == again.get("none", "m") == KeptEdit()


def test_nothing_is_left_of_what_was_sent(tmp_path: Path) -> None:
    book = EditBook(tmp_path / "edits.json")
    book.put("s", "m", KeptEdit(Edit("saved")))
    book.put("s", "m", KeptEdit())
    assert book.sessions() == frozenset()
    book.save()
    assert (tmp_path / "edits.json").read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize(
    "damaged",
    ["", "{", "[]", "7", '{"s": 3}', '{"s": {"m": []}}', '{"s": {"m": {"open": 1}}}',
     '{"s": {"m": {"saved": {"text": 4, "pictures": ["x", -1], "attachments": "?"}}}}'],
)  # fmt: skip
def test_a_damaged_file_loses_what_is_damaged_and_stops_nothing(
    tmp_path: Path, damaged: str
) -> None:
    file = tmp_path / "edits.json"
    file.write_text(damaged, encoding="utf-8")
    book = EditBook(file)
    assert all(
        kept.saved is None or kept.saved.pictures == () for kept in book.messages("s").values()
    )
    book.put("s", "n", KeptEdit(Edit("new")))
    book.save()
    assert EditBook(file).get("s", "n").saved == Edit("new")


def test_a_file_that_cannot_be_written_is_tried_again(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.write_text("in the way", encoding="utf-8")
    book = EditBook(folder / "edits.json")
    book.put("s", "m", KeptEdit(Edit("kept")))
    book.save()
    folder.unlink()
    book.save()
    assert EditBook(folder / "edits.json").get("s", "m").saved == Edit("kept")


_TEXTS = st.text(st.sampled_from("ab `\n:/\\é你"), max_size=30)
_ATTACHED = st.builds(
    Attachment,
    st.sampled_from(["Pasted text", "note.txt", "a b.md"]),
    _TEXTS.map(str.rstrip),
    st.sampled_from(["", "/x/note.txt", "C:\\x\\note.txt"]),
)


@given(_TEXTS, st.lists(_ATTACHED, max_size=3).map(tuple))
@settings(max_examples=200, deadline=None)
def test_a_message_is_taken_apart_into_what_gives_it_again(
    text: str, attached: tuple[Attachment, ...]
) -> None:
    whole = with_attachments(text, attached)
    said, found = taken_apart(whole)
    assert with_attachments(said, found) == whole if found else said == whole
    if text.strip() and "Attached" not in text and not text.endswith("\n"):
        assert said == text
        assert [item.text for item in found] == [item.text for item in attached]


@pytest.mark.parametrize(
    "text",
    [
        "Attached: ",
        "Attached: a\n```\nnever closed",
        "Attached: a\n```\nx\n``` and on",
        "See\n\nAttached: a\n```\nx\n```\n\nand more words",
    ],
)
def test_what_only_looks_like_an_attachment_stays_text(text: str) -> None:
    assert taken_apart(text) == (text, ())


def test_edits_that_wait_for_the_disk_go_with_a_session_that_is_removed(tmp_path: Path) -> None:
    keeper, go = Keeper(), threading.Event()
    keeper.keep(go.wait)
    book = EditBook(tmp_path / "edits.json", keeper)
    for session in ("gone", "stays"):
        book.put(session, "m", KeptEdit(Edit(f"about {session}")))
    kept = book.save()
    unsent.forget(tmp_path, {"gone"})
    assert not kept.done()
    go.set()
    kept.result()
    assert EditBook(tmp_path / "edits.json").sessions() == book.sessions() == {"stays"}
    # It is only what was known then: the same session may be brought in again.
    book.put("gone", "m", KeptEdit(Edit("anew")))
    book.save().result()
    assert EditBook(tmp_path / "edits.json").sessions() == {"gone", "stays"}
    keeper.close()


def test_only_the_newest_of_what_waits_is_written(tmp_path: Path) -> None:
    keeper, go = Keeper(), threading.Event()
    keeper.keep(go.wait)
    book = EditBook(tmp_path / "edits.json", keeper)
    for number in range(5):
        book.put("s", "m", KeptEdit(Edit(f"text {number}")))
        last = book.save()
    assert not (tmp_path / "edits.json").exists()
    go.set()
    last.result()
    assert EditBook(tmp_path / "edits.json").get("s", "m").saved == Edit("text 4")
    keeper.close()


def test_a_name_that_is_no_text_keeps_nothing_else_out(tmp_path: Path) -> None:
    odd = Attachment("b\udce4r.txt", "text", "/home/me/b\udce4r.txt")
    book = EditBook(tmp_path / "edits.json")
    book.put("s", "m", KeptEdit(Edit("with it", (odd,))))
    book.put("s", "n", KeptEdit(Edit("without")))
    book.save()
    again = EditBook(tmp_path / "edits.json")
    assert again.get("s", "m").saved == Edit("with it", (odd,))
    assert again.get("s", "n").saved == Edit("without")


def test_whatever_keeps_a_text_from_being_written_it_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = EditBook(tmp_path / "edits.json")
    book.put("s", "m", KeptEdit(Edit("kept")))

    def fail(*_: object) -> None:
        raise ValueError("a fault of the program")

    with monkeypatch.context() as broken:
        broken.setattr(unsent, "_put", fail)
        book.save()
    book.save()
    assert EditBook(tmp_path / "edits.json").get("s", "m").saved == Edit("kept")
