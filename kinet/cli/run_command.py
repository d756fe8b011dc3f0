"""`kinet run`: reads the task and its files, makes a runtime, and has headless take the turn."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from kinet.cli.turn_options import turn_options
from kinet.headless import Task, run_turn
from kinet.runtime import create_runtime
from kinet.settings.options import Options
from kinet.store.lock import StoreInUseError

USAGE, STOPPED = 2, 3


def run(options: argparse.Namespace) -> int:
    """One turn; its end is the exit code."""
    if options.image_of_window is not None:
        print("kinet run --image-of-window is not yet available.", file=sys.stderr)
        return USAGE
    prompt, files = _prompt_and_files(options)
    if prompt is None:
        print("Say what is to be done: kinet run PROMPT, or a text on stdin.", file=sys.stderr)
        return USAGE
    task = Task(
        prompt,
        options.session,
        options.resume,
        tuple(files),
        options.json,
    )
    try:
        approve = options.approve or ("" if sys.stdin.isatty() else "deny")
        return asyncio.run(_run(task, turn_options(options, approve)))
    except asyncio.CancelledError:
        return STOPPED


async def _run(task: Task, options: Options) -> int:
    runtime = create_runtime(options=options)
    try:
        return await run_turn(runtime, task)
    except StoreInUseError as exc:
        from kinet.cli.handed_over import run_there

        return await run_there(exc, task, options)
    finally:
        await runtime.close()


def _prompt_and_files(options: argparse.Namespace) -> tuple[str | None, list[Path]]:
    """The task, and the files to attach. `--attach FILE … PROMPT` takes the task as a file."""
    prompt: str | None = options.prompt
    files = [Path(name).expanduser() for name in options.attach]
    if prompt is None and files and not files[-1].exists():
        return options.attach[-1], files[:-1]
    if prompt == "-" or (prompt is None and not sys.stdin.isatty()):
        prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    if prompt is None or not prompt.strip():
        return None, files
    # Bytes of the command line that are no UTF-8 arrive as halves of characters.
    return prompt.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), files
