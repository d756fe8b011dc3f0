"""The error tree: who can do something about a failure decides its class.

    KinetError
    ├── ToolError               the model can: becomes an error result, the turn goes on
    ├── ProviderError           the person can: ends the turn as TurnFinished(failed)
    │   ├── AuthenticationError     kind auth
    │   ├── RateLimitedError        kind rate_limit
    │   ├── OverloadedError         kind overloaded
    │   │   └── CircuitOpenError    kind circuit
    │   ├── ContextTooLongError     kind context_too_long
    │   ├── BadRequestError         kind bad_request
    │   ├── NetworkError            kind network
    │   ├── ProtocolError           kind protocol
    │   └── StalledError            kind stalled
    ├── SettingsError           the person can: stops the act, shown where it began
    └── StoreError              the person can: stops the act, shown where it began

Everything else is a bug: it is logged and shown as one. Cancellation is never wrapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class KinetError(Exception):
    """A failure that somebody can act on: `message` says what and why, `hint` what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def sentence(self) -> str:
        """Message and hint as one text for a person."""
        return f"{self.message} {self.hint}".strip()


class ToolError(KinetError):
    """A tool could not do what was asked; the message goes to the model.

    `details` is for the screen alone, `kind` is a short word that tests and callers can match.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        kind: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.details = dict(details or {})


class ProviderError(KinetError):
    """A model could not be asked, or did not answer properly."""

    kind: ClassVar[str] = "protocol"
    default_retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        status: int | None = None,
        retryable: bool | None = None,
        retry_after_s: float | None = None,
        partial: Any = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retryable = self.default_retryable if retryable is None else retryable
        self.retry_after_s = retry_after_s
        # The part of the answer that had come: a core.completion.Completion, or None.
        self.partial = partial


class AuthenticationError(ProviderError):
    """Key, permission or account: the same request will not succeed."""

    kind = "auth"


class RateLimitedError(ProviderError):
    """Too many requests; `retry_after_s` is a lower bound if the server gave one."""

    kind = "rate_limit"
    default_retryable = True


class OverloadedError(ProviderError):
    """A fault on the server's side."""

    kind = "overloaded"
    default_retryable = True


class CircuitOpenError(OverloadedError):
    """A server that failed again and again is not asked for a while; a person may insist."""

    kind = "circuit"


class ContextTooLongError(ProviderError):
    """The request is larger than the model's window."""

    kind = "context_too_long"


class BadRequestError(ProviderError):
    """The server refused the request itself."""

    kind = "bad_request"


class NetworkError(ProviderError):
    """No connection, or it broke."""

    kind = "network"
    default_retryable = True


class ProtocolError(ProviderError):
    """What came back is not an answer of this protocol."""

    kind = "protocol"


class StalledError(ProviderError):
    """The stream went silent for longer than the limit."""

    kind = "stalled"
    default_retryable = True


class SettingsError(KinetError):
    """A setting is missing, unreadable or not allowed."""


class StoreError(KinetError):
    """The data folder or its database cannot do what was asked."""
