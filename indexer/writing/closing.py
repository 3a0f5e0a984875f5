"""What does a writer of an index do, whatever engine keeps it? It puts, removes and commits; it ends with a commit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from indexer.segments.link_ranks import GraphState, LinkRanks
    from urls.records import Page


class CommittingWriter(ABC):
    """Writes an index. Use it in a `with` block, or close it: what was not committed is forgotten then.

    `crawl` is the identity of the crawl database whose feed is followed; a commit keeps it.
    """

    crawl = ""

    @property
    @abstractmethod
    def position(self) -> int:
        """The last row of the feed that is committed."""

    @property
    @abstractmethod
    def graph(self) -> GraphState:
        """Of what graph the ranks are that the next commit has."""

    @property
    @abstractmethod
    def documents(self) -> int:
        """Pages in the index, as of the last commit; of a part of a crawl, its own."""

    @abstractmethod
    def put(self, page: Page, seq: int = 0) -> None:
        """Add a page, or put it in the place of an older one with the same URL; `seq` is its number in the feed."""

    @abstractmethod
    def remove(self, url: str, seq: int = 0) -> None:
        """Take a page out. A URL that is not in the index is no error."""

    @abstractmethod
    def put_ranks(self, ranks: LinkRanks) -> None:
        """Let what links say of all pages take the place of what was known of it."""

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
