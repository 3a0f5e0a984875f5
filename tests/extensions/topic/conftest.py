"""What do tests of the order of a crawl share? A crawl with a topic, and what journeys of the engine share."""

from collections.abc import Callable

import pytest

from frontier.session import Session
from tests.extensions.topic.topic_web import topic
from tests.journey.conftest import *  # noqa: F403 - fixtures are found by name
from tests.journey.conftest import _forks  # noqa: F401
from tests.samples import SEED


@pytest.fixture
def begin(open_session: Callable[..., Session]) -> Callable[..., Session]:
    """Begin a crawl for a few words, on seeds."""
    return lambda words="rye bread", *seeds: open_session(*(seeds or (SEED,)), **topic(words))
