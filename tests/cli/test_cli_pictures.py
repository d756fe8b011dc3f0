"""kinet run --attach: a picture reaches the model in its vendor's form, and is kept once."""

from __future__ import annotations

import base64
import io
import random
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.cli.conftest import Kinet
from tests.support.replies import says
from tests.support.scripted_server import ScriptedServer


def picture(path: Path, side: int = 300) -> Path:
    noise = random.Random(2).randbytes(side * side * 3)
    Image.frombytes("RGB", (side, side), noise).save(path, "PNG")
    return path


def asked(kinet: Kinet, server: ScriptedServer, protocol: str, *more: str) -> Any:
    base_url = server.base_url.removesuffix("/v1") if protocol == "anthropic" else server.base_url
    endpoint = ("--base-url", base_url, "--model", "scripted", "--protocol", protocol)
    return kinet("run", "What is this?", *endpoint, *more)


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_picture_is_sent_and_sent_again_in_the_next_turn(
    kinet: Kinet, home: Path, tmp_path: Path, protocol: str
) -> None:
    file = picture(tmp_path / "noise.png")
    with ScriptedServer(says("Noise."), says("Still noise.")) as server:
        first = asked(kinet, server, protocol, "--attach", str(file))
        second = asked(kinet, server, protocol, "--continue")
    assert (first.code, second.code, server.problems) == (0, 0, [])
    data = base64.b64encode(file.read_bytes()).decode()
    for body in server.bodies:
        lists = [m["content"] for m in body["messages"] if isinstance(m["content"], list)]
        images = [part for parts in lists for part in parts if "image" in part["type"]]
        assert len(images) == 1
        assert data in str(images[0])
    # Kept once, in a file of its own, however often it was sent.
    kept = [path for path in (home / "outputs").rglob("*") if path.is_file()]
    assert len(kept) == 1
    assert data in kept[0].read_text()


def test_a_damaged_picture_becomes_words_and_the_turn_goes_on(kinet: Kinet, tmp_path: Path) -> None:
    whole = picture(tmp_path / "whole.png").read_bytes()
    half = tmp_path / "half.png"
    half.write_bytes(whole[: len(whole) // 2])
    with ScriptedServer(says("I see.")) as server:
        ran = asked(kinet, server, "openai", "--attach", str(half))
    assert ran.code == 0
    assert "the picture half.png is damaged" in str(server.bodies[0]["messages"][-1])


def test_a_huge_picture_travels_smaller(kinet: Kinet, tmp_path: Path) -> None:
    large = tmp_path / "large.png"
    Image.new("RGB", (5_000, 2_500), "navy").save(large)
    with ScriptedServer(says("Blue.")) as server:
        ran = asked(kinet, server, "openai", "--attach", str(large))
    assert ran.code == 0
    parts = server.bodies[0]["messages"][-1]["content"]
    url = next(p["image_url"]["url"] for p in parts if p["type"] == "image_url")
    with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as sent:
        assert sent.size == (2_048, 1_024)
