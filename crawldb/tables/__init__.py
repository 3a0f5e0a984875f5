"""One table, one module: pages, links, journal, feed, robots files, and who said it before."""
