"""The options that name a model, as values."""

from __future__ import annotations

import argparse

from kinet.settings.options import Options


def profile_options(options: argparse.Namespace) -> Options:
    """What `--profile`, `--base-url` and their kin say."""
    return Options(
        base_url=options.base_url,
        protocol=options.protocol,
        model=options.model,
        api_key_env=options.api_key_env,
        vendor=options.vendor,
        profile=options.profile,
    )
