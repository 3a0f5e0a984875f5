"""What is known? One SQLite file: its schema, one module a table, and everything about a page in one transaction."""
