"""What does a page ask of those who fetched it? X-Robots-Tag headers, robots metas, and the controls they make."""
