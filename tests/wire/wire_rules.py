"""Compares a request that was sent with the rules of a wire case, by the rules' names."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

from wire_values import blocks, is_anthropic, messages, select, tool_uses, walk
from wire_values import texts as all_texts

TYPES = {
    "string": str,
    "array": list,
    "object": dict,
    "boolean": bool,
    "number": (int, float),
    "null": type(None),
}
RULES: dict[str, Any] = {}


def rule(function):
    RULES[function.__name__] = function
    return function


def check_request(rules: list[dict], request: dict) -> list[str]:
    """The rules that a request {path, headers, body} breaks."""
    problems: list[str] = []
    for rule in rules:
        arguments = {key: value for key, value in rule.items() if key not in ("rule", "note")}
        for problem in RULES[rule["rule"]](request, **arguments) or []:
            problems.append(f"{rule['rule']}: {problem}")
    return problems


@rule
def absent(request, path):
    found = list(select(request["body"], path))
    return [f"{path} is sent: {found[0]!r}"] if found else []


@rule
def present(request, path):
    return [] if list(select(request["body"], path)) else [f"{path} is missing"]


@rule
def equals(request, path, value):
    found = list(select(request["body"], path))
    same = found and all(item == value for item in found)
    return [] if same else [f"{path} is {found!r}, not {value!r}"]


@rule
def one_of(request, path, values):
    found = list(select(request["body"], path))
    return [f"{path} is {item!r}" for item in found if item not in values]


@rule
def type_is(request, path, type):
    kinds = tuple(TYPES[name] for name in type.split("|"))
    flat = tuple(k for kind in kinds for k in (kind if isinstance(kind, tuple) else (kind,)))
    found = select(request["body"], path)
    return [f"{path} is {item!r}" for item in found if not isinstance(item, flat)]


@rule
def matches(request, path, regex):
    return [
        f"{path} is {item!r}"
        for item in select(request["body"], path)
        if not isinstance(item, str) or not re.fullmatch(regex, item)
    ]


@rule
def count(request, path, min=0, max=None):
    number = len(list(select(request["body"], path)))
    right = number >= min and (max is None or number <= max)
    return [] if right else [f"{path} occurs {number} times"]


@rule
def no_key(request, key):
    hits = [item for item in walk(request["body"]) if isinstance(item, dict) and key in item]
    return [f"the key {key} is sent"] if hits else []


@rule
def text_present(request, text, path=""):
    where = list(select(request["body"], path)) if path else request["body"]
    return (
        [] if text in all_texts(where) else [f"{text!r} is not sent{' in ' + path if path else ''}"]
    )


@rule
def text_absent(request, text, path=""):
    where = list(select(request["body"], path)) if path else request["body"]
    return [f"{text!r} is sent"] if text in all_texts(where) else []


@rule
def texts_in_order(request, texts):
    everything, start = all_texts([request["body"].get("system"), messages(request)]), 0
    for text in texts:
        start = everything.find(text, start)
        if start < 0:
            return [f"{text!r} is missing or out of order"]
    return []


@rule
def path_is(request, any):
    return [] if request["path"].split("?")[0] in any else [f"the path is {request['path']}"]


@rule
def header(request, name, equals=None, regex=None, absent=False, optional=False):
    value = request["headers"].get(name)
    if absent:
        return [f"{name} is sent: {value!r}"] if value is not None else []
    if value is None:
        return [] if optional else [f"{name} is missing"]
    if (equals is not None and value != equals) or (regex and not re.fullmatch(regex, value)):
        return [f"{name} is {value!r}"]
    return []


@rule
def first_role(request, role):
    roles = [m["role"] for m in messages(request)]
    return [] if roles and roles[0] == role else [f"the roles are {roles}"]


@rule
def system_first(request):
    roles = [m["role"] for m in messages(request)]
    late = [i for i, role in enumerate(roles) if role in ("system", "developer") and i > 0]
    return [f"a system message at {late}"] if late else []


@rule
def roles_alternate(request):
    roles = [m["role"] for m in messages(request)]
    if is_anthropic(request):
        if set(roles) - {"user", "assistant"}:
            return [f"the roles are {roles}"]
    else:  # strict templates leave out tool messages and assistant messages that call tools
        roles = [
            m["role"]
            for m in messages(request)
            if m["role"] not in ("system", "developer", "tool") and not m.get("tool_calls")
        ]
    pairs = itertools.pairwise(roles)
    return [f"two {a} messages in a row: {roles}" for a, b in pairs if a == b][:1]


@rule
def tool_pairs(request, calls=None, results=None):
    """Every call is answered at once and exactly once; nothing else is answered."""
    problems: list[str] = []
    all_calls: list[Any] = []
    all_results: list[Any] = []
    turns = messages(request)
    if is_anthropic(request):
        for index, turn in enumerate(turns):
            uses = [b.get("id") for b in blocks(turn) if b.get("type") == "tool_use"]
            previous = (
                [b.get("id") for b in blocks(turns[index - 1]) if b.get("type") == "tool_use"]
                if index
                else []
            )
            kinds = [b.get("type") for b in blocks(turn)]
            answers = [b.get("tool_use_id") for b in blocks(turn) if b.get("type") == "tool_result"]
            if sorted(map(str, answers)) != sorted(map(str, previous)):
                problems.append(f"message {index} answers {answers}, called was {previous}")
            if "tool_result" in kinds[len(answers) :]:
                problems.append(f"message {index} does not begin with its results: {kinds}")
            if uses and index == len(turns) - 1:
                problems.append(f"the calls {uses} are not answered")
            all_calls, all_results = all_calls + uses, all_results + answers
    else:
        open_ids: list[Any] = []
        for index, turn in enumerate([*turns, {"role": "end"}]):
            if turn["role"] == "tool":
                all_results.append(turn.get("tool_call_id"))
                if turn.get("tool_call_id") not in open_ids:
                    id_ = turn.get("tool_call_id")
                    problems.append(f"message {index} answers {id_!r}, open: {open_ids}")
                else:
                    open_ids.remove(turn["tool_call_id"])
            else:
                if open_ids:
                    problems.append(f"{open_ids} not answered before message {index}")
                open_ids = [call.get("id") for call in turn.get("tool_calls") or []]
                all_calls += open_ids
    if len(set(all_calls)) != len(all_calls):
        problems.append(f"call ids occur twice: {all_calls}")
    for name, wanted, got in (("calls", calls, all_calls), ("results", results, all_results)):
        if wanted is not None and len(got) != wanted:
            problems.append(f"{len(got)} {name}, expected {wanted}")
    return problems


@rule
def no_empty_text(request):
    problems = []
    for index, turn in enumerate(messages(request)):
        content = turn.get("content")
        inner = []
        for block in blocks(turn):
            nested = block.get("content")
            inner += [block, *(nested if isinstance(nested, list) else [])]
        if content in ("", [], None) or any(
            b.get("type") == "text" and not (b.get("text") or "").strip() for b in inner
        ):
            problems.append(f"message {index} has empty text or no content: {content!r}")
    system = request["body"].get("system")
    parts = [] if system is None else blocks({"content": system})
    if any(not (part.get("text") or "").strip() for part in parts):
        problems.append(f"empty system text: {system!r}")
    return problems


@rule
def last_assistant_trimmed(request):
    last = messages(request)[-1]
    texts_of = [b.get("text") or "" for b in blocks(last) if b.get("type") == "text"]
    if last["role"] == "assistant" and texts_of and texts_of[-1] != texts_of[-1].rstrip():
        return [f"the last assistant text ends in white space: {texts_of[-1]!r}"]
    return []


@rule
def cache_marks(request, max=4, min=0):
    values = [item for item in walk(request["body"]) if isinstance(item, dict)]
    marked = [item for item in values if "cache_control" in item]
    problems = [] if min <= len(marked) <= max else [f"{len(marked)} cache_control marks"]
    for item in marked:
        if item.get("type") in ("thinking", "redacted_thinking"):
            problems.append(f"cache_control on a {item['type']} block")
        if item.get("type") == "text" and not (item.get("text") or "").strip():
            problems.append("cache_control on an empty text block")
    return problems


def tool_names(request) -> tuple[list, list]:
    """Names of the declared tools and of the calls in the history."""
    if is_anthropic(request):
        used = [block.get("name") for block in tool_uses(request)]
        return [t.get("name") for t in request["body"].get("tools", [])], used
    used = list(select(request["body"], "messages[*].tool_calls[*].function.name"))
    return list(select(request["body"], "tools[*].function.name")), used


@rule
def tool_names_ok(request, regex, count=None):
    declared, used = tool_names(request)
    unfit = [name for name in declared + used if not re.fullmatch(regex, name or "")]
    problems = [f"tool name {name!r}" for name in unfit]
    if len(set(declared)) != len(declared):
        problems.append(f"tool names are not distinct: {declared}")
    if count is not None and len(declared) != count:
        problems.append(f"{len(declared)} tools, expected {count}")
    strangers = [name for name in used if name not in declared]
    return problems + [f"the history calls {name!r}, not declared" for name in strangers]


@rule
def tool_ids_ok(request, regex):
    body = request["body"]
    ids = list(select(body, "messages[*].tool_calls[*].id"))
    ids += list(select(body, "messages[*].tool_call_id"))
    for block in (b for m in messages(request) for b in blocks(m)):
        ids += [block[key] for key in ("id", "tool_use_id") if key in block]
    return [f"tool call id {value!r}" for value in ids if not re.fullmatch(regex, str(value))]


@rule
def call_arguments(request, expected):
    """The arguments of all calls in the history, in order; null means: any object."""
    if is_anthropic(request):
        found = [block.get("input") for block in tool_uses(request)]
    else:
        found = []
        for text in select(request["body"], "messages[*].tool_calls[*].function.arguments"):
            try:
                found.append(json.loads(text))
            except (TypeError, ValueError):
                found.append(text)
    if len(found) != len(expected):
        return [f"{len(found)} calls, expected {len(expected)}"]
    return [
        f"arguments {got!r}, expected {want!r}"
        for want, got in zip(expected, found, strict=True)
        if not isinstance(got, dict) or (want is not None and got != want)
    ]


@rule
def assistant_blocks(request, wanted, leading=False):
    """One assistant message holds these blocks in this order (each as a subset)."""

    def fits(block, want):
        return all(block.get(key) == value for key, value in want.items())

    for turn in (m for m in messages(request) if m["role"] == "assistant"):
        content, position = blocks(turn), 0
        for block in content:
            if position < len(wanted) and fits(block, wanted[position]):
                position += 1
        if position == len(wanted) and (not leading or fits(content[0], wanted[0])):
            return []
    return [f"no assistant message holds {wanted!r}{' first' if leading else ''}"]


@rule
def assistant_has(request, wanted):
    """One assistant message has these fields."""
    for turn in (m for m in messages(request) if m["role"] == "assistant"):
        if all(turn.get(key) == value for key, value in wanted.items()):
            return []
    return [f"no assistant message has {wanted!r}"]


@rule
def assistant_not_empty(request):
    return [
        f"message {index} has neither content nor calls: {turn!r}"
        for index, turn in enumerate(messages(request))
        if turn["role"] == "assistant" and not turn.get("content") and not turn.get("tool_calls")
    ]


@rule
def images_only_in_user(request, min=1):
    """Image parts are in user messages and nowhere else."""
    held = {"user": 0, "other": 0}
    for turn in messages(request):
        images = sum(b.get("type") in ("image_url", "image") for b in blocks(turn))
        held["user" if turn["role"] == "user" else "other"] += images
    return [] if held["user"] >= min and not held["other"] else [f"images: {held}"]


@rule
def no_lone_surrogates(request):
    bad = [
        item
        for item in walk(request["body"])
        if isinstance(item, str) and any("\ud800" <= char <= "\udfff" for char in item)
    ]
    return [f"not valid Unicode: {bad[0]!r}"] if bad else []


@rule
def requests_sent(request, min=1, max=None):
    number = request.get("count", 1)
    right = number >= min and (max is None or number <= max)
    return [] if right else [f"{number} requests were sent"]
