"""Which part of a crawl gets a turn, and when? The same code serves processes here and other machines."""
