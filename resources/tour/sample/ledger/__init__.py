"""Matches the shop's invoices with its bank statement."""
