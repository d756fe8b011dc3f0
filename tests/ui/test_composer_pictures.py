"""Pictures from the clipboard, or dragged from another program, become attachments."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QByteArray, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kinet.ui.desks.drop_files import is_taken
from kinet.ui.writing.attachments import MAX_PICTURE_BYTES, pictures_of, read_attachment
from kinet.ui.writing.composer import Composer
from kinet.ui.writing.drafts import Draft, DraftBook
from kinet.ui.writing.pasted_pictures import DAMAGED, kept


@pytest.fixture
def composer(app: QApplication, tmp_path: Path) -> Composer:
    """A composer that keeps pictures in a folder."""
    widget = Composer()
    widget.pictures.folder = tmp_path / "pasted"
    widget.resize(720, 400)
    widget.show()
    return widget


def png(width: int = 40, height: int = 30, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.linear_gradient("L").resize((width, height)).save(out, kind)
    return out.getvalue()


def holding(**formats: bytes | str) -> QMimeData:
    """What a clipboard holds: png, jpeg, html, text or points."""
    data = QMimeData()
    for name, value in formats.items():
        if name == "text":
            data.setText(str(value))
        elif name == "html":
            data.setHtml(str(value))
        elif name == "points":
            data.setImageData(QImage.fromData(QByteArray(bytes(value))))  # type: ignore[arg-type]
        else:
            data.setData(f"image/{name}", QByteArray(bytes(value)))  # type: ignore[arg-type]
    return data


def settle(composer: Composer) -> None:
    """Waits until every picture is attached or refused, at most 5 s."""
    for _ in range(1_000):
        if not composer.pictures.waiting:
            return
        QTest.qWait(5)
    pytest.fail("a picture is still being packed")


def pasted(composer: Composer, data: QMimeData) -> None:
    """Pastes, and waits until the picture is attached or refused."""
    assert composer.edit.canInsertFromMimeData(data)
    composer.edit.insertFromMimeData(data)
    settle(composer)


def test_a_pasted_picture_becomes_a_chip_with_its_name_and_size(composer: Composer) -> None:
    pasted(composer, holding(png=png()))
    (item,) = composer.attachments()
    assert item.is_picture
    assert item.name == "Pasted picture 40×30"
    assert item.size == len(png())
    (attached,) = pictures_of(composer.attachments())
    path = Path(attached.path)
    assert attached.name == item.name
    assert path.read_bytes() == png()
    assert path.stat().st_mode & 0o077 == 0
    assert composer.text() == ""
    assert composer.box.send.isEnabled()


def test_points_of_the_clipboard_are_packed(composer: Composer) -> None:
    pasted(composer, holding(points=png(64, 48)))
    (item,) = composer.attachments()
    assert item.name == "Pasted picture 64×48"
    with Image.open(item.path) as image:
        assert (image.format, image.size) == ("PNG", (64, 48))


def test_a_photograph_keeps_its_own_bytes(composer: Composer) -> None:
    photograph = png(kind="JPEG")
    pasted(composer, holding(jpeg=photograph, points=photograph))
    (item,) = composer.attachments()
    assert Path(item.path).suffix == ".jpg"
    assert Path(item.path).read_bytes() == photograph


def test_a_picture_of_a_web_page_is_taken_and_not_its_address(composer: Composer) -> None:
    pasted(composer, holding(png=png(), html="<img src=x>", text="https://pictures.test/a.png"))
    assert len(composer.attachments()) == 1
    assert composer.text() == ""


def test_a_picture_beside_copied_words_leaves_the_words(composer: Composer) -> None:
    composer.edit.insertFromMimeData(holding(points=png(), text="Sales rose by 4 %"))
    assert composer.text() == "Sales rose by 4 %"
    assert composer.attachments() == ()
    assert composer.pictures.waiting == 0


def test_a_copied_file_is_attached_under_its_own_name(composer: Composer, tmp_path: Path) -> None:
    path = tmp_path / "shot.png"
    path.write_bytes(png())
    data = holding(png=png())
    data.setUrls([QUrl.fromLocalFile(str(path))])
    composer.edit.insertFromMimeData(data)
    assert [item.name for item in composer.attachments()] == ["shot.png"]


def test_a_damaged_picture_is_refused_in_words(composer: Composer) -> None:
    problems: list[str] = []
    composer.problem.connect(problems.append)
    pasted(composer, holding(png=png()[:60]))
    assert problems == [DAMAGED]
    assert composer.attachments() == ()
    assert not composer.box.send.isEnabled()


def test_a_picture_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("in the way")
    assert "could not be kept" in str(kept(png(), place))
    assert "up to 20.0 MB" in str(kept(b"\x89PNG\r\n\x1a\n" + bytes(MAX_PICTURE_BYTES), tmp_path))


def test_a_picture_file_that_is_too_large_names_the_limit_for_pictures(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    with path.open("r+b") as file:
        file.truncate(MAX_PICTURE_BYTES + 1)
    assert "up to 20.0 MB" in str(read_attachment(path))


def test_enter_waits_for_the_picture_that_is_being_packed(composer: Composer) -> None:
    sent: list[int] = []
    composer.submitted.connect(lambda: sent.append(len(composer.attachments())))
    composer.edit.insertFromMimeData(holding(png=png()))
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    settle(composer)
    assert sent == [1]


def test_a_picture_without_a_file_may_be_dropped(composer: Composer) -> None:
    assert is_taken(holding(png=png()))
    assert not is_taken(holding(text="words"))


def test_a_draft_keeps_a_pasted_picture(composer: Composer, tmp_path: Path) -> None:
    pasted(composer, holding(png=png(40)))
    (first,) = composer.attachments()
    book = DraftBook(tmp_path / "drafts.json")
    assert book.pictures == tmp_path / "pasted"
    book.put("s", Draft("See", 3, (first,)))
    book.save()
    again = DraftBook(tmp_path / "drafts.json")
    assert again.get("s").attachments == (first,)


def test_the_chip_shows_the_name_and_the_size(composer: Composer) -> None:
    pasted(composer, holding(png=png(800, 600)))
    chip = composer.box.chips.childAt(QPoint(10, 10))
    assert chip is not None
    assert chip.accessibleName().startswith("Attached: Pasted picture 800×600, ")
    assert chip.width() >= chip.sizeHint().width()
