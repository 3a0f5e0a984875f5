"""Where does the index have a page? Its terms, its place among the results of a question, and why it has none.

What the terminal and the browser show of a score is made here, with the same words in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.faults import IndexFault, NoIndex
from indexer.retrieval.deadline import Deadline
from indexer.retrieval.results import late_sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher
    from reports.why.dossier import Dossier

MAX_RESULTS_LOOKED_AT = 1_000  # are looked through for the page in question; beyond, nobody asks why
MAX_QUERY = 1_000  # characters of a title that is asked for


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """`terms` is None where the index does not have the page, `hit` where it is not among the first results.

    `absence` says why there is no hit, as a clause; `lateness` what there was no time for, as a sentence.
    """

    query: str
    terms: tuple[tuple[str, int], ...] | None = None
    total: int = 0
    hit: Hit | None = None
    absence: str = ""
    lateness: str = ""
    fault: str = ""  # why the index can't be read

    def as_dict(self) -> dict[str, Any] | None:
        """Return it for JSON, None where nothing was asked of the index or it does not have the page."""
        late = {"lateness": self.lateness} if self.lateness else {}
        if self.hit is not None:
            found = {"place": self.hit.rank, "score": self.hit.score, "explain": self.hit.explain().as_dict()}
            return {"query": self.query, "total": self.total} | found | late
        if self.terms is None:
            return None
        return {"query": self.query, "total": self.total, "place": None, "absence": self.absence} | late


def index_entry(
    opened: Callable[[], Searcher],
    found: Dossier,
    query: str = "",
    *,
    site: str = "",
    language: str = "",
    deadline: Deadline | None = None,
) -> IndexEntry:
    """Look for a page among the results of a question, or where none was asked, among those for its own title.

    `opened` gives the searcher; where it raises IndexFault, the crawl has its account of the URL all the same.
    """
    page = found.page
    asked = query or (page.title[:MAX_QUERY] if page else "")
    if found.canonical is None or page is None:
        return IndexEntry(asked, absence="no page of it is stored")
    try:
        searcher = opened()
        terms = searcher.terms(found.canonical)
    except IndexFault as error:
        fault = "" if isinstance(error, NoIndex) else str(error)
        return IndexEntry(asked, absence=f"the index can't be read: {error}", fault=fault)
    if page.hidden is not None:  # the index may not have followed yet: a search hides it all the same
        return IndexEntry(asked, absence=f"{page.hidden.reason} ({page.hidden.rule})")
    if terms is None:
        return IndexEntry(asked, absence="it is not in the index yet")
    where = {"site": site, "language": language}
    end = deadline or Deadline()
    total, hit = searcher.find_hit(found.canonical, asked, MAX_RESULTS_LOOKED_AT, **where, deadline=end)
    if hit is not None or end.left_out:
        absence = "" if hit else "it was not met while there was time"
        if hit is not None and hit.under:
            absence = f"it stands under result {hit.rank}, {hit.under}, which says nearly the same and answers better"
            hit = None
        return IndexEntry(asked, terms, total, hit, absence, late_sentence(end))
    absence = searcher.reason_absent(found.canonical, asked, **where)
    if not absence:
        copies = searcher.copies(found.canonical)
        behind = f"it stands behind the first {MAX_RESULTS_LOOKED_AT:,} results"
        absence = f"the same is at {', '.join(copies)}, which stands above it" if copies else behind
    return IndexEntry(asked, terms, total, absence=absence)
