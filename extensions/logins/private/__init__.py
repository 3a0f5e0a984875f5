"""Who may see the pages of a site behind a login? Whoever the crawl's operator lets in; for others they do not exist.

../tables.py notes the private areas in the crawl database, so they stay private whatever the settings say later. The
index keeps them apart, and links.py keeps what their pages say of others out of it. visitors.py finds out who a
visitor is, and guard.py limits the gateway to what the visitor may see.
"""
