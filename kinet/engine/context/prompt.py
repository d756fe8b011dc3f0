"""Assembles the system prompt: base, personal rules, skills, rules, always in this order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from kinet.engine.base import Section
from kinet.paths import resources_dir


def system_prompt(
    base: str,
    skills: Sequence[Section] = (),
    rules: Sequence[Section] = (),
    *,
    personal: Sequence[Section] = (),
) -> str:
    """The whole system text. The same sections give the same bytes: no clock, no folder in it.

    `personal` are the person's own rules for every project; they end the base part.
    """
    sections = (item for item in (*personal, *skills, *rules) if item.text.strip())
    parts = [base.strip(), *map(_section, sections)]
    return "\n\n".join(part for part in parts if part)


@cache
def text_of(name: str) -> str:
    """One of the texts for the model under resources/prompts, "base" for example."""
    return (resources_dir() / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()


def _section(item: Section) -> str:
    return f"# {item.title}\n\n{item.text.strip()}"
