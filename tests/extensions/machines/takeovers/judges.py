"""What damage must a kill not do to a crawl on a cluster? Each finding is a sentence.

There are four checks. The store at the end must match the hosts. The database and index of each partition must match
each other, and all partitions together. Each host's own log must show politeness, and no request for a page that was
already committed.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.parts.partition import Partition
from crawldb.tables.urls import State
from extensions.machines.store.part_folders import fetch
from extensions.machines.store.shared_store import SharedStore
from indexer import NoIndex, open_index
from tests.durability.agreement import faults_after_a_kill, faults_of_the_index, stored_urls
from tests.durability.hosts.access_log import audit_faults
from tests.durability.hosts.host import path_of_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.durability.hosts.host import PlayedHost
    from tests.durability.hosts.server import HostServer

SHOWN = 5  # examples of a difference
CLOSED = "/private/"  # what robots.txt disallows on these hosts
TWICE = "no URL twice"  # a claim of the audit that does not hold of a kill: what was not committed is asked for again


def truth(hosts: Sequence[PlayedHost], port: int) -> dict[str, str]:
    """Return the URLs of all pages, each with its title."""
    return {
        f"http://{host.name}:{port}{path_of_page(number)}": f"Page {number} of {host.name}"
        for host in hosts
        for number in range(host.pages)
    }


def committed(uri: str, folder: Path) -> dict[str, int]:
    """Return the URLs of the pages that are committed now, each with its part."""
    store = SharedStore.open(uri)
    found: dict[str, int] = {}
    for part in range(1, store.parts + 1):
        place = folder / f"part-{part}"
        place.mkdir(parents=True)
        if fetch(store, part, place).outcome is not None:
            found |= dict.fromkeys(stored_urls(place), part)
    return found


def faults_of_the_store(uri: str, pages: Mapping[str, str]) -> Iterator[str]:
    """Compare what the store holds with the pages that there are: each once, in the part of its host, and findable."""
    store, urls, discovered = SharedStore.open(uri), Counter[str](), 0
    for part in range(1, store.parts + 1):
        with tempfile.TemporaryDirectory() as name:
            fetched = fetch(store, part, Path(name))
            yield from fetched.told
            if fetched.outcome is None:
                yield f"part {part} has committed nothing"
                continue
            mine = stored_urls(Path(name))
            urls.update(mine)
            partition = Partition(part, store.parts)
            yield from (f"{url} is in part {part}" for url in mine if not partition.owns(url.split("/")[2]))
            yield from (f"part {part}: {fault}" for fault in faults_after_a_kill(Path(name)))
            yield from (f"part {part}: {fault}" for fault in faults_of_the_index(Path(name), CLOSED))
            yield from _documents(Path(name), {url: pages[url] for url in mine if url in pages})
            yield from _accounts(Path(name), fetched.outcome.counts, part)
            discovered += fetched.outcome.counts["discovered"]
    yield from _difference("pages missing", pages.keys() - urls.keys())
    yield from _difference("pages too many", urls.keys() - pages.keys())
    yield from _difference("pages twice", {url for url, times in urls.items() if times > 1})
    if discovered < len(pages):
        yield f"{discovered} URLs are discovered over all parts, and there are {len(pages)} pages"


def _documents(folder: Path, pages: Mapping[str, str]) -> Iterator[str]:
    """Compare the index with the pages of a part: each is found once, by its title, under its URL."""
    if not pages:
        return  # it has no host, and so no index
    try:
        searcher = open_index(folder)
    except NoIndex as missing:
        yield str(missing)
        return
    for url, title in pages.items():
        found = [hit for hit in searcher.search(f'"{title}"', exact=True).hits if hit.url == url]
        if [hit.title for hit in found] != [title]:
            yield f"{url} is found as {[hit.title for hit in found]} instead of {title!r}"


def _accounts(folder: Path, counts: Mapping[str, int], part: int) -> Iterator[str]:
    """Compare what a part says of itself with its database; every URL must have come to its end."""
    with CrawlDatabase(folder, readonly=True) as database:
        states = dict(database.connection.execute("SELECT state, count(*) FROM url GROUP BY state").fetchall())
        pages = database.count("SELECT count(*) FROM page")
    if (counts["discovered"], counts["pages"]) != (sum(states.values()), pages):
        yield f"part {part} counts {dict(counts)}; its database has {sum(states.values())} URLs and {pages} pages"
    if open_ := states.get(State.QUEUED, 0) + states.get(State.LEASED, 0):
        yield f"part {part} has {open_} URLs that nobody has come to"


def faults_of_the_logs(
    hosts: Sequence[PlayedHost], server: HostServer, delay: float, before: Sequence[tuple[float, set[str]]]
) -> Iterator[str]:
    """Let `audit` prove from each host's log that the robot was polite around all takeovers.

    `before`: moments, and the pages that were committed by then; such a page must not have been asked for later.
    """
    for host in hosts:
        accesses = server.of(host)
        with tempfile.TemporaryDirectory() as folder:
            found = audit_faults(host, server.port, accesses, delay, Path(folder))
        skipping = False
        for fault in found:
            skipping = TWICE in fault or (skipping and fault.startswith(" "))
            if not skipping:
                yield fault
        for moment, pages in before:
            for access in accesses:
                url = f"http://{access.host}{access.path}"
                if access.start > moment and url in pages:
                    yield f"{url} was committed, and asked for again {access.start - moment:.1f} s later"


def _difference(what: str, found: set[str]) -> Iterator[str]:
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        yield f"{what}: {', '.join(sorted(found)[:SHOWN])}{more}"
