"""Which faults of a cluster pass by themselves, and how long are they waited out? One table, for every request.

A manager that is elected anew, a node that restarts, a full queue: each fails a request that succeeds a little later.
So every request is repeated for a while, reads and writes alike (cluster.py); beside a crawl a writer tries again as
long as the crawl goes on. What was crawled waits in the feed meanwhile, and nothing is lost by giving up.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITE_PATIENCE = 60.0  # seconds in which nothing is taken, until a writer gives up for now
READ_PATIENCE = 2.0  # seconds for a reader: a person waits for it
FIRST_WAIT, LONGEST_WAIT = 0.05, 5.0  # seconds between two tries; each wait is twice the one before
TELLING_WAIT = FIRST_WAIT * 2**6  # the first wait, after some 3 s, at which a person is told why nothing goes on
BLOCKS = frozenset({"cluster_block_exception", "index_create_block_exception"})


class StatusMeaning(Enum):
    """What a status of OpenSearch means for whoever sent the request."""

    DONE = "it is done"
    PASSES = "the same request may succeed in a moment"
    BLOCKED = "nothing is written until a person makes room, or lifts a block"
    FORBIDDEN = "this user may not do it"
    MISSING = "what the request names is not there"
    STALE = "something newer is there"
    REFUSED = "the request is wrong: repeating it changes nothing"


MEANINGS = {
    401: StatusMeaning.FORBIDDEN,
    403: StatusMeaning.FORBIDDEN,
    404: StatusMeaning.MISSING,
    409: StatusMeaning.STALE,
    429: StatusMeaning.PASSES,  # a queue or the memory of a node is full
    500: StatusMeaning.PASSES,  # node_not_connected_exception and its like: the node that was asked lost another
    502: StatusMeaning.PASSES,  # a proxy has lost a node
    503: StatusMeaning.PASSES,  # no manager is elected, a shard has no node, the state of the cluster is not yet read
    504: StatusMeaning.PASSES,
}


def meaning_of_status(status: int, kind: str = "") -> StatusMeaning:
    """Return what a status means; `kind` is the type of error that OpenSearch names.

    A block that a person or a full disk has set has 403 or 429. One with 503 is there while no manager is elected, or
    the state of the cluster is not yet read, and passes.
    """
    if status in MEANINGS:
        blocked = kind in BLOCKS and status in {403, 429}
        return StatusMeaning.BLOCKED if blocked else MEANINGS[status]
    return StatusMeaning.DONE if status < 300 else StatusMeaning.REFUSED  # noqa: PLR2004 - the statuses of success


def waits() -> Iterator[float]:
    """Yield how long to wait before each further try."""
    wait = FIRST_WAIT
    while True:
        yield wait
        wait = min(2 * wait, LONGEST_WAIT)
