"""What is computed over all parts of a crawl at once? PageRank, near copies in different parts, a new division."""
