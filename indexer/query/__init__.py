"""What does a query ask for? It is parsed into clauses; these become terms to rank by and conditions to meet."""
