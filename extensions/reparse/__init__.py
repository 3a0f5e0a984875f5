"""What would a changed rule say of the pages that are stored? They are parsed and filtered again, without any fetch.

It adds a command alone. The tables of what is still to be done are in `tables.py`.
"""
