"""The shapes inside the settings file that are no setting of their own: profiles, prices, hosts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from kinet.policy.network import local_permit

# host:port in the form in which addresses are judged; ValueError says what is wrong with a text.
LocalServer = Annotated[str, AfterValidator(local_permit)]


class OwnPrice(BaseModel):
    """USD per million tokens; what is left out keeps the known price."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    input: float | None = Field(None, ge=0, le=1e6, allow_inf_nan=False)
    output: float | None = Field(None, ge=0, le=1e6, allow_inf_nan=False)
    cache_read: float | None = Field(None, ge=0, le=1e6, allow_inf_nan=False)
    cache_write: float | None = Field(None, ge=0, le=1e6, allow_inf_nan=False)


class Profile(BaseModel):
    """A profile in the file; `core.profile.ModelProfile` is what the program uses."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)
    name: str = Field(min_length=1, max_length=80)
    base_url: str = Field(pattern=r"(?i)^https?://[^\s/]+")
    model: str = Field(min_length=1)
    protocol: Literal["openai", "responses", "anthropic"] = "openai"
    vendor: str = ""
    key_env: str = ""
    window: int = Field(0, ge=0)
    max_output_tokens: int = Field(0, ge=0)
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, ge=0, le=1)
    effort: Literal["", "off", "low", "medium", "high"] = ""
    vision: bool | None = None
    headers: dict[str, str] = {}
    extra_body: dict[str, Any] = {}
