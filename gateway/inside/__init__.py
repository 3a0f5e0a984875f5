"""Views of the crawl, the index and the ranking on live data. Each names the source files that compute it.

A view is a module here with a blueprint, a template in `templates/inside/` that extends `inside/layout.html`, and its
entry in `contents.py`.
"""
