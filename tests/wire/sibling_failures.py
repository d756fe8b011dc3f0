"""Failures of the kinds of the wire cases with other words: what other servers say.

The envelopes are those of servers in use; of their words only those are kept by which a client has
to know the failure.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

AUTH, BAD, CONTEXT = ("auth", False), ("bad_request", False), ("context_too_long", False)
BUSY, RATE = ("overloaded", True), ("rate_limit", True)


class Failing(NamedTuple):
    """A status with its body, and what it means; `says` is a piece of the message for a person."""

    status: int
    body: str
    kind: tuple[str, bool]
    says: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    wait: tuple[float, float] | None = None
    protocol: str = "openai"


def _error(message: str, **more: Any) -> str:
    return json.dumps({"error": {"message": message, **more}})


def _detail(value: Any) -> str:
    return json.dumps({"detail": value})


def _anthropic(type_: str, message: str) -> str:
    return json.dumps({"type": "error", "error": {"type": type_, "message": message}})


def failures() -> dict[str, Failing]:
    """All of them by name."""
    return {**_contexts(), **_not_contexts(), **_keys(), **_requests(), **_busy(), **_waits()}


def _contexts() -> dict[str, Failing]:
    words = {
        "openai": "This model's maximum context length is 8192 tokens. However, your messages "
        "resulted in 9001 tokens. Please reduce the length of the messages.",
        "openai responses": "Your input exceeds the context window of this model. Please "
        "adjust it.",
        "llama.cpp": "the request exceeds the available context size. try increasing it",
        "llama.cpp newer": "request (9001 tokens) exceeds the available context size (8192 tokens)",
        "llama-cpp-python": "Requested tokens (9001) exceed context window of 8192",
        "lm studio": "Trying to keep the first 9001 tokens when context the "
        "overflows. However, the "
        "model is loaded with context length of only 8192 tokens, which is not enough.",
        "lm studio mlx": "Context size has been exceeded.",
        "vllm": "This model's maximum context length is 8192 tokens. However, you requested 9001 "
        "tokens (8000 in the messages, 1001 in the completion).",
        "sglang": "The input (9001 tokens) is longer than the model's context "
        "length (8192 tokens).",
        "tgi": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192.",
        "mistral": "Prompt contains 9001 tokens and 0 draft tokens, too large for model with 8192 "
        "maximum context length",
        "gemini": "The input token count (9001) exceeds the maximum number of "
        "tokens allowed (8192).",
        "glm": "Prompt exceeds max length",
        "kimi": "Invalid request: Your request exceeded model token limit: 8192",
        "deepseek": "This model's maximum context length is 65536 tokens.",
        "qwen": "Range of input length should be [1, 8192]",
        "grok": "This model's maximum prompt length is 8192 but the request contains 9001 tokens.",
        "groq": "Please reduce the length of the messages or completion.",
        "cohere": "too many tokens: total number of tokens in the prompt cannot exceed 8192",
        "bedrock": "Input is too long for requested model.",
        "together": "Input length 9001 exceeds the maximum length: inputs tokens must be <= 8192",
        "fireworks": "The prompt is too long: 9001, model maximum context length: 8192",
        "minimax": "invalid params, context window exceeds limit",
        "copilot": "prompt token count of 9001 exceeds the limit of 8192",
        "crew": "context window full",
        "chinese": "输入内容过长，超出模型上下文限制",
    }
    out = {
        f"context, {name}": Failing(400, _error(text, type="invalid_request_error"), CONTEXT)
        for name, text in words.items()
    }
    out |= {
        "context, as text": Failing(400, json.dumps({"error": words["lm studio"]}), CONTEXT),
        "context, as detail": Failing(400, _detail("The prompt is too long: 9001 tokens"), CONTEXT),
        "context, by code": Failing(400, _error("No.", code="context_length_exceeded"), CONTEXT),
        "context, by type": Failing(
            400, _error("No.", type="exceed_context_size_error", n_ctx=8192), CONTEXT
        ),
        "context, glm code": Failing(400, _error("No.", code="1261"), CONTEXT),
        "context, litellm": Failing(
            400,
            _error(
                "litellm.ContextWindowExceededError: BadRequestError: prompt is too long",
                code="400",
            ),
            CONTEXT,
        ),
        "context, openrouter with the upstream's words": Failing(
            400,
            _error(
                "Provider returned error",
                code=400,
                metadata={"raw": _error(words["openai"]), "provider_name": "X"},
            ),
            CONTEXT,
        ),
        "context, 413": Failing(413, "Request Entity Too Large", CONTEXT),
        "context, 500 of an older llama.cpp": Failing(
            500, _error(words["llama.cpp"], code=500, type="exceed_context_size_error"), CONTEXT
        ),
        "context, anthropic": Failing(
            400,
            _anthropic(
                "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"
            ),
            CONTEXT,
            protocol="anthropic",
        ),
        "context, anthropic with its limit": Failing(
            400,
            _anthropic(
                "invalid_request_error",
                "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
            ),
            CONTEXT,
            protocol="anthropic",
        ),
        "context, anthropic 413": Failing(
            413,
            _anthropic("request_too_large", "Request exceeds the maximum size"),
            CONTEXT,
            protocol="anthropic",
        ),
    }
    return out


def _not_contexts() -> dict[str, Failing]:
    words = {
        "vllm newer": "'max_tokens' or 'max_completion_tokens' is too large: 1001. This model's "
        "maximum context length is 8192 tokens and your request has 8000 input tokens.",
        "openai": "max_tokens is too large: 99999. This model supports at most 16384 completion "
        "tokens, whereas you provided 99999.",
        "anthropic": "max_tokens: 99999 > 8192, which is the maximum allowed "
        "number of output tokens",
        "deepseek": "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "qwen": "Range of max_tokens should be [1, 8192]",
        "groq": "`max_tokens` must be less than or equal to `8192`, the "
        "maximum value for this model",
        "a tool": "tools.0.function.description: string too long",
        "a picture": "Image size exceeds 5 MB maximum",
        "a name": "Invalid 'tools[0].function.name': string does not match pattern",
    }
    return {f"no context, {name}": Failing(400, _error(text), BAD) for name, text in words.items()}


def _keys() -> dict[str, Failing]:
    return {
        "key, openai": Failing(
            401, _error("Incorrect API key provided.", code="invalid_api_key"), AUTH
        ),
        "key, text": Failing(401, "Unauthorized", AUTH, "Unauthorized"),
        "key, empty": Failing(401, "", AUTH),
        "key, fastapi": Failing(401, _detail("Not authenticated"), AUTH, "Not authenticated"),
        "key, gemini in a list": Failing(
            400,
            json.dumps(
                [
                    {
                        "error": {
                            "code": 400,
                            "message": "API key not valid. Please pass a valid API key.",
                            "status": "INVALID_ARGUMENT",
                        }
                    }
                ]
            ),
            AUTH,
        ),
        "key, glm": Failing(401, _error("token expired or incorrect", code="401"), AUTH),
        "key, azure": Failing(401, _error("Access denied due to invalid subscription key"), AUTH),
        "key, a page": Failing(403, "<html><title>403 Forbidden</title></html>", AUTH),
        "key, region": Failing(
            403,
            _error("Country, region, or territory not supported", code="unsupported_country"),
            AUTH,
        ),
        "key, no model permission": Failing(
            403, _error("Project does not have access to model"), AUTH
        ),
        "key, anthropic": Failing(
            401, _anthropic("authentication_error", "invalid x-api-key"), AUTH, protocol="anthropic"
        ),
        "key, proxy": Failing(407, "Proxy Authentication Required", AUTH),
        "credit, deepseek": Failing(402, _error("Insufficient Balance"), AUTH),
        "credit, openrouter": Failing(
            402, _error("This request requires more credits", code=402), AUTH
        ),
        "credit, openai": Failing(
            429, _error("You exceeded your current quota", code="insufficient_quota"), AUTH
        ),
        "credit, kimi": Failing(
            429, _error("Your account is suspended", type="exceeded_current_quota_error"), AUTH
        ),
        "credit, glm": Failing(429, _error("余额不足或无可用资源包,请充值。", code="1113"), AUTH),
        "credit, anthropic": Failing(
            400,
            _anthropic("invalid_request_error", "Your credit balance is too low to access"),
            AUTH,
            protocol="anthropic",
        ),
        "credit, qwen": Failing(
            400,
            _error("Access denied, account is in good standing check overdue", code="Arrearage"),
            AUTH,
        ),
    }


def _requests() -> dict[str, Failing]:
    items = [{"loc": ["body", "messages", 0, "role"], "msg": "Input should be 'user'"}]
    return {
        "request, fastapi list": Failing(422, _detail(items), BAD, "Input should be 'user'"),
        "request, pydantic in error": Failing(
            400, json.dumps({"error": items}), BAD, "Input should"
        ),
        "request, message at the top": Failing(
            400,
            json.dumps({"object": "error", "message": "bad role", "code": 400}),
            BAD,
            "bad role",
        ),
        "request, error_msg": Failing(
            400, json.dumps({"error_code": 17, "error_msg": "bad role"}), BAD, "bad role"
        ),
        "request, errors": Failing(400, json.dumps({"errors": ["bad role"]}), BAD, "bad role"),
        "request, title": Failing(
            400,
            json.dumps({"type": "about:blank", "title": "bad role", "status": 400}),
            BAD,
            "bad role",
        ),
        "request, plain": Failing(400, "bad role", BAD, "bad role"),
        "request, a number": Failing(400, "7", BAD),
        "request, empty": Failing(400, "", BAD),
        "request, broken": Failing(400, '{"error": {"mess', BAD),
        "request, an event": Failing(
            400, 'data: {"error": {"message": "bad role"}}\n\n', BAD, "bad role"
        ),
        "model, openai": Failing(
            404, _error("The model `x` does not exist", code="model_not_found"), BAD
        ),
        "model, ollama": Failing(
            404, json.dumps({"error": "model 'x' not found"}), BAD, "not found"
        ),
        "model, glm": Failing(400, _error("模型不存在", code="1211"), BAD),
        "model, anthropic": Failing(
            404, _anthropic("not_found_error", "model: claude-x"), BAD, protocol="anthropic"
        ),
        "address, fastapi": Failing(404, _detail("Not Found"), BAD),
        "address, a page": Failing(404, "<!DOCTYPE html><title>404</title>", BAD),
        "address, method": Failing(405, _detail("Method Not Allowed"), BAD),
        "address, moved": Failing(301, "", BAD, headers=(("location", "https://elsewhere.test/"),)),
        "filter, azure": Failing(
            400,
            _error(
                "The response was filtered due to the prompt",
                code="content_filter",
                innererror={"code": "ResponsibleAIPolicyViolation"},
            ),
            BAD,
        ),
        "filter, qwen": Failing(
            400,
            _error("Input data may contain inappropriate content.", code="data_inspection_failed"),
            BAD,
        ),
        "filter, glm": Failing(
            400, _error("系统检测到输入或生成内容可能包含敏感内容", code="1301"), BAD
        ),
    }


def _busy() -> dict[str, Failing]:
    return {
        "busy, openai": Failing(500, _error("The server had an error", type="server_error"), BUSY),
        "busy, anthropic": Failing(
            529,
            _anthropic("overloaded_error", "Overloaded"),
            BUSY,
            "Overloaded",
            protocol="anthropic",
        ),
        "busy, cloudflare 520": Failing(
            520, "<html>Web server is returning an unknown error</html>", BUSY
        ),
        "busy, cloudflare 524": Failing(524, "error code: 524", BUSY),
        "busy, nginx": Failing(502, "<html><h1>502 Bad Gateway</h1></html>", BUSY),
        "busy, gateway": Failing(504, "", BUSY),
        "busy, llama.cpp loads": Failing(
            503, _error("Loading model", type="unavailable_error", code=503), BUSY, "Loading model"
        ),
        "busy, gemini": Failing(
            503,
            json.dumps(
                [
                    {
                        "error": {
                            "code": 503,
                            "message": "The model is overloaded.",
                            "status": "UNAVAILABLE",
                        }
                    }
                ]
            ),
            BUSY,
            "overloaded",
        ),
        "busy, request timeout": Failing(408, "", BUSY),
        "busy, text": Failing(503, "upstream connect error", BUSY, "upstream connect error"),
        "busy, in a good status": Failing(
            200, _error("upstream failed", code=502), BUSY, "upstream"
        ),
        "busy, openrouter in a good status": Failing(
            200, json.dumps({"error": {"code": 429, "message": "Rate limited upstream"}}), RATE
        ),
        "busy, minimax in a good status": Failing(
            200, json.dumps({"code": 1000, "message": "internal error"}), BUSY, "internal error"
        ),
        "key, in a good status": Failing(
            200, json.dumps({"error": {"code": 401, "message": "No auth credentials found"}}), AUTH
        ),
        "a page in a good status": Failing(200, "<html>Sign in</html>", ("protocol", False)),
        "nothing in a good status": Failing(200, "", ("protocol", True)),
        "words in a good status": Failing(200, "OK", ("protocol", False), "OK"),
    }


def _waits() -> dict[str, Failing]:
    def rate(message: str, *headers: tuple[str, str], wait: Any = None) -> Failing:
        body = _error(message, type="rate_limit_error")
        return Failing(429, body, RATE, headers=headers, wait=wait)

    return {
        "wait, seconds": rate("slow down", ("retry-after", "12"), wait=(12, 12)),
        "wait, part of a second": rate("slow down", ("retry-after", "0.5"), wait=(0.5, 0.5)),
        "wait, milliseconds": rate("slow down", ("retry-after-ms", "1500"), wait=(1.5, 1.5)),
        "wait, both": rate(
            "slow", ("retry-after", "2"), ("retry-after-ms", "1500"), wait=(1.5, 1.5)
        ),
        "wait, blanks": rate("slow down", ("retry-after", " 12 "), wait=(12, 12)),
        "wait, nonsense": rate("slow down", ("retry-after", "soon")),
        "wait, below nothing": rate("slow down", ("retry-after", "-3")),
        "wait, long ago": rate(
            "slow down", ("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), wait=(0, 0)
        ),
        "wait, in words": rate("Please try again in 1.7s.", wait=(1.7, 1.7)),
        "wait, in words with ms": rate("Please try again in 250ms.", wait=(0.25, 0.25)),
        "wait, in words with minutes": rate("Please try again in 6m0s.", wait=(360, 360)),
        "wait, in words with minutes and seconds": rate(
            "Please try again in 2m30.5s.", wait=(150.5, 150.5)
        ),
        "wait, in words with hours": rate("Please try again in 1h2m3s.", wait=(3723, 3723)),
        "wait, gemini": Failing(
            429,
            json.dumps(
                [
                    {
                        "error": {
                            "code": 429,
                            "message": "Quota exceeded",
                            "details": [
                                {
                                    "@type": "type.googleapis.com/google.rpc.RetryInfo",
                                    "retryDelay": "37s",
                                }
                            ],
                        }
                    }
                ]
            ),
            RATE,
            wait=(37, 37),
        ),
        "wait, tokens a minute": rate("Too many tokens per minute, limit 30000."),
        "wait, requests a day": rate("Rate limit reached for requests per day."),
        "wait, busy": Failing(503, "later", BUSY, headers=(("retry-after", "5"),), wait=(5, 5)),
    }
