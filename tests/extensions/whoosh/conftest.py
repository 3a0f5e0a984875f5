"""The columns are those of the gateway over the bakery's crawl."""

from tests.gateway.conftest import bakery, client

__all__ = ["bakery", "client"]
