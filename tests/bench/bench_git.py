"""Commands of git that pass unasked, run by real git in repositories full of traps.

In every repository of `tests/support/git_traps.py` random commands are judged, and those that pass
are run in bubblewrap, without network and with nothing but that repository to write to. Then no
trap may have sprung, no file may be different, and no output may hold what is guarded. Prints
{value, limit, pass} and each command that broke it; exits 1 on a miss. Needs bubblewrap and git.

    python tests/bench/bench_git.py [COMMANDS] [SEED] [TRAP]
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kinet.policy.commands import judge_command  # noqa: E402
from kinet.tools.processes.environment import reading_environment  # noqa: E402
from tests.support.git_texts import git_forms  # noqa: E402
from tests.support.git_traps import (  # noqa: E402
    SECRETS,
    TRAPS,
    TrapPlace,
    git,
    plain_repository,
)

BATCH = 25


def main() -> int:
    """Splits the commands among the traps."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    names = [sys.argv[3]] if len(sys.argv) > 3 else list(TRAPS)
    if shutil.which("bwrap") is None or shutil.which("git") is None:
        print(json.dumps({"name": "git unasked", "value": None, "why": "no bubblewrap or no git"}))
        return 0
    bad: list[dict[str, str]] = []
    judged = ran = 0
    with tempfile.TemporaryDirectory(prefix="kinet-git-") as folder:
        plain = plain_repository(Path(folder) / "plain")
        for number, name in enumerate(names):
            place = _laid(plain, Path(folder) / f"trap{number}", name)
            texts = list(git_forms(seed + number, count // len(names), _numbers(place)))
            told = _boxed(place, texts)
            judged, ran = judged + len(texts), ran + told["ran"]
            bad += [{"trap": name, **one} for one in told["bad"]]
            print(json.dumps({"trap": name, "judged": len(texts), "ran": told["ran"]}), flush=True)
    for one in bad[:40]:
        print(json.dumps(one))
    shown = {"name": "git unasked that did more", "value": len(bad), "limit": 0, "pass": not bad}
    print(json.dumps({**shown, "judged": judged, "ran": ran, "seed": seed}))
    return 1 if bad else 0


def _laid(plain: TrapPlace, base: Path, name: str) -> TrapPlace:
    shutil.copytree(plain.base, base, symlinks=True)
    place = TrapPlace(base)
    trap = Path(place.program)
    trap.write_text(trap.read_text().replace(str(plain.marker), str(place.marker)))
    TRAPS[name](place)
    return place


def _numbers(place: TrapPlace) -> list[str]:
    try:
        told = git(place, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    except subprocess.CalledProcessError:
        return []
    return told.split()


def _boxed(place: TrapPlace, texts: list[str]) -> dict[str, object]:
    box = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
           "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run",
           "--bind", str(place.base), str(place.base), "--chdir", str(place.top)]  # fmt: skip
    command = [*box, sys.executable, __file__, "inside", str(place.base)]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the box failed: {done.stderr[-2_000:]}")
    told: dict[str, object] = json.loads(done.stdout)
    return told


def _inside(base: Path) -> None:
    place = TrapPlace(base)
    texts = json.load(sys.stdin)
    os.environ["HOME"] = str(place.home)
    environment = {**reading_environment(place.top), "LC_ALL": "C.UTF-8"}
    passed = [
        text
        for text in dict.fromkeys(texts)
        if judge_command(text, place.top, place.home, windows=False).verdict == "allow"
    ]
    bad: list[dict[str, str]] = []
    before = state(place)
    for start in range(0, len(passed), BATCH):
        batch = passed[start : start + BATCH]
        for text in batch:
            shown = _run(text, place, environment)
            if any(secret.encode() in shown for secret in SECRETS):
                bad.append({"command": text, "did": "showed a secret"})
            if place.marker.exists():
                bad.append({"command": text, "did": place.marker.read_text()[:300]})
                place.marker.unlink()
        after = state(place)
        if after != before:
            changed = sorted(set(before.items()) ^ set(after.items()))[:4]
            bad.append({"command": json.dumps(batch), "did": f"changed {changed}"})
            before = after
    json.dump({"ran": len(passed), "bad": bad}, sys.stdout)


def _run(text: str, place: TrapPlace, environment: dict[str, str]) -> bytes:
    try:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", text],
            cwd=place.top, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=20, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        # What only reads comes to an end.
        place.marker.write_text("did not end")
        return b""
    return done.stdout


def state(place: TrapPlace) -> dict[str, str]:
    """Name to what is there, of everything a command could write to."""
    found = {}
    for folder, folders, files in os.walk(place.base):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            text = f"{status.st_mode} {status.st_mtime_ns if name not in folders else ''}"
            if name in files and not os.path.islink(path):
                text += hashlib.sha256(Path(path).read_bytes()).hexdigest()
            found[path] = text
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        _inside(Path(sys.argv[2]))
    else:
        sys.exit(main())
