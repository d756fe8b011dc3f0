"""What decoders of event streams have in common: end mark, values, complaints, what was made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from kinet.core.completion import Completion, FinishReason
from kinet.core.errors import OverloadedError, ProtocolError, ProviderError
from kinet.providers.base import StreamItem
from kinet.providers.protocols.reply import finish_word, is_failed_finish
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.complaints import Complaint, complaint_of
from kinet.providers.transport.failures import failure_in_stream
from kinet.providers.transport.json_values import json_value
from kinet.providers.transport.sse import ServerEvent
from kinet.providers.transport.surrogates import cleaned


class EventDecoder(ABC):
    """Makes stream items of one answer's events. See `transport.http_provider.Decoder`."""

    framing = "events"

    def __init__(self, model: str, names: ToolNames) -> None:
        self._asked_model = model
        self._names = names
        self._model = ""
        self._finish: FinishReason | None = None
        self._started = False
        self._ended = False
        self._made: list[StreamItem] = []

    @property
    def started(self) -> bool:
        """True once something of an answer came."""
        return self._started

    @property
    def finished(self) -> bool:
        """True once a finish reason or, after a beginning, the end mark came."""
        return self._started and (self._ended or self._finish is not None)

    @property
    def ended(self) -> bool:
        """True once the end mark came."""
        return self._ended

    def feed(self, event: ServerEvent) -> None:
        """Takes one event. ProviderError for an error in band or damaged data."""
        data = event.data.strip()
        if not data:
            return
        if data[:1] != b"{" and data.strip(b'"').upper() == b"[DONE]":
            self._end_mark()
            return
        try:
            value = json_value(data)
        except ValueError as exc:
            if event.name == "ping":
                return
            if event.name == "error":
                # An error may come in plain words instead of JSON.
                raise self._failure(Complaint(data.decode("utf-8", "replace"))) from exc
            raise ProtocolError(
                "The server sent a piece of the answer that cannot be read.",
                hint="Send again.",
                retryable=True,
            ) from exc
        self.take_value(value, event.name)

    def take_value(self, value: Any, name: str = "") -> None:
        """Takes one event's value. ProviderError for an error in band."""
        complaint = complaint_of(value)
        if complaint is None and name == "error":
            complaint = complaint_of({"error": value})
        if complaint is not None:
            self._before_failure(value)
            raise self._failure(complaint)
        if isinstance(value, dict):
            self._event(name, value)

    def whole(self, document: Mapping[str, Any]) -> None:
        """Takes an answer that came in one piece. ProviderError if it is none."""
        complaint = complaint_of(document)
        if complaint is None and not self._is_answer(document):
            complaint = complaint_of({"error": document}) or Complaint()
        if complaint is not None:
            self._before_failure(document)
            raise self._failure(complaint)
        self._document(document)
        self._ended = True

    def take(self) -> list[StreamItem]:
        """The items made since the last time."""
        made, self._made = self._made, []
        return made

    @abstractmethod
    def flush(self) -> None:
        """Makes items of what was held back to the end."""

    @abstractmethod
    def completion(self, *, partial: bool = False) -> Completion:
        """The answer so far; in a partial one no call may be run."""

    @abstractmethod
    def _event(self, name: str, value: dict[str, Any]) -> None:
        """Takes an event that is no complaint."""

    @abstractmethod
    def _is_answer(self, document: Mapping[str, Any]) -> bool:
        """True if a document holds an answer of this protocol."""

    @abstractmethod
    def _document(self, document: Mapping[str, Any]) -> None:
        """Takes a document that holds an answer."""

    def _end_mark(self) -> None:
        self._ended = True

    def _before_failure(self, value: Any) -> None:  # noqa: B027 - most have nothing to take
        """Takes what of the answer shares an event with a complaint; nothing as a rule."""

    def _failure(self, complaint: Complaint) -> ProviderError:
        return failure_in_stream(complaint, model=self._asked_model).error

    def _answered_by(self, model: Any) -> None:
        """Keeps the name of the model that answers."""
        if isinstance(model, str) and model and model != self._model:
            self._model = cleaned(model)

    def _end_with(self, reason: Any) -> None:
        """Keeps the finish reason. OverloadedError for one that says that the server gave up."""
        if is_failed_finish(reason):
            raise OverloadedError(
                f"The server gave up in the middle of the answer ({reason}).",
                hint="Wait a moment, then send again.",
            )
        self._finish = finish_word(reason) or self._finish
