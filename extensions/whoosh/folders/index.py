"""A folder that Whoosh wrote, in the place of an index of ours: it can be searched, and not written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from extensions.whoosh.folders.folder import SCHEME, check_trusted, folder_at
from indexer.faults import IndexFault
from indexer.remote import IndexEngine

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.whoosh.folders.page import WhooshPage
    from indexer.query.deadline import Deadline
    from indexer.retrieval.searcher import Searcher


class WhooshFolder:
    """The index at an address, `whoosh:FOLDER`."""

    name = "a Whoosh index"
    note = (
        "The textbook engine keeps no journal, so only the fields that Whoosh stored are known. The engine of "
        "crawl site keeps a journal, and why shows every decision"
    )

    def __init__(self, address: str) -> None:
        self.address = address

    def __str__(self) -> str:
        return self.address

    @property
    def folder(self) -> Path:
        """The folder of the index."""
        return folder_at(self.address)

    def check_trusted(self) -> None:
        """Raise UnreadableWhoosh if reading it could run code of somebody else."""
        check_trusted(self.folder)

    def open_searcher(self, *_: object) -> Searcher:
        """Open it for searching."""
        from extensions.whoosh.folders.searcher import WhooshSearcher

        return WhooshSearcher(self.folder)

    def page(self, url: str, query: str, deadline: Deadline | None = None) -> WhooshPage:
        """Look for a URL, and for its rank for a query, or for its own title."""
        from extensions.whoosh.folders.page import whoosh_page
        from extensions.whoosh.folders.searcher import WhooshSearcher

        return whoosh_page(WhooshSearcher(self.folder), url, query, deadline, self.note)

    def _no_index_of_ours(self, *_: Any, **__: Any) -> NoReturn:
        """Raise IndexFault: nothing is written into it, and no crawl has filled it."""
        raise IndexFault(f"INDEX={self}: only search, serve and why can read a Whoosh folder. Leave INDEX empty here")

    open_writer = committed = check_name = check = delete = snapshot = _no_index_of_ours


def _read(address: str) -> WhooshFolder:
    if not address.removeprefix(SCHEME).strip():
        raise ValueError("it names no folder")
    return WhooshFolder(address)


WHOOSH_FOLDERS = IndexEngine(
    schemes=(SCHEME.rstrip(":"),),
    read=_read,
    places="in a folder that Whoosh wrote (whoosh:FOLDER)",
    example="whoosh:data/textbook/whoosh",
    settings=("TRUST_PICKLES", "WHOOSH_FIELDS"),
)
