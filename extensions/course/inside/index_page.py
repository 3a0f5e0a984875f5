"""What is in the index? The postings of a term, its neighbours in the dictionary; segments, sizes and field lengths.

    /inside/index?term=bread&field=title&page=2

Without a term, the view shows the whole index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template, request

from extensions.course.inside import inspection
from gateway.plots import bar_plot
from gateway.search_request import InvalidParameter
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of
from indexer.query.deadline import Deadline
from indexer.ranking.score import field_in_words
from indexer.retrieval.corpus import UnreadablePart
from indexer.segments import postings
from indexer.segments.schema import INDEX_FIELDS, IndexField
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extensions.course.inside.inspection import FieldLengths, TermPostings
    from gateway.plots import Plot
    from indexer.retrieval.searcher import Searcher

MAX_TERM = 200  # characters: no term of the index has more than 64
MAX_LIST_PAGE = 1_000_000
SIZE_SECONDS = 2.0  # for counting dictionaries; the next view counts the rest

index_view = Blueprint("inside_index", __name__, template_folder="../templates")


@index_view.get("/inside/index")
def inside_index() -> str:
    """Show the postings of `term` in one `field` or in all; without a term, the segments and sizes."""
    term, field, page = _read_parameters(request.args)
    searcher = served_crawl().searcher
    shown: dict[str, object] = {"typed": term, "field": field, "fields": INDEX_FIELDS, "in_words": field_in_words}
    shown |= {"generation": searcher.generation, "as_of": searcher.as_of, "documents": searcher.documents}
    if searcher.elsewhere:
        return render_template("inside/index.html", sources=(), elsewhere=searcher.elsewhere, **shown)
    words = inspection.typed_terms(term)
    if words:
        word = term if term in words else words[0]
        found = _postings(searcher, word, (field,) if field else INDEX_FIELDS, page)
        shown |= {"found": found, "words": words, "max_positions": inspection.MAX_POSITIONS}
        shown["around"] = inspection.dictionary_around(searcher.snapshot, word)
        sources = source_files_of(inspection, postings)
        return render_template("inside/index.html", sources=sources, **shown)
    snapshot = searcher.snapshot
    sizes = inspection.index_sizes(snapshot, Deadline(SIZE_SECONDS))
    shown |= {"sizes": sizes, "segments": inspection.segment_rows(snapshot), "tier": inspection.tier_in_words}
    shown["lengths"] = [_histogram(each) for each in inspection.field_lengths(snapshot)]
    return render_template("inside/index.html", sources=source_files_of(inspection), **shown)


def _read_parameters(parameters: Mapping[str, str]) -> tuple[str, IndexField | None, int]:
    term, field, page = (parameters.get(name, "").strip() for name in ("term", "field", "page"))
    if len(term) > MAX_TERM:
        raise InvalidParameter(
            f"term has {counted(len(term), 'character')}, but at most {MAX_TERM} are possible: enter one word"
        )
    if field and field not in INDEX_FIELDS:
        raise InvalidParameter(f"field={field[:20]!r} is not a field: choose {', '.join(INDEX_FIELDS)}")
    if page and not (page.isascii() and page.isdecimal() and 0 < int(page[:9]) <= MAX_LIST_PAGE):
        raise InvalidParameter(f"page={page[:20]!r} is not a number from 1 on")
    return term, IndexField(field) if field else None, int(page[:9] or 1)


def _postings(searcher: Searcher, word: str, fields: tuple[IndexField, ...], page: int) -> TermPostings:
    try:
        return inspection.term_postings(searcher.snapshot, word, fields, page, is_hidden=searcher.corpus.is_hidden)
    except UnreadablePart as fault:
        raise fault.reason from None


def _histogram(lengths: FieldLengths) -> Plot:
    ends = (f"{least:,}" if least == most else f"{least:,} to {most:,}" for least, most, _ in lengths.bins)
    bars = [(name, pages) for name, (_, _, pages) in zip(ends, lengths.bins, strict=True)]
    title = f"{field_in_words(lengths.field)}: mean {lengths.mean:,.1f}, longest {lengths.longest:,}"
    return bar_plot(bars, title=title, name="words", unit="pages", one="page")
