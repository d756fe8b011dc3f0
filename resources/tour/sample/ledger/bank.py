"""Reads the bank statement of a month."""

import csv
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

FOLDER = Path("bank")


def read_payments(month: str) -> dict[str, list[Decimal]]:
    """The amounts received for each invoice in `month` (YYYY-MM), by invoice number."""
    payments: dict[str, list[Decimal]] = defaultdict(list)
    with open(FOLDER / f"{month}.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            payments[row["reference"]].append(Decimal(row["amount"]))
    return payments
