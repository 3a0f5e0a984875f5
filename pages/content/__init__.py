"""How are pages compared? Pure functions on lines of text, for every room above."""
