"""Which jobs run over all parts of a crawl? PageRank, near copies in different parts, and a new division."""
