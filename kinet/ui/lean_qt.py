"""Keeps PySide from reading the source of every module that is imported after it."""

from __future__ import annotations

import contextlib
import linecache


def spare_sources() -> None:
    """From now on no import reads its source: saves memory and a good part of the start.

    PySide looks for its own name in the source text of each module, to know where its renamed
    spellings (`__feature__`) might be switched on, and keeps all the text. Nothing here uses them;
    a program that is shipped without sources runs the same way.
    """
    with contextlib.suppress(ImportError):
        from shibokensupport import feature  # type: ignore[import-not-found]

        if hasattr(feature, "_mod_uses_pyside"):
            feature._mod_uses_pyside = lambda module: False
            # What was read so far; a traceback reads its lines again.
            linecache.clearcache()
