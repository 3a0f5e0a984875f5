"""Which site was meant, where the index has none of that name? One on the same host, or one that is spelt nearly so.

A site is a host and its port; people leave the port out, or write the whole address.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from indexer.query.deadline import Deadline
    from indexer.snapshot.snapshot import Snapshot

MAX_SUGGESTIONS = 3  # sites for one that is not known
MAX_COMPARED_SITES = 10_000  # sites that are compared by their spelling; of more, only the hosts are


def suggested_sites(asked: Collection[str], snapshot: Snapshot, deadline: Deadline) -> tuple[str, ...]:
    """Return sites of the index that may be meant by those of `asked` that it does not have."""
    known = snapshot.sites()
    found: list[str] = []
    for name in sorted(asked)[:MAX_SUGGESTIONS]:
        if deadline.passed("sites that may be meant"):
            break
        site = (name.partition("://")[2] or name).partition("/")[0]
        if name in known:
            continue
        near = [site] if site in known else [other for other in known if _without_port(other) == _without_port(site)]
        found += (near or get_close_matches(site, known[:MAX_COMPARED_SITES], MAX_SUGGESTIONS))[:MAX_SUGGESTIONS]
    return tuple(dict.fromkeys(found))


def _without_port(site: str) -> str:
    """Return a site without its port; an IPv6 address stands in brackets."""
    host, colon, port = site.rpartition(":")
    return host if colon and port.isdecimal() else site
