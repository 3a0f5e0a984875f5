"""What do tests of spoofing share? What journeys of the engine share."""

from tests.journey.conftest import *  # noqa: F403 - fixtures are found by name
from tests.journey.conftest import _forks  # noqa: F401
