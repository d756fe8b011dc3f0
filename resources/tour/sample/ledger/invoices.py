"""Reads the invoices of a month."""

import csv
from decimal import Decimal
from pathlib import Path

from ledger.totals import Line

FOLDER = Path("invoices")


def read_invoices(month: str) -> dict[str, list[Line]]:
    """The lines of each invoice of `month` (YYYY-MM), by invoice number."""
    invoices: dict[str, list[Line]] = {}
    with open(FOLDER / f"{month}.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            line = Line(row["item"], Decimal(row["net"]))
            invoices.setdefault(row["invoice"], []).append(line)
    return invoices
