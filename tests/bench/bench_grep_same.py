"""grep finds exactly what rg finds, minus secret paths, in three real projects.

The source archives come from the package index by pip, which asks each for its metadata in a place
of its own with the build tools that the archive names: nothing of this environment is needed.
Prints {value, limit, pass}: the number of hits that differ. Exits 1 on a miss.

    python tests/bench/bench_grep_same.py
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kinet.policy.paths import is_secret_path
from kinet.tools.base import ToolContext
from kinet.tools.files.file_search import find_ripgrep
from kinet.tools.grep import Grep, GrepArguments

PROJECTS = ("click==8.0.4", "requests==2.31.0", "Jinja2==3.1.2")
PATTERNS = (
    "import",
    r"def \w+\(self",
    "TODO|FIXME",
    "é|ü|“",
    r"^\s*$",
    "password|secret|token",
    r"\)$",
)
PAGE = 1_000
Hit = tuple[str, int, str]


def main() -> int:
    """Fetches, unpacks, compares."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:"]
        command += ["--use-pep517", "-q", "-d", str(place), *PROJECTS]
        fetched = subprocess.run(command, capture_output=True, text=True, check=False)
        archives = sorted(place.glob("*.tar.gz"))
        if len(archives) < len(PROJECTS):
            print(json.dumps({"name": "grep and rg", "value": None, "why": fetched.stderr[-300:]}))
            return 1
        differ = total = left_out = 0
        for archive in archives:
            with tarfile.open(archive) as file:
                file.extractall(place / archive.stem, filter="data")
            folder = next((place / archive.stem).iterdir())
            (folder / ".env").write_text("password=1\n")
            (folder / "deploy.key").write_text("import secret token\n")
            for pattern in PATTERNS:
                ours = asyncio.run(_ours(pattern, folder))
                theirs, secret = _theirs(pattern, folder)
                differ += len(ours ^ theirs)
                total += len(theirs)
                left_out += secret
    told = {"name": "hits in which grep and rg differ", "value": differ, "limit": 0}
    print(json.dumps({**told, "pass": not differ, "hits": total, "in secret files": left_out}))
    return 1 if differ else 0


async def _ours(pattern: str, folder: Path) -> set[Hit]:
    found: set[Hit] = set()
    offset = 0
    while True:
        arguments = GrepArguments(pattern=pattern, limit=PAGE, offset=offset)
        output = await Grep().run(arguments, ToolContext(folder=folder))
        hits = output.details["hits"]
        found |= {(hit["path"], hit["line"], hit["text"]) for hit in hits}
        offset += len(hits)
        if not output.details["truncated"] or not hits:
            return found


def _theirs(pattern: str, folder: Path) -> tuple[set[Hit], int]:
    program = find_ripgrep()
    assert program is not None
    command = [program, "--no-config", "--json", "-e", pattern, "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    found: set[Hit] = set()
    secret = 0
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if event["type"] != "match":
            continue
        data = event["data"]
        path = data["path"]["text"].removeprefix("./")
        if is_secret_path(folder / path, folder):
            secret += 1
            continue
        text = data["lines"]["text"].removesuffix("\n").removesuffix("\r")
        found.add((path, data["line_number"], text))
    return found, secret


if __name__ == "__main__":
    sys.exit(main())
