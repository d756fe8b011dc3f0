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


def _thing(chance: random.Random) -> Entry:
    made = Entry()
    made.height = chance.randrange(200)
    return made
