"""What did each robots.txt say, and when? Every file that came whole, once by its digest, and those that were imported.

Table `robots_version` has a row each time that an origin's file was another one than before, and `robots_body` the
files themselves. The rules of a crawl are in table `robots` and never here, so an imported file rules nothing.

A file goes when no version names it any longer. `forget` and `block` take the versions of a site out; what the crawl
has to obey stays in `robots`, and the next file that is fetched begins the history again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from zstandard import ZstdError

from crawldb.database import zstd_packed, zstd_unpacked
from robots import MAX_ROBOTS_BYTES, origin_of, robots_url
from urls.blacklist import TargetKind
from urls.canonical import UnusableUrl, canonicalize
from urls.records import CanonicalUrl
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from robots import RobotsRecord
    from urls.blacklist import Target

MAX_STORED = MAX_ROBOTS_BYTES + 1  # bytes: one more than counts, so that the cut is seen again (RFC 9309, 2.5)
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


def stored_versions(database: CrawlDatabase, *, all_versions: bool = False) -> Iterator[RobotsVersion]:
    """Yield what is stored, by origin and name, the oldest first; without `all_versions` the newest of each."""
    where = "" if all_versions else " WHERE newest"
    rows = database.connection.execute(f"{_VERSIONS}{where} ORDER BY origin, name, last_seen, version.id")
    return (_version(row) for row in rows)


def versions_of(database: CrawlDatabase, origin: str, name: str = "") -> tuple[RobotsVersion, ...]:
    """Return the versions of an origin or, of imported files, of a name too; the newest first."""
    where = " WHERE origin = ? AND name = ? ORDER BY last_seen DESC, version.id DESC"
    return tuple(map(_version, database.connection.execute(f"{_VERSIONS}{where}", (origin, name))))


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
    try:
        canonical = canonicalize(address)
    except UnusableUrl:
        return ""
    site = site_of(canonical)
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
