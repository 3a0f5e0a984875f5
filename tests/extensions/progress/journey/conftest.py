"""What do journeys share? What those of the engine do: a site, a folder, and recorded forks."""

from tests.journey.conftest import *  # noqa: F403 - fixtures are found by name
from tests.journey.conftest import _forks  # noqa: F401
