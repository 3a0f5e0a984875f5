"""Which site was meant, where the index has none of that name? One on the same host, or one that is spelt nearly so.

A site is a host and its port, and people leave the port out, or write the whole address.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from indexer.segments.schema import SITE

if TYPE_CHECKING:
    from collections.abc import Collection

    from indexer.retrieval.snapshot import Snapshot

MOST = 3  # names for one that is not known
MAX_SITES = 10_000  # that are compared by their spelling; of more, only the hosts are


def sites_meant(asked: Collection[str], snapshot: Snapshot) -> tuple[str, ...]:
    """Return sites of the index that may be meant by those of `asked` that it does not have."""
    known = sorted({site for view in snapshot.views for site in view.file.terms(SITE)})
    found: list[str] = []
    for name in asked:
        site = (name.partition("://")[2] or name).partition("/")[0]
        if name in known:
            continue
        near = [site] if site in known else [other for other in known if _host(other) == _host(site)]
        found += (near or get_close_matches(site, known[:MAX_SITES], MOST))[:MOST]
    return tuple(dict.fromkeys(found))


def _host(site: str) -> str:
    """Return a site without its port; an IPv6 address stands in brackets."""
    host, colon, port = site.rpartition(":")
    return host if colon and port.isdecimal() else site
