"""Which page in the index has the same content? Exact copies, and pages with a canonical address elsewhere.

The first page with a content is in the index, and its copies wait. When it goes, its oldest copy replaces it. The
robots.txt of the first page may name another host as the original of its mirrors (`Host:`). Then a copy on that host
replaces it as soon as it is stored. So does a copy in the folder of the text's language, or in none: /en/x or /x for
/da/x, if their text is English. This decides which of two pages is shown, and never what may be fetched.

A page that names another page as its canonical address declares itself a copy (RFC 6596). It leaves the index while the
named page is in the index and names no third one. So a circle or a chain never hides all of its pages. When the named
page goes, the page comes back. The named page may belong to another part of a divided crawl. Then a job over all parts
finds out whether it is in the index, and table `foreign_canonical` keeps the result.

When a page is removed, its links, its copies and the pages that named it are updated in the same transaction.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from crawldb.database import in_index, stored_json
from crawldb.pages.clusters import inherit, leave
from crawldb.pages.feed import Feed
from crawldb.pages.link_only import FORBIDDEN
from crawldb.pages.pages import Pages
from crawldb.tables.links import LinkGraph, write_outlinks
from crawldb.visited import FROM_VISITED, find, key_of
from robots import is_host_of, origin_of
from urls.canonical import canonical_or_none
from urls.records import CanonicalUrl, Page
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal

MAX_COPIES = 50  # pages of one content that are looked at: a flood of copies must not make each new one dearer

_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_][A-Za-z]{2,4})?")  # the name of a folder: en, el-GR, zh_Hant
_NOBODY = 0  # an id that no URL has
# A copy that was fetched first may say already what the page now says: then it stays one, and is no heir.
_OF_BEFORE = "NOT EXISTS (SELECT 1 FROM indexed_page AS now WHERE now.url = ? AND now.fingerprint = page.fingerprint)"
_WITH_LINK_WORDS = (
    f"SELECT id FROM url WHERE id IN (SELECT value FROM json_each(?)) AND ({in_index('url.id')} OR ({FORBIDDEN})) "
    "ORDER BY id"
)


def same_content(database: CrawlDatabase, page: Page, fingerprint: bytes) -> CanonicalUrl | None:
    """Return the oldest other page in the index with this fingerprint, or None.

    One that names `page` as its canonical address is none, unless `page` names another one itself: of pages that name
    each other in a circle one is shown.
    """
    url = page.url
    named_by = "" if _names_another(page) else url
    rows = database.connection.execute(
        "SELECT url.url FROM indexed_page AS page JOIN url ON url.id = page.url WHERE fingerprint = ? "
        f"AND url.url != ? AND page.canonical IS NOT coalesce((SELECT url.id FROM {FROM_VISITED}), {_NOBODY}) "
        "ORDER BY url.id LIMIT ?",
        (fingerprint, url, key_of(named_by), named_by, MAX_COPIES),
    )
    return next((CanonicalUrl(found) for (found,) in rows if not _reason_to_give_way(database, found, url)), None)


def _names_another(page: Page) -> bool:
    return page.canonical is not None and canonical_or_none(page.canonical) not in {None, page.url}


def _reason_to_give_way(database: CrawlDatabase, page: str, mirror: str) -> str:
    """Return why a stored page steps back for a mirror of it; "" if it does not."""
    host = database.value("SELECT host FROM robots WHERE origin = ?", origin_of(page))
    if isinstance(host, str) and is_host_of(host, mirror) and not is_host_of(host, page):
        return "which is on the host that its robots.txt names"
    own, others = _languages_of_folders(page, mirror)
    said = database.value("SELECT language FROM page WHERE url = ?", find(database.connection, page)) if own else ""
    if not said or own == said or others not in {said, ""}:
        return ""
    if not others:
        return f"which is in no folder of a language, and their text is not in {own}"
    return f"which is in the folder of the language of their text, {said}"


def _languages_of_folders(page: str, mirror: str) -> tuple[str, str]:
    """Return the languages of the one folder in which two URLs differ: /da/ and /en/, or /da/ and none.

    The first is empty if they differ otherwise, the second if `mirror` lacks the folder.
    """
    own, other = page.split("/"), mirror.split("/")
    place = next((number for number, pair in enumerate(zip(own, other, strict=False)) if pair[0] != pair[1]), 0)
    language, rest = _LANGUAGE.fullmatch(own[place]), own[place + 1 :]
    if language and rest == other[place:]:
        return language[1], ""
    others = _LANGUAGE.fullmatch(other[place])
    return (language[1], others[1]) if language and others and rest == other[place + 1 :] else ("", "")


def prefer_mirror(database: CrawlDatabase, journal: Journal, mirror: int) -> list[int]:
    """Let pages with the same content step back for one on the host that their robots.txt names, or of its language.

    Return the ids of the pages that left the index by this, within the caller's transaction.
    """
    changed: list[int] = []
    others = database.connection.execute(
        "SELECT url.id, url.url, mirror.url FROM indexed_page AS its JOIN url AS mirror ON mirror.id = its.url "
        "JOIN indexed_page AS page USING (fingerprint) JOIN url ON url.id = page.url "
        "WHERE its.url = ? AND page.url != its.url "
        "ORDER BY url.id LIMIT ?",
        (mirror, MAX_COPIES),
    ).fetchall()
    for url, other, address in others:
        reason = _reason_to_give_way(database, other, address)
        if not reason:
            continue
        changed.append(url)
        why = f"it says the same as {address}, {reason}"
        refusals = json.dumps([[Rule.DUPLICATE, why]], ensure_ascii=False)
        database.connection.execute("UPDATE page SET duplicate_of = ? WHERE duplicate_of = ?", (mirror, url))
        database.connection.execute(
            "UPDATE page SET refusals = ?, duplicate_of = ? WHERE url = ?", (refusals, mirror, url)
        )
        inherit(database, mirror, url)
        leave(database, url)
        journal.write(url, Rule.DUPLICATE, why)
    return changed


def is_indexed(database: CrawlDatabase, url: int) -> bool:
    """Return whether the page of a URL is one that the index holds."""
    return database.value("SELECT 1 FROM indexed_page WHERE url = ?", url) is not None


def those_with_link_words(database: CrawlDatabase, urls: Collection[int]) -> list[int]:
    """Return those of some URLs for which the words of links are in the index: with their pages, or alone."""
    if not urls:
        return []
    rows = database.connection.execute(_WITH_LINK_WORDS, (json.dumps(list(urls)),))  # each stored page passes here
    return [url for (url,) in rows]


def release_copies(database: CrawlDatabase, journal: Journal, url: int, *, stays: bool = False) -> list[int]:
    """Let the oldest copy replace `url`, whose content has changed or gone.

    Return the ids of the pages that come into the index by this, within the caller's transaction. With `stays`, `url`
    has been read again: a copy of what it now says remains one.
    """
    connection, which = database.connection, _OF_BEFORE if stays else "? > 0"
    first = connection.execute(
        f"SELECT url, refusals FROM page WHERE duplicate_of = ? AND {which} ORDER BY url LIMIT 1", (url, url)
    ).fetchone()
    if first is None:
        return []
    heir: int = first[0]
    connection.execute("UPDATE page SET duplicate_of = NULL WHERE url = ?", (heir,))
    _lift_refusal(database, heir, first[1], Rule.DUPLICATE)
    connection.execute(f"UPDATE page SET duplicate_of = ? WHERE duplicate_of = ? AND {which}", (heir, url, url))
    inherit(database, heir, url)
    journal.write(heir, Rule.RELEASED, "the page that it was a copy of changed or went")
    return [heir]


def outdated_originals(database: CrawlDatabase) -> list[int]:
    """Return the pages with copies that are no longer the same, or that are not in the index themselves."""
    sql = (
        "SELECT DISTINCT its.url FROM page AS copy JOIN page AS its ON its.url = copy.duplicate_of "
        f"WHERE copy.duplicate_of IS NOT NULL AND (NOT {in_index('its.url')} OR its.fingerprint != copy.fingerprint) "
        "ORDER BY its.url"
    )
    return database.column(sql)


def _lift_refusal(database: CrawlDatabase, url: int, refusals: str, rule: Rule) -> None:
    """Remove the refusals by a rule from those of a page, and its validators: the next fetch brings the whole page.

    The links of a copy were not followed, and an earlier Breadcrumb kept no body of a page that stood aside.
    """
    left = [refusal for refusal in stored_json(refusals, list) if refusal[0] != rule]
    database.connection.execute(
        "UPDATE page SET refusals = ?, etag = '', last_modified = '' WHERE url = ?",
        (json.dumps(left, ensure_ascii=False), url),
    )


def reason_to_stand_aside(target: str) -> str:
    """Return the reason for which a page leaves the index in favour of `target`."""
    return f"it names {target} as its canonical address"


def is_shown_as_canonical(database: CrawlDatabase, target: int) -> bool:
    """Return whether a page represents those that name it: it is in the index, and names no other page."""
    sql = (
        "SELECT 1 FROM indexed_page WHERE url = ? AND canonical IS NULL "
        "AND url NOT IN (SELECT url FROM foreign_canonical)"
    )
    return database.value(sql, target) == 1


def apply_canonical(database: CrawlDatabase, journal: Journal, target: int) -> list[int]:
    """Let the pages that name `target` stand aside for it, or come back if it does not stand (any longer).

    Return the ids of the pages that came into the index or left it by this, within the caller's transaction.
    """
    by_its_own_word = f"refusals LIKE '[[\"{Rule.CANONICAL}\"%'"
    rows = database.connection.execute(
        f"SELECT url, refusals, {in_index('page.url')} AS indexed FROM page "
        f"WHERE canonical = ? AND (indexed OR {by_its_own_word})",
        (target,),
    ).fetchall()
    if not rows:
        return []
    aside = is_shown_as_canonical(database, target)
    rows = [(url, refusals) for url, refusals, indexed in rows if bool(indexed) is aside]
    address = str(database.value("SELECT url FROM url WHERE id = ?", target))
    changed: list[int] = []
    for url, refusals in rows:
        if aside:
            changed += [url, *yield_to_canonical(database, journal, url, address, target)]
        else:
            changed.append(url)
            return_from_canonical(database, journal, url, refusals)
    return changed


def yield_to_canonical(
    database: CrawlDatabase, journal: Journal, url: int, address: str, target: int = _NOBODY
) -> list[int]:
    """Let a page stand aside for the one at an address, whose id is `target` where it is of this part.

    Return the ids of copies that come into the index by this, within the caller's transaction.
    """
    connection = database.connection
    why = reason_to_stand_aside(address)
    refusals = json.dumps([[Rule.CANONICAL, why]], ensure_ascii=False)
    connection.execute("UPDATE page SET refusals = ? WHERE url = ?", (refusals, url))
    journal.write(url, Rule.CANONICAL, why)
    # Copies of a page that says what the target says are copies of the target now.
    connection.execute(
        "UPDATE page SET duplicate_of = :target WHERE duplicate_of = :url "
        "AND fingerprint = (SELECT fingerprint FROM page WHERE url = :target)",
        {"target": target, "url": url},
    )
    return release_copies(database, journal, url)


def return_from_canonical(database: CrawlDatabase, journal: Journal, url: int, refusals: str) -> None:
    """Let a page that stood aside be judged without that, within the caller's transaction."""
    _lift_refusal(database, url, refusals, Rule.CANONICAL)
    journal.write(url, Rule.RELEASED, "the page that it names as its canonical address is not in the index any longer")


