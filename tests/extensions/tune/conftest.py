"""Pages and an index, as in tests/indexer."""

from tests.indexer.conftest import index, page

__all__ = ["index", "page"]  # fixtures
