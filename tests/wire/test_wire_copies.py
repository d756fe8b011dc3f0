"""The cases here are copies; where the shared design stands beside the checkout, it is compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "cases"
SHARED = Path(__file__).parents[2].parent / "shared" / "wire"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared design is not beside this checkout")
@pytest.mark.parametrize("folder", ["responses", "requests"])
def test_no_copy_is_behind(folder):
    behind = []
    for path in sorted((SHARED / folder).glob("*.json")):
        copy = HERE / folder / path.name
        case = json.loads(path.read_text(encoding="utf-8"))
        # Where a case was seen and what other clients make of it is not copied.
        wanted = {key: value for key, value in case.items() if key not in ("source", "sdk")}
        if not copy.is_file() or json.loads(copy.read_text(encoding="utf-8")) != wanted:
            behind.append(path.name)
    assert behind == []


def test_every_case_has_what_a_test_needs():
    paths = sorted(HERE.rglob("*.json"))
    assert len(paths) >= 250
    for path in paths:
        case = json.loads(path.read_text(encoding="utf-8"))
        assert case["id"] == path.stem
        assert ("expect" in case) != ("expect_rules" in case)
