"""How is a query understood? It is parsed into clauses; these become terms to rank by and conditions to meet."""
