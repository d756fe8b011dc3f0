"""Pictures: whole ones pass as they are, large ones are made smaller, damaged ones are found."""

from __future__ import annotations

import base64
import io
import random

import pytest
from PIL import Image

from kinet.core.messages import ImagePart, Message
from kinet.core.profile import ModelProfile
from kinet.net.pictures import media_type_of, prepared
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider

KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


def drawn(kind: str, width: int = 60, height: int = 40, mode: str = "RGB") -> bytes:
    """A picture file with noise in it."""
    noise = random.Random(1).randbytes(width * height * len(mode))
    out = io.BytesIO()
    Image.frombytes(mode, (width, height), noise).save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_that_fits_is_passed_on_as_it_is(kind):
    data = drawn(kind)
    made = prepared(data)
    assert media_type_of(data) == KINDS[kind]
    assert made is not None
    assert (made.data, made.media_type, made.width) == (data, KINDS[kind], 60)


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_picture_is_made_smaller_and_stays_in_shape(kind):
    made = prepared(drawn(kind, 900, 300), side=300)
    assert made is not None
    assert (made.width, made.height) == (300, 100)
    with Image.open(io.BytesIO(made.data)) as again:
        assert again.size == (300, 100)


def test_a_heavy_picture_is_made_lighter():
    made = prepared(drawn("PNG", 500, 500), most_bytes=60_000)
    assert made is not None
    assert len(made.data) <= 60_000


def test_what_lies_on_its_side_is_set_upright():
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (900, 300), "red").save(out, "JPEG", exif=exif)
    made = prepared(out.getvalue(), side=300)
    assert made is not None
    assert (made.width, made.height) == (100, 300)


def test_a_clear_ground_stays_clear():
    made = prepared(drawn("PNG", 400, 400, "RGBA"), side=200)
    assert made is not None
    with Image.open(io.BytesIO(made.data)) as again:
        assert again.mode == "RGBA"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_picture_cut_short_is_damaged(kind, share):
    data = drawn(kind, 200, 200)
    assert prepared(data[: int(len(data) * share)]) is None


def test_a_picture_whose_notes_alone_are_damaged_is_shown_without_them():
    data = drawn("PNG")
    note = b"iCCPname\0\0" + b"\x78\x9c\x03\x00\x00\x00\x00\x01"
    broken = len(note[4:]).to_bytes(4, "big") + note + b"\0\0\0\0"
    made = prepared(data[:33] + broken + data[33:])
    assert made is not None
    assert (made.data, made.width) == (data, 60)


def test_a_picture_made_to_fill_the_memory_is_not_opened():
    out = io.BytesIO()
    Image.new("1", (40_000, 40_000)).save(out, "PNG")
    assert len(out.getvalue()) < 300_000
    assert prepared(out.getvalue()) is None


@pytest.mark.parametrize("data", [b"", b"text", b"<svg/>", b"%PDF-1.7", b"BM" + bytes(60)])
def test_what_is_no_picture_is_none(data):
    assert prepared(data) is None


def sent(data: bytes, protocol: str, base_url: str) -> dict:
    url = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    profile = ModelProfile("p", base_url, "m", protocol=protocol)
    request = ModelRequest(messages=(Message("user", (ImagePart(url),)),))
    body = create_provider(profile, None).build(request).body
    return (body.get("messages") or body["input"])[0]["content"][0]


def test_each_vendor_gets_the_form_and_the_size_it_takes():
    data = drawn("PNG", 1_800, 20)
    image = sent(data, "openai", "https://api.openai.com/v1")
    assert image["image_url"]["url"].endswith(base64.b64encode(data).decode())
    image = sent(data, "responses", "https://api.openai.com/v1")
    assert image["image_url"].endswith(base64.b64encode(data).decode())
    image = sent(data, "anthropic", "https://api.anthropic.com")
    with Image.open(io.BytesIO(base64.b64decode(image["source"]["data"]))) as smaller:
        assert smaller.size[0] == 1_568
    assert image == sent(data, "anthropic", "https://api.anthropic.com")


@pytest.mark.parametrize("protocol", ["openai", "responses", "anthropic"])
def test_a_damaged_picture_in_the_history_becomes_words(protocol):
    half = drawn("PNG", 200, 200)[:5_000]
    part = sent(half, protocol, "https://server.test/v1")
    assert "damaged" in (part if isinstance(part, str) else part.get("text", str(part)))
