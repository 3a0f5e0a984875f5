"""What do tests of spoofing share? What journeys of the engine share, and a Scrapy project of somebody else."""

from tests.journey.conftest import *  # noqa: F403 - fixtures are found by name
from tests.journey.conftest import _forks  # noqa: F401
from tests.journey.scrapy.shop import shop  # noqa: F401
