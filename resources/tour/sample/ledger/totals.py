"""Invoice totals, rounded per line."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Line:
    """One line of an invoice; `net` is without VAT."""

    item: str
    net: Decimal


def rounded(amount):
    """Whole cents, half a cent up."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def invoice_total(lines, vat):
    """What the customer pays."""
    rate = 1 + vat
    total = Decimal(0)
    for line in lines:
        total += rounded(line.net * rate)
    return total
