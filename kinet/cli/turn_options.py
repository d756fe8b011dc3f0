"""The options of the commands that take turns, as values."""

from __future__ import annotations

import argparse
from dataclasses import replace

from kinet.cli.profile_options import profile_options
from kinet.settings.options import Options


def turn_options(options: argparse.Namespace, approve: str) -> Options:
    """What `kinet run` and `kinet serve` are told; `approve` is who is asked."""
    return replace(
        profile_options(options),
        cwd=None if options.cwd is None else options.cwd.expanduser().absolute(),
        approve=approve,
        trust=options.trust,
        preset=options.preset,
        effort=options.effort,
        max_steps=options.max_steps,
        budget=options.budget,
        memory=not options.no_memory,
        rules=not options.no_rules,
        save=not options.no_save,
        unsandboxed=options.unsandboxed,
        headless=True,
    )
