"""What does a page ask of its reader? X-Robots-Tag headers and robots metas, and what follows from them."""
