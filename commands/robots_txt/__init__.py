"""How is a robots.txt shown? Where it comes from, its readings side by side, its delay, and what a lint finds."""
