"""Figures over several tables, for reports."""
