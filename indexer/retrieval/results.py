"""The results of a search, each with the reasons for its rank; the page that shows them adds nothing.

The JSON object of `/api/search` is that of `search --json`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.query.deadline import Deadline
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from indexer.ranking.score import AddedPart, Score
    from indexer.retrieval.collector import Sitelink
    from indexer.retrieval.facets import Facet
    from indexer.snippets.hit_sections import HitSection
    from indexer.snippets.sentences import Snippet
    from indexer.spelling.spellchecker import SpellingSuggestion


@dataclass(frozen=True, slots=True)
class PartState:
    """The state of the index of one part of a divided crawl, or why it is not searched."""

    part: str  # "2/3"
    generation: int = 0
    as_of: float = 0.0  # seconds since the epoch: its last commit
    documents: int = 0
    fault: str = ""  # empty: it is searched

    def __str__(self) -> str:
        if not self.fault:
            return f"Part {self.part} is searched"
        return f"Part {self.part} is not searched: {self.fault}. Its pages are not among the results."


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `fetched_at` is in seconds since the epoch; `archive`: a cached copy may be shown.

    `nosnippet`: its owner wants no text of it in results, so `snippet` is empty.
    """

    url: str
    title: str
    site: str
    language: str
    fetched_at: float
    archive: bool
    rank: int  # 1 is the first of all results, on whatever page
    _explain: Callable[[], Score]
    _snippet: Callable[[], Snippet]
    _marked_title: Callable[[], Snippet]
    copies: tuple[str, ...] = ()  # in a divided crawl: pages of other parts with the same content, which are not shown
    published: float | None = None  # in seconds since the epoch, as the page says
    modified: float | None = None
    similar: int = 0  # matching near copies that are folded under this one
    not_fetched: str = ""  # why it was never fetched, a clause; the snippet then has the words of links to it
    inlinks: int = 0  # pages that link to it, as of the last PageRank; 0: unknown
    under: str = ""  # the page under which it is folded; its rank is that of this page
    nosnippet: bool = False
    _has_added_parts: bool = False
    _sitelinks: Callable[[], tuple[Sitelink, ...]] = tuple
    _sections: Callable[[], tuple[HitSection, ...]] = tuple
    added_fields: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of extensions: the label of each, and its values
    lacks: tuple[str, ...] = ()  # phrases that it lacks; it comes after all pages that have them

    @property
    def snippet(self) -> Snippet:
        """The lines that match best, found on first use, since few of many results are shown."""
        return self._snippet()

    @property
    def known_by_links(self) -> str:
        """Why a page was never fetched, and how it is known."""
        links = counted(self.inlinks, "page links", "pages link") if self.inlinks else "pages link"
        return f"Not fetched: {self.not_fetched}. Known from links alone: {links} to it"

    @property
    def sitelinks(self) -> tuple[Sitelink, ...]:
        """The main pages of the site, if this is the first result and a home page."""
        return self._sitelinks()

    @property
    def sections(self) -> tuple[HitSection, ...]:
        """The sections of the page that answer, the best first."""
        return self._sections()

    @property
    def leads_to(self) -> str:
        """Where the title leads: to the section that answers, if one does better than the page as a whole."""
        return next((each.url for each in self.sections[:1] if each.leads), self.url)

    @property
    def marked_title(self) -> Snippet:
        """The title, with the words of the query marked."""
        return self._marked_title()

    @property
    def score(self) -> float:
        """The score as it is shown: the sum of the parts of `explain`."""
        return self._explain().total

    def explain(self) -> Score:
        """Return the score with its parts; computing it takes as long as a result."""
        return self._explain()

    @property
    def added_parts(self) -> tuple[AddedPart, ...]:
        """The parts of its score that extensions add."""
        return self._explain().added if self._has_added_parts else ()

    @property
    def has_no_word(self) -> bool:
        """Whether it has none of the words, and is a result of an extension."""
        return bool(self.added_parts) and not self._explain().words


