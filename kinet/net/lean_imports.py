"""Keeps packages from importing what nothing here uses, one import at a time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

# What one thread leaves out another one may be importing just now.
_one_at_a_time = threading.RLock()


@contextmanager
def stand_ins(modules: Mapping[str, ModuleType], unless: str = "") -> Iterator[None]:
    """Puts these modules in the place of the real ones while the block imports something.

    Nothing is put where one of them, or `unless`, is imported already. Whoever imports them later
    gets the real ones.
    """
    with _one_at_a_time:
        put = {} if {*modules, unless} & set(sys.modules) else dict(modules)
        sys.modules.update(put)
        try:
            yield
        finally:
            for name, module in put.items():
                if sys.modules.get(name) is module:
                    del sys.modules[name]
