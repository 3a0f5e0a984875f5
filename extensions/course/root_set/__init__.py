"""Which pages does a crawl reach from which seed? `/inside/root-set`."""
