"""Which robots.txt is in force for each origin, and which were there before?

Table `robots` has a row for each origin: which rules are in force, until when, the latest file that came whole, and
since when the file has failed. A crawl continues with it after a restart. Table `fetch` has a row for each request for
the file, and one for each redirect. Table `robots_change` has a row for each change of the state or of the file in
force.

Table `robots_version` has a row for each version of an origin's file, and `robots_body` has each content once, by its
digest. Imported files are there too. A crawl reads its rules from table `robots` alone, so an imported file has no
effect on it. A content goes with the last version that names it. `forget` and `block` remove the versions of a site;
the rules in `robots` stay, and the next file that is fetched begins the history again.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import astuple, dataclass, fields, replace
from typing import TYPE_CHECKING, NamedTuple

import zstandard
from zstandard import ZstdError

from crawldb.database import zstd_packed, zstd_unpacked
from crawldb.tables.fetches import RobotsFetch, SentRequest, note_fetch
from crawldb.tables.journal import Journal
from robots import MAX_ROBOTS_BYTES, Access, RobotsRecord, RobotsStep, origin_of, robots_url
from urls.blacklist import TargetKind
from urls.canonical import canonical_or_none, canonicalize, site_of
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.runs import Run
    from robots import Notice, RobotsRequest
    from urls.blacklist import Target

MAX_STORED = MAX_ROBOTS_BYTES + 1  # bytes: one more than counts, so the cut is seen again (RFC 9309, 2.5)
MAX_CHANGES = 100  # of an origin that are kept: a site that comes and goes all day must not fill the disk
_DIGEST = 16  # bytes

# Fetched and imported files have histories of their own, even of one origin.
_NEWEST = "row_number() OVER (PARTITION BY collection != '', origin, name ORDER BY last_seen DESC, id DESC) = 1"
_VERSIONS = (
    "SELECT version.id, origin, name, collection, first_seen, last_seen, status, newest, robots_body.digest "
    f"FROM (SELECT *, {_NEWEST} AS newest FROM robots_version) AS version JOIN robots_body ON robots_body.id = body"
)


@dataclass(frozen=True, slots=True)
class RobotsVersion:
    """One robots.txt as it was from `first_seen` to `last_seen`, in seconds since the epoch.

    An imported file was seen when its collection says, else when it was imported. The octets are read by `body_of`.
    """

    id: int
    origin: str  # "https://example.com:443"; "": not known
    name: str  # of an imported file in its collection, which may be its host
    collection: str  # "": this crawl has fetched it
    first_seen: float
    last_seen: float
    status: int | None  # of the latest answer while this was the latest file
    newest: bool  # of its origin or, imported, of its name
    digest: bytes

    @property
    def imported(self) -> bool:
        """Whether it comes from a collection: no crawl goes by it."""
        return bool(self.collection)

    @property
    def address(self) -> str:
        """Where robots look for it; of an imported file without an origin, its name."""
        return robots_url(self.origin) if self.origin else self.name


class ImportedFile(NamedTuple):
    """A robots.txt of a collection, in UTF-8; `at`: when it was fetched, in seconds since the epoch."""

    name: str
    origin: str  # "": not known
    at: float
    body: bytes


def file_digest(body: bytes) -> bytes:
    """Return what a file is known by."""
    return hashlib.blake2b(body[:MAX_STORED], digest_size=_DIGEST).digest()


def note_version(database: CrawlDatabase, record: RobotsRecord) -> None:
    """Keep the file that a record has, where it is another one than before. The caller holds the transaction."""
    connection = database.connection
    latest = connection.execute(
        "SELECT robots_version.id, digest FROM robots_version JOIN robots_body ON robots_body.id = body "
        "WHERE origin = ? AND name = '' AND collection = '' ORDER BY last_seen DESC, robots_version.id DESC LIMIT 1",
        (record.origin,),
    ).fetchone()
    if record.good_at is None:  # there is no file now
        connection.execute("UPDATE robots_version SET status = ? WHERE id = ?", (record.status, latest and latest[0]))
    elif latest and latest[1] == file_digest(record.body):
        seen = (
            "UPDATE robots_version SET first_seen = min(first_seen, ?1), last_seen = max(last_seen, ?1), status = ?2 "
            "WHERE id = ?3"
        )
        connection.execute(seen, (record.good_at, record.status, latest[0]))
    else:
        _insert(database, ImportedFile("", record.origin, record.good_at, record.body), "", record.status)
        connection.execute(
            "DELETE FROM robots_version WHERE origin = ?1 AND collection = '' AND id NOT IN (SELECT id FROM "
            "robots_version WHERE origin = ?1 AND collection = '' ORDER BY last_seen DESC, id DESC LIMIT ?2)",
            (record.origin, MAX_CHANGES),
        )


def put_imported(database: CrawlDatabase, file: ImportedFile, collection: str) -> bool:
    """Keep a file of a collection, within the caller's transaction; return False where it is there already."""
    known = database.value(
        "SELECT 1 FROM robots_version JOIN robots_body ON robots_body.id = body "
        "WHERE origin = ? AND name = ? AND collection != '' AND digest = ?",
        file.origin,
        file.name,
        file_digest(file.body),
    )
    if not known:
        _insert(database, file, collection, None)
    return not known


