"""The gateway over a small crawl, as in tests/gateway."""

from tests.gateway.conftest import bakery, browser, client, served

__all__ = ["bakery", "browser", "client", "served"]  # fixtures
