"""Searches without a key, as a process of its own: {"query", "limit"} on stdin, JSON on stdout."""

from __future__ import annotations

import json
import sys


def main() -> int:
    """Prints {"results"} or {"problem"}; never raises for what the network does."""
    request = json.loads(sys.stdin.read())
    try:
        from ddgs import DDGS
    except ImportError:
        problem = "the package ddgs is not installed"
        print(json.dumps({"problem": problem}))
        return 0
    try:
        with DDGS(timeout=10) as service:
            found = service.text(
                request["query"], max_results=request["limit"], backend="duckduckgo"
            )
        print(json.dumps({"results": list(found or ())}))
    except Exception as exc:  # noqa: BLE001 - whatever that library raises is told in words
        print(json.dumps({"problem": f"{type(exc).__name__}: {exc}"}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
