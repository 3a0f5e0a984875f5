"""How does a program written for Whoosh search our index? Through classes that extend Whoosh's own.

    with indexer.open_whoosh(data_dir).searcher() as searcher:
        query = QueryParser("content", searcher.schema).parse("two words")
        hits = searcher.search(query)

`index.py` opens the index and adds pages to it. `schema.py` has its fields, and `reader.py` reads one generation of our
segments. `matcher.py` iterates over the postings of a term. `searcher.py` adds up queries of many terms, hides pages,
and ranks by our formula. `comparison.py` ranks one query by Whoosh's formulas. Decision 0041 has the reasons.
"""

from indexer.whoosh_door.searcher import Breadcrumb

__all__ = ["Breadcrumb"]
