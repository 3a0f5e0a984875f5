"""How does Whoosh search a folder? It parses the query, finds the pages and ranks them by BM25F.

Each search opens the folder again, so it sees the last commit of the folder's writer, and threads share nothing. The
results name what our own index does in addition (`UNSUPPORTED_FEATURES`).

**Explanation.** Whoosh adds up the scores of the branches of AND and OR; NOT adds nothing. So each leaf of the query is
scored on its own by the matchers that the search used, and the parts add up to the score.

**Snippets.** A snippet is the window with the most terms, found by the analyzer of the field.
"""

# ruff: noqa: ARG002 - the methods are those of every searcher; Whoosh needs only some of their parameters

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from whoosh.collectors import WrappingCollector
from whoosh.qparser import MultifieldParser, plugins  # type: ignore[attr-defined]  # exported by a star
from whoosh.query.compound import And, AndMaybe, AndNot, Or, Require
from whoosh.query.positional import Phrase
from whoosh.query.terms import Term
from whoosh.query.wrappers import Not
from whoosh.scoring import BM25F
from whoosh.searching import SearchContext

from extensions.whoosh.folders.folder import UnreadableWhoosh, field_names, open_folder
from indexer.faults import NotInForeignIndex
from indexer.query.deadline import Deadline
from indexer.query.syntax import MAX_DEPTH, MAX_QUERY_CHARS, clean_query
from indexer.ranking.score import Score, WhooshPart, rounded_score
from indexer.retrieval.absence import Absence, ResultStep
from indexer.retrieval.results import Hit, Results
from indexer.retrieval.searcher import MAX_LIMIT, MAX_PAGE, Searcher
from indexer.snippets.sentences import LEAD, Snippet, excerpt_from, excerpts_with
from indexer.snippets.snippet import LATE, WINDOW

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from whoosh.collectors import Collector
    from whoosh.fields import FieldType, Schema
    from whoosh.query.qcore import Query

    from extensions.whoosh.folders.folder import FieldNames
    from indexer.query.syntax import SearchFilters
    from indexer.ranking.weights import Formula
    from indexer.retrieval.page_terms import LinkStanding, PageTerm
    from indexer.retrieval.results import PartState
    from indexer.segments.schema import StoredFields

_ROUNDING = 1e-6  # more than two sums of the same floats differ
MAX_READ_CHARS = 16_384  # of a text: their analysis takes 10 ms
UNSUPPORTED_FEATURES = (
    "Whoosh alone searches this folder: near copies are not folded, and no page is hidden by its controls or a block. "
    "There are no facets, no spelling, no PageRank and no operators but Whoosh's own."
)
ELSEWHERE = (
    "The index is the Whoosh folder {}. Its postings and segments have Whoosh's own format: they are not shown here."
)
FURTHER_PAGES = "pages further on"  # the step that may be left out for lack of time
# The part of Whoosh's query language that costs no more than the postings of its words: no wildcards and no ranges.
PLUGINS = [
    plugins.WhitespacePlugin,
    plugins.PhrasePlugin,
    plugins.GroupPlugin,
    plugins.OperatorsPlugin,
    plugins.FieldsPlugin,
]


def explain(query: Query, searcher: Any, document: int, score: float) -> Score:
    """Return the parts of a score by Whoosh, rounded to add up."""
    leaf, first = next(
        (leaf, first) for leaf, first in reversed(searcher.leaf_searchers()) if first <= document
    )  # a segment, and the number of its first document
    context, local = SearchContext(weighting=searcher.weighting), document - first  # type: ignore[no-untyped-call]  # Whoosh's
    parts = []
    for one in scored_leaves(query):
        matcher = one.matcher(leaf, context)
        if matcher.is_active():
            matcher.skip_to(local)
        if matcher.is_active() and matcher.id() == local:
            factors = _factors(one, searcher, leaf, local, matcher.weight())
            parts.append(WhooshPart(*_named(one, searcher), matcher.score(), factors))
    rest = score - sum(part.value for part in parts)
    if abs(rest) > _ROUNDING:
        parts.append(WhooshPart("NOT", "page", rest, "Whoosh adds this to each page without the excluded words"))
    return rounded_score(parts)


