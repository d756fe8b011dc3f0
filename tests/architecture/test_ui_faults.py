"""Each known fault of such windows has a test here that shows the right behaviour."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.bench.fault_patches import PATCHES

ROOT = Path(__file__).resolve().parents[2]
_WINDOW = "tests/features/test_window_faults.py"

# fault: (file, test, what would have to be broken for the test to fail: `fault_patches` does so)
FAULTS = {
    1: (_WINDOW, "test_01_only_the_open_block_is_laid_out_again_while_text_streams",
        "BlockList.close lays out all blocks again"),
    2: (_WINDOW, "test_02_what_is_not_seen_keeps_no_document",
        "DocumentCache keeps every document"),
    3: (_WINDOW, "test_03_a_session_opens_without_laying_out_what_is_above",
        "TextEntry.estimate splits the text"),
    7: (_WINDOW, "test_07_reading_above_is_not_pulled_down_and_following_goes_on",
        "Follower.grown follows while it holds"),
    8: (_WINDOW, "test_08_a_fold_that_opens_above_moves_nothing_that_is_read",
        "Stage.refresh does not return to its anchor"),
    9: (_WINDOW, "test_09_a_fence_is_code_from_its_first_line_and_stays_so",
        "BlockStream shows an open fence as prose"),
    10: (_WINDOW, "test_10_enter_that_ends_a_composition_does_not_send",
         "ComposerEdit.composing is always false"),
    11: (_WINDOW, "test_11_escape_in_a_composition_stops_no_turn",
         "ComposerEdit hands Escape on while text is composed"),
    20: (_WINDOW, "test_20_half_a_character_never_reaches_the_screen",
         "visible.shown keeps lone surrogates"),
    21: (_WINDOW, "test_21_22_emoji_and_cjk_keep_the_height_of_the_line",
         "the style of a paragraph names no line height"),
    22: (_WINDOW, "test_21_22_emoji_and_cjk_keep_the_height_of_the_line",
         "the families name no CJK face"),
    23: (_WINDOW, "test_23_direction_is_per_paragraph_and_code_is_left_to_right",
         "documents.code does not set a direction"),
    24: (_WINDOW, "test_24_two_prices_are_no_formula", "formula_rules asks for no tight signs"),
    25: (_WINDOW, "test_25_copied_code_is_the_code", "Actor copies from the document"),
    26: (_WINDOW, "test_26_a_selection_outlives_the_stream_and_spans_messages",
         "Stage.finish clears the selection"),
    27: (_WINDOW, "test_27_wide_code_scrolls_in_its_card_and_never_the_conversation",
         "code wraps in the column, or prose between words alone"),
    28: (_WINDOW, "test_28_html_is_text_and_nothing_is_loaded",
         "text goes into documents unescaped"),
    29: (_WINDOW, "test_29_steps_fold_into_one_line_and_failures_stay_visible",
         "StepGroup begins open"),
    30: (_WINDOW, "test_30_long_output_is_never_poured_into_the_conversation",
         "the teller adds the output of a call as text"),
    31: (_WINDOW, "test_31_escape_codes_and_progress_bars_are_read_not_shown",
         "TerminalReader takes all output for plain, or visible.shown keeps escapes"),
    40: ("tests/features/test_window_branches.py",
         "test_a_message_is_edited_in_its_bubble_and_the_old_answers_stay_within_reach",
         "going back drops what follows"),
    45: ("tests/features/test_window_servers.py",
         "test_a_server_that_fails_is_told_of_once_with_the_way_to_its_row",
         "ServerDetails keeps what it wrote, or the row says that it failed and no more"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_its_test(fault: int) -> None:
    file, name, _ = FAULTS[fault]
    path = ROOT / file
    assert path.exists(), f"{file} is missing"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
    assert name in names


def test_each_fault_can_be_brought_back() -> None:
    assert PATCHES.keys() == FAULTS.keys()
    assert all(PATCHES.values())


@pytest.mark.parametrize("fault", PATCHES)
def test_each_patch_finds_the_place_it_changes(fault: int) -> None:
    """Who writes such a place anew writes its patch anew, and tries it with the bench."""
    for patch in PATCHES[fault]:
        texts: dict[str, str] = {}
        for file, before, after in patch:
            text = texts.get(file) or (ROOT / file).read_text(encoding="utf-8")
            assert before in text, f"{file} has no more:\n{before}"
            texts[file] = text.replace(before, after)
