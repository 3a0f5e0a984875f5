"""What do the tests of the request log share? The crawled bakery of the gateway's tests."""

from tests.gateway.conftest import bakery

__all__ = ["bakery"]
