"""The protocols that tests of engine and session run in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kinet.core.profile import WireProtocol
from tests.support import scripted_provider

PROTOCOLS: tuple[WireProtocol, ...] = ("openai", "anthropic", "responses")


@pytest.fixture(params=PROTOCOLS)
def wire(request: pytest.FixtureRequest) -> Iterator[WireProtocol | None]:
    """Every scripted provider of the test speaks this protocol with a strict server.

    A test of what no protocol can say asks for None: `parametrize("wire", [None], indirect=True)`.
    """
    scripted_provider.speaking = request.param
    scripted_provider.wires.clear()
    try:
        yield request.param
    finally:
        scripted_provider.speaking = None
    assert [problem for made in scripted_provider.wires for problem in made.problems] == []
