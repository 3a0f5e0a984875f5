"""How is a page fetched and read? The Scrapy side: spider, gate, resolver, handler, and the one parse."""
