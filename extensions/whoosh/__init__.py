"""How does a program written for Whoosh search our index? Through classes that extend Whoosh's own.

    with indexer.open_whoosh(data_dir).searcher() as searcher:
        query = QueryParser("content", searcher.schema).parse("two words")
        hits = searcher.search(query)

`index.py` opens the index and adds pages to it. `schema.py` has its fields, and `reader.py` reads one generation of our
segments. `matcher.py` iterates over the postings of a term. `searcher.py` adds up queries of many terms, hides pages,
and ranks by our formula. `comparison.py` ranks one query by Whoosh's formulas. Decision 0041 has the reasons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from indexer.libraries import IndexLibrary


@extends
def index_libraries() -> list[IndexLibrary]:
    """Add Whoosh."""
    from extensions.whoosh.comparison import whoosh_columns
    from extensions.whoosh.index import PageIndex
    from indexer.libraries import IndexLibrary

    differences = "It has no stemming, does not group near copies, and ranks by title and text only."
    return [IndexLibrary("whoosh", "Whoosh", PageIndex, whoosh_columns, differences)]
