"""The gateway over a small crawl, as in tests/gateway."""

from tests.gateway.conftest import bakery, client

__all__ = ["bakery", "client"]  # fixtures
