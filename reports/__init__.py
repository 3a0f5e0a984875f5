"""Reports on a crawl and on one URL: the data behind `report`, `why`, `plan` and `audit`.

The functions here only read the crawl database and return data or text. The commands print it, the gateway shows it.
"""
