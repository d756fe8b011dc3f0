"""The scripted task on the sample folder: reads, one edit that asks, and an honest answer."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from kinet.local.tour_folder import demo_prompt
from kinet.local.tour_turn import Call, Reply, Result, Turn

INVOICES = "invoices/2026-10.csv"
PAYMENTS = "bank/2026-10.csv"
TOTALS = "ledger/totals.py"
VAT = Decimal("1.20")
CENT = Decimal("0.01")

_OLD_BODY = """\
        total += rounded(line.net * rate)
    return total
"""
_NEW_BODY = """\
        total += line.net
    return rounded(total * rate)  # once
"""
_OLD_STORY = '"""Invoice totals, rounded per line."""'
_NEW_STORY = '"""Invoice totals, rounded once."""'

_EDIT = {
    "path": TOTALS,
    "edits": [
        {"old_string": _OLD_STORY, "new_string": _NEW_STORY},
        {"old_string": _OLD_BODY, "new_string": _NEW_BODY},
    ],
}

_THOUGHT = (
    "Two lists and one question: which invoices differ between them, and why. "
    "First the two CSV files, then what is said and done about rounding."
)

_STEPS: tuple[tuple[Call, ...], ...] = (
    (Call("read_file", {"path": INVOICES}), Call("read_file", {"path": PAYMENTS})),
    (Call("grep", {"pattern": "round"}), Call("read_file", {"path": TOTALS})),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """An invoice whose ledger amount is not what the bank received."""

    invoice: str
    ledger: Decimal
    bank: Decimal
    explained: bool


def is_demo(question: str) -> bool:
    """True for the task of `kinet --demo`."""
    return question.strip().startswith(demo_prompt())


def demo_step(turn: Turn) -> Reply:
    """The next calls, or the answer worked out from what the calls gave."""
    for number, calls in enumerate(_STEPS):
        missing = tuple(
            call
            for call in calls
            if call.name in turn.tools and turn.of(call.name, **call.arguments) is None
        )
        if missing:
            return Reply(reasoning=_THOUGHT if number == 0 else "", calls=missing)
    invoices, payments = turn.of("read_file", path=INVOICES), turn.of("read_file", path=PAYMENTS)
    if invoices is None or payments is None or invoices.failed or payments.failed:
        return Reply(f"I could not read `{INVOICES}` and `{PAYMENTS}`, so I cannot compare them.")
    matching, differing = compare(invoices, payments)
    edit = turn.of("edit_file", path=TOTALS)
    totals = turn.of("read_file", path=TOTALS)
    fixable = totals is not None and _OLD_BODY.strip() in totals.plain()
    if edit is None and fixable and "edit_file" in turn.tools and _by_rounding(differing):
        return Reply(calls=(Call("edit_file", _EDIT),))
    fixed = edit is not None and not edit.failed
    return Reply(_answer(matching, differing, fixed, edit))


def compare(invoices: Result, payments: Result) -> tuple[int, list[Difference]]:
    """(invoices that match to the cent, the others), from the two files as they were read."""
    lines: dict[str, list[Decimal]] = {}
    for row in _rows(invoices):
        lines.setdefault(row.get("invoice", ""), []).append(_amount(row.get("net", "")))
    received: dict[str, list[Decimal]] = {}
    for row in _rows(payments):
        received.setdefault(row.get("reference", ""), []).append(_amount(row.get("amount", "")))
    matching, differing = 0, []
    for number, nets in lines.items():
        per_line = sum((_rounded(net * VAT) for net in nets), Decimal(0))
        at_bank = sum(received.get(number, []), Decimal(0))
        if per_line == at_bank:
            matching += 1
        else:
            once = _rounded(sum(nets, Decimal(0)) * VAT)
            differing.append(Difference(number, per_line, at_bank, once == at_bank))
    return matching, differing


def _answer(matching: int, differing: list[Difference], fixed: bool, edit: Result | None) -> str:
    total = matching + len(differing)
    if not differing:
        return f"All {total} invoices match the bank statement to the cent."
    head = f"{matching} of {total} invoices match; {_reasons(differing)}."
    rows = "\n".join(_row(row, fixed) for row in differing)
    table = f"| Invoice | Ledger | Bank | Difference | State |\n|---|---:|---:|---:|---|\n{rows}"
    return f"{head}\n\n{table}" if fixed else f"{head}\n\n{table}\n\n{_proposal(edit)}"


def _reasons(differing: list[Difference]) -> str:
    """Why invoices differ, as far as the figures show it, in one sentence."""
    others = [row for row in differing if not row.explained]
    twice = sum(row.bank == 2 * row.ledger for row in others)
    counts = {
        "rounded per line": len(differing) - len(others),
        "paid twice": twice,
        "paid another amount": len(others) - twice,
    }
    said = [
        f"{count} {'was' if count == 1 else 'were'} **{words}**"
        for words, count in counts.items()
        if count
    ]
    return ", ".join(said)


def _row(row: Difference, fixed: bool) -> str:
    state = "needs your decision"
    if row.explained:
        state = "✓ fixed" if fixed else "not changed yet"
    gap = abs(row.bank - row.ledger)
    return f"| {row.invoice} | {row.ledger:,.2f} | {row.bank:,.2f} | {gap:,.2f} | {state} |"


def _proposal(edit: Result | None) -> str:
    """What the change would be, for a person who said no to it; a made one has its own diff."""
    block = f"```python totals.py\n    for line in lines:\n{_NEW_BODY}```"
    said = f" The tool said: {_first_line(edit.text)}" if edit is not None else ""
    return f"`{TOTALS}` is unchanged.{said} This is what it could be:\n\n{block}"


def _by_rounding(differing: Iterable[Difference]) -> list[Difference]:
    return [row for row in differing if row.explained]


def _rows(result: Result) -> list[dict[str, str]]:
    return [dict(row) for row in csv.DictReader(result.plain().splitlines()) if row]


def _amount(text: str | None) -> Decimal:
    try:
        return Decimal(re.sub(r"[^\d.-]", "", text or "") or "0")
    except InvalidOperation:
        return Decimal(0)


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "nothing.")
