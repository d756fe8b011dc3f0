"""Writes streams of OpenAI Responses as the server writes them, item by item, for comparing."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]
Item = dict[str, Any]
USAGE = {
    "input_tokens": 321,
    "input_tokens_details": {"cached_tokens": 256},
    "output_tokens": 45,
    "output_tokens_details": {"reasoning_tokens": 12},
    "total_tokens": 366,
}


def message(*parts: str | Item, phase: str | None = None) -> Item:
    """A message; a text is a part of its own, a mapping a part as it stands."""
    content = [_text(part) if isinstance(part, str) else part for part in parts]
    made: Item = {"type": "message", "role": "assistant", "status": "completed", "content": content}
    return made if phase is None else {**made, "phase": phase}


def refusal(text: str) -> Item:
    """A part that refuses."""
    return {"type": "refusal", "refusal": text}


def call(name: str, arguments: str, call_id: str) -> Item:
    """A call of a function."""
    made = {"type": "function_call", "status": "completed", "call_id": call_id}
    return {**made, "name": name, "arguments": arguments}


def reasoning(*summaries: str, sealed: str | None = "gAAAAsealed", text: str = "") -> Item:
    """Reasoning with the parts of its summary."""
    parts = [{"type": "summary_text", "text": summary} for summary in summaries]
    made: Item = {"type": "reasoning", "summary": parts, "encrypted_content": sealed}
    if text:
        made["content"] = [{"type": "reasoning_text", "text": text}]
    return made


@dataclass
class Stream:
    """One answer. `events` are those of the server; `written` are its bytes."""

    items: tuple[Item, ...] = ()
    status: str = "completed"
    incomplete: str = ""
    error: Item | None = None
    usage: Item | None = field(default_factory=lambda: dict(USAGE))
    piece: int = 4
    # What a gateway leaves out: "deltas", "in_progress", "parts".
    without: frozenset[str] = frozenset()
    output: list[Item] | None = None

    def events(self) -> list[Event]:
        """The events, in order."""
        out: list[Event] = [{"type": "response.created", "response": self._response([], "queued")}]
        if "in_progress" not in self.without:
            response = self._response([], "in_progress")
            out.append({"type": "response.in_progress", "response": response})
        done: list[Item] = []
        for index, item in enumerate(self.items):
            named = {"id": f"{item['type'][:3]}_{index}", **item}
            out += self._item(index, named)
            done.append(named)
        shown = done if self.output is None else self.output
        response = self._response(shown, self.status, final=True)
        out.append({"type": f"response.{self.status}", "response": response})
        return [{**event, "sequence_number": number} for number, event in enumerate(out)]

    def written(self, *, end: str = "\n", named: bool = True, done: bool = False) -> bytes:
        """The bytes: with or without `event:` lines, with another line end, with a last [DONE]."""
        lines = []
        for event in self.events():
            if named:
                lines.append(f"event: {event['type']}{end}")
            lines.append(f"data: {json.dumps(event, ensure_ascii=False)}{end}{end}")
        if done:
            lines.append(f"data: [DONE]{end}{end}")
        return "".join(lines).encode()

    def _response(self, output: list[Item], status: str, *, final: bool = False) -> Item:
        told = self.incomplete and final
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "gpt-5.1-2025-11-13",
            "status": status,
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "error": self.error if final else None,
            "incomplete_details": {"reason": self.incomplete} if told else None,
            "usage": self.usage if final else None,
        }

    def _item(self, index: int, item: Item) -> list[Event]:
        place = {"output_index": index}
        here = {**place, "item_id": item["id"]}
        begun = {**item, "status": "in_progress"}
        for name, empty in (("content", []), ("summary", []), ("arguments", "")):
            if name in begun:
                begun[name] = empty
        out: list[Event] = [{"type": "response.output_item.added", **place, "item": begun}]
        if "deltas" not in self.without:
            if item["type"] == "message":
                for number, part in enumerate(item["content"]):
                    out += self._part({**here, "content_index": number}, part)
            elif item["type"] == "function_call":
                out += self._pieces("response.function_call_arguments", here, item["arguments"])
            elif item["type"] == "reasoning":
                out += self._thinking(here, item)
        return [*out, {"type": "response.output_item.done", **place, "item": item}]

    def _part(self, here: Item, part: Item) -> list[Event]:
        kind = "refusal" if part["type"] == "refusal" else "output_text"
        name = "refusal" if kind == "refusal" else "text"
        added = {"type": "response.content_part.added", **here, "part": {**part, name: ""}}
        done = {"type": "response.content_part.done", **here, "part": part}
        return [added, *self._pieces(f"response.{kind}", here, part[name], name), done]

    def _thinking(self, here: Item, item: Item) -> list[Event]:
        out: list[Event] = []
        for number, part in enumerate(item["summary"]):
            place = {**here, "summary_index": number}
            head = "response.reasoning_summary_part"
            out.append({"type": f"{head}.added", **place, "part": {**part, "text": ""}})
            out += self._pieces("response.reasoning_summary_text", place, part["text"], "text")
            out.append({"type": f"{head}.done", **place, "part": part})
        for number, part in enumerate(item.get("content", ())):
            place = {**here, "content_index": number}
            out += self._pieces("response.reasoning_text", place, part["text"], "text")
        return out

    def _pieces(self, kind: str, here: Item, text: str, name: str = "arguments") -> list[Event]:
        more = {"logprobs": []} if kind == "response.output_text" else {"obfuscation": "x9"}
        out: list[Event] = [
            {"type": f"{kind}.delta", **here, "delta": text[at : at + self.piece], **more}
            for at in range(0, len(text), self.piece)
        ]
        return [*out, {"type": f"{kind}.done", **here, name: text, **more}]


def _text(text: str) -> Item:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def named_streams() -> dict[str, Stream]:
    """One of each kind."""
    look, write = call("look", '{"at": "a/b"}', "call_1"), call("write", '{"t": "é\\n"}', "call_2")
    search = {"type": "web_search_call", "status": "completed", "action": {"type": "search"}}
    return {
        "text": Stream((message("Hello, world. Grüße 你好 👩‍👩‍👧"),)),
        "text in pieces of one": Stream((message("Zeile\r\neins\u2028zwei"),), piece=1),
        "text in one piece": Stream((message("all at once"),), piece=100),
        "empty text": Stream((message(""),)),
        "nothing at all": Stream(()),
        "two parts": Stream((message("first ", "second"),)),
        "comment and answer": Stream(
            (
                message("Let me look. ", phase="commentary"),
                message("Done.", phase="final_answer"),
            )
        ),
        "one call": Stream((look,)),
        "two calls": Stream((look, write)),
        "a call twice": Stream((look, {**look, "call_id": "call_9"})),
        "call without arguments": Stream((call("look", "{}", "call_1"),)),
        "call with blank arguments": Stream((call("look", "", "call_1"),)),
        "call with half its arguments": Stream(
            (call("look", '{"at": "a', "call_1"),),
            status="incomplete",
            incomplete="max_output_tokens",
        ),
        "text and call": Stream((message("Looking."), look)),
        "call and text": Stream((look, message("Looked."))),
        "reasoning": Stream((reasoning("**Plan** it."), message("Done."))),
        "two summaries": Stream((reasoning("One.", "Two."), message("Done."))),
        "reasoning twice": Stream((reasoning("One."), look, reasoning("Two."), write)),
        "sealed only": Stream((reasoning(), look)),
        "not sealed": Stream((reasoning("One.", sealed=None), look)),
        "open reasoning": Stream((reasoning(sealed=None, text="I think so."), message("So."))),
        "refusal": Stream((message(refusal("I cannot help with that.")),)),
        "text and refusal": Stream((message("Well. ", refusal("No.")),)),
        "cut by the limit": Stream(
            (message("half of"),), status="incomplete", incomplete="max_output_tokens"
        ),
        "cut by the filter": Stream(
            (message("half of"),), status="incomplete", incomplete="content_filter"
        ),
        "cut in reasoning": Stream(
            (reasoning("Long."),), status="incomplete", incomplete="max_output_tokens"
        ),
        "failed": Stream(status="failed", error={"code": "server_error", "message": "It broke."}),
        "failed after text": Stream(
            (message("half"),),
            status="failed",
            error={"code": "rate_limit_exceeded", "message": "Rate limit reached."},
        ),
        "failed for the prompt": Stream(
            status="failed",
            error={"code": "context_length_exceeded", "message": "Your input exceeds the window."},
        ),
        "a search of the server's": Stream((search, message("Found."))),
        "no usage": Stream((message("Hi."),), usage=None),
        "no cache in usage": Stream(
            (message("Hi."),),
            usage={"input_tokens": 9, "output_tokens": 2, "total_tokens": 11},
        ),
        "no deltas": Stream(
            (reasoning("One."), message("Hi."), look), without=frozenset({"deltas"})
        ),
        "no progress": Stream((message("Hi."),), without=frozenset({"in_progress"})),
    }


def random_stream(chance: random.Random) -> Stream:
    """Any mixture of items."""
    makers = (
        lambda n: message("".join(chance.choices('ab \n"\\ßλ漢😀', k=chance.randint(1, 30)))),
        lambda n: message("part one ", f"part two {n}"),
        lambda n: call(chance.choice(("look", "write")), json.dumps({"n": n}), f"call_{n}"),
        lambda n: reasoning(*(f"Thought {n}.{k}" for k in range(chance.randint(0, 3)))),
    )
    items = tuple(chance.choice(makers)(n) for n in range(chance.randint(0, 6)))
    cut = chance.random() < 0.2
    return Stream(
        items,
        status="incomplete" if cut else "completed",
        incomplete=chance.choice(("max_output_tokens", "content_filter")) if cut else "",
        piece=chance.randint(1, 9),
        without=frozenset(word for word in ("deltas", "in_progress") if chance.random() < 0.2),
    )
