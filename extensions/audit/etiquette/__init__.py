"""Did this crawl keep the guidelines for operators of robots? `/inside/etiquette`."""
