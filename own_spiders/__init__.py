"""Where are spiders of your own? Here: `scrapy genspider NAME URL` makes one, and `scrapy list` shows it.

`scrapy runspider own_spiders/NAME.py` runs it. Git leaves them out, and `./breadcrumb crawl` does not load them.
"""
