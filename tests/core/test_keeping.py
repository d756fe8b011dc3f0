"""What is to be kept is written in order, beside whoever asks, and all of it before the end."""

from __future__ import annotations

import threading

import pytest

from kinet.core.keeping import Keeper


def test_work_is_done_in_order_beside_the_one_who_asks() -> None:
    keeper, go = Keeper(), threading.Event()
    done: list[object] = [keeper.keep(go.wait)]
    threads: list[str] = []
    for number in range(20):
        keeper.keep(lambda number=number: done.append(number))
    last = keeper.keep(lambda: threads.append(threading.current_thread().name))
    assert done[1:] == []
    go.set()
    last.result()
    assert done[1:] == list(range(20))
    assert threads != [threading.current_thread().name]
    keeper.close()


def test_closing_waits_for_all_and_what_comes_later_is_done_at_once() -> None:
    keeper, go, done = Keeper(), threading.Event(), []
    keeper.keep(go.wait)
    keeper.keep(lambda: done.append("asked before"))
    closing = threading.Thread(target=keeper.close)
    closing.start()
    go.set()
    closing.join()
    assert done == ["asked before"]
    assert keeper.keep(lambda: done.append("asked after")).done()
    assert done[-1] == "asked after"
    keeper.close()


def test_a_fault_belongs_to_the_one_who_asked() -> None:
    keeper = Keeper()
    bad = keeper.keep(lambda: 1 // 0)
    assert keeper.keep(lambda: 7).result() == 7
    with pytest.raises(ZeroDivisionError):
        bad.result()
    keeper.wait()
    keeper.close()
    late = keeper.keep(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        late.result()


def test_what_comes_while_it_closes_overtakes_nothing() -> None:
    keeper, go, done = Keeper(), threading.Event(), []
    keeper.keep(go.wait)
    keeper.keep(lambda: done.append("asked before"))
    # What is done asks for more: that can wait for nobody.
    keeper.keep(lambda: keeper.keep(lambda: done.append("asked by it")))
    closing = threading.Thread(target=keeper.close)
    closing.start()
    while not keeper._closed:
        pass
    late = threading.Thread(target=lambda: keeper.keep(lambda: done.append("asked after")))
    late.start()
    closing_too = threading.Thread(target=keeper.close)
    closing_too.start()
    late.join(0.02)
    assert done == []
    assert closing_too.is_alive()
    go.set()
    for thread in (closing, late, closing_too):
        thread.join()
    assert done == ["asked before", "asked by it", "asked after"]


def test_a_fault_of_the_program_is_in_the_log_though_nobody_looks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    keeper = Keeper()

    def refuse() -> None:
        raise OSError(28, "No space left on device")

    keeper.keep(refuse)
    keeper.wait()
    assert not caplog.records
    keeper.keep(lambda: 1 // 0)
    keeper.close()
    keeper.keep(lambda: 1 // 0)
    assert [record.message for record in caplog.records] == ["something could not be kept"] * 2
    assert "ZeroDivisionError" in caplog.text
