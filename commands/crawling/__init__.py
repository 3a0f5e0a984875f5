"""The arguments, the start and the reports of a crawl."""
