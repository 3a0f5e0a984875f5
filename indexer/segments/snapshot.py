"""Which state of an index is searched? The current generation, and the next one after its commit.

A snapshot is one generation: its segments, which of their pages are deleted, and the statistics of the others. An
engine elsewhere (`remote.py`) chooses the pages for a query. With the statistics of the whole collection, these pages
get the same scores as among all pages.

The home page of a site is the page at its root, `/`. The index may have none: the root redirects to `/3/`, or the crawl
is limited to `/manual/`. Then it is the index page of the folder nearest to the root, if enough pages link to it: at
least half as many as to any page of the site. Menus link to the home page. A query for `sqlite` wants that page, though
each page of the site has the word.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from heapq import nlargest
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from indexer.faults import CorruptIndex, NoIndex
from indexer.segments.cache import LeastRecentlyUsed
from indexer.segments.generation import CURRENT_FILE, Generation, check_files, index_folder, read_generation
from indexer.segments.link_ranks import MEAN, read_link_ranks
from indexer.segments.schema import COLUMNS, INDEX_FIELDS, LANGUAGE, SITE, URL, IndexField
from indexer.segments.segment import SegmentReader, read_contents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import TypeGuard

    from numpy.typing import NDArray

    from indexer.segments.segment import Segment

    ClusterNumbers = NDArray[np.int64]  # of each page; ALONE: it shares no cluster
    from collections.abc import Callable

    from indexer.query.terms import Variants
    from indexer.ranking.query_postings import VariantPostings
    from indexer.retrieval.facets import Facet
    from indexer.segments.link_ranks import LinkTexts

    Amount = TypeVar("Amount", float, NDArray[Any])

ALONE = -1
MAX_SITES = 10_000  # of a segment, whose home pages are looked up
HOME_PAGE_NAMES = "", "index.html", "index.htm", "index.php"  # at the end of the URL of a home page
HOME_PAGE_ENDINGS = tuple(f"/{name}" for name in HOME_PAGE_NAMES)
MAX_ROOTLESS = 100  # the largest sites without a page at the root, whose home page is searched for
LEAST_LINKED = 0.5  # of the pages that link to the most linked page of the site
_LABELS = re.compile(r"[^\W_]+")
CACHED_POSTINGS = 32 * 1024 * 1024  # bytes of a snapshot: 900,000 postings with positions, of the terms asked last
CACHED_FORMS = 4096  # of a snapshot, some 200 bytes each: a word has one in each language of the pages
OPEN_TRIES = 5  # a commit may delete files after their names were read

_Stamp = tuple[int, int]  # of current.json: every commit replaces the file


@dataclass(frozen=True, slots=True, eq=False)
class SegmentView:
    """A segment as of one generation. `roots` are the pages at the roots of sites, with the site of each."""

    file: SegmentReader
    roots: Mapping[int, str]
    deleted: frozenset[int]
    pagerank: NDArray[np.float32]  # by document number, as a multiple of the mean; MEAN: unknown
    inlinks: NDArray[np.uint32]  # by document number: number of pages that link to it; 0: unknown
    other_sites: NDArray[np.uint32]  # by document number: number of other sites that link to it; 0: unknown
    link_texts: LinkTexts
    live: NDArray[np.bool_] = field(init=False, repr=False)  # by document number: not deleted

    def __post_init__(self) -> None:
        live = np.ones(self.file.count, dtype=np.bool_)
        live[list(self.deleted)] = False
        object.__setattr__(self, "live", live)

    def lengths(self, name: IndexField) -> NDArray[np.uint32]:
        """Return the length of a field in positions, by document number."""
        return self.file.lengths(name)

    def called(self, text: int) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
        """Return the documents that links with a text (`tokenizer.text_key`) lead to, and how many do."""
        texts = self.link_texts
        first, last = (int(np.searchsorted(texts.keys, np.uint64(text), side)) for side in ("left", "right"))
        documents = texts.documents[texts.urls[first:last]]
        return documents[documents >= 0], texts.links[first:last][documents >= 0]


@dataclass(frozen=True, slots=True, eq=False)
class SectionTable:
    """The sections of the pages of a snapshot: the first row of each page and how many it has, and the places.

    A row of `places` has the positions in the body at which a section begins, and at which its heading ends.
    """

    firsts: NDArray[np.int64]
    counts: NDArray[np.int64]
    places: NDArray[np.int64]


class Snapshot:
    """The segments of one generation, open for searching. It never changes, and threads may share it.

    Its pages have numbers: segment after segment, document after document. Arrays over all pages have this order, so a
    query is computed for all segments at once.

    `position` is the last row of the change feed in it, and `committed_at` is in seconds since the epoch. `whole` has
    the statistics of the whole collection if these are some of its pages. `linking_sites` counts the sites that link to
    another site. `starts` has the first page of each segment, `size` counts documents, also deleted ones, and `pages`
    those that are live. `clustered` lists the pages that share a cluster with others. `mean_lengths` are over the pages
    that have the field.
    """

    def __init__(
        self,
        generation: int,
        position: int,
        committed_at: float,
        views: tuple[SegmentView, ...],
        languages: frozenset[str] = frozenset(),
        whole: CollectionStatistics | None = None,
        linking_sites: int = 0,
    ) -> None:
        self.generation, self.position, self.committed_at = generation, position, committed_at
        self.views, self.languages, self.whole, self.linking_sites = views, languages, whole, linking_sites
        ends = [0, *accumulate(view.file.count for view in views)]
        self.starts, self.size = tuple(ends[:-1]), ends[-1]
        self.live: NDArray[np.bool_] = np.concatenate([np.zeros(0, np.bool_), *(view.live for view in views)])
        find = home_pages_of if whole is None else known_home_pages
        self.home_pages = HomePages(find(views, self.starts), self.size)
        self.clusters = clusters_in(views)
        self.clustered = np.flatnonzero(self.clusters != ALONE)
        self.pages = int(np.count_nonzero(self.live)) if whole is None else whole.pages
        lengths = {name: mean_length(views, name) for name in INDEX_FIELDS} if whole is None else whole.mean_lengths
        self.mean_lengths: Mapping[IndexField, float] = lengths
        self._columns: dict[str, NDArray[Any]] = {}
        self.forms = lru_cache(CACHED_FORMS)(partial(_forms, [view.file for view in views]))
        self.postings: LeastRecentlyUsed[Variants, VariantPostings] = LeastRecentlyUsed(
            CACHED_POSTINGS, attrgetter("size")
        )
        self._norms: dict[IndexField, tuple[float, NDArray[np.float64]]] = {}

    def segment_of(self, number: int) -> int:
        """Return the segment of a page, as an index of `views`."""
        return bisect_right(self.starts, number) - 1

    def place_of(self, number: int) -> tuple[SegmentView, int]:
        """Return the segment of a page, and its document there."""
        segment = self.segment_of(number)
        return self.views[segment], number - self.starts[segment]

    def page_of(self, url: str) -> int | None:
        """Return the page with a URL; None: the index does not have it."""
        pages = self.numbers(URL, url)
        return next(iter(pages[self.live[pages]].tolist()), None)

    def numbers(self, name: str, term: str) -> NDArray[np.int64]:
        """Return the pages with a term of an exact field, including deleted ones."""
        found = [
            start + each.documents.astype(np.int64)
            for start, view in zip(self.starts, self.views, strict=True)
            if (each := view.file.postings(name, term)) is not None
        ]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def sites(self) -> list[str]:
        """Return the sites of the index."""
        if self.whole is not None:
            return list(self.whole.sites)
        return sorted({site for view in self.views for site in view.file.terms(SITE)})

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of all segments: a number for each page. Raises CorruptIndex."""
        if name not in self._columns:
            found = [view.file.column(name) for view in self.views]
            self._columns[name] = found[0] if len(found) == 1 else np.concatenate([np.zeros(0, COLUMNS[name]), *found])
        return self._columns[name]

    def lengths(self, name: IndexField) -> NDArray[np.uint32]:
        """Return the length of a field of each page in positions."""
        return self.column(f"{name}_length")

    @cached_property
    def sections(self) -> SectionTable:
        """The sections of all pages."""
        counts = self.column("sections").astype(np.int64)
        places = np.concatenate([np.zeros((0, 2), np.int64), *(view.file.section_places for view in self.views)])
        return SectionTable(counts.cumsum() - counts, counts, places.astype(np.int64))

    def rows_above_zero(self, name: str) -> NDArray[np.intp]:
        """Return the pages with more than 0 in a column that has 0 for most. Raises CorruptIndex."""
        key = f"{name} above 0"
        if key not in self._columns:
            self._columns[key] = np.flatnonzero(self.column(name) > 0)
        return self._columns[key]

    def is_in(self, language: str) -> NDArray[np.bool_]:
        """Return which pages are in a language, wholly or to a large share."""
        key = f"is in {language}"
        if key not in self._columns:
            found = np.zeros(self.size, np.bool_)
            found[self.numbers(LANGUAGE, language)] = True
            self._columns[key] = found
        return self._columns[key]

    def length_norms(self, name: IndexField, share: float) -> NDArray[np.float64]:
        """Return the length norm of a field on each page (`length_norm`), cached for one `share`."""
        known = self._norms.get(name)
        if known is None or known[0] != share:
            norms: NDArray[np.float64] = length_norm(self.lengths(name), self.mean_lengths[name], share)
            known = self._norms[name] = (share, norms)
        return known[1]

    def called(self, text: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the pages that links with a text lead to, ascending, and how many do (`SegmentView.called`)."""
        found = [view.called(text) for view in self.views]
        each = [start + documents.astype(np.int64) for start, (documents, _) in zip(self.starts, found, strict=True)]
        pages = np.concatenate([np.zeros(0, np.int64), *each])
        order = np.argsort(pages)
        return pages[order], np.concatenate([np.zeros(0, np.uint32), *(links for _, links in found)])[order]

    def link_gains(self) -> NDArray[np.float64] | None:
        """Return ln(1 + PageRank) of each page; None if the index has no PageRank."""
        if "links" not in self._columns:
            ranks = np.concatenate([np.zeros(0, np.float32), *(view.pagerank for view in self.views)])
            known = (ranks != MEAN).any() if self.whole is None else self.whole.has_links
            self._columns["links"] = np.log1p(ranks.astype(np.float64)) if known else np.zeros(0)
        return self._columns["links"] if len(self._columns["links"]) else None


def side_by_side(several: Sequence[Snapshot]) -> Snapshot:
    """Return one snapshot of several indexes. Its numbers are the sums of theirs, its time the oldest."""
    if len(several) == 1:
        return several[0]
    return Snapshot(
        generation=sum(each.generation for each in several),
        position=sum(each.position for each in several),
        committed_at=min(each.committed_at for each in several),
        views=tuple(view for each in several for view in each.views),
        languages=frozenset().union(*(each.languages for each in several)),
        linking_sites=max(each.linking_sites for each in several),  # of all parts, if they were ranked together
    )


def _forms(files: Sequence[SegmentReader], form: str) -> tuple[str, ...]:
    """Return the words of all segments that have a form, so no result depends on the segment of a page."""
    return tuple(sorted({word for file in files for word in file.forms(form)}))


def mean_length(views: Sequence[SegmentView], name: IndexField) -> float:
    """Return the mean length of a field over the pages that have it, or 0."""
    found = [view.lengths(name)[view.live] for view in views]
    pages = sum(int(np.count_nonzero(lengths)) for lengths in found)
    return sum(int(lengths.sum(dtype=np.int64)) for lengths in found) / pages if pages else 0.0


def languages_of(files: Sequence[SegmentReader]) -> frozenset[str]:
    """Return the languages of the pages in the segments; the empty one is for pages of unknown language."""
    return frozenset(language for file in files for language in file.terms(LANGUAGE))


_State = tuple[_Stamp, Snapshot]


class IndexReader:
    """Keeps one generation of the index of a data folder open. Any number of threads may share it."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = index_folder(data_dir)
        self._opening = threading.Lock()
        self._opened: dict[str, tuple[SegmentReader, dict[int, str]]] = {}  # segments never change
        self._state: _State | None = None

    def current(self) -> Snapshot:
        """Return the current generation. Raises NoIndex, CorruptIndex.

        A damaged segment is opened again: somebody may have restored it.
        """
        state = self._state
        if self._holds(state):
            return state[1]
        with self._opening:
            if not self._holds(self._state):
                self._state = self._open()
            return self._state[1]

    def _holds(self, state: _State | None) -> TypeGuard[_State]:
        return (
            state is not None and state[0] == self._stamp() and not any(view.file.is_damaged for view in state[1].views)
        )

    def _stamp(self) -> _Stamp:
        try:
            found = (self.folder / CURRENT_FILE).stat()
        except FileNotFoundError:
            raise NoIndex(self.folder) from None
        return found.st_ino, found.st_mtime_ns

    def _open(self) -> tuple[_Stamp, Snapshot]:
        for _ in range(OPEN_TRIES):
            stamp, generation = self._stamp(), read_generation(self.folder)
            try:
                return stamp, self._snapshot(generation)
            except FileNotFoundError as error:
                missing = error  # a commit has just replaced it, unless the next try fails too
        raise CorruptIndex(self.folder, f"{missing.filename} is missing")

    def _snapshot(self, generation: Generation) -> Snapshot:
        check_files(self.folder, generation)
        folder = self.folder / generation.build
        segments = read_contents(folder, generation)
        opened = {segment.name: self._segment(folder, segment, generation) for segment in segments}
        ranks = read_link_ranks(folder, generation.ranks)
        views = []
        for one in segments:
            file, roots = opened[one.name]
            keys = file.url_keys()
            views.append(SegmentView(file, roots, frozenset(one.deleted), *ranks.of(keys), ranks.texts_of(keys)))
        self._opened = opened
        languages = languages_of([view.file for view in views])
        return Snapshot(
            generation.number,
            generation.position,
            generation.committed_at,
            tuple(views),
            languages,
            linking_sites=ranks.state.linking_sites or 0,
        )

    def _segment(self, folder: Path, segment: Segment, generation: Generation) -> tuple[SegmentReader, dict[int, str]]:
        known = self._opened.get(segment.name)
        if known and not known[0].is_damaged:
            return known
        file = SegmentReader(folder, segment, generation.sums[segment.file_name])
        return file, roots_in(file)


def clusters_in(views: Sequence[SegmentView]) -> ClusterNumbers:
    """Return the cluster of each document, as a number that no other cluster has, in whatever part."""
    rows: list[tuple[int, tuple[str, int]]] = []
    size = 0
    for view in views:
        folder, clusters = str(view.file.index_folder), view.file.column("cluster")
        having = np.flatnonzero((clusters != 0) & view.live)
        rows += [
            (size + document, (folder if cluster > 0 else "", cluster))
            for document, cluster in zip(having.tolist(), clusters[having].tolist(), strict=True)
        ]
        size += view.file.count
    pages = Counter(key for _, key in rows)
    names = {key: name for name, (key, count) in enumerate(pages.items()) if count > 1}
    column = np.full(size, ALONE, dtype=np.int64)
    for number, key in rows:
        column[number] = names.get(key, ALONE)
    return column


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """Document frequency of a word outside of templates; or inside them, if no page has it elsewhere."""

    pages: int
    in_template: bool = False


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """The matching pages of a collection that is elsewhere: how many, and how many are folded under others."""

    pages: int
    folded: int
    facets: Callable[[], tuple[Facet, ...]]


@dataclass(frozen=True, slots=True)
class CollectionStatistics:
    """Statistics over all pages of an index. `answering` is None if all matching pages are in the snapshot."""

    pages: int
    mean_lengths: Mapping[IndexField, float]
    has_links: bool  # PageRank is known
    sites: Sequence[str]  # ascending
    spread: Callable[[Variants], TermStatistics]
    answering: MatchCounts | None = None
    notice: str = ""  # sentences on what was not searched


def length_norm(length: Amount, mean: float, share: float) -> Amount:
    """Return by what a frequency is divided in a field of this length: 1 at the mean, or always if `share` is 0."""
    return 1 - share + share * length / (mean or 1.0)


class HomePages:
    """The home pages in a snapshot of `size` pages: `sites` has the site of each by its number."""

    def __init__(self, sites: Mapping[int, str], size: int) -> None:
        self.sites = sites
        self.mask: NDArray[np.bool_] = np.zeros(size, np.bool_)
        self.mask[list(sites)] = True
        self._labelled: dict[str, list[int]] = defaultdict(list)
        for page, site in sites.items():
            for label in labels_of(site):
                self._labelled[label].append(page)

    def labelled(self, word: str) -> list[int]:
        """Return the home pages of sites that have a word in their names."""
        return self._labelled.get(word, [])


def labels_of(site: str) -> set[str]:
    """Return the words in the name of a site."""
    return set(_LABELS.findall(site.lower()))


def roots_in(file: SegmentReader) -> dict[int, str]:
    """Return the pages at the roots of sites in a segment."""
    sites = file.terms(SITE)[:MAX_SITES]
    urls = [(f"{start}{name}", site) for site in sites for start in _starts(site) for name in HOME_PAGE_NAMES]
    return {document: site for url, site in urls for document in file.documents(URL, url)}


def home_pages_of(views: Sequence[SegmentView], starts: Sequence[int]) -> dict[int, str]:
    """Return the home pages of all sites, with the site of each; the segments begin at the page numbers `starts`."""
    each, found = list(zip(starts, views, strict=True)), known_home_pages(views, starts)
    rootless = {site for view in views for site in view.file.terms(SITE)[:MAX_SITES]} - set(found.values())
    for site in nlargest(MAX_ROOTLESS, rootless, lambda site: sum(view.file.count_of(SITE, site) for view in views)):
        page = _home_of(site, each)
        if page is not None:
            found[page] = site
    return found


def known_home_pages(views: Sequence[SegmentView], starts: Sequence[int]) -> dict[int, str]:
    """Return the pages at the roots of sites, with the site of each; the segments begin at `starts`."""
    each = zip(starts, views, strict=True)
    return {
        start + document: site for start, view in each for document, site in view.roots.items() if view.live[document]
    }


def _home_of(site: str, segments: Sequence[tuple[int, SegmentView]]) -> int | None:
    """Return the page of a site that its URL and its inlinks show to be home."""
    by_depth: dict[int, list[tuple[int, SegmentView, str]]] = defaultdict(list)
    most = 0
    for start, view in segments:
        if (postings := view.file.postings(SITE, site)) is not None:
            most = max(most, int(view.inlinks[postings.documents].max(where=view.live[postings.documents], initial=0)))
        for beginning in _starts(site):
            for url in view.file.terms(URL, beginning, HOME_PAGE_ENDINGS):
                by_depth[url.removeprefix(beginning).count("/")].append((start, view, url))
    for depth in sorted(by_depth):  # a page deeper than a live one is not looked up
        homes = [
            (-int(view.inlinks[document]), start + document)
            for start, view, url in by_depth[depth]
            for document in view.file.documents(URL, url)
            if view.live[document]
        ]
        if homes:
            linked, page = min(homes)
            return page if -linked >= LEAST_LINKED * most else None
    return None


def home_page_depth(url: str, site: str) -> int | None:
    """Return how many folders deep a page with the URL of a home page is, 0: at the root; None: another page."""
    beginning = next((start for start in _starts(site) if url.startswith(start)), "")
    *folders, name = url.removeprefix(beginning).split("/")
    return len(folders) if beginning and name in HOME_PAGE_NAMES else None


def _starts(site: str) -> tuple[str, str]:
    return f"http://{site}/", f"https://{site}/"
