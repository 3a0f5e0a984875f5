"""What is stored of a page? Its record, its text and its body, compressed, and what it is compared by with other pages.

No words of a page that says noindex are stored. Tables `trait` and `signal` have what a page is compared by, and the
signals of spoofing that came of it.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import datetime
from functools import cache, cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import zstandard

from crawldb.database import DatabaseError, zstd_packed, zstd_unpacked
from crawldb.learnt import SiteTemplates, Stylesheets
from crawldb.pages.bodies import Bodies, is_withheld, keeps_body, remembered_lines
from crawldb.pages.clusters import leave
from crawldb.visited import FROM_VISITED, find, key_of
from pages import FetchedBody
from pages.content.site_template import without_name
from robots import PageControls, Wish
from urls.records import CanonicalUrl, FoundBy, Page, Refusal
from urls.rules import Rule
from urls.signals import NO_DISGUISE, Disguise, Signal, SignalName, strongest, tokens
from urls.wording import shell_word

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from crawldb.database import CrawlDatabase


# Columns that hold a field of `Page` under its own name, as it is.
_SAME = (
    "fetched_at, status, content_type, encoding, etag, last_modified, title, description, language, "
    "fingerprint, cluster"
)
_FIELDS = tuple(_SAME.split(", "))
# What reading again can't change, and into which cluster clusters.py puts a page.
_OF_THE_FETCH = frozenset({"fetched_at", "status", "etag", "last_modified"})
_WRITTEN = tuple(name for name in _FIELDS if name not in _OF_THE_FETCH | {"cluster"})
_CLUSTER = "coalesce((SELECT -joined FROM cluster WHERE id = page.cluster), cluster)"  # below 0: several parts have it
_READ = (
    f"SELECT {_SAME.removesuffix('cluster')}{_CLUSTER}, content, refusals, warnings, "
    "(SELECT url FROM url WHERE id = duplicate_of), "
    "(SELECT url.url FROM cluster JOIN url ON url.id = cluster.canonical WHERE cluster.id = page.cluster "
    "AND cluster.canonical != page.url), "
    "(SELECT name FROM site_name JOIN url USING (site) WHERE url.id = page.url) FROM page WHERE url = ?"
)
_REFUSALS = f"SELECT (SELECT refusals FROM page WHERE page.url = url.id) FROM {FROM_VISITED}"  # asked of each result


# What only belongs to the record of a page is in its JSON: a field more needs no migration, and an older record is
# read with the default. Fields of `Page` that are texts and numbers, those that are tuples of texts, and of pairs:
PLAIN = (
    "text", "snippet_text", "template_text", "layout", "canonical", "encoding_reason", "site_name", "published",
    "published_by", "modified", "modified_by",
)  # fmt: skip
LISTS = ("headings", "keywords", "breadcrumbs", "pictures", "data_types")
PAIRS = ("alternates", "languages", "withheld", "sections")
_OF_CONTROLS = tuple(field.name for field in fields(PageControls))
_controls = attrgetter(*_OF_CONTROLS)
# What a page says, which its owner may want to be withheld.
_SILENCE: dict[str, Any] = {
    **dict.fromkeys(("text", "template_text", "layout", "description"), ""),
    **dict.fromkeys((*LISTS, "withheld", "sections", "signals", "added_fields"), ()),
    "snippet_text": None,
    "disguise": NO_DISGUISE,
}


class PageDigest(NamedTuple):
    """The parts of a stored page that the index uses: while they are equal, the index need not read it again."""

    fingerprint: bytes
    title: str
    description: str
    language: str
    content: bytes
    refusals: str


class Outgoing(NamedTuple):
    """The stored links of a page: `leads` is a digest of them, `canonical` the id of the URL that it names."""

    leads: bytes | None
    off_site: int = 0
    canonical: int | None = None


NOWHERE = Outgoing(None)


class Pages:
    """Reads and writes page records, by the id of their URL, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    @cached_property
    def _bodies(self) -> Bodies:
        return Bodies(self._database)

    def put(self, url: int, page: Page, outgoing: Outgoing = NOWHERE) -> PageDigest:
        """Write the record and the body of `page` under the id of its URL, in place of earlier ones."""
        kept = as_kept(page)
        values = self._values(url, page, kept, outgoing) | {name: getattr(page, name) for name in _OF_THE_FETCH}
        values |= {"size": len(page.body), "content": zstd_packed(values["content"])}
        self._database.connection.execute(_upsert(tuple(values)), values)
        note_trait(self._database.connection, url, kept)
        if keeps_body(page):
            self._bodies.put(url, page, outgoing.leads or b"", values["duplicate_of"])
        else:
            self._bodies.remove(url)
        return _digest(values)

    def holds(self, url: int, page: Page, outgoing: Outgoing) -> bool:
        """Return whether the stored record of `page`, apart from its fetch, equals what `put_again` would write."""
        values = self._values(url, page, as_kept(page), outgoing)
        content, columns = values.pop("content"), tuple(values)
        row = self._database.connection.execute(
            f"SELECT content, leads, {', '.join(columns)} FROM page LEFT JOIN body USING (url) WHERE url = ?", (url,)
        ).fetchone()
        if row[2:] != tuple(values.values()) or row[1] != outgoing.leads or not keeps_body(page):
            return False
        try:
            return zstd_unpacked(row[0]) == bytes(content)
        except zstandard.ZstdError as error:
            raise _damage(page.url, error) from error

    def put_again(self, url: int, page: Page, outgoing: Outgoing) -> PageDigest:
        """Write what was read in the stored body of `page`."""
        kept = as_kept(page)
        values = self._values(url, page, kept, outgoing)
        values["content"] = zstd_packed(values["content"])
        assigned = ", ".join(f"{column} = :{column}" for column in values)
        self._database.connection.execute(f"UPDATE page SET {assigned} WHERE url = :url", values)
        note_trait(self._database.connection, url, kept)
        if keeps_body(page):
            self._bodies.note_leads(url, outgoing.leads or b"")
        else:
            self._bodies.remove(url)
        return _digest(values)

    def _values(self, url: int, page: Page, kept: Page, outgoing: Outgoing) -> dict[str, Any]:
        """Return the columns of a page by name, without those of its fetch; the content is not packed yet."""
        return {name: getattr(kept, name) for name in _WRITTEN} | {
            "url": url,
            "content": content_of(kept),
            "duplicate_of": self._id(page.duplicate_of),
            "refusals": pack_refusals(page),
            "warnings": json.dumps(page.warnings, ensure_ascii=False),
            "off_site": outgoing.off_site,
            "links": len(page.links) + page.links_cut,
            "canonical": outgoing.canonical,
        }

    def amend(self, url: int, page: Page) -> None:
        """Take over the controls and the refusals of a stored `page` that has not changed otherwise.

        Its validators go, so the next fetch brings the whole page, with what may now be kept of it.
        """
        kept = as_kept(page)
        self._database.connection.execute(
            "UPDATE page SET content = ?, description = ?, refusals = ?, etag = '', last_modified = '' WHERE url = ?",
            (zstd_packed(content_of(kept)), kept.description, pack_refusals(page), url),
        )
        if keeps_body(page):
            self._bodies.amend(url, page)
        else:
            self._bodies.remove(url)

    def links_of(self, url: int) -> int:
        """Return how many links a stored page has, with those beyond the limit of a page."""
        return self._database.count("SELECT links FROM page WHERE url = ?", url)

    def forget_validators(self, url: int) -> None:
        """Let the next fetch of a page bring all of it: it is requested without a condition."""
        self._database.connection.execute("UPDATE page SET etag = '', last_modified = '' WHERE url = ?", (url,))

    def forget_all_validators(self) -> None:
        """Let the next fetch of every page bring all of it."""
        self._database.connection.execute("UPDATE page SET etag = '', last_modified = ''")

    def renew(self, url: int, fetched_at: float) -> str | None:
        """Note when a page was last found as it was; return its Last-Modified, or None where nothing is stored."""
        sql = "UPDATE page SET fetched_at = ? WHERE url = ? RETURNING last_modified"
        rows = self._database.connection.execute(sql, (fetched_at, url)).fetchall()
        return str(rows[0][0] or "") if rows else None

    def digest(self, url: int) -> PageDigest | None:
        """Return what of a stored page matters to the index; None where nothing is stored."""
        sql = f"SELECT {', '.join(PageDigest._fields)} FROM page WHERE url = ?"
        row = self._database.connection.execute(sql, (url,)).fetchone()
        return None if row is None else PageDigest(*row)

    def title(self, url: int) -> str:
        """Return the title of a stored page as the page has it, with the name of its site."""
        return str(self._database.value("SELECT title FROM page WHERE url = ?", url))

    def outgoing(self, url: int) -> Outgoing:
        """Return the stored links of a page."""
        row = self._database.connection.execute(
            "SELECT leads, off_site, canonical FROM page LEFT JOIN body ON body.url = page.url WHERE page.url = ?",
            (url,),
        ).fetchone()
        return Outgoing(*row)

    def get(self, url: str, identity: int | None = None) -> Page | None:
        """Return the record of a canonical URL, without links and body, or None; it is looked up without its id."""
        found = self.unread(url, identity)
        return None if found is None else found()

    def unread(self, url: str, identity: int | None = None) -> Callable[[], Page] | None:
        """Return what reads the record of a canonical URL as it is now, or None: reading takes longer than finding."""
        row = self._database.connection.execute(_READ, (identity or self._id(url),)).fetchone()
        return None if row is None else partial(_record, CanonicalUrl(url), row)

    def body(self, url: str) -> bytes | None:
        """Return the body of a page that is in the index, as it came, or None where none may be shown."""
        identity = self._id(url)
        shown = self._database.value("SELECT 1 FROM indexed_page WHERE url = ?", identity)
        return self._data(url, identity) if shown and identity else None

    def answer(self, url: str) -> FetchedBody | None:
        """Return what reading the page of a URL again needs, whether it was refused or not; None without a body."""
        identity = self._id(url)
        row = self._database.connection.execute(
            "SELECT status, fetched_at FROM page WHERE url = ?", (identity,)
        ).fetchone()
        body = self._data(url, identity) if identity and row else None
        if body is None or identity is None:
            return None
        headers = self._bodies.headers(identity)
        if headers is None and (record := self.get(url)) is not None:
            headers = remembered_lines(record)
        status, fetched_at = row
        sheets = Stylesheets(self._database).for_page(identity)
        return FetchedBody(body, CanonicalUrl(url), headers or (), status, fetched_at, sheets=sheets)

    def _data(self, url: str, identity: int) -> bytes | None:
        try:
            return self._bodies.data(identity)
        except zstandard.ZstdError as error:
            raise _damage(url, error) from error

    def _id(self, url: str | None) -> int | None:
        return None if url is None else find(self._database.connection, url)

    def remove(self, url: int) -> bool:
        """Forget the record, the body and the place in a cluster of a URL; return whether there was a record."""
        connection = self._database.connection
        self._bodies.remove(url)
        leave(self._database, url)
        SiteTemplates(self._database).forget(url)
        remove_signals(connection, url)
        connection.execute("DELETE FROM foreign_canonical WHERE url = ?", (url,))
        return connection.execute("DELETE FROM page WHERE url = ?", (url,)).rowcount > 0


