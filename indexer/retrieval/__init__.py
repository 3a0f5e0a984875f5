"""Searching: from a query to results that explain themselves."""
