"""The same crawl twice, without a network: undivided, and in three partitions that exchange URLs."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from crawldb.database import CrawlDatabase, newest_schema
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from extensions.machines.store.outcomes import EpochOutcome, MessageFile
from extensions.machines.store.part_folders import put_back, stored_as
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.tasks.messages import write_messages
from extensions.machines.tasks.task import counts_of
from frontier.job import CrawlJob
from frontier.session import Session
from indexer.following import StopSignal, update
from pipelines.duplicates import signature
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize
from urls.records import Link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from urls.records import CanonicalUrl

PARTS = tuple(Partition(number, 3) for number in (1, 2, 3))
HOSTS = [f"{letter}.example" for letter in "abcdefghij"]
SEEDS = tuple(canonicalize(f"http://{host}/0") for host in HOSTS)
WORDS = ["rye", "barley", "spelt", "oats", "millet", "emmer", "einkorn", "durum", "teff", "maize", "rice", "sorghum"]

Web = dict[str, tuple[Link, ...]]
Texts = dict[str, str] | None
_Fields = dict[str, dict[str, Any]]


def a_web(seed: int = 1, pages: int = 6) -> Web:
    """Make up some sites: menus, links among hosts, pages without links, words that only links have."""
    chance = random.Random(seed)
    urls = [f"http://{host}/{number}" for host in HOSTS for number in range(pages)]
    web: Web = {}
    for url in urls:
        others = chance.sample(urls, chance.choice([0, 1, 3, 5]))
        links = [Link(other, f"{chance.choice(WORDS)} {chance.choice(WORDS)}") for other in others]
        host = url[: url.rindex("/")]
        # A menu that leads to another host too, and the way to all pages.
        links += [Link(f"{host}/0", "home"), Link(urls[0], "the bakery")] if chance.random() < 0.7 else []
        web[url] = (*links, Link(f"{host}/{(int(url[len(host) + 1 :]) + 1) % pages}", "next"))
    return web


def text_of(url: str) -> str:
    """A text of its own, long enough for an honest page: pages with little text that link to each other are a farm."""
    chance = random.Random(url)
    words = " ".join("".join(chance.choices("aeinorst", k=7)) for _ in range(100))
    return f"This is what {url} says, and no other page does. {words}."


def crawl(
    data_dir: Path,
    parts: Sequence[Partition],
    web: Mapping[str, Sequence[Link]],
    texts: Texts = None,
    fields: _Fields | None = None,
    seeds: tuple[CanonicalUrl, ...] = SEEDS,
) -> None:
    """Crawl a web in so many parts, until all are at rest and no letter waits, and index it.

    `fields` are those of some pages, by their URLs.
    """
    sessions = [Session(folder_of(data_dir, part), CrawlJob(seeds, partition=part)) for part in parts]
    while any(goes_on(session, web, texts or {}, fields) for session in sessions):
        pass
    for session, part in zip(sessions, parts, strict=True):
        session.close("finished")
        index(folder_of(data_dir, part))


def put_into_store(
    uri: str, data_dir: Path, parts: Sequence[Partition], ending: str = "finished", ago: float = 0.0
) -> SharedStore:
    """Put the crawl in a data folder into a new store, as a first stage would have; its letters are under way.

    The clock of the machine that had it was `ago` seconds behind this one's.
    """
    store = SharedStore.make(uri, len(parts))
    for part in parts:
        folder, letters = folder_of(data_dir, part), data_dir / "letters"
        term = store.terms(part.number).claim("the first stage", 1.0)
        with CrawlDatabase(folder) as database:
            counts = counts_of(database) | {"sent": 0, "waiting": 0}
            sent, last, receivers = write_messages(database, part.number, 0, letters)
            database.seal()
        stored = stored_as(letters, f"{store.home(part.number)}/letters/000001")
        store.objects.put(letters, stored.name)
        files = put_back(store, part.number, term.number, folder, None)
        told = MessageFile(part.number, term.number, stored, 0, last, sent, receivers)
        at, schema = time.time() - ago, newest_schema()
        term.commit(EpochOutcome(part.number, term.number, 1, ending, 0, at, schema, counts, told, files).as_json())
    return store


def index(folder: Path) -> None:
    """Bring an index up to date, as a crawl does when it ends."""
    until = StopSignal()
    until.closed.set()
    update(folder, until)


def goes_on(
    session: Session, web: Mapping[str, Sequence[Link]], texts: Mapping[str, str], fields: _Fields | None = None
) -> bool:
    deliveries = list(session.store.exchange.waiting()) if session.store.exchange.divides else []
    for delivery in deliveries:
        session.store.receive(delivery)
    leased = lease_all(session)
    for url in leased:
        text = texts.get(url) or text_of(url)
        mark = blake2b(text.encode(), digest_size=16).digest()
        page = a_page(url, text, fingerprint=mark, signature=signature(text))
        session.store.page(replace(page, links=tuple(web[url]), **(fields or {}).get(url, {})))
    return bool(deliveries or leased)
