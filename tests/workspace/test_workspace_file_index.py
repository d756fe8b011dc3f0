"""Names of files are found by a few letters, and what git ignores is not offered."""

from __future__ import annotations

from pathlib import Path

from kinet.workspace.file_index import index_of, read_index

FILES = ("README.md", "src/ledger/totals.py", "src/ledger/tests/test_totals.py", "src/total/x.py")


async def test_ignored_hidden_and_secret_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("a.py", "build/out.py", ".hidden", "id_rsa", "Straße/über uns.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("build/\n", encoding="utf-8")
    index = await read_index(tmp_path)
    assert index.paths == ("Straße/", "Straße/über uns.md", "a.py")
    assert index.find("STRASSE") == ["Straße/", "Straße/über uns.md"]


async def test_a_folder_that_is_gone_is_empty(tmp_path: Path) -> None:
    assert (await read_index(tmp_path / "gone")).paths == ()


def test_a_file_that_is_named_so_comes_first(tmp_path: Path) -> None:
    index = index_of(tmp_path, FILES)
    assert index.find("tot")[:3] == [
        "src/ledger/totals.py",
        "src/total/",
        "src/ledger/tests/test_totals.py",
    ]
    assert index.find("ledger/t")[0] == "src/ledger/tests/"


def test_letters_in_order_are_enough(tmp_path: Path) -> None:
    assert index_of(tmp_path, FILES).find("rdme") == ["README.md"]
    assert index_of(tmp_path, FILES).find("zzz") == []


def test_without_letters_the_top_of_the_folder_is_offered(tmp_path: Path) -> None:
    assert index_of(tmp_path, FILES).find("", 2) == ["README.md", "src/"]
