"""What an invoice comes to. Every line is rounded for itself."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Line:
    """One line of an invoice; `net` is without VAT."""

    item: str
    net: Decimal


def rounded(amount: Decimal) -> Decimal:
    """Whole cents, half a cent up."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def invoice_total(lines: list[Line], vat: Decimal) -> Decimal:
    """What the customer pays, VAT included."""
    return sum((rounded(line.net * (1 + vat)) for line in lines), Decimal(0))
