"""`kinet complete`: one bare model call, from JSON on stdin to JSON on stdout."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import Any

from kinet.cli.profile_options import profile_options
from kinet.core.errors import SettingsError
from kinet.paths import data_dir
from kinet.providers import complete as inside
from kinet.settings.model_choice import ModelChoice
from kinet.settings.secrets import Keychain
from kinet.settings.store import SettingsStore

FAILED, USAGE = 1, 2


def complete(options: argparse.Namespace) -> int:
    """Makes the call and prints the normalised answer, or the error, as one JSON object."""
    try:
        document = json.loads(sys.stdin.buffer.read().decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as exc:
        print(f"The input is not JSON: {exc}.", file=sys.stderr)
        return USAGE
    if not isinstance(document, dict):
        print('The input is not a JSON object with "messages".', file=sys.stderr)
        return USAGE
    if options.effort:
        given = document.get("settings")
        settings = dict(given) if isinstance(given, dict) else {}
        document["settings"] = {"thinking": options.effort, **settings}
    try:
        answer, code = asyncio.run(_ask(document, options))
    except SettingsError as exc:
        print(json.dumps(inside.settings_error_document(exc), ensure_ascii=False))
        raise
    print(json.dumps(answer, ensure_ascii=False))
    if code:
        error = answer["error"]
        print(f"{error['message']} {error['hint']}".strip(), file=sys.stderr)
    return code


async def _ask(document: dict[str, Any], options: argparse.Namespace) -> tuple[dict[str, Any], int]:
    settings = SettingsStore(data_dir())
    models = ModelChoice(settings, Keychain(), profile_options(options))
    models.check()
    network = settings.values.network
    profile = models.profile("")
    try:
        return await inside.complete(
            document,
            profile,
            await asyncio.to_thread(models.key, profile),
            dry_run=options.dry_run,
            retries=network.retries if options.retries is None else options.retries,
            stall_seconds=options.stall_seconds or network.stall_seconds,
            client=await models.client(),
        )
    finally:
        await models.close()
