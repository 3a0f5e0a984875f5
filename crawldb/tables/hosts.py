"""How must each host be treated? Table `host`: its last request, its pace, and until when it rests.

A host is the name of one machine, whatever the port or scheme: the pace spares the machine. A crawl keeps what it
learns in memory, and writes it when the next lease ends. A rest is written immediately, since a restart must keep it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from crawldb.tables.urls import State
from urls.canonical import host_of_site
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal

MAX_KNOWN = 100_000  # hosts that are kept in memory, some 40 MB; the others are read again when they are met again


@dataclass(frozen=True, slots=True)
class Host:
    """A row of the table `host`: times in seconds since the epoch, `delay` and `latency` in seconds."""

    name: str
    last_request_at: float = 0.0
    delay: float = 0.0
    delay_reason: str = ""
    latency: float = 0.0
    failures: int = 0
    rests_until: float = 0.0
    rest_reason: str = ""
    silent: bool = False
    public: bool = False  # a seed whose name has led to the open internet

    @property
    def rests_in_next_run(self) -> float:
        """Until when it rests in the next run, which ends the rest of a silent host (frontier/rounds.py)."""
        return 0.0 if self.silent else self.rests_until


_COLUMNS = tuple(field.name for field in fields(Host))
_values = attrgetter(*_COLUMNS)
_READ = f"SELECT {', '.join(_COLUMNS)} FROM host"
_WRITE = f"INSERT OR REPLACE INTO host ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
# The sites of a host: the host itself, and each of its other ports.
_ITS_SITES = "(name = :host OR substr(name, 1, length(:host) + 1) = :host || ':')"


class Hosts:
    """The hosts that a crawl deals with, each read once and then kept in memory."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._known: dict[str, Host] = {}
        self.changed: set[str] = set()  # names of hosts that are to be written

    def of(self, name: str) -> Host:
        """Return what is known of a host."""
        host = self._known.get(name)
        if host is None:
            if len(self._known) >= MAX_KNOWN:
                self._known = {changed: self._known[changed] for changed in self.changed}
            host = self._known[name] = read_host(self._database, name) or Host(name)
        return host

    def note(self, host: Host) -> None:
        """Remember what a host is like now; it is written with the next transaction that ends a lease."""
        self._known[host.name] = host
        self.changed.add(host.name)

    def note_public(self, name: str) -> None:
        """Remember that the name of a seed leads to the open internet."""
        self.note(replace(self.of(name), public=True))

    def put_to_rest(self, host: Host, journal: Journal, url: int | None) -> None:
        """Send a host nothing until `host.rests_until`, and journal why; `url` is the id of the requested URL."""
        self.note(host)
        try:
            with self._database.transaction() as connection:
                self.write()
                connection.execute(
                    f"UPDATE site SET rests_until = :until WHERE {_ITS_SITES}",
                    {"until": host.rests_until, "host": host.name},
                )
                journal.write(url, Rule.HOST_RESTS, host.rest_reason)
        except BaseException:
            self.rolled_back()  # the rest holds in memory
            raise

    def cap(self, reason: str, journal: Journal) -> None:
        """Journal that a host asks for too long a delay: once, as long as it asks for the same."""
        known = "SELECT 1 FROM journal WHERE rule = ? AND reason = ?"
        if self._database.value(known, Rule.CRAWL_DELAY, reason) is None:
            with self._database.transaction():
                journal.write(None, Rule.CRAWL_DELAY, reason)

    def write(self) -> None:
        """Write what has changed, within the caller's transaction."""
        rows = [_values(self._known[name]) for name in self.changed]
        self._database.connection.executemany(_WRITE, rows)
        self.changed.clear()

    def rolled_back(self) -> None:
        """Write everything once more: a transaction came to nothing, and what it held is not known here."""
        self.changed.update(self._known)


def read_host(database: CrawlDatabase, name: str) -> Host | None:
    """Return the row of a host, or None where it never had a request."""
    row = database.connection.execute(f"{_READ} WHERE name = ?", (name,)).fetchone()
    return None if row is None else _host(row)


def public_hosts(database: CrawlDatabase) -> list[str]:
    """Return the hosts of seeds whose names have led to the open internet."""
    return database.column("SELECT name FROM host WHERE public = 1")


def resting(database: CrawlDatabase, now: float) -> Iterator[tuple[Host, int]]:
    """Yield the hosts that rest while URLs of theirs are queued, with the number of those, most first."""
    hosts = [_host(row) for row in database.connection.execute(f"{_READ} WHERE rests_until > ?", (now,))]
    counted = [(host, _queued(database, host.name)) for host in hosts]
    yield from sorted(((host, queued) for host, queued in counted if queued), key=lambda found: -found[1])


def _queued(database: CrawlDatabase, name: str) -> int:
    row = database.connection.execute(
        f"SELECT count(*) FROM url WHERE state = {int(State.QUEUED)} "
        f"AND site IN (SELECT id FROM site WHERE {_ITS_SITES})",
        {"host": name},
    ).fetchone()
    return int(row[0])


def assume_leased_hosts_asked(database: CrawlDatabase, now: float) -> None:
    """Let each host with a lease of a killed run count as requested now: the time of its request is unknown.

    Call it within a transaction, before those leases are queued again.
    """
    rows = database.connection.execute(
        "SELECT DISTINCT name FROM site JOIN url ON url.site = site.id WHERE url.state = ?", (State.LEASED,)
    ).fetchall()
    for name in {host_of_site(site) for (site,) in rows}:
        host = replace(read_host(database, name) or Host(name), last_request_at=now)
        database.connection.execute(_WRITE, _values(host))


def take_to_this_clock(database: CrawlDatabase, then: float, now: float) -> None:
    """Let what is known of hosts hold by the clock of this machine, which is no other's; within a transaction.

    `then` is the end of the last run by the clock of its machine, `now` is the time by this clock. Each host counts as
    requested now, and rests for as long as it still had to.
    """
    bound = {"then": then, "now": now}
    connection = database.connection
    connection.execute("UPDATE host SET last_request_at = :now WHERE last_request_at > 0", bound)
    for table in ("host", "site"):
        left = "iif(rests_until > :then, rests_until - :then + :now, 0)"
        connection.execute(f"UPDATE {table} SET rests_until = {left} WHERE rests_until > 0", bound)


def bound_rests(database: CrawlDatabase, latest: float) -> None:
    """Let no host rest beyond `latest`: a later time is that of a wrong clock."""
    for table in ("host", "site"):
        database.connection.execute(f"UPDATE {table} SET rests_until = ?1 WHERE rests_until > ?1", (latest,))


def latest_request(database: CrawlDatabase) -> float:
    """Return when the latest request to any host was sent, in seconds since the epoch; 0: there was none."""
    latest = database.value("SELECT max(last_request_at) FROM host")
    return latest if isinstance(latest, float) else 0.0


def wake_the_silent(database: CrawlDatabase) -> None:
    """End each rest that began because a host gave no answer, within the caller's transaction."""
    for (name,) in database.connection.execute("SELECT name FROM host WHERE silent").fetchall():
        database.connection.execute(f"UPDATE site SET rests_until = 0 WHERE {_ITS_SITES}", {"host": name})
    database.connection.execute("UPDATE host SET rests_until = 0, failures = 0, silent = 0 WHERE silent")


def _host(row: tuple[object, ...]) -> Host:
    host = Host(*row)  # type: ignore[arg-type]  # the columns have the types of the fields
    return replace(host, silent=bool(host.silent), public=bool(host.public))
