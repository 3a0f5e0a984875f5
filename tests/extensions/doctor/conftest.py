"""What do the tests of the doctor share? A site on loopback."""

from tests.journey.conftest import site

__all__ = ["site"]
