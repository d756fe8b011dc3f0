"""Every setting, one line each: the window, the file, the check and the help follow from here."""

from __future__ import annotations

import types
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

from kinet.settings.fields import Choice, FieldKind, SettingField
from kinet.settings.labels import ESCAPES, MODES, SCROLLING, SEND_KEYS, THEMES, Labels
from kinet.settings.limits import Limits
from kinet.settings.server_entries import ToolServers
from kinet.settings.setting import Section, setting
from kinet.settings.stored import LocalServer, OwnPrice, Profile


class General(Section):
    page = "General"
    folder: str = setting(
        "", title="Folder", help="The folder new sessions work on.", kind="folder"
    )
    send_key: Literal["enter", "ctrl_enter"] = setting(
        "enter", title="Send with", help="The key that sends the message.", labels=SEND_KEYS
    )
    escape_stops: Literal["once", "twice", "never"] = setting(
        "twice",
        title="Esc stops a running turn",
        help="How often Esc has to be pressed. The Stop button and Ctrl+. stop at once.",
        labels=ESCAPES,
    )


class Models(Section):
    page = "Models & prices"
    default_profile: str = setting("", title="Default model", help="The profile new sessions use.")
    effort: Literal["", "off", "low", "medium", "high"] = setting(
        "",
        title="Effort",
        help="How long the model may think, where it can be told.",
        labels={
            "": "As the model likes",
            "off": "Off",
            "low": "Low",
            "medium": "Medium",
            "high": "High",
        },
    )


class Approvals(Section):
    page = "Approvals & rules"
    mode: Literal["ask", "edits", "plan", "all", "deny"] = setting(
        "ask",
        title="Approval mode",
        help="What may be done unasked in new sessions.",
        labels=MODES,
        strictest="deny",
    )
    wait_seconds: float = setting(
        0.0,
        title="Longest wait for an answer",
        help="Afterwards the call is refused and the turn goes on.",
        unit="seconds",
        zero="no limit",
        ge=0,
        le=86_400,
    )


class Memory(Section):
    page = "Memory"
    use: bool = setting(
        True,
        title="Use what is known",
        help="Tells the model the facts kept about you and the project. Applies to new sessions.",
        strictest=False,
    )
    notice: bool = setting(
        False,
        title="Notice facts",
        help="After a turn one short request asks a model what is worth keeping. You see each fact"
        " at once, and what it cost.",
        strictest=False,
    )
    profile: str = setting(
        "",
        title="Asked for that",
        help="The profile whose model notices facts; a cheap one will do.",
    )
    model: str = setting(
        "", title="Its model", help="Another model of that profile; empty: the profile's own."
    )
    characters: int = setting(
        4_000,
        title="Room for facts",
        help="How much of each request the facts may take.",
        unit="characters",
        ge=0,
        le=32_000,
    )


class Skills(Section):
    page = "Skills"
    offered: bool = setting(
        True,
        title="Let the model choose skills",
        help="Tells it their names. Off: only what you call with /name. Applies to new sessions.",
        strictest=False,
    )
    claude: bool = setting(
        True, title="Skills of Claude Code", help="Also those in ~/.claude/skills.", strictest=False
    )
    codex: bool = setting(
        True,
        title="Skills of Codex",
        help="Also those in ~/.codex/skills and ~/.agents/skills.",
        strictest=False,
    )
    off: tuple[str, ...] = setting(
        (), title="Skills switched off", help="Folders of skills that are not used, one a line."
    )


class Appearance(Section):
    page = "Appearance"
    theme: Literal["system", "light", "dark"] = setting(
        "system", title="Theme", help="Light or dark.", labels=THEMES
    )
    zoom: int = setting(
        100, title="Zoom", help="Size of the text in the window.", unit="%", ge=80, le=200
    )
    contrast: bool = setting(
        False,
        title="High contrast",
        help="Quiet text in full strength, plain lines and surfaces, thicker focus rings.",
    )
    wide: bool = setting(
        False, title="Wide column", help="Conversations may be 960 instead of 720 pixels wide."
    )
    scrolling: Literal["follow", "question", "off"] = setting(
        "follow",
        title="While an answer is written",
        help="What the conversation does as text comes in.",
        labels=SCROLLING,
    )