def _digest(columns: Mapping[str, Any]) -> PageDigest:
    return PageDigest(*(columns[name] for name in PageDigest._fields))


@cache
def _upsert(columns: tuple[str, ...]) -> str:
    """Return the statement that writes these columns of a page, whether it is stored already or not."""
    replaced = ", ".join(f"{column} = excluded.{column}" for column in columns)
    values = ", ".join(f":{column}" for column in columns)
    return f"INSERT INTO page ({', '.join(columns)}) VALUES ({values}) ON CONFLICT (url) DO UPDATE SET {replaced}"


def _record(url: CanonicalUrl, row: tuple[Any, ...]) -> Page:
    try:
        return _read_record(url, row)
    except (zstandard.ZstdError, ValueError, LookupError, TypeError) as error:
        raise _damage(url, error) from error


def _read_record(url: CanonicalUrl, row: tuple[Any, ...]) -> Page:
    *fields, content, refusals, warnings, duplicate_of, near_duplicate_of, site_name = row
    columns = dict(zip(_FIELDS, fields, strict=True))
    columns["title"] = without_name(columns["title"], site_name or "")
    return Page(
        url=url,
        warnings=tuple(json.loads(warnings)),
        duplicate_of=duplicate_of,
        near_duplicate_of=near_duplicate_of,
        refusals=read_refusals(refusals),
        **columns,
        **read_content(content),
    )


