from decimal import Decimal

from ledger.totals import Line, invoice_total

VAT = Decimal("0.20")


def test_one_line_with_vat():
    assert invoice_total([Line("Candle", Decimal("10.00"))], VAT) == Decimal("12.00")


def test_an_empty_invoice_costs_nothing():
    assert invoice_total([], VAT) == Decimal(0)
