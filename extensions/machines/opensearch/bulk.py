"""How do many documents get into a cluster, none lost and none twice? In bulks, repeated until all are accepted.

A document's id follows from its URL, and its version is the number of its change in the feed. So late or repeated
writes never replace a newer version (OpenSearch's external versions). A bulk with an unknown result is sent again as a
whole. If OpenSearch accepts a bulk in part, only documents that failed for a passing reason are sent again.

One bulk is in flight while the next one is made.
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
    from collections.abc import Iterable, Iterator, Sequence

    from extensions.machines.opensearch.cluster import Cluster

MAX_BULK_BYTES = 5_000_000  # of one request: where OpenSearch's own advice starts


@dataclass(frozen=True, slots=True)
class BulkAction:
    """An action on a document. `version` replaces lower ones; without one the last write wins.

    With `once`, a document of the same version stays as it is.
    """

    kind: str  # "index" or "delete"
    index: str
    name: str
    source: dict[str, Any] | None = None
    version: int | None = None
    once: bool = False

    def line(self) -> bytes:
        """Return the action in OpenSearch's format: a line with the action, and for most a line with the document."""
        head: dict[str, Any] = {"_index": own_alias(self.index), "_id": self.name}
        if self.version is not None:
            head |= {"version": self.version, "version_type": "external" if self.once else "external_gte"}
        lines: list[Any] = [{self.kind: head}, *([] if self.source is None else [self.source])]
        return b"".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in lines)


def own_alias(index: str) -> str:
    """Return the alias of one index: writing through it never recreates a deleted index."""
    return f"{index}-written"


class Bulk:
    """Sends actions. `send` and `wait` raise IndexUnreachable, IndexRefuses and CorruptIndex."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._thread = ThreadPoolExecutor(1)
        self._under_way: Future[None] | None = None
        self.repeated = 0  # documents that were sent once more

    def send(self, actions: Iterable[BulkAction]) -> None:
        """Send actions, while the caller continues."""
        for some in _bulks(actions):
            self.wait()
            self._under_way = self._thread.submit(self._send, some)

    def wait(self) -> None:
        """Wait until everything is accepted and durable: OpenSearch writes its log before it responds."""
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            under_way.result()

    def close(self) -> None:
        """Send no more."""
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
            if waiting and time.monotonic() - since >= WRITE_PATIENCE:
                raise found
            if waiting:
                self.repeated += len(waiting)
                time.sleep(next(pauses))

    def _left(
        self, sent: Sequence[tuple[BulkAction, bytes]], items: Sequence[dict[str, Any]]
    ) -> tuple[list[tuple[BulkAction, bytes]], str]:
        """Return the actions to send again, and the last reason why one was not accepted."""
        left, reason = [], ""
        for one, item in zip(sent, items, strict=True):
            (result,) = item.values()
            status, error = result["status"], result.get("error") or {}
            message = str(error.get("reason", error))[:300]
            match meaning_of_status(status, error.get("type", "")):
                case StatusMeaning.DONE | StatusMeaning.STALE:
                    pass
                case StatusMeaning.PASSES:
                    left.append(one)
                    reason = f"{status}: {message}"
                case StatusMeaning.BLOCKED:
                    raise IndexRefuses(self._cluster.address, message)
                case StatusMeaning.MISSING if error:
                    raise CorruptIndex(self._cluster.address, f"it was deleted while it was written: {message}")
                case StatusMeaning.MISSING:
                    pass  # the document to delete is not there
                case _:
                    logging.getLogger(__name__).warning(
                        "%s refuses %s: %s", self._cluster.address, one[0].name, message
                    )
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
