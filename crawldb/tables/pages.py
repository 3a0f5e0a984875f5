"""What do we keep of a page? Its record, its text and its body, compressed; never the text of one that said noindex."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import zstandard

from crawldb.database import DatabaseError
from crawldb.visited import find
from robots import PageControls, Wish
from urls.records import CanonicalUrl, Page, Refusal

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


ZSTD_LEVEL = 3  # a fifth of the size for 0.13 ms a page; higher levels gain little
MAX_CONTENT = 64 * 1024 * 1024  # bytes that a stored record may unpack to: a bound, four times the largest page
WITHHELD = frozenset({"noindex", "expired"})  # rules whose pages are not even kept: their owner said so

_COLUMNS = (
    "fetched_at, status, content_type, encoding, etag, last_modified, title, description, language, content, "
    "fingerprint, signature, refusals, warnings, "
    "(SELECT url FROM url WHERE id = duplicate_of), (SELECT url FROM url WHERE id = near_duplicate_of)"
)


class Pages:
    """Reads and writes page records, by the id of their URL, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def put(self, url: int, page: Page, *, off_site: int = 0) -> None:
        """Write the record of `page` under the id of its URL, in place of an earlier one."""
        withheld = any(refusal.rule in WITHHELD for refusal in page.refusals)
        connection = self._database.connection
        connection.execute(
            "INSERT INTO page (url, fetched_at, status, content_type, encoding, etag, last_modified, size, title, "
            "description, language, content, fingerprint, signature, duplicate_of, near_duplicate_of, refusals, "
            "warnings, off_site, links) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (url) DO UPDATE SET (fetched_at, status, content_type, encoding, etag, last_modified, size, "
            "title, description, language, content, fingerprint, signature, duplicate_of, near_duplicate_of, refusals, "
            "warnings, off_site, links) = (excluded.fetched_at, excluded.status, excluded.content_type, "
            "excluded.encoding, excluded.etag, excluded.last_modified, excluded.size, excluded.title, "
            "excluded.description, excluded.language, excluded.content, excluded.fingerprint, excluded.signature, "
            "excluded.duplicate_of, excluded.near_duplicate_of, excluded.refusals, excluded.warnings, "
            "excluded.off_site, excluded.links)",
            (
                url, page.fetched_at, page.status, page.content_type, page.encoding, page.etag, page.last_modified,
                len(page.body), page.title, "" if withheld else page.description, page.language,
                _pack_content(page, withheld=withheld), page.fingerprint, b"" if withheld else page.signature,
                self._id(page.duplicate_of), self._id(page.near_duplicate_of),
                _pack_refusals(page),
                json.dumps(page.warnings, ensure_ascii=False), off_site, len(page.links) + page.links_cut,
            ),
        )  # fmt: skip
        if page.refusals or not page.controls.archive:
            connection.execute("DELETE FROM body WHERE url = ?", (url,))
        else:
            connection.execute("INSERT OR REPLACE INTO body (url, data) VALUES (?, ?)", (url, _packed(page.body)))

    def amend(self, url: int, page: Page) -> None:
        """Take over the controls and the refusals of a stored `page` that has not changed otherwise.

        Its validators go, so that the next fetch brings the whole page, with what may now be kept of it.
        """
        withheld = any(refusal.rule in WITHHELD for refusal in page.refusals)
        connection = self._database.connection
        connection.execute(
            "UPDATE page SET content = ?, refusals = ?, etag = '', last_modified = '' WHERE url = ?",
            (_pack_content(page, withheld=withheld), _pack_refusals(page), url),
        )
        if withheld:
            connection.execute("UPDATE page SET description = '', signature = x'' WHERE url = ?", (url,))
        if page.refusals or not page.controls.archive:
            connection.execute("DELETE FROM body WHERE url = ?", (url,))

    def get(self, url: str) -> Page | None:
        """Return the record of a canonical URL, without links and body, or None."""
        row = self._database.connection.execute(
            f"SELECT {_COLUMNS} FROM page WHERE url = ?", (self._id(url),)
        ).fetchone()
        try:
            return None if row is None else _record(CanonicalUrl(url), row)
        except (zstandard.ZstdError, ValueError, LookupError, TypeError) as error:
            raise _damage(url, error) from error

    def body(self, url: str) -> bytes | None:
        """Return the body of a stored page as it came from the server, or None where none may be kept."""
        data = self._database.value("SELECT data FROM body WHERE url = ?", self._id(url))
        try:
            return _unpacked(data) if isinstance(data, bytes) else None
        except zstandard.ZstdError as error:
            raise _damage(url, error) from error

    def _id(self, url: str | None) -> int | None:
        return None if url is None else find(self._database.connection, url)

    def remove(self, url: int) -> bool:
        """Forget the record, the body and the near-duplicate bands of a URL; return whether there was a record."""
        connection = self._database.connection
        connection.execute("DELETE FROM body WHERE url = ?", (url,))
        connection.execute("DELETE FROM band WHERE url = ?", (url,))
        return connection.execute("DELETE FROM page WHERE url = ?", (url,)).rowcount > 0


