"""A unified diff becomes numbered rows with marked words."""

from __future__ import annotations

from kinet.ui.diff.diff_rows import read_diff

DIFF = """--- a/totals.py
+++ b/totals.py
@@ -41,3 +41,4 @@ def f():
 def total(lines):
-    return round(lines)
+    net = sum(lines)
+    return round(net)
 # end
"""


def test_rows_have_the_numbers_of_their_side() -> None:
    diff = read_diff(DIFF)
    lines = [(row.kind, row.old, row.new) for row in diff.rows if not row.height]
    assert lines == [
        ("same", 41, 41),
        ("del", 42, 0),
        ("add", 0, 42),
        ("add", 0, 43),
        ("same", 43, 44),
    ]
    assert (diff.added, diff.removed, diff.hunks, diff.file_name) == (2, 1, 1, "b/totals.py")


def test_the_words_that_changed_are_marked() -> None:
    diff = read_diff("@@ -1 +1 @@\n-color = red\n+color = blue\n")
    removed, added = (row for row in diff.rows if row.kind in ("del", "add"))
    (old,), (new,) = removed.runs, added.runs
    assert removed.text[old.start : old.start + old.length] == "red"
    assert added.text[new.start : new.start + new.length] == "blue"
    assert (old.ground, new.ground) == ("diff_del_word", "diff_add_word")


def test_a_removed_line_that_looks_like_a_head_stays_a_line() -> None:
    diff = read_diff("--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- comment\n keep\n")
    assert [row.text for row in diff.rows if row.kind == "del"] == ["-- comment"]


def test_several_files_are_named() -> None:
    two = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n"
    diff = read_diff(two)
    assert [row.label for row in diff.rows if row.kind == "file"] == ["b/x", "b/y"]
    assert (diff.added, diff.removed) == (2, 2)


def test_hidden_characters_in_a_diff_are_spelt_out() -> None:
    diff = read_diff("@@ -1 +1 @@\n-ok\n+ok\u202e\u200b\n")
    (added,) = (row for row in diff.rows if row.kind == "add")
    assert added.text == "ok⟨U+202E⟩⟨U+200B⟩"


def test_lines_are_compared_with_the_line_that_reads_most_alike() -> None:
    diff = read_diff(
        "@@ -1,2 +1,2 @@\n"
        "-        total += rounded(line.net * rate)\n-    return total\n"
        "+        total += line.net\n+    return rounded(total * rate)\n"
    )
    marked = [
        [row.text[run.start : run.start + run.length] for run in row.runs if run.ground]
        for row in diff.rows
        if row.kind in ("del", "add")
    ]
    assert marked == [["rounded(", " * rate)"], [], [], ["rounded(", " * rate)"]]
