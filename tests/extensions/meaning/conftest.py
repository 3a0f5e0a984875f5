"""Pages and an index in a folder of its own, as the tests of the index have them."""

from tests.indexer.conftest import *  # noqa: F403 - fixtures are found by name
