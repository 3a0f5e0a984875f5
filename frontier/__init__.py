"""What is next, and what follows from an answer? Leases, rounds, discovery, budgets, and the end of a lease."""
