"""The gate: reads the command line, runs the command, and turns every end into an exit code."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TextIO

from kinet.cli.arguments import build_parser
from kinet.cli.log_file import begin_logging
from kinet.core.errors import KinetError
from kinet.net.redact import redact
from kinet.paths import data_dir

COMPLETED, FAILED, USAGE, STOPPED, CAPPED, DENIED = range(6)

Command = Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code (see cli.md); prints no traceback."""
    sys.excepthook = _report_fault
    for stream in (sys.stdout, sys.stderr):
        _speak_utf8(stream)
    words = list(sys.argv[1:] if argv is None else argv)
    options = build_parser().parse_args(words)
    begin_logging(data_dir())
    try:
        return _command(options.command)(options)
    except KinetError as exc:
        _report(exc, as_event=options.command == "run" and options.json)
        return FAILED
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        # Whoever read our output has had enough. Python would complain once more while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE if os.name == "posix" else FAILED


def main_window() -> int:
    """The entry point of the menu entry: `kinet` without a terminal."""
    return main(sys.argv[1:])


def _command(name: str) -> Command:
    """The function of a command. Imported late: each start pays for its own command only."""
    match name:
        case "":
            from kinet.cli.window_command import window as command
        case "run":
            from kinet.cli.run_command import run as command
        case "complete":
            from kinet.cli.complete_command import complete as command
        case "tool":
            from kinet.cli.tool_command import tool as command
        case "check":
            from kinet.cli.check_command import check as command
        case "render":
            from kinet.cli.render_command import render as command
        case "sessions":
            from kinet.cli.sessions_command import sessions as command
        case "replay":
            from kinet.cli.replay_command import replay as command
        case "memory":
            from kinet.cli.memory_command import memory as command
        case "skills":
            from kinet.cli.skills_command import skills as command
        case "servers":
            from kinet.cli.servers_command import servers as command
        case "trust":
            from kinet.cli.trust_command import trust as command
        case "undo" | "redo":
            from kinet.cli.undo_command import undo as command
        case "models":
            from kinet.cli.models_command import models as command
        case "doctor":
            from kinet.cli.doctor_command import doctor as command
        case "config":
            from kinet.cli.config_command import config as command
        case "serve":
            from kinet.cli.serve_command import serve as command
        case _:
            raise AssertionError(f"{name} has no row here")
    return command


def _report(error: KinetError, *, as_event: bool) -> None:
    from kinet.core.errors import ProviderError
    from kinet.core.events import TurnError, TurnFinished, to_json

    print(redact(error.sentence()), file=sys.stderr)
    if as_event:
        kind = error.kind if isinstance(error, ProviderError) else _kind(error)
        told = TurnError(kind, redact(error.message), redact(error.hint))
        print(json.dumps(to_json(TurnFinished("failed", told)), ensure_ascii=False), flush=True)


def _kind(error: KinetError) -> str:
    name = type(error).__name__.removesuffix("Error").lower()
    return "store" if name.startswith("store") else name


def _speak_utf8(stream: TextIO) -> None:
    """Output is UTF-8 everywhere, and half a character never ends a run."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="replace")


def _report_fault(
    kind: type[BaseException], fault: BaseException, trace: TracebackType | None
) -> None:
    """A fault of Kinet's own: one sentence for the person, the rest for the log."""
    import time
    import traceback

    text = redact("".join(traceback.format_exception(kind, fault, trace)))
    place = data_dir() / "logs" / f"fault-{time.strftime('%Y%m%d-%H%M%S')}.txt"
    where = f"The details are in {place}."
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        place.chmod(0o600)
    except OSError:
        where = "The details could not be written to the data folder."
    said = redact(f"{kind.__name__}: {fault}".splitlines()[0])
    print(f"Kinet failed by a fault of its own ({said}). {where}", file=sys.stderr)
