"""What goes on inside? Views of the crawl, the index and the ranking on live data, each with the file that computes it.

A view is a module here with a blueprint, a template in `templates/inside/` that extends `inside/layout.html`, and its
entry in `contents.py`.
"""
