"""Breadcrumb, a search engine that explains itself, as a Python package.

The names are loaded when they are first used: the command `breadcrumb` needs none of them.
"""

from __future__ import annotations
