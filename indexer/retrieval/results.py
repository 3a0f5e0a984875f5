"""What does a search return? Results, each with the reasons for its place; the page that shows them adds nothing.

A program is told the same in one JSON object: that of `/api/search` is that of `search --json`.
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
    from indexer.snippets.snippet import Snippet
    from indexer.spelling.spellchecker import SpellingSuggestion


@dataclass(frozen=True, slots=True)
class PartState:
    """How far the index of one part of a divided crawl is, or why it is not searched."""

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
    """One result. `fetched_at` is in seconds since the epoch; `archive` says whether a cached copy may be shown."""

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
    copies: tuple[str, ...] = ()  # of a divided crawl: pages of other parts that say the same, and are not shown
    published: float | None = None  # in seconds since the epoch, by its own word
    modified: float | None = None
    similar: int = 0  # pages that answer as well, say nearly the same, and stand under this one
    not_fetched: str = ""  # why it never was, a clause: only the links to it are known, and the snippet has their words
    inlinks: int = 0  # pages that link to it, as of the last computing of PageRank; 0: not known
    under: str = ""  # it is no result of its own: it stands under this page, at whose place it is
    _has_added_parts: bool = False
    _sitelinks: Callable[[], tuple[Sitelink, ...]] = tuple
    added_fields: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of extensions: the label of each, and its values
    lacks: tuple[str, ...] = ()  # phrases that it does not have, though it answers: it stands behind all that has them

    @property
    def snippet(self) -> Snippet:
        """The lines that answer best; found when they are asked for, as few of many results are shown."""
        return self._snippet()

    @property
    def known_by_links(self) -> str:
        """Of a page that was never fetched why, and how it is known."""
        links = counted(self.inlinks, "page links", "pages link") if self.inlinks else "pages link"
        return f"Not fetched: {self.not_fetched}. Known from links alone: {links} to it"

    @property
    def sitelinks(self) -> tuple[Sitelink, ...]:
        """Of the first page of a site that is the first result, the main pages of the site."""
        return self._sitelinks()

    @property
    def marked_title(self) -> Snippet:
        """The title, with the words of the question that stand in it."""
        return self._marked_title()

    @property
    def score(self) -> float:
        """The score as it is shown: the sum of the parts that `explain` names."""
        return self._explain().total

    def explain(self) -> Score:
        """Return what the score is made of; found out when it is asked for, which costs as much as a result."""
        return self._explain()

    @property
    def added_parts(self) -> tuple[AddedPart, ...]:
        """What extensions add to its score."""
        return self._explain().added if self._has_added_parts else ()

    @property
    def has_no_word(self) -> bool:
        """Whether it has none of the words, and is a result by what extensions add."""
        return bool(self.added_parts) and not self._explain().words


@dataclass(frozen=True, slots=True)
class Results:
    """One page of results. `total` counts the results, as far as is known, `folded` the pages under others of them.

    Subtracted are pages that the search has met up to here and does not show: blocked ones, and of a divided crawl
    copies of a page in another part that stands above them.
    """

    query: str
    total: int
    hits: tuple[Hit, ...]
    page: int
    limit: int
    generation: int
    as_of: float  # seconds since the epoch: the commit that these results show, of several parts the oldest one
    parts: tuple[PartState, ...] = ()  # of a divided crawl
    folded: int = 0
    suggested_sites: tuple[str, ...] = ()  # where nothing was found, and the index does not have the site
    spelling: SpellingSuggestion | None = None  # the question with other words, if that may have been meant
    word_pages: Mapping[str, int] = field(default_factory=dict)  # on how many pages each word to rank by stands
    unread: tuple[str, ...] = ()  # what of the question is beyond a bound
    understood: str = ""  # what more than plain words was read in the question, in sentences
    address: str = ""  # the question is the address of this page
    not_searched: str = ""  # what of the index did not answer, in sentences
    not_added: Mapping[str, str] = field(default_factory=dict)  # sentences of extensions on what they did not look at
    engine: str = ""  # sentences on what another engine does not do
    not_read: str = ""  # sentences on Japanese that is found only as it is written, where readings are switched on
    _deadline: Deadline = field(default_factory=Deadline, compare=False)
    _facets: Callable[[], tuple[Facet, ...]] = field(default=tuple, compare=False)

    @property
    def facets(self) -> tuple[Facet, ...]:
        """By what the results can be narrowed, counted when it is asked for."""
        return self._facets()

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was not looked for, or there was no time for, until now: a snippet is cut when it is asked for."""
        return self.unread + self._deadline.left_out

    @property
    def notice(self) -> str:
        """Sentences on what was left out; empty where nothing was."""
        unread = f"The question is too long. Not looked for: {', '.join(self.unread)}." if self.unread else ""
        return " ".join(
            filter(None, (unread, self.not_searched, self.engine, late_sentence(self._deadline), *self._by_extensions))
        )

    @property
    def _by_extensions(self) -> tuple[str, ...]:
        return *self.not_added.values(), self.not_read


def late_sentence(deadline: Deadline) -> str:
    """Return what to tell of a question that took too long; empty where it didn't."""
    if not deadline.left_out:
        return ""
    return (
        f"The time for one question, {deadline.seconds:g} s, was up before everything was looked at. Left out: "
        f"{', '.join(deadline.left_out)}. Fewer words and phrases are answered in full."
    )


def results_as_dict(results: Results, seconds: float, pasteable: Callable[[str], str] = str) -> dict[str, Any]:
    """Return a page of results, found in `seconds`, for JSON; `pasteable` lets commands name their folder."""
    told: dict[str, Any] = {
        "query": results.query,
        "total": results.total,
        "folded": results.folded,
        "took_ms": round(seconds * 1000, 3),
        "generation": results.generation,
        "hits": [_hit_as_dict(hit) for hit in results.hits],
    }
    if results.understood:
        told["understood"] = results.understood
    if results.spelling:
        told["spelling"] = asdict(results.spelling)
    if results.left_out:
        told["left_out"] = list(results.left_out)
    if results.not_searched:
        told["not_searched"] = results.not_searched
    if results.engine:
        told["engine"] = results.engine
    told |= results.not_added
    if results.not_read:
        told["not_read"] = results.not_read
    if not results.parts:
        return told
    for shown, hit in zip(told["hits"], results.hits, strict=True):
        shown["copies"] = list(hit.copies)
    return told | {"parts": parts_as_dicts(results.parts, pasteable)}


def parts_as_dicts(parts: Iterable[PartState], pasteable: Callable[[str], str] = str) -> list[dict[str, Any]]:
    """Return how far the index of each part of a divided crawl is; `pasteable` lets commands name their folder."""
    return [asdict(each) | {"fault": pasteable(each.fault) or None} for each in parts]


def _hit_as_dict(hit: Hit) -> dict[str, Any]:
    told = {
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
    if hit.added_fields:
        told["added_fields"] = {label: list(values) for label, values in hit.added_fields}
    return told | {part.term: part.of_result() | {"alone": hit.has_no_word} for part in hit.added_parts}
