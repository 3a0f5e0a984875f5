"""How long is a cluster waited for that does not answer? A minute; beside a crawl, as long as the crawl goes on.

What was crawled waits in the feed meanwhile, and nothing is lost by giving up.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, TypeVar

from indexer.faults import IndexRefuses, IndexUnreachable

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

Answer = TypeVar("Answer")
PATIENCE = 60.0  # seconds in which nothing is taken, until we give up for now
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds between two tries; each wait is twice the one before
AWAY_SECONDS = 5.0  # how often a cluster is tried again beside a crawl


def waits() -> Iterator[float]:
    """Yield how long to wait before each further try."""
    wait = FIRST_WAIT
    while True:
        yield wait
        wait = min(2 * wait, LONGEST_WAIT)


def patiently(ask: Callable[[], Answer], patience: float = PATIENCE) -> Answer:
    """Ask again while the cluster does not answer, for a while: what is asked must do no harm when it is done twice."""
    since = time.monotonic()
    for wait in waits():
        try:
            return ask()
        except IndexUnreachable:
            if time.monotonic() - since >= patience:
                raise
        time.sleep(wait)
    raise AssertionError  # there is always another wait


def outlast(attempt: Callable[[], Answer], closed: threading.Event, seconds: float = AWAY_SECONDS) -> Answer:
    """Try again while a cluster is away or full, until a crawl has closed its feed; each fault is told once.

    It is tried once more after that: it may have come back since the last attempt began.
    """
    told = ""
    while True:
        is_last = closed.is_set()
        try:
            return attempt()
        except (IndexUnreachable, IndexRefuses) as fault:
            if is_last:
                raise
            if str(fault) != told:
                told = str(fault)
                logging.getLogger(__name__).warning("index: %s", told)
        closed.wait(seconds)
