"""What the window needs from the rest of the program, as protocols of its own.

The window knows no provider, store or keychain. It is handed one object that keeps `Services`;
the values it returns are described by shape alone, so that each room below may return its own.
Keys are plain text only on their way in: nothing here ever gives one back.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from kinet.core.profile import ModelProfile, Price
from kinet.ui.kept_facts import KeptFacts
from kinet.ui.kept_shares import CommandServices, KeptThings, KeyPlace

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kinet.settings.server_services import ServerServices
    from kinet.settings.skill_services import SkillServices
    from kinet.workspace.rules_files import RulesFiles
    from kinet.workspace.starters import Starters

# What the keychain of this computer answered; all but "found" and "none" mean: not usable now.
KeychainState = Literal["found", "none", "locked", "refused", "unavailable", "plain-text"]


# Settings without a row of their own: chosen in the list of profiles, of skills, of servers.
SHOWN_ELSEWHERE = ("models.default_profile", "skills.off", "mcp.servers", "mcp.folder_off")


class FoundModel(Protocol):
    """A model server that answers on this computer, or the name of a variable that holds a key."""

    @property
    def kind(self) -> str:
        """`server` or `key`; any other word is shown like a server."""
        ...

    @property
    def title(self) -> str:
        """One short line: "Ollama, port 11434" or "Key in OPENAI_API_KEY"."""
        ...

    @property
    def detail(self) -> str:
        """One quiet line below it: "3 models"; never a part of a key."""
        ...

    @property
    def base_url(self) -> str:
        """The address requests would go to."""
        ...

    @property
    def key_env(self) -> str:
        """The variable that holds the key, "" where none is needed."""
        ...

    @property
    def models(self) -> Sequence[str]:
        """Names of the models it offers, as far as it said."""
        ...


class Probe(Protocol):
    """What one tiny request to a profile showed: exactly one verdict, with what to do next."""

    @property
    def ok(self) -> bool:
        """True if a message can be sent."""
        ...

    @property
    def verdict(self) -> str:
        """works, key_refused, no_credit, model_not_offered, host_not_found, certificate,
        proxy_refused, timeout, unreachable or protocol."""
        ...

    @property
    def detail(self) -> str:
        """What happened, in one sentence."""
        ...

    @property
    def hint(self) -> str:
        """What to do about it, in one sentence; "" if nothing."""
        ...

    @property
    def latency_ms(self) -> float | None:
        """From request to the first answer, in milliseconds."""
        ...

    @property
    def models(self) -> Sequence[str]:
        """Names of the models the server offers, as far as it said."""
        ...


class PriceRow(Protocol):
    """The price of a model in the table; `own` if the person set it."""

    @property
    def model(self) -> str:
        """The model's name as profiles use it."""
        ...

    @property
    def price(self) -> Price:
        """USD per million tokens; all four 0 is "free", None is "not known"."""
        ...

    @property
    def own(self) -> bool:
        """True if the person set it: it wins, and can be taken back."""
        ...


class RuleRow(Protocol):
    """A saved answer."""

    @property
    def id(self) -> str:
        """Unique among all rules."""
        ...

    @property
    def text(self) -> str:
        """The rule in one line, with where it holds."""
        ...


class JudgedPart(Protocol):
    """One command of a text that was judged."""

    @property
    def text(self) -> str:
        """The command."""
        ...

    @property
    def verdict(self) -> Literal["allow", "ask", "deny"]:
        """What would be done with it."""
        ...

    @property
    def rule(self) -> str:
        """What decided."""
        ...


class Simulated(Protocol):
    """What the gate would say to a command."""

    @property
    def verdict(self) -> Literal["allow", "ask", "deny"]:
        """On the whole."""
        ...

    @property
    def reason(self) -> str:
        """Why."""
        ...

    @property
    def parts(self) -> Sequence[JudgedPart]:
        """Its commands, in order."""
        ...

    @property
    def rule(self) -> str:
        """The saved rule that would answer, "" for none."""
        ...


