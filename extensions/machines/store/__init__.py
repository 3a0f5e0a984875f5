"""Where is a crawl kept that no machine holds? In shared storage, each part with one owner at a time."""
