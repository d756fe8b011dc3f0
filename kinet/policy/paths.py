"""Judges which paths may be read and written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from kinet.policy.verdicts import Judgement


def resolve(path: str, folder: Path) -> Path:
    """The real path."""
    return Path(os.path.realpath(os.path.join(folder, path)))


def judge_path(
    path: str,
    purpose: Literal["read", "write"],
    folder: Path | None,
    *,
    home: Path | None = None,
    data_dir: Path | None = None,
) -> Judgement:
    """Judges the real path; never raises."""
    if folder is None:
        return Judgement("deny", "no folder is open")
    real = resolve(path, folder)
    return Judgement("allow", "inside the project", targets=(str(real),))