def _insert(database: CrawlDatabase, file: ImportedFile, collection: str, status: int | None) -> None:
    digest, body = file_digest(file.body), file.body[:MAX_STORED]
    if database.value("SELECT 1 FROM robots_body WHERE digest = ?", digest) is None:
        database.connection.execute("INSERT INTO robots_body (digest, data) VALUES (?, ?)", (digest, zstd_packed(body)))
    database.connection.execute(
        "INSERT INTO robots_version (origin, name, collection, body, first_seen, last_seen, status) "
        "SELECT ?, ?, ?, id, ?, ?, ? FROM robots_body WHERE digest = ?",
        (file.origin, file.name, collection, file.at, file.at, status, digest),
    )


def stored_versions(database: CrawlDatabase) -> Iterator[RobotsVersion]:
    """Yield all stored versions, by origin and name, the oldest first."""
    return map(_version, database.connection.execute(f"{_VERSIONS} ORDER BY origin, name, last_seen, version.id"))


def _version(row: tuple[int, str, str, str, float, float, int | None, int, bytes]) -> RobotsVersion:
    number, origin, name, collection, first_seen, last_seen, status, newest, digest = row
    return RobotsVersion(number, origin, name, collection, first_seen, last_seen, status, bool(newest), digest)


def version_numbered(database: CrawlDatabase, number: int) -> tuple[RobotsVersion, bytes] | None:
    """Return a version with its octets; None where it is gone or damaged."""
    row = database.connection.execute(f"{_VERSIONS} WHERE version.id = ?", (number,)).fetchone()
    version = _version(row) if row else None
    try:
        body = body_of(database, version) if version else None
    except ZstdError:
        return None
    return (version, body) if version and body is not None else None


def history_mark(database: CrawlDatabase) -> bytes:
    """Return what is another one after each change of the versions: equal marks mean equal versions."""
    mark = database.value("SELECT mark FROM robots_history")
    return mark if isinstance(mark, bytes) else b""


def body_of(database: CrawlDatabase, version: RobotsVersion) -> bytes | None:
    """Return the octets of a version, or None where it is gone. Raises ZstdError where they are damaged."""
    data = database.value("SELECT data FROM robots_body WHERE digest = ?", version.digest)
    return zstd_unpacked(data) if isinstance(data, bytes) else None


def site_of_version(origin: str, name: str) -> str:
    """Return the site of a file; of one without an origin its name, where that is one. Else ""."""
    address = robots_url(origin) if origin else f"http://{name}/robots.txt"
    canonical = canonical_or_none(address)
    site = site_of(canonical) if canonical else ""
    return site if origin or site == name else ""


def versions_meant(database: CrawlDatabase, target: Target) -> set[int]:
    """Return the ids of the versions of the files that a target means."""
    rows = database.connection.execute
    if target.kind is TargetKind.PATTERN:
        known = rows("SELECT id, origin, name FROM robots_version").fetchall()
        meant = {each for each in {(origin, name) for _, origin, name in known} if _is_meant(target, *each)}
        return {number for number, *each in known if tuple(each) in meant}
    site = target.name if target.kind is TargetKind.SITE else site_of(CanonicalUrl(target.name))
    found = {("", site): rows("SELECT id FROM robots_version WHERE origin = '' AND name = ?", (site,)).fetchall()}
    for origin in (origin_of(f"{scheme}://{site}/") for scheme in ("http", "https")):
        found[origin, ""] = rows("SELECT id FROM robots_version WHERE origin = ?", (origin,)).fetchall()
    # A blacklist may have 200,000 entries, and few of them mean what is stored.
    return {number for each, ids in found.items() if ids and _is_meant(target, *each) for (number,) in ids}


def take_out_versions(database: CrawlDatabase, target: Target) -> None:
    """Forget the files that a target means, within the caller's transaction."""
    gone = [(number,) for number in versions_meant(database, target)]
    database.connection.executemany("DELETE FROM robots_version WHERE id = ?", gone)


def _is_meant(target: Target, origin: str, name: str) -> bool:
    site, scheme = site_of_version(origin, name), origin.partition("://")[0] or "http"
    return bool(site) and target.covers(CanonicalUrl(f"{scheme}://{site}/robots.txt"))


CLOSED_SECONDS = 24 * 3600.0  # a robots.txt that fails for so long is told like an alarm

_COLUMNS = ", ".join(field.name for field in fields(RobotsRecord))
_WRITE = f"INSERT OR REPLACE INTO robots ({_COLUMNS}) VALUES ({', '.join('?' * len(fields(RobotsRecord)))})"


def read_robots(database: CrawlDatabase, origin: str) -> RobotsRecord | None:
    """Return the record of an origin ("https://example.com:443"), or None where none was ever requested."""
    row = database.connection.execute(f"SELECT {_COLUMNS} FROM robots WHERE origin = ?", (origin,)).fetchone()
    if row is None:
        return None
    record = RobotsRecord(*row)
    return replace(record, body=zstandard.ZstdDecompressor().decompress(record.body, max_output_size=MAX_STORED))


