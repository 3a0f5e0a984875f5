"""Matching and scoring: which pages match, what each term, pair and prior adds, and what spoofing subtracts."""