def _damage(url: str, error: Exception) -> DatabaseError:
    return DatabaseError(
        f"what is stored of {url} is damaged ({error}): look at the disk; ./breadcrumb forget {shell_word(url)} "
        "takes it out, and the next round fetches it again"
    )


def urls_for_export(database: CrawlDatabase) -> Iterator[tuple[int, str]]:
    """Yield the id and the URL of each page that no filter rejected, without what Breadcrumb made up to test a site."""
    yield from database.connection.execute(
        "SELECT url.id, url.url FROM indexed_page AS page JOIN url ON url.id = page.url "
        f"WHERE found_by != '{FoundBy.PROBE}' ORDER BY url.id"
    )


def is_blocked_or_gone(database: CrawlDatabase, url: str) -> bool:
    """Return whether a search result must be hidden immediately: its page is no longer stored, or was refused since."""
    return database.value(_REFUSALS, key_of(url), url) != "[]"


def as_kept(page: Page) -> Page:
    """Return `page` as it may be stored: without its words if it says noindex or has expired."""
    if not is_withheld(page):
        return page
    return replace(page, **_SILENCE)


def pack_refusals(page: Page) -> str:
    """Return the refusals of a page as JSON."""
    return json.dumps([(refusal.rule, refusal.reason) for refusal in page.refusals], ensure_ascii=False)


