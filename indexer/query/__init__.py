"""What did a person ask? Clauses are read, and become terms to rank by and conditions that must hold."""
