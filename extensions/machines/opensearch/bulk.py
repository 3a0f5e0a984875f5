"""How do many documents get into a cluster, none lost and none twice? In bulks, repeated until all are taken.

A document's name follows from its URL, and its version is the number of its change in the feed: whatever is repeated,
comes late or comes twice leaves the newest in its place (OpenSearch's external versions). So a bulk of which nobody
knows what became of it is sent again as it is; of one that was taken in part, what was refused for want of room is.

One bulk is under way while the next one is made.
"""

from __future__ import annotations

import json
import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from extensions.machines.opensearch.retries import WRITE_PATIENCE, StatusMeaning, meaning_of_status, waits
from indexer.faults import CorruptIndex, IndexRefuses, IndexUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from extensions.machines.opensearch.cluster import Cluster

MAX_BULK_BYTES = 5_000_000  # of one request: what OpenSearch's own advice begins with


@dataclass(frozen=True, slots=True)
class BulkAction:
    """What is to become of a document. `version` goes before what is lower; without one the last counts.

    With `once`, what is there in the same version stays as it is.
    """

    kind: str  # "index" or "delete"
    index: str
    name: str
    source: dict[str, Any] | None = None
    version: int | None = None
    once: bool = False

    def line(self) -> bytes:
        """Return it as OpenSearch reads it: a line that says what, and for most a line with the document."""
        head: dict[str, Any] = {"_index": own_alias(self.index), "_id": self.name}
        if self.version is not None:
            head |= {"version": self.version, "version_type": "external" if self.once else "external_gte"}
        lines: list[Any] = [{self.kind: head}, *([] if self.source is None else [self.source])]
        return b"".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in lines)


def own_alias(index: str) -> str:
    """Return the alias that an index has for itself: what is written to it makes no index anew that was deleted."""
    return f"{index}-written"


class Bulk:
    """Sends actions. `send` and `wait` raise IndexUnreachable, IndexRefuses and CorruptIndex."""

    def __init__(
        self, cluster: Cluster, patience: float = WRITE_PATIENCE, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._cluster, self._patience, self._sleep = cluster, patience, sleep
        self._thread = ThreadPoolExecutor(1)
        self._under_way: Future[None] | None = None
        self.repeated = 0  # documents that were sent once more

    def send(self, actions: Iterable[BulkAction]) -> None:
        """Send actions, while the caller goes on."""
        for some in _bulks(actions):
            self.wait()
            self._under_way = self._thread.submit(self._send, some)

    def wait(self) -> None:
        """Wait until everything is taken, and durable: OpenSearch writes its log before it answers."""
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            under_way.result()

    def close(self) -> None:
        """Send nothing more."""
        self._thread.shutdown(cancel_futures=True)

    def _send(self, waiting: list[tuple[BulkAction, bytes]]) -> None:
        pauses, since, reason = waits(), time.monotonic(), ""
        while waiting:
            try:
                lines = b"".join(line for _, line in waiting)
                answer = self._cluster.ask("POST", "/_bulk", lines, require_alias=True, patience=0.0)
                left, reason = self._left(waiting, answer["items"])
            except IndexUnreachable as fault:
                left, found = waiting, fault
            else:
                found = IndexUnreachable(self._cluster.address, reason)
            if len(left) < len(waiting):
                pauses, since = waits(), time.monotonic()
            waiting = left
            if waiting and time.monotonic() - since >= self._patience:
                raise found
            if waiting:
                self.repeated += len(waiting)
                self._sleep(next(pauses))

    def _left(
        self, sent: Sequence[tuple[BulkAction, bytes]], items: Sequence[dict[str, Any]]
    ) -> tuple[list[tuple[BulkAction, bytes]], str]:
        """Return what was not taken and may be taken later, and why the last of it was not."""
        left, reason = [], ""
        for one, item in zip(sent, items, strict=True):
            (result,) = item.values()
            status, error = result["status"], result.get("error") or {}
            told = str(error.get("reason", error))[:300]
            match meaning_of_status(status, error.get("type", "")):
                case StatusMeaning.DONE | StatusMeaning.STALE:
                    pass
                case StatusMeaning.PASSES:
                    left.append(one)
                    reason = f"{status}: {told}"
                case StatusMeaning.BLOCKED:
                    raise IndexRefuses(self._cluster.address, told)
                case StatusMeaning.MISSING if error:
                    raise CorruptIndex(self._cluster.address, f"it was deleted while it was written: {told}")
                case StatusMeaning.MISSING:
                    pass  # what is to be deleted is not there
                case _:
                    logging.getLogger(__name__).warning("%s refuses %s: %s", self._cluster.address, one[0].name, told)
        return left, reason


def _bulks(actions: Iterable[BulkAction]) -> Iterator[list[tuple[BulkAction, bytes]]]:
    some: list[tuple[BulkAction, bytes]] = []
    size = 0
    for action in actions:
        line = action.line()
        if some and size + len(line) > MAX_BULK_BYTES:
            yield some
            some, size = [], 0
        some.append((action, line))
        size += len(line)
    if some:
        yield some
