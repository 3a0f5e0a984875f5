"""Which lines of a page did its reader come for? The page's own signs, block by block."""
