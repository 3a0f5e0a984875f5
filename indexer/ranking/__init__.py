"""How well does a page answer? Which pages may, what each word, neighbour and prior gives, and what spoofing takes."""
