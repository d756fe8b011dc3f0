"""A real llama.cpp server answers `kinet run`, and its slot is free again after Stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path


def command(url: str, *more: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "kinet",
        "run",
        "--base-url",
        f"{url}/v1",
        "--model",
        "small",
        *more,
    ]


def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "KINET_HOME": str(tmp_path / "home")}


def slot_busy(url: str) -> bool:
    with urllib.request.urlopen(f"{url}/slots") as answer:
        return any(slot["is_processing"] for slot in json.load(answer))


def writing(url: str) -> bool:
    with urllib.request.urlopen(f"{url}/slots") as answer:
        slots = json.load(answer)
    return any(slot["is_processing"] and slot["next_token"][0]["n_decoded"] > 3 for slot in slots)


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_it_answers_a_run_with_its_own_token_counts(llama_url: str, tmp_path: Path) -> None:
    done = subprocess.run(
        command(llama_url, "Say hello.", "--json", "--cwd", str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
        env=environment(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1]["reason"] == "completed"
    answer = [e for e in events if e["type"] == "message_completed"][-1]
    assert answer["message"]["content"].strip()
    assert answer["usage"]["tokens_in"] > 100


def test_its_slot_is_free_soon_after_ctrl_c(llama_url: str, tmp_path: Path) -> None:
    with subprocess.Popen(
        command(llama_url, "Count to one thousand, in words.", "--cwd", str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(tmp_path),
    ) as process:
        # While it reads the prompt the server looks at nothing else: wait for the first words.
        assert wait_until(lambda: writing(llama_url), 300)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 3
    assert wait_until(lambda: not slot_busy(llama_url), 2)
