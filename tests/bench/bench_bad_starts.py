"""Starts that meet something broken: the window is up in 2 s and says what is wrong (N17).

Each is a program of its own, from its first line to the window on screen: keychain absent,
locked or hanging; a data folder that cannot be written, a full disk; settings, facts or database
damaged, a newer database, one that is held. What was damaged is still there afterwards.
Prints {value, limit, pass}: the longest of them in seconds, how many times a start where all is
well that was, and how long it took at most until the window was filled and had told what is wrong;
exits 1 on a miss.

    python tests/bench/bench_bad_starts.py
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
LIMIT = 2.0
BROKEN = '{"version": 1, "facts": ['
# What is broken → words that have to be told, "" for nothing to tell at a start.
CASES = {
    "all well": "",
    "keychain absent": "",
    "keychain locked": "",
    "keychain hanging": "",
    "home cannot be made": "cannot be used",
    "home read-only": "cannot be used",
    "disk full": "",
    "settings damaged": "kept as",
    "facts damaged": "set aside",
    "database damaged": "kept as",
    "database of zeros": "kept as",
    "database newer": "newer Kinet",
    "database held": "already uses",
}
_KEYRINGS = {
    "keychain absent": "keyring.backends.fail.Keyring",
    "keychain locked": "odd_keyrings.Locked",
    "keychain hanging": "odd_keyrings.Hanging",
}


def main() -> int:
    """Runs all starts and prints what came of them."""
    if sys.argv[1:2] == ["child"]:
        return child(sys.argv[2], Path(sys.argv[3]))
    seconds: dict[str, float] = {}
    wrong: list[str] = []
    filled = 0.0
    for case, words in CASES.items():
        taken = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as name:
                told = start(case, Path(name))
            taken.append(told["shown"])
            filled = max(filled, told["filled"])
            if words not in told["told"] or told["lost"]:
                wrong.append(f"{case}: {told}")
        seconds[case] = sorted(taken)[1]
    worst = max(seconds.values())
    ok = worst <= LIMIT and not wrong
    times = {case: round(value, 2) for case, value in seconds.items()}
    print(json.dumps({"value": round(worst, 2), "limit": LIMIT, "pass": ok, "wrong": wrong,
                      "times_a_good_start": round(worst / seconds["all well"], 2),
                      "filled": round(filled, 2), "seconds": times}))  # fmt: skip
    return 0 if ok else 1


def start(case: str, place: Path) -> dict[str, Any]:
    """One start with this broken: when it was shown and filled, what was told, what was lost."""
    home = place / "home"
    holder, kept = _prepare(case, home)
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "bench")]),
        "PYTHON_KEYRING_BACKEND": _KEYRINGS.get(case, "keyring.backends.null.Keyring"),
    }
    if case == "home cannot be made":
        home = Path("/proc/self/kinet")
    if case == "home read-only" and os.geteuid():
        home = Path("/usr")
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, __file__, "child", case, str(home)],
        env=environment, capture_output=True, text=True, check=False, cwd=ROOT, timeout=120,
        preexec_fn=_like_anybody if case == "home read-only" and os.geteuid() == 0 else None,
    )  # fmt: skip
    if holder is not None:
        holder.kill()
        holder.wait()
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return {"shown": 99.0, "filled": 99.0, "told": done.stderr[-400:], "lost": True}
    said = json.loads(lines[-1])
    there = [path.read_bytes() for path in place.rglob("*") if path.is_file()]
    return {
        "shown": said["shown"] - began,
        "filled": said["filled"] - began,
        "told": said["told"],
        "lost": kept is not None and kept not in there,
    }


def _prepare(case: str, home: Path) -> tuple[subprocess.Popen[bytes] | None, bytes | None]:
    """Lays out what is broken; who holds the folder, and the bytes that must not be lost."""
    from kinet.store.database import FILE_NAME, Database

    home.mkdir(mode=0o700)
    path = home / FILE_NAME
    if case.startswith("database"):
        Database(path).close()
    match case:
        case "home read-only":
            home.chmod(0o755)
            if os.geteuid() == 0:
                os.chown(home, 65534, 65534)
            return None, None
        case "settings damaged":
            (home / "settings.json").write_text(BROKEN)
            return None, BROKEN.encode()
        case "facts damaged":
            (home / "facts.json").write_text(BROKEN)
            return None, BROKEN.encode()
        case "database damaged":
            data = path.read_bytes()
            path.write_bytes(data[:4096] + b"\xff" * 4096 + data[8192:])
        case "database of zeros":
            path.write_bytes(bytes(20_000))
        case "database newer":
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA user_version = 999")
            connection.close()
        case "database held":
            program = f"import time; from pathlib import Path; from kinet.store.database import Database; d = Database(Path({str(path)!r})); print(1, flush=True); time.sleep(120)"  # noqa: E501
            holder = subprocess.Popen(
                [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE
            )
            assert holder.stdout is not None
            holder.stdout.readline()
            return holder, None
        case _:
            return None, None
    return None, path.read_bytes()


def _like_anybody() -> None:
    """Takes from a child of root what lets it write in folders of others."""
    for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def child(case: str, home: Path) -> int:
    """One start; prints when the window was filled and what it told."""
    if case == "disk full":
        # Every write that would make a file longer fails from here on.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    import asyncio

    from kinet.app import create_application, create_window
    from kinet.runtime import create_runtime
    from kinet.ui.kit.event_loop import EventLoop

    app = create_application()
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)

    async def open_it() -> None:
        window = create_window(create_runtime(home))
        window.show()
        app.processEvents()
        shown = time.monotonic()
        await window.ready()
        filled = time.monotonic()
        problems: list[str] = []
        if not window.problem:
            problems = list(window.program.problems)
        told = " | ".join([window.problem, *problems])
        sys.__stdout__.write(json.dumps({"shown": shown, "filled": filled, "told": told}) + "\n")  # type: ignore[union-attr]
        sys.__stdout__.flush()  # type: ignore[union-attr]
        os._exit(0)

    loop.run_until_complete(open_it())
    return 1


if __name__ == "__main__":
    sys.exit(main())
