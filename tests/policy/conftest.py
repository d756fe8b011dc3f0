"""A repository of real git for all of these tests, made once; who changes it takes a copy."""

from __future__ import annotations

import pytest

from tests.support.git_traps import TrapPlace, plain_repository


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> TrapPlace:
    return plain_repository(tmp_path_factory.mktemp("git") / "plain")
