"""Compares what a client made of a wire case with what the case expects."""

from __future__ import annotations

from typing import Any


def check_answer(expect: dict, answer: dict) -> list[str]:
    """Differences between the expected and the actual answer."""
    problems = _check_answer(expect, answer)
    if problems and "or" in expect and not _check_answer(expect["or"], answer):
        return []
    return problems


def _check_answer(expect: dict, answer: dict) -> list[str]:
    if "error" in expect:
        return _check_error(expect, answer)
    if answer.get("error"):
        return [f"failed with {answer['error']!r}, an answer was expected"]
    problems: list[str] = []
    modes = expect.get("match", {})
    for field in ("content", "reasoning"):
        if field in expect and not _same_text(expect[field], answer.get(field), modes.get(field)):
            problems.append(f"{field}: expected {expect[field]!r}, got {answer.get(field)!r}")
    problems += _check_calls(expect, answer.get("tool_calls") or [])
    for field in ("tokens_in", "tokens_out", "cache_read", "cache_write", "reasoning_tokens"):
        wanted = expect.get(field)
        if wanted is not None and (answer.get(field) or 0) != wanted:
            problems.append(f"{field}: expected {wanted}, got {answer.get(field)!r}")
    if not _one_of(answer.get("finish"), expect.get("finish", answer.get("finish"))):
        problems.append(f"finish: expected {expect['finish']!r}, got {answer.get('finish')!r}")
    return problems


def _check_error(expect: dict, answer: dict) -> list[str]:
    wanted, got = expect["error"], answer.get("error")
    if not got:
        return [f"no failure reported, expected {wanted['kind']!r}"]
    problems: list[str] = []
    if not _one_of(got.get("kind"), wanted["kind"]):
        problems.append(f"error kind: expected {wanted['kind']!r}, got {got.get('kind')!r}")
    if wanted.get("retryable") is not None and bool(got.get("retryable")) != wanted["retryable"]:
        problems.append(f"retryable: expected {wanted['retryable']}, got {got.get('retryable')!r}")
    if "retry_after_s" in wanted:
        low, high = wanted["retry_after_s"]
        delay = got.get("retry_after_s")
        if delay is None or not low <= delay <= high:
            problems.append(f"retry_after_s: expected {low} to {high}, got {delay!r}")
    message = got.get("message") or ""
    if wanted.get("message_has", "") not in message:
        problems.append(f"message: {wanted['message_has']!r} is missing in {message!r}")
    for text in wanted.get("message_lacks", []):
        if text in message:
            problems.append(f"message: {text!r} does not belong in {message!r}")
    partial = answer.get("partial") or {}
    text = expect.get("partial", {}).get("content")
    if text is not None and text != (partial.get("content") or ""):
        problems.append(f"partial content: expected {text!r}, got {partial.get('content')!r}")
    if any(not call.get("invalid") for call in partial.get("tool_calls") or []):
        problems.append("a failed answer must not carry calls that could be run")
    return problems


def _check_calls(expect: dict, calls: list[dict]) -> list[str]:
    problems: list[str] = []
    good = [call for call in calls if not call.get("invalid")]
    for bad in expect.get("bad_tool_calls", []):
        for call in [c for c in good if c.get("name") == bad["name"]]:
            if "repaired" in bad and call.get("arguments") == bad["repaired"]:
                good.remove(call)
                break
    wanted = list(expect.get("tool_calls", []))
    if len(good) != len(wanted):
        wanted = [call for call in wanted if not call.get("optional")]
    if len(good) != len(wanted):
        return [f"tool calls: expected {wanted!r}, got {good!r}"]
    for want, got in zip(wanted, good, strict=True):
        for field in ("id", "name", "arguments"):
            if field in want and want[field] != got.get(field):
                problems.append(f"call {field}: expected {want[field]!r}, got {got.get(field)!r}")
        if not isinstance(got.get("id"), str) or not got["id"]:
            problems.append(f"call {want['name']}: no id")
    if len({call.get("id") for call in good}) != len(good):
        problems.append("two calls share an id")
    return problems


def _same_text(wanted: str | None, got: str | None, mode: str | None) -> bool:
    wanted, got = wanted or "", got or ""
    if mode == "trim":
        return wanted.strip() == got.strip()
    if mode == "squash":
        return "".join(wanted.split()) == "".join(got.split())
    return wanted == got


def _one_of(value: Any, wanted: Any) -> bool:
    return value in wanted if isinstance(wanted, list) else value == wanted
