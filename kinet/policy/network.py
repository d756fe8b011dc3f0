"""Judges an address before anything is fetched from it."""

from __future__ import annotations

from kinet.policy.verdicts import Judgement


def judge_url(url: str) -> Judgement:
    """Judges the text of an address alone, without a look-up; never raises."""
    return Judgement("ask", "it fetches from the network", targets=(url,))
