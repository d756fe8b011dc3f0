"""What was asked for on the command line; it wins over the settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """Named like the options of `kinet run`; "" and None mean "as the settings say".

    `headless` is a run without a window: it works on the current folder unless told otherwise.
    """

    base_url: str = ""
    protocol: str = ""
    model: str = ""
    api_key_env: str = ""
    vendor: str = ""
    profile: str = ""
    cwd: Path | None = None
    approve: str = ""
    theme: str = ""
    trust: bool | None = None
    preset: str = ""
    effort: str = ""
    max_steps: int | None = None
    budget: float | None = None
    memory: bool = True
    rules: bool = True
    save: bool = True
    unsandboxed: bool = False
    headless: bool = False
