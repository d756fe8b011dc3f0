"""Compares two texts word by word: what stands on one side alone, and where."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from kinet.markup.words import words

Span = tuple[int, int]
# (place on the left, place on the right, how many are the same there)
_Match = tuple[int, int, int]

# Pairs of words up to which a stretch is compared exactly; larger ones by what is unique in them.
_EXACT_PAIRS = 40_000
# Pairs that are compared exactly in all: some seconds' work in a thread.
_MOST_PAIRS = 6_000_000
# So few words that agree between two differences are chance: reading them apart would help nobody.
_CHANCE = 2


@dataclass(frozen=True, slots=True)
class Difference:
    """A stretch of both texts, in characters; an empty one is where the other's words would be."""

    left: Span
    right: Span


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences, in order. `left_words` and `right_words` stand on that side alone."""

    places: tuple[Difference, ...] = ()
    left_words: int = 0
    right_words: int = 0


def compare_words(left: str, right: str) -> Comparison:
    """What differs between the texts; white space does not count.

    Takes a second or two for a megabyte: call it in a thread.
    """
    ours, theirs = list(words(left)), list(words(right))
    matches = _joined(_matches(left, right, ours, theirs))
    matches = _without_chance(matches, len(ours), len(theirs))
    places: list[Difference] = []
    missing = [0, 0]
    i = j = 0
    for at_left, at_right, count in (*matches, (len(ours), len(theirs), 0)):
        if at_left > i or at_right > j:
            places.append(Difference(_span(ours, i, at_left), _span(theirs, j, at_right)))
            missing[0] += at_left - i
            missing[1] += at_right - j
        i, j = at_left + count, at_right + count
    return Comparison(tuple(places), missing[0], missing[1])


_Word = tuple[int, int, str]


def _span(found: Sequence[_Word], start: int, stop: int) -> Span:
    if start < stop:
        return found[start][0], found[stop - 1][1]
    place = found[start - 1][1] if start else 0
    return place, place


def _matches(left: str, right: str, ours: Sequence[_Word], theirs: Sequence[_Word]) -> list[_Match]:
    """First whole lines that agree, then words between them."""
    left_lines, right_lines = _lines(left, ours), _lines(right, theirs)
    budget = [_MOST_PAIRS]
    a = [tuple(word for _, _, word in ours[i:j]) for i, j in left_lines]
    b = [tuple(word for _, _, word in theirs[i:j]) for i, j in right_lines]
    found: list[_Match] = []
    i = j = 0
    ends = (len(ours), len(theirs))
    for x, y, count in (*sorted(_aligned(a, b, budget)), (len(a), len(b), 0)):
        at_left = left_lines[x][0] if x < len(a) else ends[0]
        at_right = right_lines[y][0] if y < len(b) else ends[1]
        one = [word for _, _, word in ours[i:at_left]]
        other = [word for _, _, word in theirs[j:at_right]]
        found += [(i + p, j + q, n) for p, q, n in sorted(_aligned(one, other, budget))]
        if count:
            stop_left, stop_right = left_lines[x + count - 1][1], right_lines[y + count - 1][1]
            found.append((at_left, at_right, stop_left - at_left))
            i, j = stop_left, stop_right
    return found


def _lines(text: str, found: Sequence[_Word]) -> list[Span]:
    """The words of each line that has any, as (first, behind the last)."""
    lines: list[Span] = []
    begun = 0
    for number in range(1, len(found) + 1):
        if number == len(found) or "\n" in text[found[number - 1][1] : found[number][0]]:
            lines.append((begun, number))
            begun = number
    return lines


def _aligned(a: Sequence[object], b: Sequence[object], budget: list[int]) -> list[_Match]:
    """Stretches that agree, in any order: what is unique on both sides holds the rest apart."""
    found: list[_Match] = []
    waiting = [(0, len(a), 0, len(b))]
    while waiting:
        a0, a1, b0, b1 = waiting.pop()
        begun = (a0, b0)
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            a0, b0 = a0 + 1, b0 + 1
        if a0 > begun[0]:
            found.append((*begun, a0 - begun[0]))
        ended = (a1, b1)
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
        if a1 < ended[0]:
            found.append((a1, b1, ended[0] - a1))
        pairs = (a1 - a0) * (b1 - b0)
        if not pairs:
            continue
        if pairs <= min(_EXACT_PAIRS, budget[0]):
            budget[0] -= pairs
            matcher = SequenceMatcher(None, a[a0:a1], b[b0:b1], autojunk=False)
            found += [(a0 + i, b0 + j, n) for i, j, n in matcher.get_matching_blocks() if n]
            continue
        last = (a0, b0)
        anchors = list(_anchors(a, b, (a0, a1), (b0, b1)))
        for i, j in anchors:
            waiting.append((last[0], i, last[1], j))
            found.append((i, j, 1))
            last = (i + 1, j + 1)
        if anchors:
            waiting.append((last[0], a1, last[1], b1))
    return found


def _anchors(
    a: Sequence[object], b: Sequence[object], of_a: Span, of_b: Span
) -> Iterator[tuple[int, int]]:
    """Places of what is there once on each side, the longest row that keeps the order of both."""
    once_b = _once(b, of_b)
    pairs = [(i, once_b[item]) for item, i in _once(a, of_a).items() if item in once_b]
    pairs.sort()
    # The smallest end of a rising row of each length, and what came before each pair.
    ends: list[int] = []
    kept: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(kept[length - 1] if length else -1)
        if length == len(ends):
            ends.append(place)
            kept.append(number)
        else:
            ends[length], kept[length] = place, number
    row: list[int] = []
    at = kept[-1] if kept else -1
    while at >= 0:
        row.append(at)
        at = before[at]
    for number in reversed(row):
        yield pairs[number]


def _once(items: Sequence[object], span: Span) -> dict[object, int]:
    places: dict[object, int] = {}
    for place in range(*span):
        places[items[place]] = -1 if items[place] in places else place
    return {item: place for item, place in places.items() if place >= 0}


def _joined(matches: Sequence[_Match]) -> list[_Match]:
    """In order, neighbours as one."""
    out: list[_Match] = []
    for i, j, count in sorted(matches):
        if out and out[-1][0] + out[-1][2] == i and out[-1][1] + out[-1][2] == j:
            out[-1] = (out[-1][0], out[-1][1], out[-1][2] + count)
        else:
            out.append((i, j, count))
    return out


def _without_chance(matches: Sequence[_Match], left: int, right: int) -> list[_Match]:
    """Leaves out a word or two that agree between long stretches that do not."""
    out: list[_Match] = []
    i = j = 0
    for number, (at_left, at_right, count) in enumerate(matches):
        behind = matches[number + 1] if number + 1 < len(matches) else (left, right, 0)
        before = max(at_left - i, at_right - j)
        after = max(behind[0] - at_left - count, behind[1] - at_right - count)
        if count <= _CHANCE and before > 2 * _CHANCE and after > 2 * _CHANCE:
            continue
        out.append((at_left, at_right, count))
        i, j = at_left + count, at_right + count
    return out
