"""How does a command ask a server by itself, without a crawl? With the crawl's name, its guard and its limits."""
