"""Puts chat messages into the form that Ollama's own API takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kinet.core.messages import Message
from kinet.providers.protocols.openai_messages import ChatBuilder


class OllamaBuilder:
    """Makes Ollama's messages of a history: plain text, bare pictures, arguments as objects."""

    def __init__(self, chat: ChatBuilder) -> None:
        self._chat = chat
        self._put: list[Mapping[str, Any]] = []
        self._out: list[dict[str, Any]] = []
        self._names: dict[str, str] = {}

    def extend(self, messages: Sequence[Message]) -> None:
        """Takes the messages that follow, in which every call is answered at once."""
        self._chat.extend(messages)
        chat = self._chat.messages()
        # Only the newest may have been replaced: texts of one role are joined.
        while self._put and chat[len(self._put) - 1] is not self._put[-1]:
            self._put.pop()
            self._out.pop()
        for message in chat[len(self._put) :]:
            self._put.append(message)
            self._out.append(self._own_form(message))

    def messages(self) -> list[dict[str, Any]]:
        """All messages so far; the list is the caller's, its items are not."""
        return list(self._out)

    def _own_form(self, message: Mapping[str, Any]) -> dict[str, Any]:
        text, images = _text_and_images(message.get("content"))
        made: dict[str, Any] = {"role": message["role"], "content": text}
        if images:
            made["images"] = images
        if message.get("reasoning_content"):
            made["thinking"] = message["reasoning_content"]
        if message.get("tool_calls"):
            made["tool_calls"] = []
            for call in message["tool_calls"]:
                function = call["function"]
                self._names[call["id"]] = function["name"]
                arguments = json.loads(function["arguments"])
                made["tool_calls"].append(
                    {"function": {"name": function["name"], "arguments": arguments}}
                )
        if message["role"] == "tool":
            made["tool_name"] = self._names.get(message["tool_call_id"], "")
        return made


def _text_and_images(content: Any) -> tuple[str, list[str]]:
    if isinstance(content, str):
        return content, []
    texts: list[str] = []
    images: list[str] = []
    for part in content or ():
        url = part.get("image_url", {}).get("url", "")
        if part.get("type") == "text":
            texts.append(part["text"])
        elif url.startswith("data:"):
            images.append(url.partition("base64,")[2])
        elif url:
            texts.append(f"[a picture at {url}; this server takes no addresses]")
    return "\n\n".join(texts), images
