"""How small can a search engine be? Scrapy fetches, BeautifulSoup reads, datasketch compares, Whoosh indexes and ranks.

This is the design of Breadcrumb as the libraries' own tutorials would build it. Read `spider.py`, `reader.py`,
`filters.py` and `index.py` first. Then compare each with the package of the engine that does the same (README.md).
"""
