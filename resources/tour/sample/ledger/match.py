"""Lists the invoices of a month that do not match the bank statement."""

import sys
from decimal import Decimal

from ledger.bank import read_payments
from ledger.invoices import read_invoices
from ledger.totals import invoice_total

VAT = Decimal("0.20")


def differences(month: str) -> list[tuple[str, Decimal, Decimal]]:
    """(invoice, amount in the ledger, amount at the bank) where the two differ."""
    payments = read_payments(month)
    rows = []
    for number, lines in read_invoices(month).items():
        expected = invoice_total(lines, VAT)
        received = sum(payments.get(number, []), Decimal(0))
        if expected != received:
            rows.append((number, expected, received))
    return rows


def main() -> None:
    rows = differences(sys.argv[1])
    for number, expected, received in rows:
        print(f"{number}  ledger {expected:>9}  bank {received:>9}  {received - expected:+}")
    print(f"{len(rows)} invoices do not match." if rows else "All invoices match.")


if __name__ == "__main__":
    main()
