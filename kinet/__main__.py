"""Starts Kinet: `python -m kinet` is the same as `kinet`."""

from __future__ import annotations

import sys

from kinet.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
