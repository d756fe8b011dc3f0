"""Where things stand that are one below the other: the same as counting all from the beginning."""

from __future__ import annotations

import random
from itertools import accumulate

import pytest

from kinet.ui.look.theme import load_theme
from kinet.ui.transcript.blocks.stack import GROUP, Stack
from kinet.ui.transcript.blocks.style import TOP, Style
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.stage.flow import Flow


class Pile:
    """Things with extents, the stack that counts them, and what it must say."""

    def __init__(self, count: int, chance: random.Random) -> None:
        self.chance = chance
        self.extents = [self.extent() for _ in range(count)]
        self.stack = Stack(lambda start, stop: self.extents[start:stop])

    def extent(self) -> int:
        return self.chance.choice((0, 1, 7, 300))

    def act(self) -> None:
        count = len(self.extents)
        place = self.chance.randrange(count + 1)
        match self.chance.randrange(6):
            case 0:
                self.extents += [self.extent() for _ in range(self.chance.randrange(400))]
            case 1 if place < count:
                self.extents[place] = self.extent()
                self.stack.change(place)
            case 2:
                self.extents.insert(place, self.extent())
                self.stack.spoil(place)
            case 3 if place < count:
                del self.extents[place : place + self.chance.randrange(300)]
                self.stack.spoil(place)
            case 4:
                more = [self.extent() for _ in range(self.chance.randrange(400))]
                self.extents[:0] = more
                self.stack.prepend(len(more))
            case _:
                pass

    def check(self) -> None:
        edges = list(accumulate(self.extents, initial=0))
        assert self.stack.total() == edges[-1]
        count = len(self.extents)
        for place in {0, count, *(self.chance.randrange(count + 1) for _ in range(20))}:
            assert self.stack.top(place) == edges[place]
        for _ in range(20):
            position = self.chance.randrange(-5, edges[-1] + 5)
            place = self.stack.at(position)
            if 0 <= position < edges[-1]:
                assert edges[place] <= position < edges[place + 1]
            else:
                assert place == (0 if position < 0 else max(0, count - 1))


@pytest.mark.parametrize("seed", range(20))
def test_places_are_those_of_counting_anew_whatever_comes_goes_and_grows(seed: int) -> None:
    chance = random.Random(seed)
    pile = Pile(chance.choice((0, 1, GROUP, GROUP + 1, 1000)), chance)
    for _ in range(60):
        # Several changes between two questions.
        for _ in range(chance.randrange(4)):
            pile.act()
        pile.check()


@pytest.mark.parametrize("seed", range(10))
def test_every_entry_knows_its_place_in_a_flow(seed: int) -> None:
    chance = random.Random(seed)
    flow = Flow(Style(load_theme("light")))
    flow.set_entries([_thing(chance) for _ in range(5)])
    gone = _thing(chance)
    for _ in range(80):
        place = chance.randrange(len(flow.entries))
        match chance.randrange(5):
            case 0:
                flow.add(_thing(chance))
            case 1:
                flow.insert_before(_thing(chance), flow.entries[place])
            case 2 if len(flow.entries) > 1:
                gone = flow.entries[place]
                flow.remove(gone)
            case 3:
                more = [_thing(chance) for _ in range(chance.randrange(1, 5))]
                flow.measure(more)
                flow.prepend(more)
            case _:
                flow.entries[place].height = chance.randrange(300)
                flow.changed(flow.entries[place])
        assert [flow.place_of(entry) for entry in flow.entries] == [*range(len(flow.entries))]
        assert flow.place_of(gone) == -1
        below = TOP
        for number, entry in enumerate(flow.entries):
            assert flow.top_of(number) == below + entry.gap
            below += entry.gap + entry.height


class Wrapped(Entry):
    """Higher in a narrow flow, as text is."""

    __slots__ = ("letters",)

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letters = letters

    def estimate(self, style: Style, width: int) -> None:
        self.height = self.letters // width


