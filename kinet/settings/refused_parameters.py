"""Remembers which parameters a profile's server refuses by name, over the end of the program."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.core import atomic_write
from kinet.core.profile import ModelProfile
from kinet.paths import ensure_private_dir

if TYPE_CHECKING:
    from kinet.providers.transport.refusals import Refusals

FILE_NAME = "refused.json"


class RefusedParameters:
    """What was learnt, by profile. Another address, protocol or model begins anew.

    A file that cannot be read or written is no failure: it is learnt again with one request.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / FILE_NAME
        self._made: dict[str, Refusals] = {}

    def of(self, profile: ModelProfile, *, keep: bool = True) -> Refusals:
        """The refusals of this profile, always the same object; `keep` writes new ones down."""
        from kinet.providers.transport.refusals import Refusals

        known = _identity(profile)
        if known not in self._made:

            def learnt(names: frozenset[str]) -> None:
                self._write(profile, names)

            kept = self._read().get(profile.name, {})
            names = kept.get("names") if kept.get("of") == known else None
            self._made[known] = Refusals(
                [name for name in names if isinstance(name, str)]
                if isinstance(names, list)
                else (),
                learnt if keep else None,
            )
        return self._made[known]

    def _read(self) -> dict[str, dict[str, object]]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {name: entry for name, entry in found.items() if isinstance(entry, dict)}

    def _write(self, profile: ModelProfile, names: frozenset[str]) -> None:
        entry = {"of": _identity(profile), "names": sorted(names)}
        kept = {**self._read(), profile.name: entry}
        with suppress(OSError):
            ensure_private_dir(self._path.parent)
            atomic_write.write_bytes(self._path, json.dumps(kept, ensure_ascii=False).encode())


def _identity(profile: ModelProfile) -> str:
    return " ".join((profile.base_url, profile.protocol, profile.model))
