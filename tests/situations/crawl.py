"""What does Breadcrumb do in each situation? Its own command crawls them, and days pass in its database.

One crawl visits all sites that need only one visit. The others are visited again and again, each time with all times in
the database set back.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawldb.database import FILE_NAME
from crawldb.tables.urls import State
from robots import origin_of
from tests.situations.assessment import Observation
from tests.situations.rows.scope import PAUSE_CAP
from tests.situations.server import SituationServer
from tests.situations.situation import DAY, SeenRequest, Situation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


ROOT = Path(__file__).resolve().parents[2]
ANSWER_SECONDS = 10  # that each robot waits for one: on a busy machine it may come late
LONGEST_RUN = 120  # seconds
SETTINGS: dict[str, object] = {
    "INDEX_FOLLOW": 0,
    "DOWNLOAD_TIMEOUT": ANSWER_SECONDS,
    "WAIT_SECONDS": 2,
    "RETRY_DELAY": 0.05,
    "CONTACT": "bench@example.org",
    "BOT_URL": "http://localhost/bot",
    "MAX_CRAWL_DELAY": PAUSE_CAP,
    "DOWNLOAD_VERIFY_CERTIFICATES": False,  # the server has signed its own
}

ROBOTS_TIMES = ("fetched_at", "expires_at", "good_at", "failing_since")  # an empty one stays empty

_LabelledSite = tuple[Situation, str]


def observe_breadcrumb(situations: Sequence[Situation], folder: Path) -> dict[str, Observation]:
    """Let Breadcrumb crawl all situations; return what is seen of each by its id."""
    asked: dict[str, list[SeenRequest]] = defaultdict(list)
    waiting: dict[str, dict[tuple[str, int], list[str]]] = defaultdict(dict)
    told: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for place, sites in enumerate(_groups(situations)):
        data = folder / str(place)
        with SituationServer(situations) as server:
            for number in range(1, max(len(situation.sites[label].visits) for situation, label in sites) + 1):
                _visit(server, sites, data, number)
                queued = _queued(data)
                for situation, label in sites:
                    waiting[situation.id][label, number] = queued.get(server.url(situation, label)[:-1], [])
        for situation, label in sites:
            told[situation.id][label] = _journal(data, situation.host(label))
        for name, requests in server.log.items():
            asked[name] += requests
    return {name: Observation(asked[name], waiting[name], told[name]) for name in (each.id for each in situations)}


def _groups(situations: Sequence[Situation]) -> Iterator[list[_LabelledSite]]:
    """Yield the sites that one visit is enough for, and then those that get several, or settings of their own."""
    sites = [(situation, label) for situation in situations for label in situation.sites]
    once = [
        (situation, label)
        for situation, label in sites
        if len(situation.sites[label].visits) == 1 and not situation.sites[label].settings
    ]
    yield from (group for group in (once, [site for site in sites if site not in once]) if group)


def _visit(server: SituationServer, sites: Sequence[_LabelledSite], folder: Path, number: int) -> None:
    server.visit = number
    if number > 1:
        later: dict[str, float] = {}
        for situation, label in sites:
            visits = situation.sites[label].visits
            later[server.url(situation, label)] = visits[number - 1].later if number <= len(visits) else 0.0
        grow_older(folder, later)
    settings = SETTINGS | {"DATA_DIR": folder}
    for situation, label in sites:
        settings |= situation.sites[label].settings
    words = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    if number == 1:
        words += ["-a", "seeds=" + ",".join(server.url(*site) for site in sites)]
    done = subprocess.run(
        [sys.executable, str(ROOT / "commands"), "crawl", "site", *words],
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN,
        check=False,
    )
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"the crawl failed:\n{done.stdout}{done.stderr}")


def _queued(folder: Path) -> Mapping[str, list[str]]:
    """Return the paths that wait, by scheme, host and port."""
    found: dict[str, list[str]] = defaultdict(list)
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        for (url,) in database.execute("SELECT url FROM url WHERE state = ?", (int(State.QUEUED),)):
            parts = urlsplit(url)
            found[f"{parts.scheme}://{parts.netloc}"].append(parts.path)
    return found


def _journal(folder: Path, host: str) -> set[str]:
    """Return the rules of the journal's rows that name a host."""
    named = re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w.-])")
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        return {rule for rule, reason in database.execute("SELECT rule, reason FROM journal") if named.search(reason)}


def grow_older(folder: Path, sites: Mapping[str, float]) -> None:
    """Let so many seconds pass for what is known of each site's robots.txt, and a day for everything else.

    `sites` has the seconds, by the address of the site's first page.
    """
    with closing(sqlite3.connect(folder / FILE_NAME)) as database, database:
        database.execute("PRAGMA application_id = 0")  # the file is not as it was sealed any more
        for url, seconds in sites.items():
            columns = ", ".join(f"{name} = {name} - {seconds}" for name in ROBOTS_TIMES)
            database.execute(f"UPDATE robots SET {columns} WHERE origin = ?", (origin_of(url),))
            where = f"{urlsplit(url).scheme}://{urlsplit(url).netloc}/"
            database.execute(
                "UPDATE url SET due_at = max(0, due_at - ?) WHERE substr(url, 1, ?) = ?", (seconds, len(where), where)
            )
            for table, name in (("host", urlsplit(url).hostname), ("site", urlsplit(url).netloc)):
                database.execute(
                    f"UPDATE {table} SET rests_until = max(0, rests_until - ?) WHERE name = ?", (seconds, name)
                )
        database.execute("UPDATE host SET last_request_at = max(0, last_request_at - ?)", (DAY,))
        database.execute("UPDATE round SET opened_at = opened_at - ?", (DAY,))
