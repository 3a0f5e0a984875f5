"""How does a person see it? Columns, colours, and a file with its lines marked."""
