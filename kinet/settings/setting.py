"""What a setting and a page of settings are made of: a default, words, bounds."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from kinet.settings.fields import FieldKind
from kinet.settings.labels import Labels


def setting(
    default: Any,
    *,
    title: str,
    help: str,
    labels: Labels | None = None,
    kind: FieldKind | None = None,
    unit: str = "",
    zero: str = "",
    strictest: Any = None,
    **bounds: float,
) -> Any:
    """One setting. `labels` name the choices; `strictest` is used where the file holds an unknown
    value of a safety setting; `bounds` are ge and le."""
    extra = {
        "labels": dict(labels or {}), "kind": kind, "unit": unit, "zero": zero,
        "strictest": strictest,
    }  # fmt: skip
    return Field(default, title=title, description=help, json_schema_extra=extra, **bounds)  # type: ignore[call-overload]


class Section(BaseModel):
    """A page of settings. Fields of a newer version are kept as they are."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)
    page: ClassVar[str] = ""