@dataclass(frozen=True, slots=True)
class Results:
    """One page of results. `total` counts the results as far as is known, `folded` the pages folded under them.

    `total` omits the pages that the search has met so far and does not show. These are blocked pages and, in a divided
    crawl, copies of a page in another part with a better rank.
    """

    query: str
    total: int
    hits: tuple[Hit, ...]
    page: int
    limit: int
    generation: int
    as_of: float  # seconds since the epoch: the commit that was searched, of several parts the oldest
    parts: tuple[PartState, ...] = ()  # of a divided crawl
    folded: int = 0
    suggested_sites: tuple[str, ...] = ()  # without results, for a site that the index does not have
    spelling: SpellingSuggestion | None = None  # the query with other words, if it may be misspelled
    word_pages: Mapping[str, int] = field(default_factory=dict)  # document frequency of each ranked word
    unread: tuple[str, ...] = ()  # parts of the query beyond a bound
    understood: str = ""  # sentences on operators and filters in the query
    address: str = ""  # the query is the URL of this page
    not_searched: str = ""  # sentences on parts of the index that did not respond
    not_added: Mapping[str, str] = field(default_factory=dict)  # sentences of extensions on what they did not search
    engine: str = ""  # sentences on what another engine does not do
    not_read: str = ""  # sentences on Japanese that is found only as it is written, where readings are switched on
    _deadline: Deadline = field(default_factory=Deadline, compare=False)
    _facets: Callable[[], tuple[Facet, ...]] = field(default=tuple, compare=False)

    @property
    def facets(self) -> tuple[Facet, ...]:
        """The facets of the results, counted on first use."""
        return self._facets()

    @property
    def left_out(self) -> tuple[str, ...]:
        """The parts that the search has left out so far, or had no time for: snippets may add to it."""
        return self.unread + self._deadline.left_out

    @property
    def notice(self) -> str:
        """Sentences on what was left out, or empty."""
        unread = f"The query is too long. Not looked for: {', '.join(self.unread)}." if self.unread else ""
        return " ".join(
            filter(None, (unread, self.not_searched, self.engine, late_sentence(self._deadline), *self._by_extensions))
        )

    @property
    def _by_extensions(self) -> tuple[str, ...]:
        return *self.not_added.values(), self.not_read


def late_sentence(deadline: Deadline) -> str:
    """Return the sentence on a query that took too long, or an empty one."""
    if not deadline.left_out:
        return ""
    return (
        f"The time for one query, {deadline.seconds:g} s, was up before everything was looked at. Left out: "
        f"{', '.join(deadline.left_out)}. Fewer words and phrases are answered in full."
    )


def results_as_dict(results: Results, seconds: float, pasteable: Callable[[str], str] = str) -> dict[str, Any]:
    """Return a page of results, found in `seconds`, for JSON; `pasteable` lets commands name their folder."""
    as_dict: dict[str, Any] = {
        "query": results.query,
        "total": results.total,
        "folded": results.folded,
        "took_ms": round(seconds * 1000, 3),
        "generation": results.generation,
        "hits": [_hit_as_dict(hit) for hit in results.hits],
    }
    if results.understood:
        as_dict["understood"] = results.understood
    if results.spelling:
        changed = asdict(results.spelling)
        as_dict["spelling"] = {"question": changed.pop("query"), **changed}
    if results.left_out:
        as_dict["left_out"] = list(results.left_out)
    if results.not_searched:
        as_dict["not_searched"] = results.not_searched
    if results.engine:
        as_dict["engine"] = results.engine
    as_dict |= results.not_added
    if results.not_read:
        as_dict["not_read"] = results.not_read
    if not results.parts:
        return as_dict
    for shown, hit in zip(as_dict["hits"], results.hits, strict=True):
        shown["copies"] = list(hit.copies)
    return as_dict | {"parts": parts_as_dicts(results.parts, pasteable)}


def parts_as_dicts(parts: Iterable[PartState], pasteable: Callable[[str], str] = str) -> list[dict[str, Any]]:
    """Return the state of the index of each part of a divided crawl; `pasteable` lets commands name their folder."""
    return [asdict(each) | {"fault": pasteable(each.fault) or None} for each in parts]


def _hit_as_dict(hit: Hit) -> dict[str, Any]:
    shown = {
        "url": hit.url,
        "title": hit.title,
        "snippet": str(hit.snippet),
        "score": hit.score,
        "lang": hit.language,
        "fetched_at": hit.fetched_at or None,
        "published": hit.published,
        "modified": hit.modified,
        "similar": hit.similar,
        "not_fetched": hit.not_fetched or None,
        "inlinks": hit.inlinks,
        "explain": hit.explain().as_dict(),
    } | ({"lacks": list(hit.lacks)} if hit.lacks else {})
    if hit.leads_to != hit.url:
        shown["leads_to"] = hit.leads_to
    if hit.sections:
        shown["sections"] = [
            {"url": each.url, "title": each.title.text, "snippet": each.snippet.text} for each in hit.sections
        ]
    if hit.added_fields:
        shown["added_fields"] = {label: list(values) for label, values in hit.added_fields}
    return shown | {part.term: part.of_result() | {"alone": hit.has_no_word} for part in hit.added_parts}