class RuleServices(Protocol):
    """Saved rules, and a trial of them."""

    def rules(self) -> Sequence[RuleRow]:
        """All rules, those of open sessions first."""
        ...

    def revoke_rule(self, rule_id: str) -> None:
        """Takes a rule away. SettingsError if it stays stored."""
        ...

    def add_rule(self, words: str, folder: str, *, allowed: bool) -> None:
        """A rule for commands that begin so; SettingsError says why it may not be kept."""
        ...

    def simulate(self, command: str, folder: str) -> Simulated:
        """What the gate would say to this command; nothing is run."""
        ...


class MonthTotal(Protocol):
    """What was spent since the first of this month."""

    @property
    def cost(self) -> float:
        """USD."""
        ...

    @property
    def known(self) -> bool:
        """False if a call had no known price: `cost` is then a lower bound."""
        ...


class ModelServices(Protocol):
    """Models: found, tried, saved, priced. What waits for something is a coroutine."""

    async def discover(self) -> Sequence[FoundModel]:
        """What can be used at once on this computer. Ends within a second, never raises."""
        ...

    def profile_from(self, found: FoundModel) -> ModelProfile:
        """The profile that uses what was found, with a sensible model."""
        ...

    def profiles_for_key(self, key: str) -> Sequence[ModelProfile]:
        """Ready-made profiles this key may belong to: one if its first characters tell whose it is,
        else all common ones to choose from."""
        ...

    async def probe(self, profile: ModelProfile, key: str | None) -> Probe:
        """Tries the profile with one tiny request. `key` None means the kept key."""
        ...

    async def list_models(self, profile: ModelProfile, key: str | None) -> Sequence[str]:
        """Names of the models the server offers. ProviderError if it does not say."""
        ...

    async def save_profile(self, profile: ModelProfile, key: str | None) -> KeyPlace:
        """Keeps the profile under its name, and the key where keys are kept; says where that is.

        `key` None leaves the kept key as it is. Raises SettingsError with a sentence.
        """
        ...

    async def delete_profile(self, name: str) -> None:
        """Removes the profile; its key stays until `forget_key`, so that Undo is whole."""
        ...

    async def forget_key(self, name: str) -> None:
        """Removes the key kept for this profile name, wherever it is kept."""
        ...

    async def key_place(self, profile: ModelProfile) -> KeyPlace:
        """Where the key of this profile is; "none" if there is none."""
        ...

    async def keychain_state(self) -> KeychainState:
        """Whether keys can be kept on this computer. Ends within 3 seconds."""
        ...

    def window_of(self, profile: ModelProfile) -> int:
        """The context window in tokens, 0 where it is not known. In a thread: it may read."""
        ...

    def price_rows(self) -> Sequence[PriceRow]:
        """The models of the profiles first, then the built-in ones."""
        ...

    def set_price(self, model: str, price: Price) -> Future[None]:
        """The person's own price for `model`: it holds at once, the future says when it is kept.

        Both raise SettingsError with a sentence.
        """
        ...

    def reset_price(self, model: str) -> Future[None]:
        """Back to the built-in price."""
        ...


class Services(ModelServices, Protocol):
    """All that is handed to the window."""

    @property
    def skills(self) -> SkillServices:
        """Skills, as they are listed and changed."""
        ...

    @property
    def servers(self) -> ServerServices:
        """Servers that bring tools, as they are listed and changed."""
        ...

    @property
    def rules_files(self) -> RulesFiles:
        """Rules that are written in the window."""
        ...

    @property
    def kept(self) -> KeptThings:
        """What is kept beside the conversations, and how much room it takes."""
        ...

    @property
    def commands(self) -> CommandServices:
        """The sandbox of commands, the keys of search services."""
        ...

    @property
    def approvals(self) -> RuleServices:
        """Saved rules, and a trial of them."""
        ...

    @property
    def trash(self) -> Any:
        """The deleted sessions: keeps `ui.preferences.trash_view.Trash`."""
        ...

    @property
    def memory(self) -> KeptFacts:
        """The facts that are kept."""
        ...

    async def month_total(self) -> MonthTotal:
        """What was spent this month."""
        ...

    def starters(self, folder: Path | None) -> Starters:
        """First tasks that fit the folder of a new session. Blocks: use it in a thread."""
        ...

    async def start_tour(self, folder: Path | None = None) -> str:
        """Starts the guided tour on `folder` or a sample folder; gives the id of its session."""
        ...
