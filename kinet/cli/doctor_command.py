"""`kinet doctor`: examines an endpoint and says what works, what does not, and what to save."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict, replace
from typing import Any

from kinet.cli.profile_options import profile_options
from kinet.net.redact import redact
from kinet.paths import data_dir
from kinet.providers.doctor import Doctor, Examination
from kinet.settings.model_choice import ModelChoice
from kinet.settings.secrets import Keychain
from kinet.settings.store import SettingsStore
from kinet.tools.processes import sandbox

FAILED = 1
_SIGNS = {"ok": "✓", "failed": "✗", "warning": "!", "unknown": "?", "skipped": "·"}
_TITLES = {
    "reachable": "Reachable",
    "key": "Key",
    "model": "Model",
    "streaming": "Streaming",
    "tool_call": "Tool calls",
    "parallel_tool_calls": "Several at once",
    "usage": "Token counts",
    "window": "Window",
    "cached_tokens": "Cached tokens",
}


def doctor(options: argparse.Namespace) -> int:
    """Exit code 0 if the model answers and calls tools, else 1."""
    found = asyncio.run(_examine(options))
    if options.json:
        print(redact(json.dumps(_document(found), ensure_ascii=False)))
    else:
        print(redact(_page(found)))
    return 0 if found.ok and not found.cause else FAILED


async def _examine(options: argparse.Namespace) -> Examination:
    settings = SettingsStore(data_dir())
    models = ModelChoice(settings, Keychain(), profile_options(options))
    if options.model or not options.base_url:
        models.check()
    profile = models.profile("")
    stall = options.stall_seconds or min(60.0, settings.values.network.stall_seconds)
    try:
        key = await asyncio.to_thread(models.key, profile)
        return await Doctor(profile, key, await models.client(), stall_seconds=stall).examine()
    finally:
        await models.close()


def _document(found: Examination) -> dict[str, Any]:
    return {
        "ok": found.ok and not found.cause,
        "verdict": found.verdict,
        "cause": found.cause or None,
        "hint": found.hint,
        "checks": [asdict(check) for check in found.checks],
        "models": list(found.models),
        "profile": _profile(found),
        "sandbox": {"works": not sandbox.state().problem, "reason": sandbox.state().sentence()},
    }


def _profile(found: Examination) -> dict[str, Any]:
    """The suggested profile with what is not its default."""
    # Extra headers may hold a key: they are the person's and are left out here.
    written = asdict(replace(found.profile, headers={}, extra_body={}))
    return {name: value for name, value in written.items() if value not in ("", 0, None, {})}


def _page(found: Examination) -> str:
    lines = [
        f"{_SIGNS[check.state]} {_TITLES[check.name]:<16} {check.detail or check.state}"
        for check in found.checks
    ]
    lines += ["", found.verdict]
    if found.hint:
        lines.append(found.hint)
    lines += ["", sandbox.state().sentence()]
    if found.ok:
        told = ", ".join(f"{key} {value}" for key, value in _profile(found).items())
        lines += ["", f"Profile to save: {told}"]
    return "\n".join(lines)
