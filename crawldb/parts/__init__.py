"""How do several processes share one crawl? Each part has a folder of its own. All that knows of parts is here."""
