"""What is told of a crawl, and of one URL? why, report, plan, audit.

Everything here is counted or read from the crawl database and put into words; nothing is written, fetched or printed.
The commands print it in a terminal, the gateway shows it in a page.
"""
