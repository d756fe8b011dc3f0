"""Documents are read as text, page by page; bad ones are refused with a word, in bounded time."""

from __future__ import annotations

import base64
import io
import json
import os
import zipfile
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from PIL import Image
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.processes.program import ProgramResult


def simple_pdf(*texts: str) -> bytes:
    """A PDF with one line of text a page, written by hand."""
    count = len(texts)
    pages = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{pages}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(texts):
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources << /Font << /F1 3 0 R"
            f" >> >> /Contents {5 + 2 * number} 0 R >>"
        )
        stream = f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{item}\nendobj\n".encode()
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n".encode()
    return out + f"startxref\n{table}\n%%EOF\n".encode()


async def test_a_pdf_comes_page_by_page(call: Call, project: Path) -> None:
    (project / "a.pdf").write_bytes(simple_pdf("Hello from one", "And from two"))
    output = await call("read_file", path="a.pdf")
    assert "--- Page 2 of 2 ---" in output.content
    assert "Hello from one" in output.content
    assert "This is the text of a PDF document" in output.content
    one = await call("read_file", path="a.pdf", offset=2, limit=1)
    assert one.content.startswith("2\tHello from one")
    assert "Go on with offset=3" in one.content


async def test_a_word_document_keeps_headings_and_tables_in_their_order(
    call: Call, project: Path
) -> None:
    document = docx.Document()
    document.add_heading("Report", 1)
    document.add_paragraph("Größe ist alles.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    document.add_paragraph("End")
    document.save(str(project / "a.docx"))
    text = (await call("read_file", path="a.docx")).content
    places = [text.index(word) for word in ("# Report", "Größe ist alles.", "| a | b |", "End")]
    assert places == sorted(places)


async def test_a_workbook_shows_all_its_sheets(call: Call, project: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Sales"
    book.active.append(["Month", "Sum"])
    book.active.append(["October", 12.5])
    book.create_sheet("第二")["B2"] = "x"
    book.save(project / "a.xlsx")
    text = (await call("read_file", path="a.xlsx")).content
    assert "--- Sheet Sales ---" in text
    assert "October\t12.5" in text
    assert "--- Sheet 第二 ---" in text


async def test_a_presentation_shows_texts_and_notes(call: Call, project: Path) -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[0])
    slide.shapes.title.text = "First"
    slide.notes_slide.notes_text_frame.text = "say hello"
    show.save(str(project / "a.pptx"))
    text = (await call("read_file", path="a.pptx")).content
    assert "--- Slide 1 of 1 ---" in text
    assert "First" in text
    assert "Notes: say hello" in text


async def test_a_notebook_shows_cells_and_outputs_and_can_be_edited_as_it_is(
    call: Call, project: Path
) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "source": "1 + 1",
            "outputs": [{"data": {"text/plain": ["2"]}}, {"text": "printed"}],
        },
    ]
    (project / "a.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    text = (await call("read_file", path="a.ipynb")).content
    assert "--- Cell 2 of 2 (code) ---" in text
    assert "Output: 2" in text
    assert "Output: printed" in text
    await call("edit_file", path="a.ipynb", old_string="1 + 1", new_string="2 + 2")
    assert "2 + 2" in (project / "a.ipynb").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", b"%PDF-1.7\n" + b"garbage" * 50),
        ("a.docx", b"PK\x03\x04" + b"\x00" * 100),
        ("a.xlsx", b"PK\x03\x04broken"),
        ("a.pptx", b"PK\x03\x04broken"),
        ("a.ipynb", b'{"cells": 3}'),
        ("b.ipynb", b"{" + b'"a":[' * 100_000),
    ],
)
async def test_a_damaged_document_is_refused_in_one_sentence(
    call: Call, project: Path, name: str, data: bytes
) -> None:
    (project / name).write_bytes(data)
    with pytest.raises(ToolError) as caught:
        await call("read_file", path=name)
    assert caught.value.kind == "format"
    assert "cannot be read as" in caught.value.message
    assert "\n" not in caught.value.message


async def test_a_document_that_unpacks_to_gigabytes_takes_no_more_than_its_limits(
    call: Call, project: Path
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("xl/workbook.xml", "w", force_zip64=True) as file:
            for _ in range(64):
                file.write(b" " * (1 << 20))
    (project / "a.xlsx").write_bytes(packed.getvalue())
    with pytest.raises(ToolError) as caught:
        await call("read_file", path="a.xlsx")
    assert caught.value.kind in ("format", "io")


async def test_an_old_office_file_says_what_to_do(call: Call, project: Path) -> None:
    (project / "a.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600)
    with pytest.raises(ToolError, match=r"old Office format .doc") as caught:
        await call("read_file", path="a.doc")
    assert "Save it as .docx first" in caught.value.hint


async def test_where_the_library_is_missing_it_says_how_to_get_it(
    call: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def without(*_command: object, **_values: object) -> ProgramResult:
        return ProgramResult(3, b"", b"pypdf")

    monkeypatch.setattr("kinet.tools.files.documents.run_program", without)
    (project / "a.pdf").write_bytes(simple_pdf("x"))
    with pytest.raises(ToolError, match=r"the library that reads it \(pypdf\)") as caught:
        await call("read_file", path="a.pdf")
    assert 'pip install "kinet[documents]"' in caught.value.hint


async def test_a_text_file_with_the_name_of_a_document_is_read_as_text(
    call: Call, context: ToolContext, project: Path
) -> None:
    (project / "a.docx").write_text("only text\n", encoding="utf-8")
    assert (await call("read_file", path="a.docx")).content.startswith("1\tonly text")


def picture(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(out, "PNG")
    return out.getvalue()


async def test_a_picture_comes_as_a_picture(call: Call, project: Path) -> None:
    (project / "a.png").write_bytes(picture(30, 20))
    output = await call("read_file", path="a.png")
    assert output.content.startswith("a.png is a PNG picture (")
    assert "30 × 20" in output.content
    assert output.details["media"] == "image/png"
    (address,) = output.pictures
    head, _, data = address.partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data) == picture(30, 20)


async def test_a_large_picture_comes_smaller(call: Call, project: Path) -> None:
    (project / "a.png").write_bytes(picture(5_000, 100))
    output = await call("read_file", path="a.png")
    assert "shown smaller, at 2048 × 41" in output.content
    shown = Image.open(io.BytesIO(base64.b64decode(output.pictures[0].partition(",")[2])))
    assert shown.size == (2_048, 41)


async def test_a_damaged_picture_is_named_and_not_sent(call: Call, project: Path) -> None:
    (project / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"\x00" * 50)
    output = await call("read_file", path="a.png")
    assert "a.png is a PNG picture (66 bytes), damaged" in output.content
    assert output.pictures == ()


async def test_a_huge_picture_is_not_opened(call: Call, project: Path) -> None:
    (project / "a.png").write_bytes(picture(8, 8))
    os.truncate(project / "a.png", 21 * 1024 * 1024)
    output = await call("read_file", path="a.png")
    assert output.pictures == ()
    assert "binary" in output.content
