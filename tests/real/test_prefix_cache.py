"""A real server finds nearly all of the previous prompt in its cache, step after step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.cache_script import counts_of, shares, table


async def test_from_the_second_step_on_the_previous_prompt_comes_from_the_cache(
    llama_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = await counts_of(llama_url, tmp_path)
    with capsys.disabled():
        print(f"\n{table(counts)}")
    assert len(counts) == 12
    # The tools are part of what is sent.
    assert counts[0][0] > 1_500
    assert counts[-1][0] < 8_000
    assert min(shares(counts)) >= 0.95
