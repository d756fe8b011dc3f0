"""Other instances of the kinds of the request cases: what is sent keeps the same rules."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from wire_rules import check_request

from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.providers.complete import complete

HOST = "http://server.test"
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
ALWAYS = [{"rule": "no_key", "key": "_memory"}, {"rule": "no_lone_surrogates"}]


def said(role: str, text: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": text, **more}


def asks(*calls: tuple[str, str, str], text: Any = None, **more: Any) -> dict[str, Any]:
    made = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id_, name, arguments in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": made, **more}


def told(id_: str, text: Any = "seen") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": text}


async def sent(
    messages: list[Any], vendor: str = "", protocol: Any = "openai", base: str = "/v1", **more: Any
) -> dict[str, Any]:
    """The request for these messages, as the rules take it."""
    profile = ModelProfile(
        "p", HOST + base, more.pop("model", "m"), protocol=protocol, vendor=vendor
    )
    key = more.pop("key", "test-key")
    document = {"messages": messages, **more}
    out, code = await complete(document, profile, Secret(key) if key else None, dry_run=True)
    assert code == 0, out
    body = json.loads(json.dumps(out["body"]))
    return {"path": urlsplit(out["url"]).path, "headers": out["headers"], "body": body}


def keeps(request: dict[str, Any], *rules: dict[str, Any]) -> None:
    assert check_request([*ALWAYS, *rules], request) == []


@pytest.mark.parametrize(
    ("protocol", "base", "path"),
    [
        ("openai", "", "/v1/chat/completions"),
        ("openai", "/", "/v1/chat/completions"),
        ("openai", "/v1//", "/v1/chat/completions"),
        ("openai", "/v2", "/v2/chat/completions"),
        ("openai", "/openai/v1", "/openai/v1/chat/completions"),
        ("openai", "/api/v1/chat/completions/", "/api/v1/chat/completions"),
        ("openai", "/v1/completions", "/v1/chat/completions"),
        ("openai", "/v1/models", "/v1/chat/completions"),
        ("openai", "/api/coding/paas/v4", "/api/coding/paas/v4/chat/completions"),
        ("openai", "/compatible-mode/v1", "/compatible-mode/v1/chat/completions"),
        ("openai", "/inference/v1/", "/inference/v1/chat/completions"),
        ("openai", "/v1beta/openai", "/v1beta/openai/chat/completions"),
        ("openai", "/proxy/team-a", "/proxy/team-a/chat/completions"),
        ("responses", "", "/v1/responses"),
        ("responses", "/v1/responses", "/v1/responses"),
        ("responses", "/v1/chat/completions", "/v1/responses"),
        ("anthropic", "/", "/v1/messages"),
        ("anthropic", "/v1/messages", "/v1/messages"),
        ("anthropic", "/anthropic", "/anthropic/v1/messages"),
        ("anthropic", "/api/anthropic/v1/", "/api/anthropic/v1/messages"),
    ],
)
async def test_a_base_url_leads_to_the_one_address(protocol, base, path):
    request = await sent([said("user", "x")], protocol=protocol, base=base)
    keeps(request, {"rule": "path_is", "any": [path]})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sk-1", "Bearer ***"),
        ("  sk-1\r\n", "Bearer ***"),
        ("\ufeffsk-1", "Bearer ***"),
        ("sk\u200b-1", "Bearer ***"),
        ("", None),
        ("  \n", None),
    ],
)
async def test_a_key_is_sent_clean_or_not_at_all(key, value):
    request = await sent([said("user", "x")], key=key)
    rule = {"absent": True} if value is None else {"equals": value}
    keeps(request, {"rule": "header", "name": "authorization", **rule})


VENDORS = ("openai", "deepseek", "mistral", "gemini", "groq", "openrouter", "llamacpp", "vllm",
           "lmstudio", "moonshot", "glm", "dashscope", "azure", "generic")  # fmt: skip
ROUTES = [*((vendor, "openai") for vendor in VENDORS), ("anthropic", "anthropic")]


@pytest.mark.parametrize(("vendor", "protocol"), ROUTES)
async def test_every_history_is_paired_and_its_ids_fit(vendor, protocol):
    long = "call_" + "x" * 70
    ids = ["toolu_01:a.b/c", long, "", "ok_1", "ok_1", "标识"]
    messages = [said("user", "x"), told("orphan")]
    for id_ in ids:
        messages += [asks((id_, "look", "{}"), (f"{id_}-2", "look", "")), told(f"{id_}-2")]
        messages += [told(id_), told(id_, "twice")]
    messages += [asks(("last", "look", '{"a": 1}'))]
    rules = {
        "mistral": r"[a-zA-Z0-9]{9}",
        "anthropic": r"[a-zA-Z0-9_-]{1,64}",
    }
    keeps(
        await sent(messages, vendor, protocol, tools=[LOOK]),
        {"rule": "tool_pairs"},
        {"rule": "tool_ids_ok", "regex": rules.get(vendor, r"[\x21-\x7e]{1,40}")},
        {"rule": "no_empty_text"} if protocol == "anthropic" else {"rule": "assistant_not_empty"},
    )


@pytest.mark.parametrize(("vendor", "protocol"), ROUTES)
async def test_every_tool_name_fits_and_the_history_uses_declared_ones(vendor, protocol):
    names = ["a.b", "a b", "a/b", "server::tool", "x" * 80, "x" * 79 + "y", "名", "look"]
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    calls = asks(*((f"c{n}", name, "{}") for n, name in enumerate(names)))
    results = [told(f"c{n}") for n in range(len(names))]
    keeps(
        await sent([said("user", "x"), calls, *results], vendor, protocol, tools=tools),
        {"rule": "tool_names_ok", "regex": r"[a-zA-Z0-9_-]{1,64}", "count": len(names)},
    )


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "null",
        "{",
        '{"a": ',
        "[1]",
        '"text"',
        "7",
        '{"a": 1}{"a": 1}',
        '{"a": NaN}',
        "{'a': 1}",
    ],
)
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_broken_arguments_of_the_history_go_as_an_object(protocol, arguments):
    messages = [said("user", "x"), asks(("c1", "look", arguments)), told("c1")]
    request = await sent(messages, protocol=protocol, tools=[LOOK])
    keeps(request, {"rule": "call_arguments", "expected": [None]})


@pytest.mark.parametrize("vendor", ["llamacpp", "vllm", "lmstudio", "sglang", "mistral"])
async def test_a_strict_template_gets_alternating_roles_and_one_system_text(vendor):
    messages = [
        said("system", "One."),
        said("system", "Two."),
        said("user", "facts", _memory=True),
        said("user", "x"),
        said("user", "y"),
        said("assistant", "a"),
        said("assistant", "b"),
        said("system", "Late."),
        asks(("c1", "look", "{}")),
        told("c1"),
        said("assistant", "done"),
        said("user", "z"),
    ]
    keeps(
        await sent(messages, vendor, tools=[LOOK]),
        {"rule": "system_first"},
        {"rule": "roles_alternate"},
        {"rule": "texts_in_order", "texts": ["One.", "Two.", "facts", "x", "y", "Late.", "z"]},
    )


@pytest.mark.parametrize("blank", ["", " ", "\n\t", None, []])
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_blank_texts_are_left_out(protocol, blank):
    messages = [
        said("user", "x"),
        said("assistant", blank),
        said("user", [{"type": "text", "text": ""}, {"type": "text", "text": "y"}]),
        asks(("c1", "look", "{}"), text=blank),
        told("c1", blank or ""),
    ]
    request = await sent(messages, protocol=protocol, tools=[LOOK])
    keeps(request, {"rule": "assistant_not_empty"}, {"rule": "tool_pairs", "calls": 1})
    if protocol == "anthropic":
        keeps(request, {"rule": "no_empty_text"}, {"rule": "roles_alternate"})


@pytest.mark.parametrize(
    ("vendor", "model", "name"),
    [
        ("openai", "gpt-5.1", "max_completion_tokens"),
        ("openai", "o4-mini", "max_completion_tokens"),
        ("openai", "gpt-4.1", "max_tokens"),
        ("azure", "gpt-5", "max_completion_tokens"),
        ("deepseek", "deepseek-reasoner", "max_tokens"),
        ("mistral", "magistral-medium", "max_tokens"),
        ("vllm", "openai/gpt-oss-120b", "max_tokens"),
        ("openrouter", "openai/gpt-5", "max_tokens"),
        ("generic", "anything", "max_tokens"),
    ],
)
async def test_the_output_limit_has_the_vendor_s_name(vendor, model, name):
    settings = {"max_tokens": 77, "temperature": 0.2}
    request = await sent([said("user", "x")], vendor, model=model, settings=settings)
    other = {"max_tokens": "max_completion_tokens"}.get(name, "max_tokens")
    keeps(
        request,
        {"rule": "equals", "path": name, "value": 77},
        {"rule": "absent", "path": other},
        {"rule": "absent" if "completion" in name else "present", "path": "temperature"},
    )


REFUSALS = [
    ("stream_options", "Unknown parameter: 'stream_options'."),
    ("stream_options", "stream_options: Extra inputs are not permitted"),
    ("stream_options", 'json: unknown field "stream_options"'),
    ("stream_options", "Unrecognized request argument supplied: stream_options"),
    ("temperature", "Unsupported value: 'temperature' does not support 0.5 with this model."),
    ("temperature", "`temperature` is deprecated for this model."),
    ("temperature", "temperature is not supported by this model"),
    ("top_p", "`temperature` and `top_p` cannot both be specified for this model."),
    ("tool_choice", '"required" tool_choice is not supported by this server'),
    ("tool_choice", "Thinking mode does not support this tool_choice"),
]


@pytest.mark.parametrize(("name", "words"), REFUSALS)
async def test_a_parameter_that_is_refused_by_name_is_left_out_once(name, words):
    bodies: list[dict[str, Any]] = []

    async def pieces(text: str) -> Any:
        yield text.encode()

    def server(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        if name in bodies[-1]:
            error = json.dumps({"error": {"message": words, "type": "invalid_request_error"}})
            return httpx.Response(400, content=pieces(error))
        whole = {"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}
        return httpx.Response(200, content=pieces(json.dumps(whole)))

    profile = ModelProfile("p", f"{HOST}/v1", "m")
    document = {
        "messages": [said("user", "x")],
        "tools": [LOOK],
        "tool_choice": "required",
        "settings": {"temperature": 0.5, "top_p": 0.5},
    }
    async with httpx.AsyncClient(transport=httpx.MockTransport(server)) as client:
        out, code = await complete(document, profile, None, retries=0, client=client)
    assert (code, out.get("content")) == (0, "ok")
    assert len(bodies) == 2
    assert bodies[0].keys() - bodies[1].keys() <= {name}


PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA"
    "60e6kgAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize(
    ("url", "is_sent"),
    [
        (PIXEL, True),
        (PIXEL.replace("image/png", "image/jpeg"), True),
        (PIXEL.replace("image/png", "application/octet-stream"), True),
        ("https://pictures.test/a.png", True),
        ("data:image/svg+xml;base64,PHN2Zz4=", False),
        ("data:image/png;base64,", False),
        ("data:image/png;base64,!!!!", False),
        ("file:///etc/passwd", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_a_picture_is_sent_as_what_it_is_or_named(protocol, url, is_sent):
    picture = {"type": "image_url", "image_url": {"url": url}}
    messages = [
        said("user", [{"type": "text", "text": "see"}, picture]),
        asks(("c1", "look", "{}")),
        told("c1", [{"type": "text", "text": "shot"}, picture]),
    ]
    request = await sent(messages, protocol=protocol, tools=[LOOK])
    text = json.dumps(request["body"])
    assert ("a picture was here" in text) is not is_sent
    assert "image/jpeg" not in text
    keeps(request, {"rule": "tool_pairs", "calls": 1})
    if protocol == "openai" and is_sent:
        keeps(request, {"rule": "images_only_in_user", "min": 2})


FOREIGN = (
    "reasoning_content",
    "reasoning",
    "thinking",
    "annotations",
    "audio",
    "refusal",
    "function_call",
    "cache_control",
)
STRICT = [("groq", "openai"), ("mistral", "openai"), ("anthropic", "anthropic")]


@pytest.mark.parametrize("field", FOREIGN)
@pytest.mark.parametrize(("vendor", "protocol"), STRICT)
async def test_foreign_fields_of_a_history_stay_at_home(vendor, protocol, field):
    foreign = {field: "foreign words"} if field != "function_call" else {field: None}
    messages = [said("user", "x"), said("assistant", "a", **foreign), said("user", "y")]
    request = await sent(messages, vendor, protocol)
    keeps(request, {"rule": "text_absent", "text": "foreign words"})
    if field != "cache_control":
        keeps(request, {"rule": "no_key", "key": field})
