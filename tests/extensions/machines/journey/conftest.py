"""Whole crawls in parts share the fixtures of tests/journey."""

from tests.journey.conftest import *  # noqa: F403 - fixtures are found by name
from tests.journey.conftest import _forks

__all__ = ["_forks"]