class Network(Section):
    page = "Network"
    proxy: str = setting(
        "",
        title="Proxy",
        help="Such as http://host:port; empty: as the system says. Not used for this computer.",
    )
    no_proxy: str = setting(
        "",
        title="Without the proxy",
        help="Hosts that are reached directly, separated by commas: .example.org, 10.0.0.0/8.",
    )
    ca_file: str = setting(
        "",
        title="Extra certificates",
        help="A file in PEM form that is trusted beside the system's certificates.",
        kind="path",
    )
    stall_seconds: float = setting(
        120.0,
        title="Silence before giving up",
        help="A server that sends nothing for so long counts as stalled.",
        unit="seconds",
        ge=5,
        le=3_600,
    )
    retries: int = setting(
        3,
        title="Retries",
        help="How often a request is made again before its first byte.",
        ge=0,
        le=10,
    )
    local_permits: tuple[LocalServer, ...] = setting(
        (),
        title="Development servers",
        help="host:port, one a line, as localhost:3000. Only these of this computer and its "
        "network can be fetched, each after a question.",
    )
    search: Literal["duckduckgo", "searxng", "brave", "tavily", "off"] = setting(
        "duckduckgo",
        title="Web search",
        help="Who is asked. Brave and Tavily want a key.",
        labels={
            "duckduckgo": "DuckDuckGo, without a key",
            "searxng": "SearXNG",
            "brave": "Brave Search",
            "tavily": "Tavily",
            "off": "Off",
        },
    )
    search_url: str = setting(
        "", title="SearXNG server", help="Such as https://search.example.org."
    )
    search_key: str = setting(
        "",
        title="Variable with the search key",
        help="Empty: the keychain, then BRAVE_API_KEY or TAVILY_API_KEY.",
    )


class Data(Section):
    page = "Data"
    trash_days: int = setting(
        30,
        title="Keep deleted sessions",
        help="Afterwards they are removed for good, with their outputs.",
        unit="days",
        ge=1,
        le=3_650,
    )
    limit_gb: float = setting(
        4.0,
        title="Room for kept things",
        help="Outputs, long results, the journal of changes and backups together; the oldest go "
        "first. Conversations are not counted and never go.",
        unit="GB",
        ge=0.5,
        le=1_000,
    )


class Settings(BaseModel):
    """All settings of a data folder."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)
    general: General = General()
    models: Models = Models()
    approvals: Approvals = Approvals()
    memory: Memory = Memory()
    skills: Skills = Skills()
    mcp: ToolServers = ToolServers()
    appearance: Appearance = Appearance()
    network: Network = Network()
    limits: Limits = Limits()
    data: Data = Data()
    prices: dict[str, OwnPrice] = {}
    profiles: tuple[Profile, ...] = ()


def sections() -> dict[str, type[Section]]:
    """The sections by their name in the file, in the order of the window's pages."""
    return {
        name: info.annotation
        for name, info in Settings.model_fields.items()
        if isinstance(info.annotation, type) and issubclass(info.annotation, Section)
    }


def setting_fields() -> tuple[SettingField, ...]:
    """Every setting as a face sees it, in order."""
    return tuple(
        _field(f"{name}.{key}", section.page, info)
        for name, section in sections().items()
        for key, info in section.model_fields.items()
    )


def strictest(info: FieldInfo) -> Any:
    """What stands in for an unknown value: the strictest for a safety setting, else the default."""
    value = _extra(info)["strictest"]
    return info.get_default() if value is None else value


def _field(key: str, page: str, info: FieldInfo) -> SettingField:
    extra = _extra(info)
    labels: Labels = extra["labels"]
    bounds = {type(item): item for item in info.metadata}
    return SettingField(
        key=key,
        section=page,
        title=info.title or key,
        help=info.description or "",
        kind=extra["kind"] or _kind(info.annotation),
        default=info.get_default(),
        choices=tuple(_choice(value, labels) for value in _values(info.annotation)),
        minimum=_number(bounds[Ge].ge) if Ge in bounds else None,
        maximum=_number(bounds[Le].le) if Le in bounds else None,
        unit=extra["unit"],
        zero=extra["zero"],
    )


def _choice(value: str, labels: Labels) -> Choice:
    label = labels.get(value, value)
    return Choice(value, label) if isinstance(label, str) else Choice(value, *label)


def _values(annotation: Any) -> tuple[str, ...]:
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _kind(annotation: Any) -> FieldKind:
    if _values(annotation):
        return "choice"
    kinds: dict[Any, FieldKind] = {bool: "switch", int: "integer", float: "number", str: "text"}
    plain = annotation if not isinstance(annotation, types.GenericAlias) else list
    return kinds.get(plain, "multiline")


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) else None


def _extra(info: FieldInfo) -> dict[str, Any]:
    extra = info.json_schema_extra
    return extra if isinstance(extra, dict) else {}
