"""Which pages answer, in which order, and why? From a query to results that explain themselves."""
