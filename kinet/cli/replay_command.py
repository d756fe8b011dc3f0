"""`kinet replay`: takes the turn of a report again, with the answers it holds and no network."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from contextlib import aclosing
from pathlib import Path
from typing import Any

from kinet.core.errors import StoreError
from kinet.core.events import Event, TurnFinished, to_json
from kinet.local.replaying import read_report, replayed


def replay(options: argparse.Namespace) -> int:
    """Prints the events of the turn, one a line with --json; 0 if it ends as it did then.

    Nothing of this computer is touched: it runs in an empty folder, and every call that would need
    a yes is refused.
    """
    try:
        if options.file == "-":
            text = sys.stdin.read()
        else:
            text = Path(options.file).read_text("utf-8", "replace")
    except OSError as exc:
        raise StoreError(f"{options.file} cannot be read: {exc.strerror or exc}.") from exc
    report = read_report(text)
    end = asyncio.run(_run(report, as_json=options.json))
    then: Any = next((e for e in reversed(report.get("events", ())) if _is_end(e)), {})
    now = (end.reason, end.error.kind if end.error else "")
    before = (then.get("reason", ""), (then.get("error") or {}).get("kind", ""))
    print(f"Then: {_words(before)}. Now: {_words(now)}.", file=sys.stderr)
    return 0 if now == before else 1


async def _run(report: Any, *, as_json: bool) -> TurnFinished:
    from kinet.runtime import create_runtime
    from kinet.settings.options import Options

    profile = report["profile"]
    end = TurnFinished("failed")
    with tempfile.TemporaryDirectory() as name:
        home, folder = Path(name) / "home", Path(name) / "folder"
        folder.mkdir()
        async with replayed(report["exchanges"]) as address:
            options = Options(
                base_url=f"{address}{profile.get('path', '')}",
                protocol=str(profile.get("protocol") or "openai"),
                model=str(profile.get("model") or "replayed"),
                vendor=str(profile.get("vendor") or ""),
                cwd=folder,
                approve="deny",
                memory=False,
                rules=False,
                headless=True,
            )
            runtime = create_runtime(home, options=options)
            try:
                sending = runtime.open_session().send(str(report.get("asked") or "Go on."))
                async with aclosing(sending) as events:
                    async for event in events:
                        _show(event, as_json)
                        end = event if isinstance(event, TurnFinished) else end
            finally:
                await runtime.close()
    return end


def _show(event: Event, as_json: bool) -> None:
    if as_json:
        print(json.dumps(to_json(event), ensure_ascii=False, default=str), flush=True)
    elif type(event).__name__ in _TOLD:
        print(f"{type(event).__name__}: {json.dumps(to_json(event), ensure_ascii=False)[:400]}")


_TOLD = {"MessageCompleted", "ToolFinished", "RetryScheduled", "SegmentReset", "Notice",
         "TurnFinished"}  # fmt: skip


def _is_end(raw: Any) -> bool:
    return isinstance(raw, dict) and raw.get("type") == "turn_finished"


def _words(end: tuple[str, str]) -> str:
    return f"{end[0]} ({end[1]})" if end[1] else end[0] or "unknown"
