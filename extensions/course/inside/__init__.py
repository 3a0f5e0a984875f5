"""What is in the index, which pages are copies, and who links to whom? `/inside/index`, `/duplicates` and `/links`."""
