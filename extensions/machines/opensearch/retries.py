"""Which faults of a cluster pass by themselves, and how long does a request wait for that? One table for all requests.

A new manager is elected, a node restarts, a queue is full: such a request succeeds a little later. So every request is
repeated for a while, reads and writes alike (cluster.py). Next to a crawl, a writer tries again as long as the crawl
runs. The pages wait in the feed meanwhile, and giving up loses nothing.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITE_PATIENCE = 60.0  # seconds without an accepted write, until a writer gives up for now
READ_PATIENCE = 2.0  # seconds for a reader: a person waits for it
FIRST_WAIT, LONGEST_WAIT = 0.05, 5.0  # seconds between two tries; each wait is twice the one before
TELLING_WAIT = FIRST_WAIT * 2**6  # the first wait, after some 3 s, with a message about the delay
BLOCKS = frozenset({"cluster_block_exception", "index_create_block_exception"})


class StatusMeaning(Enum):
    """The meaning of an OpenSearch status to the sender of the request."""

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
    500: StatusMeaning.PASSES,  # node_not_connected_exception and its like: the node lost the connection to another
    502: StatusMeaning.PASSES,  # a proxy has lost a node
    503: StatusMeaning.PASSES,  # no manager is elected, a shard has no node, the state of the cluster is not yet read
    504: StatusMeaning.PASSES,
}


def meaning_of_status(status: int, kind: str = "") -> StatusMeaning:
    """Return the meaning of a status; `kind` is OpenSearch's type of the error.

    A block set by a person or a full disk has status 403 or 429. One with 503 lasts while no manager is elected, or the
    cluster's state is not yet read, and passes.
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
