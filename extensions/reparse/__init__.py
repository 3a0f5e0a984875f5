"""How would a changed rule affect the stored pages? They are parsed and filtered again, without any fetch.

It adds only a command. `tables.py` has the tables of the remaining work.
"""
