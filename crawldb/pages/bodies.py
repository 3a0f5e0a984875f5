"""Which bytes did the server send? The bodies of stored pages, packed, and the header lines that a parse reads.

They serve the cached copy, and `reparse` applies a changed rule to them without a fetch. A rejected page keeps its body
for that, too. Some pages keep none: the owner says noindex or noarchive, or gives a date that has passed. Or no
rule can make a page of the file, because it is binary or too large. A copy with the bytes of its
original is stored as a reference (docs/decisions/0014-bodies-of-refused-pages.md).
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawldb.database import stored_json, zstd_packed, zstd_unpacked
from robots import X_ROBOTS_TAG
from urls.records import refusal_of_controls
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from robots import Wish
    from urls.records import Page


WITHHELD = frozenset({Rule.NOINDEX, Rule.EXPIRED})  # rules whose pages are not even kept: their owner said so
NO_PAGES = frozenset({Rule.TYPE, Rule.BINARY, Rule.SIZE})  # rules of what is never read: nothing could be tried on it


# The page that holds the bytes of the original, if they are these, and it is not this page; and its oldest copy, for
# which the bytes of before are kept, unless this page continues to hold these.
_HOLDER_AND_HEIR = (
    "SELECT (SELECT holder.url FROM body JOIN body AS holder ON holder.url = coalesce(body.same_as, body.url) "
    "WHERE body.url = :original AND holder.data = :data AND holder.url != :url), "
    "(SELECT min(url) FROM body WHERE same_as = :url)"
)


def is_withheld(page: Page) -> bool:
    """Return whether the owner of a page, at the time of its fetch, allowed no words of it to be stored."""
    if any(refusal.rule in WITHHELD for refusal in page.refusals):
        return True
    return refusal_of_controls(page.controls, datetime.fromtimestamp(page.fetched_at, UTC)) is not None


def keeps_body(page: Page) -> bool:
    """Return whether the body of a page may be kept, and can be of use."""
    wanted = not any(refusal.rule in NO_PAGES for refusal in page.refusals)
    return wanted and page.controls.archive and not is_withheld(page)


class Bodies:
    """Reads and writes bodies by the id of their URL, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._connection = database.connection

    def put(self, url: int, page: Page, leads: bytes, copy_of: int | None) -> None:
        """Keep the body of a page in place of an earlier one; `leads` is a digest of all its links."""
        data: bytes = zstd_packed(page.body)
        values = {"original": copy_of, "data": data, "url": url}
        holder, heir = self._connection.execute(_HOLDER_AND_HEIR, values).fetchone()
        if heir and (holder or self._database.value("SELECT data FROM body WHERE url = ?", url) != data):
            self._hand_on(url, heir)
        headers = json.dumps(page.headers, ensure_ascii=False)
        self._connection.execute(
            "INSERT OR REPLACE INTO body (url, data, headers, leads, same_as) VALUES (?, ?, ?, ?, ?)",
            (url, b"" if holder else data, headers, leads, holder),
        )

    def amend(self, url: int, page: Page) -> None:
        """Let the X-Robots-Tag lines of a body be those that hold for `page` since an answer without one (304)."""
        headers = self.headers(url)
        if headers is None:
            return
        kept = [line for line in headers if line[0] != X_ROBOTS_TAG]
        text = json.dumps([*kept, *_lines_of(page.controls.wishes)], ensure_ascii=False)
        self._connection.execute("UPDATE body SET headers = ? WHERE url = ?", (text, url))

    def remove(self, url: int) -> None:
        """Forget the body of a URL."""
        if heir := self._database.count("SELECT min(url) FROM body WHERE same_as = ?", url):
            self._hand_on(url, heir)
        self._connection.execute("DELETE FROM body WHERE url = ?", (url,))

    def _hand_on(self, url: int, heir: int) -> None:
        """Give the bytes of a URL to the oldest of its copies, which refer to them."""
        self._connection.execute(
            "UPDATE body SET data = (SELECT data FROM body WHERE url = ?), same_as = NULL WHERE url = ?", (url, heir)
        )
        self._connection.execute("UPDATE body SET same_as = ? WHERE same_as = ?", (heir, url))

    def data(self, url: int) -> bytes | None:
        """Return the bytes as they came, or None where none are kept. Raises ZstdError where they are damaged."""
        data = self._database.value(
            "SELECT coalesce(holder.data, body.data) FROM body LEFT JOIN body AS holder ON holder.url = body.same_as "
            "WHERE body.url = ?",
            url,
        )
        return zstd_unpacked(data) if isinstance(data, bytes) else None

    def headers(self, url: int) -> tuple[tuple[str, str], ...] | None:
        """Return the header lines that came with a body; None where an earlier Breadcrumb has not kept them."""
        text = self._database.value("SELECT headers FROM body WHERE url = ?", url)
        return tuple((name, value) for name, value in stored_json(text, list)) if isinstance(text, str) else None

    def leads(self, url: int) -> bytes | None:
        """Return the digest of all that a page led to when it was read; None where that is not known."""
        found = self._database.value("SELECT leads FROM body WHERE url = ?", url)
        return found if isinstance(found, bytes) else None

    def note_leads(self, url: int, leads: bytes) -> None:
        """Keep another digest with a body that stays."""
        self._connection.execute("UPDATE body SET leads = ? WHERE url = ?", (leads, url))


def remembered_lines(page: Page) -> tuple[tuple[str, str], ...]:
    """Return the header lines of a page that an earlier Breadcrumb stored without them, by its record."""
    charset = f"; charset={page.encoding}" if page.encoding else ""
    named = (("link", f'<{page.canonical}>; rel="canonical"'),) if page.canonical else ()
    return (("content-type", page.content_type + charset), *named, *_lines_of(page.controls.wishes))


def _lines_of(wishes: Iterable[Wish]) -> Iterator[tuple[str, str]]:
    for wish in wishes:
        if wish.of_header:
            yield X_ROBOTS_TAG, f"{wish.directive}: {wish.value}" if wish.value else wish.directive
