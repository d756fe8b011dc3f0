"""The words for what trying a model showed, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kinet.ui.services import Probe

# What the button beside a failure does.
TRY_AGAIN, CHANGE_KEY, CHANGE_ADDRESS, CHOOSE_MODEL, NETWORK = range(5)

_FAILURES: Mapping[str, tuple[str, str, int]] = {
    "key_refused": ("Key refused", "Another key…", CHANGE_KEY),
    "no_credit": ("No credit", "Try again", TRY_AGAIN),
    "model_not_offered": ("Model not offered", "Choose a model…", CHOOSE_MODEL),
    "host_not_found": ("Host not found", "Change address…", CHANGE_ADDRESS),
    "certificate": ("Certificate not trusted", "Network settings…", NETWORK),
    "proxy_refused": ("Proxy refused", "Network settings…", NETWORK),
    "timeout": ("No answer in time", "Try again", TRY_AGAIN),
    "unreachable": ("Not reachable", "Try again", TRY_AGAIN),
    "protocol": ("Not a model server", "Change address…", CHANGE_ADDRESS),
}


@dataclass(frozen=True, slots=True)
class ProbeWords:
    """A verdict as shown: a short word, one line, what to do, and a button for it."""

    ok: bool
    word: str
    detail: str
    hint: str = ""
    action: str = ""
    act: int = TRY_AGAIN


def words_of(probe: Probe, model: str, price_known: bool | None = None) -> ProbeWords:
    """The words for a verdict. `price_known` None says nothing about the price."""
    if probe.ok:
        if not model:
            # Only the list was asked for.
            return ProbeWords(True, "Works", probe.detail)
        parts = [model]
        if probe.latency_ms:
            parts.append(latency_text(probe.latency_ms))
        if price_known is not None:
            parts.append("price known" if price_known else "price not known")
        return ProbeWords(True, "Works", " · ".join(part for part in parts if part))
    word, action, act = _FAILURES.get(probe.verdict, ("Did not work", "Try again", TRY_AGAIN))
    if act == CHOOSE_MODEL and not probe.models:
        action, act = "Change model…", CHANGE_ADDRESS
    return ProbeWords(False, word, probe.detail, probe.hint, action, act)


def latency_text(milliseconds: float) -> str:
    """A latency at a glance: "412 ms", "1.1 s"."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:.1f} s"


def sentence_of(words: ProbeWords) -> str:
    """Detail and hint as one text."""
    return f"{words.detail} {words.hint}".strip()