def take_out(database: CrawlDatabase, journal: Journal, url: int) -> bool:
    """Remove the page of a URL within the caller's transaction; return whether there was one.

    Its oldest copy replaces it, the pages that it linked to lose its words, and all of them are in the change feed.
    """
    if database.value("SELECT 1 FROM page WHERE url = ?", url) is None:
        return False
    changed = {url, *release_copies(database, journal, url)}
    changed.update(those_with_link_words(database, LinkGraph(database).replace(url, ())))
    address = database.value("SELECT url FROM url WHERE id = ?", url)
    write_outlinks(database.connection, CanonicalUrl(str(address)), 0, {})
    Pages(database).remove(url)
    for page in tuple(changed):
        changed.update(apply_canonical(database, journal, page))
    Feed(database).announce(sorted(changed))
    return True


def note_named(database: CrawlDatabase, url: int, target: str | None) -> None:
    """Keep which address of another part a page names now, or none, within the caller's transaction."""
    database.connection.execute("DELETE FROM foreign_canonical WHERE url = ? AND target IS NOT ?", (url, target))
    if target is not None:
        database.connection.execute(
            "INSERT OR IGNORE INTO foreign_canonical (url, target) VALUES (?, ?)", (url, target)
        )


def stands_elsewhere(database: CrawlDatabase, url: str) -> str | None:
    """Return the page of another part that stands for the page of a URL, by what this part knows; or None."""
    sql = "SELECT target FROM foreign_canonical WHERE url = ? AND stands"
    found = database.value(sql, find(database.connection, url))
    return None if found is None else str(found)


def follow(database: CrawlDatabase, journal: Journal, stands: Mapping[int, bool]) -> list[int]:
    """Let pages stand aside for those of other parts that stand now, or come back from those that do not any longer.

    Return the ids of the pages that came into the index or left it by this, within the caller's transaction.
    """
    changed: list[int] = []
    for url, aside in stands.items():
        database.connection.execute("UPDATE foreign_canonical SET stands = ? WHERE url = ?", (aside, url))
        refusals = str(database.value("SELECT refusals FROM page WHERE url = ?", url))
        if aside and is_indexed(database, url):
            target = database.value("SELECT target FROM foreign_canonical WHERE url = ?", url)
            changed += [url, *yield_to_canonical(database, journal, url, str(target))]
        elif not aside and refusals.startswith(f'[["{Rule.CANONICAL}"'):
            changed.append(url)
            return_from_canonical(database, journal, url, refusals)
    for url in tuple(changed):
        changed += apply_canonical(database, journal, url)
    return changed
