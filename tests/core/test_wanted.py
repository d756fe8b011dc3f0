"""Long work in a thread ends when nobody wants what comes of it."""

from __future__ import annotations

import pytest

from kinet.core import wanted
from kinet.core.wanted import NotWantedError, empty, while_wanted


def test_wanted_work_gets_everything() -> None:
    assert list(while_wanted(range(2_000), lambda: True)) == list(range(2_000))


def test_work_that_is_not_wanted_any_more_ends_soon() -> None:
    answers = iter((True, False))
    got: list[int] = []
    with pytest.raises(NotWantedError):
        got.extend(while_wanted(range(10**9), lambda: next(answers)))
    assert len(got) <= 2_000


def test_what_nobody_wants_from_the_start_is_not_begun() -> None:
    with pytest.raises(NotWantedError):
        next(while_wanted(["one"], lambda: False))


def test_a_lot_is_emptied_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted, "_AT_ONCE", 3)
    things = list(range(10))
    empty(things)
    assert things == []
