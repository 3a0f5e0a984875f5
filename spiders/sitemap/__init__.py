"""Which pages does a site list by itself? The reading of sitemap files (sitemaps.org, protocol 0.9).

`read_sitemap` is the whole interface: bytes in, one `Sitemap` out, whatever the bytes. Nothing here but `extension.py`
knows of Scrapy.
"""

from spiders.sitemap.reading import read_sitemap

__all__ = ["read_sitemap"]