def scored_leaves(query: Query) -> Iterator[Query]:
    """Yield the terms and phrases of a query that add to the score."""
    if isinstance(query, Not):
        return
    if isinstance(query, (AndNot, Require)):
        yield from scored_leaves(query.a)
    elif isinstance(query, AndMaybe):
        yield from scored_leaves(query.a)
        yield from scored_leaves(query.b)
    elif isinstance(query, (And, Or)):
        for each in query.subqueries:
            yield from scored_leaves(each)
    else:
        yield query


def query_words(query: Query, searcher: Any) -> dict[str, set[str]]:
    """Return the terms that the query searches, by field."""
    found: dict[str, set[str]] = {}
    for one in scored_leaves(query):
        words = one.words if isinstance(one, Phrase) else [_text(one, searcher)] if isinstance(one, Term) else []
        found.setdefault(one.field() or "", set()).update(words)
    return found


def _named(one: Query, searcher: Any) -> tuple[str, str]:
    if isinstance(one, Phrase):
        return f'"{" ".join(one.words)}"', one.fieldname
    return _text(one, searcher) if isinstance(one, Term) else str(one), one.field() or "page"


def _text(term: Term, searcher: Any) -> str:
    text = term.text
    return searcher.schema[term.fieldname].from_bytes(text) if isinstance(text, bytes) else str(text)


def _factors(one: Query, searcher: Any, leaf: Any, local: int, weight: float) -> str:
    """Return the factors of the formula, in words."""
    if isinstance(one, Phrase):
        return "the page has the phrase; the scores of its words in the field are added up"
    field = one.field()
    if not isinstance(one, Term) or not searcher.schema[field].scorable:
        return "the page has it"
    length, mean = leaf.doc_field_length(local, field), searcher.avg_field_length(field)
    return f"w {weight:g}, idf {searcher.idf(field, one.text):.3f}; length {length:g}, mean length {mean:.1f}"


def mark(field: FieldType, text: str, words: Collection[str]) -> Snippet:
    """Return a whole text, such as a title, with its terms marked."""
    return Snippet(text, tuple(_term_spans(field, text, words)))


def quote(field: FieldType, text: str, words: Collection[str]) -> Snippet:
    """Return the sentences of a text with the most terms; without any term, its beginning."""
    spans = _term_spans(field, text[:MAX_READ_CHARS], words)
    if not spans:
        return excerpt_from(text, 0, WINDOW).snippet(text, ())
    first = _first_of_most(spans)
    found = excerpts_with(text, first, WINDOW, (first[0], len(text)))
    return max(found, key=lambda each: sum(map(each.shows, spans))).snippet(text, spans)


