"""The table of vendors: what each server wants and takes, as plain data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from kinet.core.profile import ModelProfile, WireProtocol
from kinet.net.loopback import is_loopback
from kinet.net.pictures import COMMON_BYTES, COMMON_SIDE

ToolIds = Literal["any40", "safe64", "nine"]
EffortForm = Literal["", "reasoning_effort", "reasoning", "thinking", "enable_thinking"]


@dataclass(frozen=True, slots=True)
class Vendor:
    """One row: where a vendor is found and what is special about its servers.

    `hosts` are ends of host names, `ports` ports of this computer, `paths` parts of the address's
    path, `models` a pattern for model names. `reasoning_back` says which assistant messages carry
    their reasoning text when sent again.
    """

    id: str
    title: str
    protocol: WireProtocol = "openai"
    base_url: str = ""
    key_env: str = ""
    hosts: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    paths: tuple[str, ...] = ()
    models: str = ""
    # The output limit's name: max_completion_tokens for all models, or for reasoning models only.
    completion_tokens: Literal["never", "reasoning", "always"] = "never"
    stream_options: bool = True
    tool_ids: ToolIds = "any40"
    reasoning_back: Literal["never", "calls", "all"] = "never"
    reasoning_details: bool = False
    extra_content: bool = False
    effort: EffortForm = ""
    cache_key: bool = False
    # Models whose cached prefixes have to be marked.
    cache_marks: str = ""
    fixed_sampling: str = ""
    total_tells_reasoning: bool = False
    key_header: Literal["bearer", "api-key"] = "bearer"
    headers: tuple[tuple[str, str], ...] = field(default=())
    local: bool = False
    # Pictures are made smaller than this before they travel: longer side in pixels, bytes.
    picture_side: int = COMMON_SIDE
    picture_bytes: int = COMMON_BYTES


OPENAI_REASONING = r"(?:^|/)(?:o[1-9](?:$|[-.:])|gpt-[5-9](?!.*chat)|codex|computer-use)"

VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "openai",
        "OpenAI",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
        hosts=("api.openai.com",),
        models=r"^(?:gpt-|chatgpt-|o[1-9](?:$|[-.])|codex)",
        completion_tokens="reasoning",
        effort="reasoning_effort",
        cache_key=True,
        fixed_sampling=OPENAI_REASONING,
    ),
    Vendor(
        "anthropic",
        "Anthropic",
        protocol="anthropic",
        base_url="https://api.anthropic.com",
        key_env="ANTHROPIC_API_KEY",
        hosts=("api.anthropic.com",),
        models=r"^claude",
        tool_ids="safe64",
        # Larger ones are scaled down there, after they were uploaded.
        picture_side=1_568,
    ),
    Vendor(
        "azure",
        "Azure",
        key_env="AZURE_OPENAI_API_KEY",
        hosts=(".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"),
        completion_tokens="reasoning",
        effort="reasoning_effort",
        fixed_sampling=OPENAI_REASONING,
        key_header="api-key",
    ),
    Vendor(
        "openrouter",
        "OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_env="OPENROUTER_API_KEY",
        hosts=("openrouter.ai",),
        models=r"^(?:anthropic|openai|google|x-ai|z-ai|moonshotai|deepseek|meta-llama|mistralai"
        r"|qwen|minimax)/[\w.:-]+$",
        reasoning_details=True,
        effort="reasoning",
        cache_marks=r"^anthropic/",
    ),
    Vendor(
        "deepseek",
        "DeepSeek",
        base_url="https://api.deepseek.com/v1",
        key_env="DEEPSEEK_API_KEY",
        hosts=("api.deepseek.com",),
        models=r"^deepseek-",
        reasoning_back="calls",
        effort="thinking",
    ),
    Vendor(
        "glm",
        "GLM (Z.ai, BigModel)",
        base_url="https://api.z.ai/api/paas/v4",
        key_env="ZAI_API_KEY",
        hosts=("api.z.ai", "open.bigmodel.cn", "bigmodel.cn"),
        paths=("/api/paas/v", "/api/coding/paas/v"),
        models=r"^glm-",
        reasoning_back="calls",
        effort="thinking",
    ),
    Vendor(
        "moonshot",
        "Kimi (Moonshot)",
        base_url="https://api.moonshot.ai/v1",
        key_env="MOONSHOT_API_KEY",
        hosts=("api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"),
        models=r"^(?:kimi|moonshot)",
        reasoning_back="calls",
        effort="thinking",
    ),
    Vendor(
        "dashscope",
        "Qwen (DashScope)",
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key_env="DASHSCOPE_API_KEY",
        hosts=(".aliyuncs.com",),
        paths=("/compatible-mode/",),
        models=r"^(?:qwen|qwq|qvq)(?:-|\d*(?:\.\d+)?-)(?:max|plus|turbo|flash|coder-plus|long)",
        reasoning_back="calls",
        effort="enable_thinking",
    ),
    Vendor(
        "minimax",
        "MiniMax",
        base_url="https://api.minimax.io/v1",
        key_env="MINIMAX_API_KEY",
        hosts=("api.minimax.io", "api.minimaxi.com"),
        models=r"^minimax-",
        reasoning_details=True,
    ),
    Vendor(
        "volcengine",
        "Doubao (Volcengine)",
        base_url="https://ark.cn-beijing.volces.com/api/v3",
        key_env="ARK_API_KEY",
        hosts=(".volces.com",),
        models=r"^doubao-",
        reasoning_back="calls",
        effort="thinking",
    ),
    Vendor(
        "gemini",
        "Google Gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_env="GEMINI_API_KEY",
        hosts=("generativelanguage.googleapis.com", "aiplatform.googleapis.com"),
        paths=("/v1beta/openai",),
        models=r"^(?:models/)?gemini-",
        extra_content=True,
        effort="reasoning_effort",
        total_tells_reasoning=True,
    ),
    Vendor(
        "mistral",
        "Mistral",
        base_url="https://api.mistral.ai/v1",
        key_env="MISTRAL_API_KEY",
        hosts=("api.mistral.ai", "codestral.mistral.ai"),
        models=r"^(?:mistral-(?:large|medium|small|tiny)|ministral-|codestral|devstral|magistral|pixtral)",
        tool_ids="nine",
    ),
    Vendor(
        "groq",
        "Groq",
        base_url="https://api.groq.com/openai/v1",
        key_env="GROQ_API_KEY",
        hosts=("api.groq.com",),
        models=r"-(?:versatile|instant)$",
        effort="reasoning_effort",
        picture_bytes=2_500_000,
    ),
    Vendor(
        "xai",
        "xAI",
        base_url="https://api.x.ai/v1",
        key_env="XAI_API_KEY",
        hosts=("api.x.ai",),
        models=r"^grok-",
    ),
    Vendor(
        "together",
        "Together",
        base_url="https://api.together.xyz/v1",
        key_env="TOGETHER_API_KEY",
        hosts=("api.together.xyz", "api.together.ai"),
    ),
    Vendor(
        "fireworks",
        "Fireworks",
        base_url="https://api.fireworks.ai/inference/v1",
        key_env="FIREWORKS_API_KEY",
        hosts=("api.fireworks.ai",),
    ),
    Vendor(
        "siliconflow",
        "SiliconFlow",
        base_url="https://api.siliconflow.com/v1",
        key_env="SILICONFLOW_API_KEY",
        hosts=("api.siliconflow.com", "api.siliconflow.cn"),
        effort="enable_thinking",
    ),
    Vendor(
        "ollama",
        "Ollama",
        base_url="http://127.0.0.1:11434/v1",
        ports=(11434,),
        hosts=("ollama.com",),
        local=True,
        effort="reasoning_effort",
    ),
    Vendor(
        "lmstudio",
        "LM Studio",
        base_url="http://127.0.0.1:1234/v1",
        ports=(1234,),
        local=True,
        reasoning_back="calls",
    ),
    Vendor(
        "llamacpp",
        "llama.cpp",
        base_url="http://127.0.0.1:8080/v1",
        ports=(8080,),
        local=True,
        reasoning_back="calls",
    ),
    Vendor(
        "vllm",
        "vLLM",
        base_url="http://127.0.0.1:8000/v1",
        ports=(8000,),
        local=True,
    ),
    Vendor("sglang", "SGLang", base_url="http://127.0.0.1:30000/v1", ports=(30000,), local=True),
    Vendor("generic", "Another server"),
)

_BY_ID = {vendor.id: vendor for vendor in VENDORS}
# Other names under which people and documents know a row.
_ALIASES = {
    "zai": "glm",
    "z.ai": "glm",
    "zhipu": "glm",
    "bigmodel": "glm",
    "qwen": "dashscope",
    "alibaba": "dashscope",
    "kimi": "moonshot",
    "google": "gemini",
    "vertex": "gemini",
    "doubao": "volcengine",
    "ark": "volcengine",
    "llama.cpp": "llamacpp",
    "lm-studio": "lmstudio",
    "claude": "anthropic",
    "x.ai": "xai",
    "grok": "xai",
    "azure-openai": "azure",
}


def vendor_named(name: str) -> Vendor:
    """The row with this id or alias; the generic one if there is none."""
    key = name.strip().lower()
    return _BY_ID.get(_ALIASES.get(key, key), _BY_ID["generic"])


def vendor_of(profile: ModelProfile) -> Vendor:
    """The row for a profile: as named, else told from host, local port, path and model."""
    if profile.vendor:
        return vendor_named(profile.vendor)
    try:
        parts = urlsplit(profile.base_url.strip())
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return _BY_ID["generic"]
    for vendor in VENDORS:
        if any(host == end.lstrip(".") or _ends(host, end) for end in vendor.hosts):
            return vendor
    if is_loopback(host):
        for vendor in VENDORS:
            if port in vendor.ports:
                return vendor
    for vendor in VENDORS:
        if any(part in parts.path for part in vendor.paths):
            return vendor
    model = profile.model.strip().lower()
    for vendor in VENDORS:
        if vendor.models and re.search(vendor.models, model):
            return vendor
    return _BY_ID["generic"]


def _ends(host: str, end: str) -> bool:
    return host.endswith(end if end.startswith(".") else f".{end}")
