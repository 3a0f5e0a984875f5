"""What do tests of the order of a crawl share? A crawl with a topic, begun on the test's folder."""

from collections.abc import Callable

import pytest

from frontier.session import Session
from tests.frontier.topic_web import topic
from tests.samples import SEED


@pytest.fixture
def begin(open_session: Callable[..., Session]) -> Callable[..., Session]:
    """Begin a crawl for a few words, on seeds."""
    return lambda words="rye bread", *seeds: open_session(*(seeds or (SEED,)), **topic(words))
