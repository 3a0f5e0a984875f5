"""Where is a crawl kept that is too large for one machine? In shared storage, with one owner of a part at a time."""
