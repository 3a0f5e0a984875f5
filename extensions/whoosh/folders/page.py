"""What is known about a page in a Whoosh folder: its stored fields and its rank for a query.

The textbook engine and other programs that use Whoosh keep no journal. So it is unknown why a page is missing from such
an index. Its note names the command whose crawl records it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reports.wording import Row, counted
from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extensions.whoosh.folders.searcher import WhooshSearcher
    from indexer.query.deadline import Deadline
    from indexer.retrieval.results import Hit

MAX_RESULTS_LOOKED_AT = 1_000  # for the page in question
MAX_QUERY = 1_000  # characters of a title that is searched for
MAX_SHOWN_CHARS = 300  # of a stored field


@dataclass(frozen=True, slots=True)
class WhooshPage:
    """A URL as a Whoosh folder has it; `fields` is None where the index does not have it, under any spelling."""

    url: str
    canonical: str  # "" where it is no URL; `unusable` then says why
    unusable: str
    documents: int
    fields: Mapping[str, Any] | None
    query: str
    total: int
    hit: Hit | None
    absence: str  # a clause
    note: str  # what is unknown without a crawl

    @property
    def is_known(self) -> bool:
        """Whether the index has it."""
        return self.fields is not None

    @property
    def sentence(self) -> str:
        """Whether it is in the index, and its rank, as a sentence."""
        if self.fields is None:
            return f"It is not in the index, which has {counted(self.documents, 'page')}."
        if self.hit is None:
            return f"It is in the index. It is no result for “{self.query}”: {self.absence}."
        return f"It is in the index. For “{self.query}” it is result {self.hit.rank} of {self.total:,}."

    def rows(self) -> list[Row]:
        """Return it as lines of a report."""
        if not self.canonical:
            address = f"This URL can't be fetched: {self.unusable}."
        elif self.canonical == self.url:
            address = "The URL is in canonical form."
        else:
            address = f"Its canonical form is {self.canonical}."
        rows = [Row("result", self.sentence), Row("URL", address)]
        rows += [Row(name, _shortened(str(value))) for name, value in sorted((self.fields or {}).items())]
        return [*rows, Row("journal", f"{self.note}.")]

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON, under the names that `why` has for pages of its own index."""
        place: dict[str, Any] = {"query": self.query, "total": self.total, "place": None, "absence": self.absence}
        if self.hit:
            place = {"query": self.query, "total": self.total, "place": self.hit.rank, "score": self.hit.score}
            place["explain"] = self.hit.explain().as_dict()
        fields = None if self.fields is None else {name: _shortened(str(each)) for name, each in self.fields.items()}
        return {
            "url": self.url,
            "canonical": self.canonical or None,
            "answer": {"is_result": self.hit is not None, "sentence": self.sentence},
            "stored": fields,
            "rank": place if self.fields is not None else None,
            "advice": self.note,
        }


def whoosh_page(searcher: WhooshSearcher, url: str, query: str, deadline: Deadline | None, note: str) -> WhooshPage:
    """Look for a URL as it was given and in its canonical form; with a query, else its own title, for its place."""
    canonical = unusable = ""
    try:
        canonical = canonicalize(url)
    except UnusableUrl as error:
        unusable = str(error)
    known, fields = url, searcher.page_fields(url)
    if fields is None and canonical:
        known, fields = canonical, searcher.page_fields(canonical)
    asked = query or (searcher.title_of(fields)[:MAX_QUERY] if fields else "")
    total, hit, absence = 0, None, "no query was given, and it has no title"
    if fields is not None and asked:
        total, hit = searcher.find_hit(known, asked, MAX_RESULTS_LOOKED_AT, deadline=deadline)
        absence = "" if hit else searcher.reason_absent(known, asked).reason
    return WhooshPage(url, canonical, unusable, searcher.documents, fields, asked, total, hit, absence, note)


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}… ({counted(len(text), 'character')})"
