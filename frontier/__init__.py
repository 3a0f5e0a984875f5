"""Which URL is next, and what is stored for a response? Leases, rounds, discovery, budgets, and the end of a lease."""
