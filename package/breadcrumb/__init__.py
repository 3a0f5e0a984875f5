"""Breadcrumb, a search engine that explains itself, as a Python package.

    import breadcrumb

    with breadcrumb.open_index("data") as index:
        for hit in index.search("rye bread", limit=5):
            print(hit.url, hit.title, hit.snippet)

docs/python.md has an example of each name. The names are loaded when they are first used. The engine runs in a process
of its own, so nothing of it is imported here.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; `typing` takes longer to load than all of this
if TYPE_CHECKING:
    from breadcrumb.crawling import CrawlResult, crawl
    from breadcrumb.errors import CrawlFailed, EngineStopped, Error, FolderInUse, InvalidValue, NoIndex, UnusableFolder
    from breadcrumb.index import Index, open_index
    from breadcrumb.records import Explanation, Hit, Results, Section, Verdict
    from breadcrumb.rules import RobotsFile, canonicalize, robots

    __version__: str

_HOMES = {
    "breadcrumb.crawling": ("CrawlResult", "crawl"),
    "breadcrumb.errors": (
        "CrawlFailed", "EngineStopped", "Error", "FolderInUse", "InvalidValue", "NoIndex", "UnusableFolder",
    ),
    "breadcrumb.index": ("Index", "open_index"),
    "breadcrumb.records": ("Explanation", "Hit", "Results", "Section", "Verdict"),
    "breadcrumb.rules": ("RobotsFile", "canonicalize", "robots"),
}  # fmt: skip

__all__ = [
    "CrawlFailed",
    "CrawlResult",
    "EngineStopped",
    "Error",
    "Explanation",
    "FolderInUse",
    "Hit",
    "Index",
    "InvalidValue",
    "NoIndex",
    "Results",
    "RobotsFile",
    "Section",
    "UnusableFolder",
    "Verdict",
    "__version__",
    "canonicalize",
    "crawl",
    "open_index",
    "robots",
]


def __getattr__(name: str) -> object:
    """Load a public name (PEP 562)."""
    from importlib import import_module  # noqa: PLC0415 - as everything here, for who needs it

    if name == "__version__":
        return import_module("breadcrumb.engine").version()
    for home, names in _HOMES.items():
        if name in names:
            found: object = getattr(import_module(home), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'breadcrumb' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
