"""How is an archive read that another program wrote? Record by record, into what a crawl makes of answers.

`members.py` unpacks, `records.py` finds the records and goes on behind what is damaged, `answers.py` has what a record
says over HTTP, `reading.py` makes of it a `Page` or an `Outcome` as a crawl does, and `survey.py` looks through a whole
file first: for its robots.txt files, its sites and its methods. `revisits.py` finds a robots.txt where another record
has its body. Nothing here knows of Scrapy, or of a network.
"""
