"""How does the index keep up? Beside a crawl, after one, and at once where a page must go."""
