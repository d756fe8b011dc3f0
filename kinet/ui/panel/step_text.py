"""The words of a step: its state, its facts, its input as a person reads it, its raw form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from kinet.core.server_names import server_and_tool
from kinet.ui.kit.figures import cost_words
from kinet.ui.panel.model_share import ModelShare
from kinet.ui.server_call import arguments_text
from kinet.ui.steps import StepRecord

# state: (word, colour token, icon)
_STATES: Mapping[str, tuple[str, str, str]] = {
    "running": ("Running", "accent", "running"),
    "done": ("Done", "success", "check-circle"),
    "failed": ("Failed", "danger", "error"),
    "stopped": ("Stopped", "text_3", "stop"),
    "waiting": ("Waiting for you", "warning", "alert"),
    "denied": ("Denied", "danger", "error"),
}


def state_look(state: str) -> tuple[str, str, str]:
    """Word, colour token and icon of a state."""
    return _STATES.get(state, (state.capitalize(), "text_3", "info"))


def state_fact(record: StepRecord) -> str:
    """The state with the exit code, where there is one: "Failed, exit 1"."""
    word = state_look(record.state)[0]
    code = record.details.get("exit_code")
    return f"{word}, exit {code}" if isinstance(code, int) else word


def duration_text(seconds: float) -> str:
    """A duration at a glance: "0.1 s", "12.4 s", "1 min 8 s"."""
    if seconds < 60:
        return f"{max(seconds, 0.0):.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size_text(characters: int) -> str:
    """A length in characters: "48,212 characters"."""
    return "1 character" if characters == 1 else f"{characters:,} characters"


def empty_text(record: StepRecord) -> str:
    """What is said in place of an output that is empty."""
    if record.state == "running":
        return "No output yet"
    if record.state == "waiting":
        return "Waits for your answer"
    code = record.details.get("exit_code")
    return f"No output, exit {code}" if isinstance(code, int) else "No output"


def input_text(record: StepRecord) -> str:
    """The arguments one below the other; a text of one argument alone is shown as it is."""
    arguments = record.arguments
    if server_and_tool(record.name) is not None:
        # What a server was sent is shown as the question about it showed it.
        return arguments_text(arguments)
    if len(arguments) == 1:
        only = next(iter(arguments.values()))
        if isinstance(only, str):
            return only
    parts: list[str] = []
    for name, value in arguments.items():
        if isinstance(value, str) and ("\n" in value or len(value) > 60):
            parts.append(f"{name}:\n{value}\n")
        else:
            parts.append(f"{name}: {value if isinstance(value, str) else _json(value)}")
    return "\n".join(parts)


def rest_of(record: StepRecord, share: ModelShare) -> tuple[str, str]:
    """(the step in words, what the model did not get of its output)."""
    title = f"{record.verb} {record.argument}".strip()[:120]
    return title, record.content[share.head : len(record.content) - share.tail]


def call_fact(record: StepRecord) -> str:
    """What the model call took that asked for this step, in words; "" where it is not known."""
    usage = record.usage
    if usage is None or not (usage.tokens_in or usage.tokens_out):
        return ""
    cached = f" ({usage.cache_read:,} from the cache)" if usage.cache_read else ""
    return (
        f"Asked for by a model call of {usage.tokens_in:,} tokens in{cached}, "
        f"{usage.tokens_out:,} out, {_money(record)}"
    )


def call_line(record: StepRecord) -> str:
    """The same in one short line of figures, and what broke the server's cache."""
    usage = record.usage
    if usage is None or not (usage.tokens_in or usage.tokens_out):
        return ""
    share = round(100 * usage.cache_read / usage.tokens_in) if usage.tokens_in else 0
    parts = [
        f"{usage.tokens_in:,} in",
        f"{usage.cache_read:,} cached ({share} %)" if usage.cache_read else "none cached",
        f"{usage.tokens_out:,} out",
        _money(record),
        record.cache_note,
    ]
    return " · ".join(part for part in parts if part)


def _money(record: StepRecord) -> str:
    return "price unknown" if record.cost is None else cost_words(record.cost, True)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _call_figures(record: StepRecord) -> dict[str, Any]:
    usage = record.usage
    if usage is None:
        return {}
    return {
        "model_call": {
            "tokens_in": usage.tokens_in,
            "from_cache": usage.cache_read,
            "tokens_out": usage.tokens_out,
            "cost": record.cost,
            "cache_note": record.cache_note,
            "segments": list(record.segments),
        }
    }


def only_pictures(record: StepRecord) -> bool:
    """True where there is nothing to see but pictures."""
    kinds = record.details.get("parts")
    if isinstance(kinds, Mapping):
        return bool(record.pictures) and set(kinds) == {"picture"}
    return bool(record.pictures) and not record.content.strip()


def data_of(record: StepRecord) -> Any:
    """The structured result that a server gave beside its text, None for none."""
    return record.details.get("structured")


def data_text(record: StepRecord) -> str:
    """The structured result as JSON."""
    return _json(data_of(record))


def raw_text(record: StepRecord) -> str:
    """Call and result as JSON."""
    return _json(
        {
            "call": {
                "id": record.call_id,
                "name": record.name,
                "arguments": dict(record.arguments),
            },
            "result": {
                "state": record.state,
                "duration_s": round(record.duration_s, 3),
                "preview": record.preview,
                "details": dict(record.details),
                "content_sha256": _sha256(record.content),
                "model_content_sha256": _sha256(record.model_content or record.content),
                "content": record.content,
                "model_content": record.model_content,
            },
            **_call_figures(record),
        }
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
