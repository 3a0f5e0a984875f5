"""Which pages has the folder, and what of each? Those that the gateway shows to strangers, as their owners allow.

A page whose owner limits copies (noarchive) or snippets (nosnippet, max-snippet) has neither positions nor text: only
its beginning, as long as a snippet of it may be. A page with a part that no snippet may show (data-nosnippet) has no
positions. A page that is known only from links is left out.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from extensions.embed.static.pieces import PieceWriter, StaticFolder
from extensions.embed.static.terms import FIELDS
from indexer.ranking.demotion import lowered
from indexer.segments.postings import pack_numbers
from indexer.segments.schema import StoredFields, unpack_checkpoints
from indexer.segments.snapshot import ALONE
from indexer.snippets.snippet import WINDOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from indexer.ranking.demotion import Penalty
    from indexer.retrieval.searcher import Searcher
    from indexer.segments.snapshot import SegmentView, Snapshot

    Numbers = NDArray[np.int64]

RECORD_BYTES, TEXT_BYTES, LINKS_BYTES = 12_000, 24_000, 12_000  # of a piece, before packing
PASSAGE_CHARS = 3_000  # of a text: a snippet is made from one
MAX_HEADING = 120  # characters
RANK_UNIT = 10_000  # of PageRank in whole numbers


@dataclass(slots=True)
class ExportedPages:
    """The pages of the folder: for each segment the new number of each document, -1 for one that is left out.

    `numbers` has the number of each page in the snapshot. `with_positions` says which pages keep positions.
    """

    by_segment: list[tuple[SegmentView, Numbers]]
    numbers: Numbers
    with_positions: NDArray[np.bool_]
    left_out: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.numbers)

    def stored(self) -> Iterator[StoredFields]:
        """Yield the record of each page."""
        for view, renumbered in self.by_segment:
            for document in np.flatnonzero(renumbered >= 0).tolist():
                yield view.file.stored(document)


def chosen_pages(searcher: Searcher, snapshot: Snapshot) -> ExportedPages:
    """Choose the pages that everybody may see."""
    found = ExportedPages([], np.zeros(0, np.int64), np.zeros(0, np.bool_))
    now = time.time()
    numbers: list[int] = []
    with_positions: list[bool] = []
    for start, view in zip(snapshot.starts, snapshot.views, strict=True):
        renumbered = np.full(view.file.count, -1, np.int64)
        for document in np.flatnonzero(view.live).tolist():
            stored = view.file.stored(document)
            if reason := _reason(stored, now, is_hidden=searcher.corpus.is_hidden(view, stored)):
                found.left_out[reason] += 1
                continue
            renumbered[document] = len(numbers)
            numbers.append(start + document)
            with_positions.append(may_show_text(stored) and bool(stored.checkpoints or not stored.text))
        found.by_segment.append((view, renumbered))
    found.numbers, found.with_positions = np.array(numbers, np.int64), np.array(with_positions, np.bool_)
    return found


def _reason(stored: StoredFields, now: float, *, is_hidden: bool) -> str:
    if is_hidden or (stored.expires and stored.expires <= now):
        return "hidden"
    return "known only from links" if stored.not_fetched else ""


def may_show_text(stored: StoredFields) -> bool:
    """Return whether the owner of a page allows copies of it."""
    return stored.archive and stored.snippet is None


def write_table(folder: StaticFolder, snapshot: Snapshot, pages: ExportedPages, penalty: Penalty) -> dict[str, Any]:
    """Write the numbers of all pages, column after column; return what the index says about them.

    The columns: length of each field, PageRank, site, cluster (0: none), expiry, whether it has positions, number of
    sections, and for each section the steps from the end of the one before to its begin, and to the end of its heading.
    """
    chosen = pages.numbers
    ranks = np.concatenate([np.zeros(0, np.float32), *(view.pagerank for view in snapshot.views)])[chosen]
    sites: dict[str, int] = {}
    site_of = [sites.setdefault(stored.site, len(sites)) for stored in pages.stored()]
    clusters = np.where(snapshot.clusters[chosen] == ALONE, 0, snapshot.clusters[chosen] + 1)
    table = snapshot.sections
    counts, firsts = table.counts[chosen], table.firsts[chosen]
    places = [table.places[first : first + count].ravel() for first, count in zip(firsts, counts, strict=True)]
    columns = [
        *(snapshot.lengths(name)[chosen] for name in FIELDS),
        (ranks.astype(np.float64) * RANK_UNIT).round(),
        site_of,
        clusters,
        snapshot.column("expires")[chosen],
        pages.with_positions,
        counts,
        *(np.diff(each, prepend=0) for each in places),
    ]
    numbers = np.concatenate([np.asarray(column).astype(np.int64) for column in columns])
    folder.pack("pages", pack_numbers(numbers.astype(np.uint32))[0])
    return {
        "pages": len(pages),
        "sites": list(sites),
        "rank_unit": RANK_UNIT,
        "knows_links": snapshot.link_gains() is not None,
        "demoted": _demoted(snapshot, pages, penalty),
        "spoken": {
            language: np.flatnonzero(snapshot.is_in(language)[chosen]).tolist()
            for language in sorted(snapshot.languages - {""})
            if len(snapshot.languages - {""}) > 1
        },
    }


def _demoted(snapshot: Snapshot, pages: ExportedPages, penalty: Penalty) -> dict[int, float]:
    """Return the share of its score that each page with a signal of spoofing keeps, without what anchors bring."""
    signals = snapshot.column("signals")[pages.numbers]
    return {row: lowered(1.0, float, int(signals[row]), penalty) for row in np.flatnonzero(signals).tolist()}


def write_link_texts(folder: StaticFolder, pages: ExportedPages) -> list[str]:
    """Write which pages links call by which text; return the first text of each piece.

    A row: the number of the text in hexadecimal digits, a page, and how many links to it have the text. All rows of a
    text are in one piece.
    """
    rows: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for view, renumbered in pages.by_segment:
        texts = view.link_texts
        documents = texts.documents[texts.urls]
        for key, document, links in zip(texts.keys.tolist(), documents.tolist(), texts.links.tolist(), strict=True):
            if document >= 0 and renumbered[document] >= 0:
                rows[key].append((f"{key:016x}", int(renumbered[document]), links))
    pieces = PieceWriter(folder, "links", LINKS_BYTES)
    for key, several in sorted(rows.items()):
        pieces.add(f"{key:016x}", several, 24 * len(several))
    pieces.close()
    return pieces.begins


def write_records(folder: StaticFolder, pages: ExportedPages, address: Callable[[str], str]) -> dict[str, Any]:
    """Write what results show of the pages; return with which page or passage each piece begins.

    A record: URL, title, description, language, sections, the first passage, and the position of the first word of
    each. A section: its id and heading. A passage is a text.
    """
    records, texts = (
        PieceWriter(folder, kind, size) for kind, size in (("records", RECORD_BYTES), ("text", TEXT_BYTES))
    )
    passages = 0
    for number, stored in enumerate(pages.stored()):
        sections, found = _sections(stored), list(_passages(stored))
        positions = np.diff([position for position, _ in found], prepend=0).tolist()
        description = stored.description if may_show_text(stored) else ""
        url = address(stored.url)
        row = (url, stored.title, description, stored.language, sections, passages, positions)
        records.add(number, row, len(url + stored.title + description) + sum(len(a) + len(b) + 6 for a, b in sections))
        for text in (text for _, text in found):
            texts.add(passages, text, len(text.encode("utf-8", "replace")))
            passages += 1
    records.close()
    texts.close()
    return {"records": records.begins, "text": texts.begins}


def _sections(stored: StoredFields) -> list[tuple[str, str]]:
    if not may_show_text(stored):
        return []
    return [(name, stored.text[start:end].strip()[:MAX_HEADING]) for start, end, _, name in stored.sections]


def _passages(stored: StoredFields) -> Iterator[tuple[int, str]]:
    """Yield the passages of a text that may be shown, each with the position of its first word."""
    if not may_show_text(stored):
        most = WINDOW if stored.snippet is None else min(WINDOW, stored.snippet)
        if beginning := stored.text[:most].strip():
            yield 0, beginning
        return
    if not stored.checkpoints:
        yield 0, stored.text[:PASSAGE_CHARS]
        return
    begin, position = 0, 0
    for character, following in zip(*unpack_checkpoints(stored.checkpoints), strict=True):
        if character - begin >= PASSAGE_CHARS:
            yield position, stored.text[begin:character]
            begin, position = character, following
    if stored.text[begin:]:
        yield position, stored.text[begin:]
