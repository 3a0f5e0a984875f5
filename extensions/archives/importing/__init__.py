"""How is an archive read that another program wrote? Record by record, into what a crawl makes of answers.

`reader.py` finds the records and goes on behind what is damaged, `answers.py` has what a record says over HTTP,
`reading.py` makes of it a `Page` or an `Outcome` as a crawl does, `survey.py` looks through a whole file first, and
`run.py` stores. Nothing here knows of Scrapy, or of a network.
"""
