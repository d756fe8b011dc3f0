"""Makes the attack corpora and their helpers importable, and gives each case its folders."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
sys.path.insert(0, str(CASES))

import corpus  # noqa: E402


@pytest.fixture
def roots(tmp_path: Path) -> Iterator[corpus.Roots]:
    """The folders of one case; removed also where they are too deep for the usual way."""
    yield corpus.Roots(tmp_path / "scratch")
    corpus.clear(tmp_path / "scratch")
