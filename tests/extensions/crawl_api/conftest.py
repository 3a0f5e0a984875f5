"""What do the tests of the crawl API share? The crawled bakery of the gateway's tests, and a site on loopback."""

from tests.gateway.conftest import bakery
from tests.journey.conftest import site

__all__ = ["bakery", "site"]
