"""What do journeys of `crawl textbook` share? What those of the engine do: a site, a folder, recorded forks."""

from tests.journey.conftest import *  # noqa: F403 - fixtures are found by name
from tests.journey.conftest import _forks  # noqa: F401