def _first_of_most(spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the first match of the first window with the most matches."""
    best, most = spans[0], 0
    last = 0
    for first, span in enumerate(spans):
        while last < len(spans) and spans[last][1] <= span[0] + WINDOW - LEAD:
            last += 1
        if last - first > most:
            best, most = span, last - first
    return best


def _term_spans(field: FieldType, text: str, words: Collection[str]) -> list[tuple[int, int]]:
    if not words or field.analyzer is None:
        return []
    found: list[tuple[int, int]] = []
    for token in field.analyzer(text, chars=True, mode="index"):
        if token.text in words and (not found or token.startchar >= found[-1][1]):
            found.append((token.startchar, token.endchar))
    return found


@dataclass(frozen=True, slots=True)
class OpenFolder:
    """A Whoosh folder that is open for one search. Half of the methods of Whoosh's classes have no types."""

    index: Any
    names: FieldNames
    searcher: Any


class WhooshSearcher(Searcher):
    """Searches a folder that Whoosh wrote, read-only. Any number of threads may share one.

    Each method may raise UnreadableWhoosh.
    """

    not_done = UNSUPPORTED_FEATURES

    def __init__(self, folder: Path) -> None:
        self.folder, self.elsewhere = folder, ELSEWHERE.format(folder)
        with self._open():
            pass

    @contextmanager
    def _open(self) -> Iterator[OpenFolder]:
        index: Any = open_folder(self.folder)
        names = field_names(index, self.folder)
        try:
            searcher = index.searcher(weighting=BM25F())
        except Exception as error:  # a segment whose files are gone or damaged can raise anything
            finding = f"a segment can't be read: {error!r}"
            raise UnreadableWhoosh(self.folder, finding, "Write the index again, or bring back a copy") from error
        try:
            yield OpenFolder(index, names, searcher)
        finally:
            searcher.close()
            index.close()

    def search(
        self,
        query: str,
        limit: int = 10,
        page: int = 1,
        *,
        similar: str = "",
        exact: bool = False,
        deadline: Deadline | None = None,
        **filters: Unpack[SearchFilters],
    ) -> Results:
        """Return the results of a query in Whoosh's language; the notice names the filters that Whoosh cannot apply."""
        limit, page = min(max(limit, 1), MAX_LIMIT), min(max(page, 1), MAX_PAGE)
        end = deadline or Deadline()
        with self._open() as opened:
            parsed = parse_whoosh_query(query, opened.searcher.schema, opened.names.searched)
            total, found = _ranked(parsed, opened, limit * page, end)
            first = limit * (page - 1)
            hits = tuple(
                _hit(parsed, opened, scored, rank, end) for rank, scored in enumerate(found[first:], first + 1)
            )
            return Results(
                query=query,
                total=total,
                hits=hits,
                page=page,
                limit=limit,
                generation=opened.index.latest_generation(),
                as_of=opened.index.last_modified(),
                unread=(f"characters after the first {MAX_QUERY_CHARS:,}",) if len(query) > MAX_QUERY_CHARS else (),
                engine=_notice({**filters, "similar": similar}),
                _deadline=end,
            )

    def find_hit(
        self, url: str, query: str, most: int, *, deadline: Deadline | None = None, **filters: Unpack[SearchFilters]
    ) -> tuple[int, Hit | None]:
        """Return the number of results, and the one with `url`; None if it is not among the first `most`."""
        end = deadline or Deadline()
        with self._open() as opened:
            parsed = parse_whoosh_query(query, opened.searcher.schema, opened.names.searched)
            total, found = _ranked(parsed, opened, most, end)
            for rank, scored in enumerate(found, 1):
                if opened.searcher.stored_fields(scored[1]).get(opened.names.url) == url:
                    return total, _hit(parsed, opened, scored, rank, end)
        return total, None

    def reason_absent(self, url: str, query: str, **filters: Unpack[SearchFilters]) -> Absence:
        """Return the step at which the search drops a page."""
        if not self.page_fields(url):
            return Absence(ResultStep.INDEXED, "it is not in the index")
        with self._open() as opened:
            parsed = parse_whoosh_query(query, opened.searcher.schema, opened.names.searched)
            _, found = _ranked(parsed, opened, opened.searcher.doc_count_all() or 1, Deadline())
            urls = [opened.searcher.stored_fields(document).get(opened.names.url) for _, document in found]
        if url in urls:
            return Absence(ResultStep.RANK, f"it is number {urls.index(url) + 1}")
        return Absence(ResultStep.WORDS, f"it does not match the query, which Whoosh parses as {parsed}")

    def page_fields(self, url: str) -> Mapping[str, Any] | None:
        """Return the stored fields of a page, by the names of the schema; None if it is not in the index."""
        with self._open() as opened:
            found: Mapping[str, Any] | None = opened.searcher.document(**{opened.names.url: url})
            return found

    def title_of(self, fields: Mapping[str, Any]) -> str:
        """Return the title from the stored fields of a page, or ""."""
        with self._open() as opened:
            return str(fields.get(opened.names.title) or "")

    def ranked_by(self, formula: Formula) -> Searcher:
        """Raise NotInForeignIndex: only Whoosh's formula ranks this folder."""
        raise NotInForeignIndex(
            "Whoosh ranks this folder by its own BM25F, so there are no weights to tune and no columns to compare"
        )

    def complete(self, question: str) -> tuple[str, ...]:
        """Return (): there are no suggestions."""
        return ()

    def gather_words(self) -> None:
        """Do nothing: nothing is read in advance."""

    def copies(self, url: str) -> tuple[str, ...]:
        """Return (): there are no parts."""
        return ()

    def page_terms(self, url: str) -> tuple[PageTerm, ...]:
        """Return (): Whoosh stores no terms by page."""
        return ()

    def standing(self, url: str) -> LinkStanding | None:
        """Return None: Whoosh stores no links."""
        return None

    def stored(self, url: str) -> StoredFields | None:
        """Return None: `page_fields` has the stored fields."""
        return None

    @property
    def generation(self) -> int:
        """The number of the last commit."""
        with self._open() as opened:
            return int(opened.index.latest_generation())

    @property
    def areas_apart(self) -> frozenset[str]:
        """The areas that are kept apart: none."""
        return frozenset()

    @property
    def documents(self) -> int:
        """Pages in the index."""
        with self._open() as opened:
            return int(opened.index.doc_count())

    @property
    def position(self) -> int:
        """0: there is no change feed."""
        return 0

    @property
    def as_of(self) -> float:
        """The time of the last commit, in seconds since the epoch."""
        with self._open() as opened:
            return float(opened.index.last_modified())

    @property
    def parts(self) -> tuple[PartState, ...]:
        """(): there are no parts."""
        return ()


class TimedCollector(WrappingCollector):
    """Counts the pages that match, until the deadline."""

    def __init__(self, child: Collector, deadline: Deadline) -> None:
        super().__init__(child)
        self.total, self._deadline = 0, deadline

    def collect_matches(self) -> None:
        """Collect the pages of one segment."""
        for document in self.child.matches():
            if self._deadline.passed(FURTHER_PAGES):
                break
            self.total += 1
            self.child.collect(document)


def parse_whoosh_query(text: str, schema: Schema, fields: Sequence[str]) -> Query:
    """Parse a query as Whoosh does, within our bounds; a word without a field is searched in `fields`."""
    shallow = _shallow(clean_query(text))
    try:
        return _parse(shallow, schema, fields, PLUGINS)
    except AssertionError:  # Whoosh's, of two ANDMAYBE in a row: all words of such a query are terms
        return _parse(shallow, schema, fields, [each for each in PLUGINS if each is not plugins.OperatorsPlugin])


def _parse(text: str, schema: Schema, fields: Sequence[str], chosen: Sequence[Any]) -> Query:
    parsed: Query = MultifieldParser(fields, schema, plugins=[each() for each in chosen]).parse(text)
    return parsed


def _shallow(text: str) -> str:
    """Return a query without parentheses deeper than MAX_DEPTH: Whoosh's parser calls itself for each."""
    kept, depth = [], 0
    for character in text:
        depth += character == "("
        kept.append(" " if character in "()" and depth > MAX_DEPTH else character)
        depth -= character == ")" and depth > 0
    return "".join(kept)


def _ranked(query: Query, opened: OpenFolder, most: int, deadline: Deadline) -> tuple[int, list[tuple[float, int]]]:
    """Return the number of matching pages, and the best ones, each with its score and its number."""
    collector = TimedCollector(opened.searcher.collector(limit=most, optimize=False), deadline)
    opened.searcher.search_with_collector(query, collector)
    return collector.total, collector.results().top_n


def _hit(query: Query, opened: OpenFolder, found: tuple[float, int], rank: int, deadline: Deadline) -> Hit:
    """Return a result with its explanation, all read now: the searcher closes before they are shown."""
    score_of_whoosh, document = found
    fields, names, schema = opened.searcher.stored_fields(document), opened.names, opened.searcher.schema
    score, words = explain(query, opened.searcher, document, score_of_whoosh), query_words(query, opened.searcher)
    title, text = str(fields.get(names.title) or ""), str(fields.get(names.text) or "")
    marked = mark(schema[names.title], title, words.get(names.title, ())) if title else Snippet()
    late = not text or deadline.passed(LATE)
    quoted = Snippet() if late else quote(schema[names.text], text, words.get(names.text, ()))
    return Hit(
        url=str(fields.get(names.url) or ""),
        title=title,
        site="",
        language="",
        fetched_at=0.0,
        archive=False,
        rank=rank,
        _explain=lambda: score,
        _snippet=lambda: quoted,
        _marked_title=lambda: marked,
    )


def _notice(filters: Mapping[str, object]) -> str:
    """Return a notice of what Whoosh cannot do, with the filters that it ignored."""
    ignored = ", ".join(name.replace("_", " ") for name, value in filters.items() if value)
    return f"{UNSUPPORTED_FEATURES} Filters ignored: {ignored}." if ignored else UNSUPPORTED_FEATURES