@pytest.mark.parametrize("seed", range(10))
def test_places_are_right_when_all_heights_were_guessed_whatever_happened_meanwhile(
    seed: int,
) -> None:
    chance = random.Random(seed)
    flow = Flow(Style(load_theme("light")))
    flow.set_entries([_wrapped(chance) for _ in range(chance.choice((0, 40, 2_000)))])
    assert flow.height >= TOP
    for width in (300, 900, 200):
        flow.restyle(flow.style, width)
        while not flow.guess(0.0):
            _happen(flow, chance)
        flow.take_guessed()
        assert flow.stale == 0
        _check(flow)
        assert [entry.height for entry in flow.entries] == [
            entry.letters // width for entry in flow.entries if isinstance(entry, Wrapped)
        ]


def test_nothing_moves_before_all_heights_are_guessed() -> None:
    chance = random.Random(1)
    flow = Flow(Style(load_theme("light")))
    flow.set_entries([_wrapped(chance) for _ in range(2_000)])
    before = [flow.top_of(number) for number in range(0, 2_000, 100)]
    flow.restyle(flow.style, 150)
    while not flow.guess(0.0):
        assert [flow.top_of(number) for number in range(0, 2_000, 100)] == before
    assert [flow.top_of(number) for number in range(0, 2_000, 100)] == before
    flow.take_guessed()
    _check(flow)


def test_what_changed_after_it_was_guessed_counts_as_it_is_then() -> None:
    chance = random.Random(1)
    flow = Flow(Style(load_theme("light")))
    flow.set_entries([_wrapped(chance) for _ in range(2_000)])
    assert flow.height > TOP
    flow.restyle(flow.style, 150)
    for _ in range(40):
        flow.guess(0.0)
    entry = flow.entries[-100]
    entry.height += 77
    flow.changed(entry)
    assert flow.height > TOP
    while not flow.guess(0.0):
        pass
    flow.take_guessed()
    _check(flow)


def test_what_was_guessed_for_a_look_that_is_another_one_by_now_is_forgotten() -> None:
    chance = random.Random(1)
    flow = Flow(Style(load_theme("light")))
    flow.set_entries([_wrapped(chance) for _ in range(2_000)])
    assert flow.height > TOP
    flow.restyle(flow.style, 150)
    for _ in range(20):
        flow.guess(0.0)
    flow.restyle(flow.style, 250)
    for _ in range(20):
        flow.guess(0.0)
    flow.restyle(flow.style, 900)
    while not flow.guess(0.0):
        pass
    flow.take_guessed()
    _check(flow)


def _happen(flow: Flow, chance: random.Random) -> None:
    """What comes, goes and is looked at while heights are guessed."""
    place = chance.randrange(len(flow.entries)) if flow.entries else -1
    match chance.randrange(8):
        case 0:
            flow.add(_wrapped(chance))
        case 1 if place >= 0:
            flow.insert_before(_wrapped(chance), flow.entries[place])
        case 2 if place >= 0:
            flow.remove(flow.entries[place])
        case 3:
            more = [_wrapped(chance) for _ in range(chance.randrange(1, 60))]
            flow.measure(more)
            flow.prepend(more)
        case 4 if place >= 0:
            entry = flow.entries[place]
            assert isinstance(entry, Wrapped)
            entry.letters = chance.randrange(90_000)
            entry.estimate(flow.style, flow.width)
            flow.changed(entry)
        case 5 if place >= 0:
            flow.top_of(place)
        case _:
            pass


def _check(flow: Flow) -> None:
    below = TOP
    for number, entry in enumerate(flow.entries):
        assert flow.top_of(number) == below + entry.gap
        below += entry.gap + entry.height


def _wrapped(chance: random.Random) -> Wrapped:
    return Wrapped(chance.randrange(90_000))


def _thing(chance: random.Random) -> Entry:
    made = Entry()
    made.height = chance.randrange(200)
    return made
