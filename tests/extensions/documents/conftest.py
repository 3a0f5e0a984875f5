"""Crawls of made sites, as in tests/journey."""

from tests.journey.conftest import *  # noqa: F403 - fixtures are found by name
from tests.journey.conftest import _forks  # noqa: F401
