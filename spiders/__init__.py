"""How is a page fetched? The Scrapy side: spider, middlewares, resolver, download handler, and settings."""
