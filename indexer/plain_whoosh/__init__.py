"""How is an index read that Whoosh itself wrote? Opened read-only, searched by Whoosh's BM25F, explained part by part.

`./breadcrumb crawl textbook` writes such a folder, and so does anybody's program with Whoosh. `folder.py` says which
folder is served and whether it may be opened, `searcher.py` answers, `explanation.py` takes a score apart, and
`quotation.py` cuts the snippets.
"""
