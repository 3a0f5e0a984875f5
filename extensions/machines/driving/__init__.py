"""Who gives the parts of a crawl their turns, and in which order? The same for processes here and for machines."""
