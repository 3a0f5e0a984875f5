"""How is a crawl written as an archive? As WARC 1.1 (ISO 28500:2017): what was sent and received, record by record."""