def _pack_refusals(page: Page) -> str:
    return json.dumps([(refusal.rule, refusal.reason) for refusal in page.refusals], ensure_ascii=False)


def _pack_content(page: Page, *, withheld: bool) -> bytes:
    content = {
        "headings": [] if withheld else page.headings,
        "keywords": [] if withheld else page.keywords,
        "text": "" if withheld else page.text,
        "snippet_text": None if withheld else page.snippet_text,
        "canonical": page.canonical,
        "controls": asdict(page.controls),
    }
    return _packed(json.dumps(content, ensure_ascii=False, default=datetime.isoformat).encode())


def _record(url: CanonicalUrl, row: tuple[Any, ...]) -> Page:
    (
        fetched_at, status, content_type, encoding, etag, last_modified, title, description, language, content,
        fingerprint, signature, refusals, warnings, duplicate_of, near_duplicate_of,
    ) = row  # fmt: skip
    inner = json.loads(_unpacked(content))
    controls = inner["controls"]
    controls["wishes"] = tuple(Wish(*wish) for wish in controls["wishes"])
    if controls["expires"]:
        controls["expires"] = datetime.fromisoformat(controls["expires"])
    return Page(
        url, title, inner["text"], tuple(inner["headings"]), description, tuple(inner["keywords"]), language,
        canonical=inner["canonical"], snippet_text=inner["snippet_text"], controls=PageControls(**controls),
        fetched_at=fetched_at, status=status, content_type=content_type, encoding=encoding, etag=etag,
        last_modified=last_modified, warnings=tuple(json.loads(warnings)), fingerprint=fingerprint,
        signature=signature, duplicate_of=duplicate_of, near_duplicate_of=near_duplicate_of,
        refusals=tuple(Refusal(rule, reason) for rule, reason in json.loads(refusals)),
    )  # fmt: skip


@lru_cache(maxsize=1)
def _compressor() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL, write_checksum=True)  # so that a bit that a disk turns is noticed


def _packed(data: bytes) -> bytes:
    return _compressor().compress(data)


def _unpacked(data: bytes) -> bytes:
    # A decompressor a call: the gateway's threads must not share one.
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_CONTENT)


def _damage(url: str, error: Exception) -> DatabaseError:
    return DatabaseError(
        f"what is stored of {url} is damaged ({error}): look at the disk; ./breadcrumb forget {url} takes it out, and "
        "the next round fetches it again"
    )


def is_blocked_or_gone(database: CrawlDatabase, url: str) -> bool:
    """Return whether a search result must be hidden at once: its page is no longer stored, or was refused since."""
    return database.value("SELECT refusals FROM page WHERE url = ?", find(database.connection, url)) != "[]"
