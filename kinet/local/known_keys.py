"""Whose key it is: by the variable that holds it, or by its first characters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kinet.core.profile import ModelProfile, WireProtocol


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A vendor's variable, the address its key is for, a sensible model, and what keys look like.

    `shape` is a pattern for the whole key; "" where keys of this vendor look like others' do.
    """

    variable: str
    name: str
    base_url: str
    model: str
    protocol: WireProtocol = "openai"
    shape: str = ""

    def profile(self) -> ModelProfile:
        """A profile on this vendor that takes its key from the keychain."""
        return ModelProfile(self.name, self.base_url, self.model, self.protocol)


KEYS: tuple[KnownKey, ...] = (
    KnownKey(
        "ANTHROPIC_API_KEY",
        "Anthropic",
        "https://api.anthropic.com",
        "claude-sonnet-4-5",
        "anthropic",
        r"sk-ant-.+",
    ),
    KnownKey(
        "OPENAI_API_KEY",
        "OpenAI",
        "https://api.openai.com/v1",
        "gpt-5",
        shape=r"sk-(proj|svcacct|admin)-.+",
    ),
    KnownKey("DEEPSEEK_API_KEY", "DeepSeek", "https://api.deepseek.com/v1", "deepseek-chat"),
    KnownKey(
        "OPENROUTER_API_KEY",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "openrouter/auto",
        shape=r"sk-or-.+",
    ),
    KnownKey(
        "ZAI_API_KEY",
        "GLM",
        "https://api.z.ai/api/paas/v4",
        "glm-4.6",
        shape=r"[0-9a-f]{32}\.[A-Za-z0-9]{16}",
    ),
    KnownKey("ZHIPUAI_API_KEY", "Zhipu", "https://open.bigmodel.cn/api/paas/v4", "glm-4.6"),
    KnownKey("ZHIPU_API_KEY", "Zhipu", "https://open.bigmodel.cn/api/paas/v4", "glm-4.6"),
    KnownKey("GLM_API_KEY", "Zhipu", "https://open.bigmodel.cn/api/paas/v4", "glm-4.6"),
    KnownKey(
        "GEMINI_API_KEY",
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "gemini-2.5-pro",
        shape=r"AIza[\w-]{30,}",
    ),
    KnownKey("MOONSHOT_API_KEY", "Kimi", "https://api.moonshot.ai/v1", "kimi-k2-0905-preview"),
    KnownKey(
        "DASHSCOPE_API_KEY",
        "Qwen",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "qwen-plus",
    ),
)


def owners(key: str) -> tuple[KnownKey, ...]:
    """The one vendor this key is of; where its first characters do not tell, all common ones."""
    key = key.strip()
    for known in KEYS:
        if known.shape and re.fullmatch(known.shape, key):
            return (known,)
    common: dict[str, KnownKey] = {}
    for known in KEYS:
        # A key with a shape of its own would have been recognised; plain "sk-" ones are many.
        if known.name not in common and (not known.shape or known.name == "OpenAI"):
            common[known.name] = known
    return tuple(common.values())
