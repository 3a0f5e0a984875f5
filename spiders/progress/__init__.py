"""How far is the crawl? A live line on a terminal, plain lines elsewhere."""
