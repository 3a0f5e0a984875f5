"""How does a program written for Whoosh search our index? Through the classes that Whoosh itself defines.

    with indexer.open_whoosh(data_dir).searcher() as searcher:
        query = QueryParser("content", searcher.schema).parse("two words")
        hits = searcher.search(query)

`fields.py` is the schema, `reader.py` reads one generation of our segments, `matcher.py` steps through the postings of
a term, `field_terms.py` lists the terms of a field, `searching.py` adds up queries of many terms and leaves out what is
hidden, `formula.py` ranks by our formula, `writer.py` puts pages in. Decision 0041 has the reasons.
"""

from indexer.whoosh_door.searcher import Breadcrumb

__all__ = ["Breadcrumb"]
