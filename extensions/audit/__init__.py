"""Was the robot polite? `audit` proves it from the log of a crawl, or from the access log of a server.

It adds only a command. `claims.py` has what is proved: permission, delay, requests a minute, one request for each page.
"""
