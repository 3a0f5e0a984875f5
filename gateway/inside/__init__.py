"""Views of the crawl, the index and the ranking on live data. Each names the source files that compute it.

A view has a blueprint and a template that extends `inside/layout.html`. Most are in extensions (`inside_views`).
"""
