"""Examines an endpoint piece by piece and says in plain words what works and what does not."""

from __future__ import annotations

import asyncio
import difflib
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Literal

import httpx

from kinet.core.completion import Completion
from kinet.core.errors import BadRequestError, ProtocolError, ProviderError
from kinet.core.events import TextDelta, ThinkingDelta, ToolArgumentsDelta
from kinet.core.messages import Message, ToolSchema
from kinet.core.profile import ModelProfile, WireProtocol
from kinet.net.secret import Secret
from kinet.providers.asked_window import with_window
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider, list_models, served_window
from kinet.providers.pricing import known_window

CheckName = Literal[
    "reachable",
    "key",
    "model",
    "streaming",
    "tool_call",
    "parallel_tool_calls",
    "usage",
    "window",
    "cached_tokens",
]
# "unknown" is what the server does not tell; "skipped" what could not be tried any more.
CheckState = Literal["ok", "failed", "warning", "unknown", "skipped"]

_ORDER: tuple[CheckName, ...] = (
    "reachable",
    "key",
    "model",
    "streaming",
    "tool_call",
    "parallel_tool_calls",
    "usage",
    "window",
    "cached_tokens",
)
_ASKED_TOKENS = 512
# Servers cache from about 1,024 tokens on.
_PREFIX = "\n".join(
    f"Rule {number}: this line is part of a test and asks for nothing." for number in range(1, 121)
)
_WEATHER = ToolSchema(
    "get_weather",
    "Tells the weather in a city.",
    {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "The city"}},
        "required": ["city"],
    },
)
_PROTOCOLS: tuple[WireProtocol, ...] = ("openai", "anthropic", "responses")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: CheckName
    state: CheckState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found. `ok` means that the model answers; `cause` is an error kind, "" for none.

    `verdict` is a sentence, `hint` the next step, `profile` what to save (no key in it).
    """

    ok: bool
    verdict: str
    cause: str
    hint: str
    checks: tuple[Check, ...]
    profile: ModelProfile
    models: tuple[str, ...] = ()


@dataclass
class _Answer:
    """One answer and how it came."""

    completion: Completion
    pieces: int
    seconds: float


@dataclass
class _Notes:
    """The checks so far."""

    checks: dict[CheckName, Check] = field(default_factory=dict)

    def note(self, name: CheckName, state: CheckState, detail: str = "") -> None:
        self.checks[name] = Check(name, state, detail)

    def all(self) -> tuple[Check, ...]:
        skipped = Check("reachable", "skipped")
        return tuple(self.checks.get(name, replace(skipped, name=name)) for name in _ORDER)


class Doctor:
    """Examines one profile; at most six short requests are made."""

    def __init__(
        self,
        profile: ModelProfile,
        key: Secret | None,
        client: httpx.AsyncClient | None = None,
        *,
        stall_seconds: float = 60.0,
    ) -> None:
        self._profile = with_window(profile)
        self._key = key
        self._client = client
        self._stall_seconds = stall_seconds
        self._notes = _Notes()
        self._models: tuple[str, ...] = ()

    async def examine(self) -> Examination:
        """All checks in order. Never raises ProviderError."""
        await self._list()
        if not self._profile.model:
            if not self._models:
                error = BadRequestError(
                    "No model is named, and the address lists none.",
                    hint="Name one with --model ID, or check the address.",
                )
                return self._failed(error)
            self._profile = replace(self._profile, model=self._models[0])
        try:
            answer = await self._ask(_plain())
        except ProviderError as exc:
            return await self._other_protocol(exc) or self._failed(exc)
        return await self._works(answer)

    async def _list(self) -> None:
        """The list of models: it tells names and sometimes windows, and decides nothing."""
        try:
            self._models = tuple(
                await list_models(
                    self._profile,
                    self._key,
                    self._client,
                    seconds=min(20.0, self._stall_seconds or 20.0),
                )
            )
        except ProviderError:
            self._models = ()

    async def _works(self, answer: _Answer) -> Examination:
        notes, profile = self._notes, self._profile
        notes.note("reachable", "ok", f"answered in {answer.seconds:.1f} s")
        notes.note("key", "ok", "accepted" if self._key else "none needed")
        self._judge_model(answer.completion)
        if answer.pieces > 1:
            notes.note("streaming", "ok", f"{answer.pieces} pieces")
        else:
            # A short answer may fit into one piece; the answers with tools are looked at too.
            notes.note("streaming", "unknown", "the answer was too short to tell")
        self._judge_usage(answer.completion)
        await self._judge_window()
        error = await self._judge_tools()
        if error is None:
            verdict = f"{profile.model} works here, with tools."
            return self._found(True, verdict, "", "")
        problem = notes.checks["tool_call"].detail
        verdict = f"{profile.model} answers, but its tool calls do not work: {problem}"
        hint = error.hint or "Choose a model that calls tools; without them it can only talk."
        return self._found(True, verdict, error.kind, hint)

    def _judge_model(self, completion: Completion) -> None:
        asked, served = self._profile.model, completion.model
        if served and served != asked and asked not in served and served not in asked:
            self._notes.note("model", "warning", f"{served} answered in place of {asked}")
        else:
            self._notes.note("model", "ok", served or asked)

    def _judge_usage(self, completion: Completion) -> None:
        usage = completion.usage
        if usage.known:
            told = f"{usage.tokens_in} in, {usage.tokens_out} out"
            self._notes.note("usage", "ok", told)
        else:
            self._notes.note("usage", "warning", "no token counts: cost and fill are estimates")

    async def _judge_window(self) -> None:
        profile = self._profile
        served = await served_window(profile, self._key, self._client)
        known = await asyncio.to_thread(known_window, profile.model)
        if profile.window and served and profile.window > served:
            self._notes.note(
                "window", "warning", f"{served:,} tokens, the profile says {profile.window:,}"
            )
            self._profile = replace(profile, window=served)
        elif profile.window or served:
            window = profile.window or served
            self._notes.note("window", "ok", f"{window:,} tokens")
            self._profile = replace(profile, window=window)
        elif known:
            self._notes.note("window", "ok", f"{known:,} tokens, from the list of known models")
        else:
            self._notes.note("window", "unknown", "the server does not say; set it in the profile")

    async def _judge_tools(self) -> ProviderError | None:
        """One call, then two at once behind the same prefix. The error if no call can be run."""
        try:
            one = await self._ask(_with_tool("Call get_weather for Oslo."))
        except ProviderError as exc:
            self._notes.note("tool_call", "failed", exc.message)
            return exc
        problem = _problem(one.completion)
        if problem:
            self._notes.note("tool_call", "failed", problem)
            return ProtocolError(problem)
        self._notes.note("tool_call", "ok", one.completion.tool_calls[0].arguments[:80])
        if one.pieces > 1:
            self._notes.note("streaming", "ok", f"{one.pieces} pieces")
        await self._judge_two()
        return None

    async def _judge_two(self) -> None:
        notes = self._notes
        try:
            two = await self._ask(
                _with_tool("Call get_weather for Oslo and for Lima, both at once, in one answer.")
            )
        except ProviderError as exc:
            notes.note("parallel_tool_calls", "failed", exc.message)
            return
        calls = [call for call in two.completion.tool_calls if not call.invalid]
        if len(calls) > 1:
            notes.note("parallel_tool_calls", "ok", f"{len(calls)} calls in one answer")
        else:
            notes.note("parallel_tool_calls", "warning", "one call at a time")
        usage = two.completion.usage
        if not usage.known:
            notes.note("cached_tokens", "unknown", "the server sends no token counts")
        elif usage.cache_read:
            share = 100 * usage.cache_read // max(1, usage.tokens_in)
            notes.note("cached_tokens", "ok", f"{usage.cache_read:,} read again ({share} %)")
        else:
            notes.note("cached_tokens", "warning", "none: it caches nothing, or does not tell")

    async def _other_protocol(self, error: ProviderError) -> Examination | None:
        """What was found in another protocol, if the address speaks one."""
        if not _wrong_door(error):
            return None
        mine = self._profile
        for protocol in _PROTOCOLS:
            if protocol == mine.protocol:
                continue
            self._profile = replace(mine, protocol=protocol, vendor="")
            try:
                answer = await self._ask(_plain())
            except ProviderError:
                continue
            found = await self._works(answer)
            told = f"The address does not speak {mine.protocol}, it speaks {protocol}. "
            hint = f"Choose the protocol {protocol} in the profile."
            return replace(found, verdict=told + found.verdict, hint=hint)
        self._profile = mine
        return None

    async def _ask(self, request: ModelRequest) -> _Answer:
        profile = replace(self._profile, effort="", max_output_tokens=0)
        provider = create_provider(
            profile,
            self._key,
            self._client,
            retries=0,
            stall_seconds=self._stall_seconds,
        )
        began, pieces = time.monotonic(), 0
        completion = Completion()
        try:
            async with aclosing(provider.stream(request)) as items:
                async for item in items:
                    if isinstance(item, Completion):
                        completion = item
                    elif isinstance(item, TextDelta | ThinkingDelta | ToolArgumentsDelta):
                        pieces += 1
        finally:
            await provider.close()
        return _Answer(completion, pieces, time.monotonic() - began)

    def _failed(self, error: ProviderError) -> Examination:
        notes = self._notes
        if error.kind == "network" and error.partial is None and not self._models:
            notes.note("reachable", "failed", error.message)
        else:
            notes.note("reachable", "ok", "something answers there")
        if error.kind == "auth":
            notes.note("key", "failed", error.message)
        elif self._models and self._profile.model and self._profile.model not in self._models:
            near = difflib.get_close_matches(self._profile.model, self._models, 1, 0.4)
            what = f"; it offers {near[0]}" if near else f"; it offers {len(self._models)} others"
            notes.note("model", "failed", f"{self._profile.model} is not offered{what}")
            if near:
                self._profile = replace(self._profile, model=near[0])
        elif error.kind in ("bad_request", "context_too_long"):
            notes.note("model", "failed", error.message)
        elif notes.checks["reachable"].state == "ok":
            notes.note("streaming", "failed", error.message)
        return self._found(False, error.message, error.kind, error.hint)

    def _found(self, ok: bool, verdict: str, cause: str, hint: str) -> Examination:
        return Examination(ok, verdict, cause, hint, self._notes.all(), self._profile, self._models)


def _plain() -> ModelRequest:
    text = "Count from one to ten, in words, separated by commas."
    return ModelRequest(messages=(Message("user", text),), max_tokens=_ASKED_TOKENS)


def _with_tool(task: str) -> ModelRequest:
    return ModelRequest(
        system=_PREFIX,
        messages=(Message("user", task),),
        tools=(_WEATHER,),
        max_tokens=_ASKED_TOKENS,
        turn_start=0,
    )


def _problem(completion: Completion) -> str:
    """Why the calls of an answer cannot be run; "" if they can."""
    calls: Sequence[object] = completion.tool_calls
    if not calls:
        return "it was asked for a tool call and answered with text"
    for call in completion.tool_calls:
        if call.invalid:
            return f"the arguments of {call.name} are no whole JSON object: {call.arguments[:80]}"
    return ""


def _wrong_door(error: ProviderError) -> bool:
    """True if the failure may come from asking in the wrong protocol."""
    return error.partial is None and (
        error.kind == "protocol" or (error.kind == "bad_request" and error.status in (404, 405))
    )
