"""What do we keep of a page? Its record, its text and its body, compressed; never the text of one that said noindex."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import zstandard

from crawldb.database import DatabaseError
from crawldb.visited import find
from robots import PageControls, Wish
from urls.records import CanonicalUrl, Page, Refusal
from urls.rules import Rule
from urls.shell_word import shell_word

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


ZSTD_LEVEL = 3  # a fifth of the size for 0.13 ms a page; higher levels gain little
MAX_CONTENT = 64 * 1024 * 1024  # bytes that a stored record may unpack to: a bound, four times the largest page
WITHHELD = frozenset({Rule.NOINDEX, Rule.EXPIRED})  # rules whose pages are not even kept: their owner said so

# Columns that hold a field of `Page` under its own name, as it is.
_SAME = (
    "fetched_at, status, content_type, encoding, etag, last_modified, title, description, language, "
    "fingerprint, signature"
)
_FIELDS = tuple(_SAME.split(", "))
_READ = (
    f"SELECT {_SAME}, content, refusals, warnings, (SELECT url FROM url WHERE id = duplicate_of), "
    "(SELECT url FROM url WHERE id = near_duplicate_of) FROM page WHERE url = ?"
)


class PageDigest(NamedTuple):
    """What of a stored page matters to the index: as long as it is the same, the index need not look again."""

    fingerprint: bytes
    title: str
    description: str
    language: str
    content: bytes
    refusals: str


class Pages:
    """Reads and writes page records, by the id of their URL, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def put(self, url: int, page: Page, *, off_site: int = 0, canonical: int | None = None) -> None:
        """Write the record of `page` under the id of its URL, in place of an earlier one.

        `canonical` is the id of the other URL in scope that it names as its address.
        """
        kept = _as_kept(page)
        values = {name: getattr(kept, name) for name in _FIELDS} | {
            "url": url,
            "size": page.size,
            "content": _pack_content(kept),
            "duplicate_of": self._id(page.duplicate_of),
            "near_duplicate_of": self._id(page.near_duplicate_of),
            "refusals": _pack_refusals(page),
            "warnings": json.dumps(page.warnings, ensure_ascii=False),
            "off_site": off_site,
            "links": len(page.links) + page.links_cut,
            "canonical": canonical,
        }
        connection = self._database.connection
        connection.execute(_upsert(tuple(values)), values)
        connection.execute("DELETE FROM band WHERE url = ?", (url,))
        connection.executemany("INSERT OR IGNORE INTO band VALUES (?, ?)", [(band, url) for band in page.bands])
        if page.refusals or not page.controls.archive:
            connection.execute("DELETE FROM body WHERE url = ?", (url,))
        else:
            connection.execute("INSERT OR REPLACE INTO body (url, data) VALUES (?, ?)", (url, _packed(page.body)))

    def amend(self, url: int, page: Page) -> None:
        """Take over the controls and the refusals of a stored `page` that has not changed otherwise.

        Its validators go, so that the next fetch brings the whole page, with what may now be kept of it.
        """
        kept = _as_kept(page)
        connection = self._database.connection
        connection.execute(
            "UPDATE page SET content = ?, description = ?, signature = ?, refusals = ?, etag = '', last_modified = '' "
            "WHERE url = ?",
            (_pack_content(kept), kept.description, kept.signature, _pack_refusals(page), url),
        )
        if page.refusals or not page.controls.archive:
            connection.execute("DELETE FROM body WHERE url = ?", (url,))

    def digest(self, url: int) -> PageDigest | None:
        """Return what of a stored page matters to the index; None where nothing is stored."""
        sql = "SELECT fingerprint, title, description, language, content, refusals FROM page WHERE url = ?"
        row = self._database.connection.execute(sql, (url,)).fetchone()
        return None if row is None else PageDigest(*row)

    def get(self, url: str) -> Page | None:
        """Return the record of a canonical URL, without links and body, or None."""
        row = self._database.connection.execute(_READ, (self._id(url),)).fetchone()
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


@cache
def _upsert(columns: tuple[str, ...]) -> str:
    """Return the statement that writes these columns of a page, whether it is stored already or not."""
    replaced = ", ".join(f"{column} = excluded.{column}" for column in columns)
    values = ", ".join(f":{column}" for column in columns)
    return f"INSERT INTO page ({', '.join(columns)}) VALUES ({values}) ON CONFLICT (url) DO UPDATE SET {replaced}"


def _pack_refusals(page: Page) -> str:
    return json.dumps([(refusal.rule, refusal.reason) for refusal in page.refusals], ensure_ascii=False)


def _as_kept(page: Page) -> Page:
    """Return `page` with what may be kept of it: of one that said noindex, or has expired, none of its words."""
    if not any(refusal.rule in WITHHELD for refusal in page.refusals):
        return page
    silent = replace(page, text="", headings=(), description="", keywords=())
    return replace(silent, snippet_text=None, signature=b"")


def _pack_content(page: Page) -> bytes:
    content = {
        "headings": page.headings,
        "keywords": page.keywords,
        "text": page.text,
        "snippet_text": page.snippet_text,
        "canonical": page.canonical,
        "controls": asdict(page.controls),
    }
    return _packed(json.dumps(content, ensure_ascii=False, default=datetime.isoformat).encode())


def _record(url: CanonicalUrl, row: tuple[Any, ...]) -> Page:
    *fields, content, refusals, warnings, duplicate_of, near_duplicate_of = row
    inner = json.loads(_unpacked(content))
    controls = inner["controls"]
    controls["wishes"] = tuple(Wish(*wish) for wish in controls["wishes"])
    if controls["expires"]:
        controls["expires"] = datetime.fromisoformat(controls["expires"])
    return Page(
        url=url,
        text=inner["text"],
        headings=tuple(inner["headings"]),
        keywords=tuple(inner["keywords"]),
        canonical=inner["canonical"],
        snippet_text=inner["snippet_text"],
        controls=PageControls(**controls),
        warnings=tuple(json.loads(warnings)),
        duplicate_of=duplicate_of,
        near_duplicate_of=near_duplicate_of,
        refusals=tuple(Refusal(Rule(rule), reason) for rule, reason in json.loads(refusals)),
        **dict(zip(_FIELDS, fields, strict=True)),
    )


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
        f"what is stored of {url} is damaged ({error}): look at the disk; ./breadcrumb forget {shell_word(url)} "
        "takes it out, and the next round fetches it again"
    )


def is_blocked_or_gone(database: CrawlDatabase, url: str) -> bool:
    """Return whether a search result must be hidden at once: its page is no longer stored, or was refused since."""
    return database.value("SELECT refusals FROM page WHERE url = ?", find(database.connection, url)) != "[]"
