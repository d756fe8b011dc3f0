"""Cuts of random texts, and what the estimate of tokens learns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinet.core.characters import is_border
from kinet.core.messages import Message
from kinet.core.own_command import OwnCommand, told
from kinet.engine.base import Limits
from kinet.engine.context.tokens import Calibration, size_of_message, size_of_messages
from kinet.engine.context.truncation import for_model


@given(text=st.text(alphabet="ae\u0301👩‍👧\r\n🇩🇪한ᄒ\ufe0f", max_size=60), head=st.integers(0, 20))
def test_a_cut_keeps_both_ends_and_never_falls_inside_a_character(text, head):
    limits = Limits(result_characters=20, result_head=head, result_tail=10)
    cut = for_model(text, limits)
    if len(text) <= 20:
        assert cut == text
        return
    start, _, end = cut.partition("\n\n[")
    end = end.partition("]\n\n")[2]
    assert text.startswith(start)
    assert text.endswith(end)
    assert len(start) <= head
    assert len(end) <= 10
    assert is_border(text, len(start))


@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.6])
def test_k13_the_coefficient_moves_half_way_to_each_measurement(ratio):
    calibration, sent = Calibration(), size_of_messages([Message("user", "x" * 10_000)])
    expected = 0.6
    for _ in range(5):
        before = calibration.coefficient("m")
        calibration.observe("m", int(ratio * sent.characters), sent)
        expected = (before + ratio) / 2
        assert calibration.coefficient("m") == pytest.approx(expected, rel=1e-3)
        assert calibration.coefficient("m") >= ratio * 0.999
    assert calibration.coefficient("other") == 0.6


def test_k13_the_example_of_the_design():
    calibration, sent = Calibration(), size_of_messages([Message("user", "x" * 99_960)])
    steps = []
    for _ in range(2):
        calibration.observe("m", 40_000, sent)
        steps.append(round(calibration.coefficient("m"), 3))
    assert steps == [0.5, 0.45]


@given(output=st.text(max_size=200), private=st.booleans())
def test_k14_what_a_command_printed_weighs_what_is_told_of_it(output, private):
    ran = OwnCommand("cat fruit", "exit 0", private=private)
    size = size_of_message(Message("user", output, kind="command", command=ran))
    assert size.characters >= len(told(ran, output))
    assert (size.characters == 0) == private
