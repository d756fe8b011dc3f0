"""Stopped requests leave no task, no connection and no file (500 in tests/bench/bench_stops.py)."""

from __future__ import annotations

from aborted_requests import aborted


async def test_nothing_is_left_of_stopped_requests():
    left = await aborted(20)
    assert len(left.seconds) == 20
    assert (left.tasks, left.connections, left.files) == (0, 0, 0)