def write_robots(
    database: CrawlDatabase,
    run: Run | None,
    record: RobotsRecord,
    notice: Notice | None = None,
    samples: Sequence[str] = (),
) -> None:
    """Keep what holds now, with what the journal says and the URLs that it is about, in one transaction.

    Without a run, the file comes from an archive.
    """
    with database.transaction() as connection:
        if notice is not None:
            Journal(database, run.id if run else None).write_notice(record.origin, notice, samples)
        note_change(database, record)
        note_version(database, record)
        packed = zstandard.ZstdCompressor().compress(record.body[:MAX_STORED])
        connection.execute(_WRITE, astuple(replace(record, body=packed)))


def note_request(
    database: CrawlDatabase, run: Run, origin: str, request: RobotsRequest, step: RobotsStep = RobotsStep.ASKED
) -> None:
    """Note a request that was sent for the robots.txt of `origin`, whatever follows from its answer."""
    sent = SentRequest(run.id, request.at, request.seconds, request.status, request.size, RobotsFetch[step.name])
    with database.transaction():
        note_fetch(database, replace(sent, address=request.address, origin=origin))


@dataclass(frozen=True, slots=True)
class RobotsChange:
    """From `at` on (seconds since the epoch), `state` held, a name of `robots.Access`, for the reason given."""

    at: float
    state: str
    status: int | None
    reason: str


def note_change(database: CrawlDatabase, record: RobotsRecord) -> None:
    """Note what holds where it is not what held before. The caller holds the transaction."""
    digest = _digest(record)
    latest = database.connection.execute(
        "SELECT state, digest FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT 1", (record.origin,)
    ).fetchone()
    if latest == (record.state, digest):
        return
    database.connection.execute(
        "INSERT INTO robots_change (origin, at, state, status, digest, reason) VALUES (?, ?, ?, ?, ?, ?)",
        (record.origin, record.fetched_at, record.state, record.status, digest, record.reason),
    )
    database.connection.execute(
        "DELETE FROM robots_change WHERE origin = ? AND id <= "
        "(SELECT id FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
        (record.origin, record.origin, MAX_CHANGES),
    )


def changes_of(database: CrawlDatabase, origin: str, limit: int = MAX_CHANGES) -> tuple[RobotsChange, ...]:
    """Return what held for an origin, the newest first."""
    rows = database.connection.execute(
        "SELECT at, state, status, reason FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT ?", (origin, limit)
    )
    return tuple(RobotsChange(*row) for row in rows)


def holds_since(database: CrawlDatabase, record: RobotsRecord) -> float:
    """Return since when what the record says has held without a break, in seconds since the epoch.

    If the clock was set back, an earlier change has a later time. Then it is unknown what held until that time.
    """
    row = database.connection.execute(
        "SELECT at, state, digest FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT 1", (record.origin,)
    ).fetchone()
    if row is None or row[1:] != (record.state, _digest(record)):
        return record.fetched_at
    latest = database.value("SELECT max(at) FROM robots_change WHERE origin = ?", record.origin)
    return min(float(row[0]), record.fetched_at) if latest == row[0] else float(str(latest))


def _digest(record: RobotsRecord) -> bytes:
    """Return the digest of the file that decides; empty where none does."""
    if record.state != Access.PARSED.name:
        return b""
    return file_digest(record.body)


def responses_by_status(database: CrawlDatabase) -> dict[str, int]:
    """Return how many origins gave which status when their robots.txt was last requested; "no answer": no response."""
    rows = database.connection.execute(
        "SELECT coalesce(status, 'no answer'), count(*) FROM robots GROUP BY status ORDER BY count(*) DESC, status"
    )
    return {str(status): number for status, number in rows}


def closed_origins(database: CrawlDatabase, now: float | None = None) -> list[tuple[str, float]]:
    """Return the origins that are closed because their robots.txt has failed for a day or more.

    With the time since when, the longest first. Where a copy decides, or the file was given up, it still fails, and its
    origin is not closed.
    """
    since = (time.time() if now is None else now) - CLOSED_SECONDS
    rows = database.connection.execute(
        "SELECT origin, failing_since FROM robots WHERE failing_since <= ? AND state = ? "
        "ORDER BY failing_since, origin",
        (since, Access.CLOSED.name),
    )
    return rows.fetchall()


def silent_sites(database: CrawlDatabase) -> dict[str, str]:
    """Return the origins that gave no response at all when their robots.txt was last requested, with their sites."""
    origins = database.column("SELECT origin FROM robots WHERE state = 'CLOSED' AND status IS NULL")
    return {origin: site_of(canonicalize(f"{origin}/")) for origin in origins}


def let_robots_expire(database: CrawlDatabase, origin: str) -> None:
    """Let the robots.txt of an origin be requested immediately, within the caller's transaction."""
    database.connection.execute("UPDATE robots SET expires_at = 0 WHERE origin = ?", (origin,))
