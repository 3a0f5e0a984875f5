"""How do several processes share one crawl?"""
