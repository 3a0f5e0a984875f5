"""How is an archive of another program read? Record by record, into the items that a crawl makes of responses.

`reader.py` finds the records, and continues after damage. `reading.py` reads the response in a record, and makes a
`Page` or an `Outcome` of it, as a crawl does. `survey.py` looks through a whole file first. `run.py` stores.
Nothing here uses Scrapy or a network.
"""
