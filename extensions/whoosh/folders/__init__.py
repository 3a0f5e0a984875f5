"""How is an index that Whoosh wrote searched? Read-only, by Whoosh's BM25F, with an explanation of each score.

`./breadcrumb crawl textbook` writes such a folder, and so does any program that uses Whoosh. `folder.py` finds the
folder and checks that it may be opened. `searcher.py` searches it, explains scores and makes snippets.
"""
