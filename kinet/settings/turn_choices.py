"""What holds for each turn: limits, approval mode, effort, tools and prices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kinet.core.completion import Usage
from kinet.core.profile import Effort
from kinet.engine.base import Limits
from kinet.engine.presets import Preset, preset_named
from kinet.local.tour import MODEL as TOUR_MODEL
from kinet.providers.pricing import PriceTable
from kinet.settings.options import Options
from kinet.settings.secrets import Keychain, search_item
from kinet.settings.store import SettingsStore
from kinet.settings.web_reach import web_reach

if TYPE_CHECKING:
    import httpx

    from kinet.net.secret import Secret
    from kinet.tools.toolbox import Toolbox
    from kinet.tools.web.search_services import SearchChoice

_FREE = {"input": 0.0, "output": 0.0, "cache_read": 0.0, "cache_write": 0.0}


class TurnChoices:
    """The settings, narrowed by the preset and by the command line; read anew for each turn."""

    def __init__(
        self, settings: SettingsStore, options: Options, keychain: Keychain | None = None
    ) -> None:
        self._settings = settings
        self._keychain = keychain
        self._options = options
        self._toolbox: Toolbox | None = None
        self._prices: PriceTable | None = None
        settings.on_change(self._changed)

    def check(self) -> None:
        """SettingsError if the command line names a preset that does not exist."""
        preset_named(self._options.preset)

    def preset(self, name: str = "") -> Preset:
        """The preset of this name; for "" that of the command line, else that of the settings.

        SettingsError if there is none of this name.
        """
        return preset_named(name or self._options.preset or self._settings.values.limits.preset)

    def limits(self, preset: Preset) -> Limits:
        """The limits of a turn that begins now with this preset."""
        chosen, options = self._settings.values, self._options
        limits = Limits(
            max_steps=chosen.limits.max_steps,
            max_seconds=chosen.limits.max_seconds,
            budget_usd=chosen.limits.turn_usd,
            result_characters=chosen.limits.result_characters,
            compact_ratio=chosen.limits.compact_ratio,
            compact_at=chosen.limits.compact_at,
            screen_bytes=chosen.limits.screen_kb * 1024,
            approval_seconds=chosen.approvals.wait_seconds,
        )
        limits = preset.apply(limits)
        if options.max_steps is not None:
            limits = replace(limits, max_steps=options.max_steps)
        if options.budget is not None:
            limits = replace(limits, budget_usd=options.budget)
        return limits

    def mode(self) -> str:
        """The approval mode.

        A run that nobody watches asks, and is answered no: so it is seen which calls were denied
        for want of someone to ask.
        """
        chosen: str = self._options.approve or self._settings.values.approvals.mode
        return "ask" if self._options.headless and chosen == "deny" else chosen

    def effort(self, preset: Preset) -> Effort:
        """How long the model may think; "" leaves it to the profile."""
        chosen = self._options.effort or preset.effort or self._settings.values.models.effort
        return cast(Effort, chosen)

    def session_limit(self) -> float:
        """USD that a session may cost before it is asked; 0 is off."""
        return float(self._settings.values.limits.session_usd)

    def branch_summary(self) -> bool:
        """Whether a branch that is left is summed up for the next one."""
        return bool(self._settings.values.limits.branch_summary)

    def local_permits(self) -> frozenset[str]:
        """host:port of this machine or network that web_fetch may reach."""
        return frozenset(self._settings.values.network.local_permits)

    def no_sandbox(self, folder: Path) -> str:
        """Why commands on this folder cannot run in a sandbox, "" where they can. Blocks."""
        from kinet.tools.processes.sandbox import problem_for

        return problem_for(folder)

    def day_limit(self) -> float:
        """USD that may be spent in a day before it is asked; 0 is off."""
        return float(self._settings.values.limits.day_usd)

    def toolbox(self) -> Toolbox:
        """All tools."""
        from kinet.tools.catalog import builtin_tools
        from kinet.tools.toolbox import Toolbox

        if self._toolbox is None:
            box = Toolbox(
                builtin_tools(self._search, lambda: web_reach(self._settings.values.network))
            )
            if not self._options.memory:
                box = box.only(name for name in box.names() if name != "recall_memory")
            self._toolbox = box
        if self._settings.values.network.search == "off":
            return self._toolbox.only(set(self._toolbox.names()) - {"web_search"})
        return self._toolbox

    def _search(self) -> SearchChoice:
        from kinet.net.client import create_client
        from kinet.tools.web.search_services import SearchChoice

        network = self._settings.values.network

        def client() -> httpx.AsyncClient:
            return create_client(
                proxy=network.proxy or None,
                no_proxy=network.no_proxy,
                ca_file=network.ca_file or None,
            )

        return SearchChoice(
            network.search, network.search_url, network.search_key, client, self._kept_search_key
        )

    def _kept_search_key(self, service: str) -> Secret | None:
        """Asks the keychain: for a thread."""
        return self._keychain.get(search_item(service)) if self._keychain is not None else None

    def price(self, model: str, usage: Usage) -> tuple[float | None, bool]:
        """Tokens to money, the person's own prices first. Safe to call from several threads."""
        prices = self._prices
        if prices is None:
            prices = self._prices = PriceTable({TOUR_MODEL: _FREE, **self._settings.prices()})
        return prices.cost(model, usage)

    def _changed(self, key: str) -> None:
        self._prices = None
