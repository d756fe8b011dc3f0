"""Pictures that move are told by their bytes and give one picture after the other."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from kinet.net.moving_pictures import MovingPicture, moves

COLOURS = ((200, 0, 0), (0, 200, 0), (0, 0, 200))


def moving(kind: str, count: int = 3, **values: object) -> bytes:
    frames = [Image.new("RGB", (12, 8), colour) for colour in COLOURS[:count]]
    out = io.BytesIO()
    if count > 1:
        values.setdefault("duration", 120)
        frames[0].save(out, kind, save_all=True, append_images=frames[1:], **values)
    else:
        frames[0].save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_several_pictures_in_one_file_move_and_one_does_not(kind: str) -> None:
    assert moves(moving(kind))
    assert moves(moving(kind, loop=0))
    assert not moves(moving(kind, 1))
    assert not moves(b"")
    assert not moves(moving(kind, 1)[:30])


def test_what_is_damaged_is_told_without_a_fault() -> None:
    whole = moving("GIF", loop=0)
    for cut in range(len(whole)):
        moves(whole[:cut])
    assert not moves(b"\xff\xd8\xff" + whole[3:])
    with pytest.raises(ValueError, match="no picture"):
        MovingPicture(b"GIF89a")


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_its_pictures_come_in_turn_and_begin_again(kind: str) -> None:
    picture = MovingPicture(moving(kind, lossless=True) if kind == "WEBP" else moving(kind))
    assert picture.count == 3
    seen = [picture.next() for _ in range(4)]
    assert all(still is not None and (still.width, still.height) == (12, 8) for still in seen)
    colours = [still.points[:3] for still in seen if still is not None]
    for colour, wanted in zip(colours, (*COLOURS, COLOURS[0]), strict=True):
        assert max(abs(a - b) for a, b in zip(colour, wanted, strict=True)) < 12
    assert {still.milliseconds for still in seen if still is not None} == {120}


def test_haste_is_slowed_down_as_browsers_do() -> None:
    still = MovingPicture(moving("GIF", duration=0)).next()
    assert still is not None
    assert still.milliseconds == 100


def test_a_file_that_breaks_off_begins_again_before_the_break() -> None:
    whole = moving("GIF")
    picture = MovingPicture(whole[:-30])
    colours = {still.points[:3] for still in (picture.next() for _ in range(6)) if still}
    assert 1 <= len(colours) <= 3
