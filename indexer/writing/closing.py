"""How does a writer of an index end? With a commit where its block ended well, and in any case it lets the index go."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


class CommittingWriter(ABC):
    """Use it in a `with` block, or close it: what was not committed is forgotten then.

    `crawl` is the identity of the crawl database whose feed is followed; a commit keeps it.
    """

    crawl = ""

    @abstractmethod
    def commit(self, position: int | None = None, *, ending: bool = False) -> None:
        """Make everything so far durable and visible; `position` is the feed's row up to which that is everything.

        `ending`: nothing more comes.
        """

    @abstractmethod
    def close(self) -> None:
        """Let the index go. What was not committed is forgotten."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.close()
