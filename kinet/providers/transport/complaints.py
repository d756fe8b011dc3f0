"""Reads what a server complains about out of the many envelopes for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_WORDS = 600


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server said about a failure, in plain fields. `param` is a parameter it named."""

    words: str = ""
    code: str = ""
    type: str = ""
    param: str = ""

    def everything(self) -> str:
        """All of it as one text to search in."""
        return f"{self.code} {self.type} {self.words}"


def complaint_of(document: Any) -> Complaint | None:
    """What an error document says, whatever its envelope; None if it is no error."""
    if isinstance(document, list):
        document = next((item for item in document if isinstance(item, dict)), None)
    if not isinstance(document, dict):
        return None
    error = document.get("error")
    if isinstance(error, dict) and any(error.values()):
        return _from_mapping(error, document)
    if error is True:
        return _from_mapping(document, {})
    if isinstance(error, str) and error.strip():
        return Complaint(error.strip(), _word(document.get("code")), _word(document.get("type")))
    if isinstance(error, list) and error:
        return Complaint(_joined(error))
    if document.get("object") == "error" or document.get("type") == "error":
        return _from_mapping(document, {})
    if not error and "choices" not in document and _complains(document):
        return _from_mapping(document, {})
    return None


def complaint_of_body(document: Any) -> Complaint | None:
    """As `complaint_of`, for the body of a failed request: looser envelopes count too."""
    found = complaint_of(document)
    if found is not None:
        return found
    if isinstance(document, list):
        return Complaint(_joined(document)) if document else None
    if isinstance(document, dict):
        made = _from_mapping(document, {})
        return made if made.words or made.code else None
    if isinstance(document, str) and document.strip():
        return Complaint(document.strip())
    return None


def document_of(body: str) -> Any:
    """The JSON value of a body; None if it is none."""
    texts = [body]
    # Some servers put the error of a failed request into an event.
    texts += [line[5:] for line in body.splitlines()[:20] if line.startswith("data:")][:1]
    for text in texts:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            continue
    return None


def is_page(body: str) -> bool:
    """True if a body is a web page."""
    start = body.lstrip("\ufeff \t\r\n")[:400].lower()
    return start.startswith("<") or "<html" in start


def short(text: str) -> str:
    """The text in one line, cut to what a person reads."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_WORDS else text[:MAX_WORDS].rstrip() + " …"


def _from_mapping(error: Mapping[str, Any], around: Mapping[str, Any]) -> Complaint:
    words = ""
    for key in ("message", "msg", "detail", "error_description", "error_msg", "errors", "title"):
        words = words or _joined(error.get(key))
    for key in ("message", "detail"):
        words = words or _joined(around.get(key))
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
        upstream = complaint_of_body(document_of(metadata["raw"]))
        if upstream is not None and upstream.words and upstream.words not in words:
            words = f"{words} {upstream.words}".strip()
    code = next(
        (_word(error[k]) for k in ("code", "error_code", "status") if _word(error.get(k))), ""
    )
    return Complaint(
        words=words,
        code=code,
        type=" ".join(
            dict.fromkeys(
                word
                for word in (_word(error.get("type")), _word(error.get("status")))
                if word and word != "error"
            )
        ),
        param=_word(error.get("param")) or _places(error.get("detail")),
    )


def _complains(document: Mapping[str, Any]) -> bool:
    """True for a code with words, or a success that is none, without any part of an answer."""
    if document.get("success") is False or document.get("status") == "error":
        return True
    if document.keys() == {"detail"}:
        return True
    code = document.get("code", document.get("error_code", document.get("errcode")))
    words = document.get("message", document.get("msg", document.get("errmsg")))
    return bool(code) and isinstance(words, str) and bool(words)


def _joined(value: Any) -> str:
    """The readable text in a value: a string, or the messages of a list or an object."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        for key in ("message", "msg", "detail", "error", "reason"):
            text = _joined(value.get(key))
            if text:
                place = value.get("loc")
                where = ".".join(map(str, place)) if isinstance(place, list) else ""
                return f"{text} ({where})" if where else text
        return ""
    if isinstance(value, list):
        return "; ".join(text for text in (_joined(item) for item in value[:5]) if text)
    return ""


def _places(value: Any) -> str:
    if not isinstance(value, list):
        return ""
    places = [item.get("loc") for item in value if isinstance(item, dict)]
    return " ".join(str(part) for place in places if isinstance(place, list) for part in place)


def _word(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return str(value).strip()[:200]
