"""The log: a file in the data folder, made when there is something to say; no key reaches it."""

from __future__ import annotations

import io
import logging
import logging.handlers
import os
from pathlib import Path
from typing import Any

from kinet.net.redact import RedactingFilter

FOLDER = "logs"
LARGEST = 1_000_000
LEVEL_VARIABLE = "KINET_LOG"

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "error": logging.ERROR}


class LogFile(logging.handlers.RotatingFileHandler):
    """A log file for this person alone. Where it cannot be written, there is none."""

    def _open(self) -> Any:
        path = Path(self.baseFilename)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            stream = super()._open()
            path.chmod(0o600)
            return stream
        except OSError:
            # The log must not break what it tells about.
            return io.StringIO()


def begin_logging(home: Path) -> None:
    """Sends warnings and worse to the log, not to the terminal; KINET_LOG=debug sends all."""
    handler = LogFile(
        str(home / FOLDER / "kinet.log"),
        maxBytes=LARGEST,
        backupCount=2,
        encoding="utf-8",
        delay=True,
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(RedactingFilter())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(_LEVELS.get(os.environ.get(LEVEL_VARIABLE, "").lower(), logging.WARNING))
