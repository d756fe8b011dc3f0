"""`kinet sessions check`: looks the store over and says what it found."""

from __future__ import annotations

import json
from dataclasses import asdict

from kinet.store import checking
from kinet.store.checking import Checked
from kinet.store.sessions import SessionStore


def check(store: SessionStore, *, mend_it: bool, as_json: bool) -> int:
    """0 if all is well, 1 if something was found (and, with `mend_it`, is still there)."""
    if mend_it:
        checking.mend(store)
    done = checking.check(store)
    print(json.dumps(asdict(done), ensure_ascii=False) if as_json else _words(done))
    return 1 if done.findings else 0


def _words(done: Checked) -> str:
    lines = []
    for found in done.findings:
        where = f" [{found.session_id}]" if found.session_id else ""
        lines.append(f"{found.kind}{where}: {found.detail} {found.mends}".rstrip())
    looked = f"{done.sessions:,} sessions, {done.events:,} events, {done.outputs:,} output files"
    lines.append(f"{looked}: {'all well' if not done.findings else f'{len(done.findings)} found'}.")
    return "\n".join(lines)