def read_refusals(text: str) -> tuple[Refusal, ...]:
    """Read what `pack_refusals` wrote."""
    return tuple(Refusal(Rule(rule), reason) for rule, reason in json.loads(text))


def content_of(page: Page) -> bytes:
    """Return those fields of a page that have no column of their own."""
    content = {name: getattr(page, name) for name in (*PLAIN, *LISTS, *PAIRS)} | {
        "controls": dict(zip(_OF_CONTROLS, _controls(page.controls), strict=True))
    }
    if page.added_fields:
        content["added_fields"] = page.added_fields
    content["signals"] = [(each.name, each.value, each.evidence) for each in page.signals]
    return json.dumps(content, ensure_ascii=False, default=datetime.isoformat).encode()


def read_content(data: bytes) -> dict[str, Any]:
    """Return the fields of a `Page` that `content_of` wrote; one that an older record lacks is left out."""
    inner = json.loads(zstd_unpacked(data))
    controls = inner["controls"]
    controls["wishes"] = tuple(Wish(*wish) for wish in controls["wishes"])
    if controls["expires"]:
        controls["expires"] = datetime.fromisoformat(controls["expires"])
    fields = {name: inner[name] for name in PLAIN if name in inner}
    lists = {name: tuple(inner[name]) for name in LISTS if name in inner}
    pairs = {name: tuple(map(tuple, inner[name])) for name in PAIRS if name in inner}
    signals = tuple(Signal(SignalName(name), *rest) for name, *rest in inner.get("signals", ()))
    added = tuple((name, tuple(values)) for name, values in inner.get("added_fields", ()))
    return fields | lists | pairs | {"controls": PageControls(**controls), "signals": signals, "added_fields": added}


THIN_CHARS = 2_000  # of a text, in which its words are counted
_values = attrgetter(*(field.name for field in fields(Disguise)))


def note_trait(connection: sqlite3.Connection, url: int, page: Page) -> None:
    """Keep what of a page is compared, and what its markup hides, within the caller's transaction."""
    hidden = json.dumps(_values(page.disguise), ensure_ascii=False)
    row = (url, page.residue, len(tokens(page.text[:THIN_CHARS])), page.lead, hidden)
    connection.execute("INSERT OR REPLACE INTO trait VALUES (?, ?, ?, ?, ?)", row)


def with_trait(connection: sqlite3.Connection, url: int, page: Page) -> Page | None:
    """Return the record of a page with what `note_trait` kept of it; None where its body has to be read for that."""
    row = connection.execute("SELECT lead, disguise FROM trait WHERE url = ? AND disguise NOT NULL", (url,)).fetchone()
    return None if row is None else replace(page, lead=row[0], disguise=Disguise(*json.loads(row[1])))


def remove_signals(connection: sqlite3.Connection, url: int) -> None:
    """Forget the trait and the signals of a URL, within the caller's transaction."""
    connection.execute("DELETE FROM trait WHERE url = ?", (url,))
    connection.execute("DELETE FROM signal WHERE url = ?", (url,))


def signals_of(database: CrawlDatabase, url: int, own: Iterable[Signal]) -> tuple[Signal, ...]:
    """Return the signals of a URL: its `own`, and those that came of several pages."""
    rows = database.connection.execute("SELECT name, value, evidence FROM signal WHERE url = ? ORDER BY name", (url,))
    return strongest((*own, *(Signal(SignalName(name), value, evidence) for name, value, evidence in rows)))
