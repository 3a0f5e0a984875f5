"""The text form of `why`: URL, discovery, policy, robots.txt, delay, fetches, page, filters, journal, next step.

Each row has one or two short sentences, so that everything fits on one screen.
"""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING

from reports.why.record import UNDISCOVERED, UNUSABLE
from reports.why.site_files import robots_sentences, sitemap_sentences
from reports.wording import Row, calendar_day, counted, moment, plain, rows_under, sentence
from robots.freshness import http_date
from urls.records import FoundBy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.tables.hosts import Host
    from crawldb.tables.journal import JournalEntry
    from reports.why.record import AroundText, StoredPage, UrlRecord

FETCHES_SHOWN = 3  # of a URL, the newest: the journal below tells about the others
WISHES_SHOWN = 5  # of a page
ANCHORS_SHOWN = 5  # words by which others link to it
WARNINGS_SHOWN = 3  # of the parse
SHEETS_SHOWN = 3
MEMBERS_SHOWN = 5  # of a cluster
ENTRIES_SHOWN = 6  # of the journal, the newest
SHOWN = 160  # characters of a title, an anchor text or a sample
_SITEMAPS = frozenset({FoundBy.SITEMAP, FoundBy.SITEMAP_INDEX, FoundBy.SITEMAP_LINE})  # no links lead there from a seed


def why_rows(record: UrlRecord) -> tuple[Row, ...]:
    """Return the rows of a record, in the order in which things were decided; the last one is the advice.

    Rows on the same matter share the label of the first.
    """
    rows: list[Row] = []
    last = ""
    for row in _rows(record):
        rows.append(Row("", row.text) if row.label == last else row)
        last = row.label or last
    return tuple(rows)


def _rows(record: UrlRecord) -> Iterator[Row]:
    yield from _address(record)
    yield from _discovery(record)
    yield from _added(record, "found")
    if record.robots is not None:
        yield from rows_under("robots", robots_sentences(record.robots))
    if record.host is not None:
        yield from rows_under("delay", host_sentences(record.host))
    yield from _fetches(record)
    yield from _added(record, "fetched")
    if record.moved_to:
        yield Row("moved", f"It leads to {record.moved_to}")
    yield from _added(record, "moved")
    if record.sitemap is not None:
        yield from rows_under("sitemap", sitemap_sentences(record.sitemap))
    if record.page is not None:
        yield from _page(record, record.page)
    yield from _links(record)
    yield from _journal(record)
    if record.alarm:
        yield Row("alarm", sentence(record.alarm))
    yield Row("state", _state(record))
    if record.next_at and record.page is not None:
        visits = f"{counted(record.visits, 'visit')} since the first, {record.unchanged:,} of them unchanged"
        yield Row(
            "revisit",
            f"{visits if record.visits else 'Visited once'}; mode=due requests it again {moment(record.next_at)}.",
        )
    yield from record.added_rows
    yield Row("next", record.advice)


def _address(record: UrlRecord) -> Iterator[Row]:
    if record.canonical is None:
        yield Row("URL", sentence(record.refusal.reason if record.refusal else "it is none"))
        return
    if not record.steps:
        known = ", and the crawl knows it" if record.discovered else ""
        yield Row("URL", f"The URL is in canonical form{known}.")
    for step in record.steps:
        yield Row("URL", f"{step.rule[0].upper()}{step.rule[1:]}: {step.after}")


def _discovery(record: UrlRecord) -> Iterator[Row]:
    if record.discovered:
        found_by = FoundBy(record.found_by)
        links = f", {counted(record.depth, 'link')} from a seed" if record.depth and found_by not in _SITEMAPS else ""
        how = found_by.explanation.format(page=record.found_on or "a page that was not noted")
        yield Row("found", f"{how}{links}; {moment(record.found_at)}.")
    if record.lastmod is not None:
        yield Row("", f"Its sitemap gives {moment(record.lastmod)} as its last change, or only that day.")
    if record.refusal is not None and record.canonical is not None:
        verb = "It would be rejected now" if record.discovered else "It would be rejected"
        yield Row("policy", sentence(f"{verb} ({record.refusal.rule}): {record.refusal.reason}"))
    elif record.state == UNDISCOVERED:
        yield Row("policy", "The URL policy allows it. A link to it, or submit, adds it to the crawl.")


def _fetches(record: UrlRecord) -> Iterator[Row]:
    for fetch in record.fetches[:FETCHES_SHOWN]:
        status = "no response" if fetch.status is None else str(fetch.status)
        size = f", {counted(fetch.size, 'byte')}" if fetch.size else ""
        yield Row("fetched", f"{moment(fetch.at)}: {status} ({fetch.rule}){size} in {fetch.seconds:.2f} s.")
    more = len(record.fetches) - FETCHES_SHOWN
    if more > 0:
        yield Row("", f"and {counted(more, 'earlier fetch', 'earlier fetches')}.")


def _added(record: UrlRecord, label: str) -> Iterator[Row]:
    """Yield what extensions tell behind the rows of a label."""
    return (row for section in record.sections if section.after == label for row in section.rows)


def _page(record: UrlRecord, page: StoredPage) -> Iterator[Row]:
    words = "its words are not stored" if page.words is None else counted(page.words, "word")
    language = f"language {page.language}" if page.language else "language unknown"
    off_site = f", {page.off_site} of them left out because no seed was on their site" if page.off_site else ""
    title = page.title[:SHOWN] or "no title"
    yield Row("page", f"“{title}”: {words}, {language}, {counted(page.links, 'link')}{off_site}.")
    yield from template_rows(page.around)
    yield from own_word(page)
    yield from _wishes(page)
    yield from _judgement(record, page)
    for each in page.signals:
        yield Row("spoofing", sentence(f"{each.name.explanation[0].upper()}{each.name.explanation[1:]} ({each})"))
    for url, reason in page.unread_sheets[:SHEETS_SHOWN]:
        yield Row("stylesheet", sentence(f"{url} is not used: {reason}"))
    for warning in page.warnings[:WARNINGS_SHOWN]:
        yield Row("filters", sentence(f"The parse warned: {warning}"))
    if len(page.warnings) > WARNINGS_SHOWN:
        yield Row("filters", f"and {len(page.warnings) - WARNINGS_SHOWN} more warnings; --json lists them.")


def _links(record: UrlRecord) -> Iterator[Row]:
    """Who links to it, and with which words."""
    anchors = record.page.anchors if record.page else record.link_only
    if record.inlinks:
        words = ", ".join(f"“{text[:SHOWN]}”" for text in anchors[:ANCHORS_SHOWN])
        yield Row(
            "links",
            sentence(f"{counted(record.inlinks, 'page links', 'pages link')} to it{f' as {words}' * bool(words)}"),
        )
    if record.link_only:
        yield Row("", "It is a result only by these link texts (LINK_ONLY_RESULTS), because robots.txt disallows it.")


def _judgement(record: UrlRecord, page: StoredPage) -> Iterator[Row]:
    """Whether it is a result, and what it was compared with."""
    for refusal in page.refusals:
        yield Row("filters", sentence(f"Not in the index ({refusal.rule}): {refusal.reason}"))
    if page.hidden is not None and page.hidden not in page.refusals:
        yield Row("filters", sentence(f"Removed from the results ({page.hidden.rule}): {page.hidden.reason}"))
    copied = record.duplicate_of
    if copied and not any(copied in refusal.reason for refusal in page.refusals):
        yield Row("filters", f"A copy of {copied}")
    yield from rows_under("similar", _cluster_sentences(record))
    if page.fingerprint:
        yield Row("filters", f"Its fingerprint is {page.fingerprint}; exact copies share it.")
    if page.volatile:
        left_out = ", ".join(f"“{words[:SHOWN]}”" for words in page.volatile)
        yield Row("", f"Text that changes with each visit is not part of the fingerprint: {left_out}.")
    for finding in page.learnt:
        where = f"two fetches of {finding.pages[0]} and of {finding.pages[1]} differ there, {moment(finding.at)}"
        yield Row("", f"“{finding.example[:SHOWN]}” changes by itself and is not part of it: {where}.")
    if page.indexed:
        yield Row("filters", "Indexed: no filter rejected it.")


def _cluster_sentences(record: UrlRecord) -> Iterator[str]:
    """Yield the near copies of the page."""
    cluster, elsewhere = record.cluster, record.similar_elsewhere
    if elsewhere:
        named = ", ".join(elsewhere[:MEMBERS_SHOWN])
        yield f"Near copies in other parts of the crawl: {named}."
    if cluster is None:
        return
    others = cluster.pages - 1 if record.page and record.page.indexed else cluster.pages
    named = ", ".join(cluster.others[:MEMBERS_SHOWN])
    more = f" and {counted(others - MEMBERS_SHOWN, 'other')}" if others > MEMBERS_SHOWN else ""
    yield f"{counted(others, 'near copy', 'near copies')} (cluster {cluster.id}): {named}{more}."
    stands = "This page is" if cluster.canonical == record.canonical else f"{cluster.canonical} is"
    yield f"{stands} the canonical one: {cluster.reason.explanation}. A search shows the one that matches best."
    if record.resemblance is not None:
        yield f"The two pages share {record.resemblance:.0%} of their word groups."
    if record.difference is not None:
        yield f"{record.difference}"


def _wishes(page: StoredPage) -> Iterator[Row]:
    """Yield the page controls, each with its source."""
    wishes = page.controls.wishes
    for at, wish in enumerate(wishes[:WISHES_SHOWN]):
        yield Row("" if at else "controls", f"{wish}.")
    if len(wishes) > WISHES_SHOWN:
        yield Row("", f"and {len(wishes) - WISHES_SHOWN} more controls; --json lists them.")
    if page.controls.indexifembedded:
        yield Row("", "indexifembedded has no effect here: the noindex holds.")
    if page.canonical:
        yield Row("", f"Its canonical link names {page.canonical}")


def _journal(record: UrlRecord) -> Iterator[Row]:
    refusals = {(refusal.rule, refusal.reason) for refusal in (record.page.refusals if record.page else ())}
    # Newest last, each rule and reason once: a retry or a block says the same again.
    said = {(entry.rule, entry.reason): entry for entry in record.journal}
    entries = [entry for key, entry in said.items() if key not in refusals]
    if len(entries) > ENTRIES_SHOWN:
        yield Row("journal", f"{len(entries) - ENTRIES_SHOWN} older entries are not shown; --json lists them.")
    for entry in entries[-ENTRIES_SHOWN:]:
        yield Row("journal", _entry(entry, record))


def _entry(entry: JournalEntry, record: UrlRecord) -> str:
    where = ""
    if entry.samples and entry.url == record.canonical and record.moved_to not in entry.samples:
        such = ":" if entry.count == 1 else ", such as"  # links of the page, or what Breadcrumb requested because of it
        where = f" {counted(entry.count, 'URL')}{such} {entry.samples[0][:SHOWN]}."
    elif entry.url and entry.url != record.canonical:
        where = f" Found on {entry.url}."
    return sentence(f"{moment(entry.at)}: {entry.rule}: {entry.reason}") + where


def _state(record: UrlRecord) -> str:
    if record.state == UNUSABLE:
        return "Unusable: this URL can't be fetched."
    if record.state == UNDISCOVERED:
        return "Not discovered: the crawl does not know this URL."
    how = f" ({record.rule})" if record.rule else ""
    wait = record.due_at - time.time()
    due = f", due in {wait:.0f} s" if record.state == "queued" and wait > 0 and not record.is_silent else ""
    return f"{record.state.capitalize()}{how}{due}."


def host_sentences(host: Host) -> Iterator[str]:
    """Yield the delay and the rest of a host; nothing if it has neither."""
    if host.delay:
        apart = f"{plain(host.delay, 3)} s"
        yield f"Requests to {host.name} are at least {apart} apart, because of {host.delay_reason}."
    if host.rests_until > time.time():
        yield sentence(f"No requests to its host until {moment(host.rests_until)}: {host.rest_reason}")


LISTED = 5  # translations and pictures that are told; --json has all


def own_word(page: StoredPage) -> Iterator[Row]:
    """Yield a row for each thing that a page says of itself."""
    if page.encoding_reason:
        yield Row("read", sentence(f"Read as {page.encoding}, because {page.encoding_reason}"))
    if page.languages:
        shares = ", ".join(f"{share:.0%} {language}" for language, share in page.languages)
        yield Row("read", f"Its blocks are in several languages: {shares}.")
    dates = [
        f"{word} on {calendar_day(at)}, by {where}"
        for word, at, where in (
            ("published", page.published, page.published_by),
            ("changed", page.modified, page.modified_by),
        )
        if at is not None
    ]
    served = http_date(page.last_modified) if page.last_modified else None
    if not dates and served is not None:
        claim = f"The page has no date. Its server gives {calendar_day(served.timestamp())} (Last-Modified)"
        yield Row("says", f"{claim}, which may be the time of the response.")
    if dates:
        yield Row("says", sentence(f"It was {', and '.join(dates)}"))
    if page.site_name:
        claim = f"The site name is “{page.site_name[:SHOWN]}”, {page.site_name_by}"
        yield Row("says", f"{claim}. It is removed from the title.")
    if page.breadcrumbs:
        yield Row("says", sentence(f"Its breadcrumbs: {' > '.join(page.breadcrumbs)[:SHOWN]}"))
    if page.data_types:
        yield Row("says", sentence(f"Its structured data: {', '.join(page.data_types)[:SHOWN]}"))
    yield from _alternates(page)
    if page.pictures:
        claim = ", ".join(f"“{text}”" for text in page.pictures[:LISTED])[:SHOWN]
        yield Row("says", f"Texts of its {len(page.pictures)} pictures, searched with its text: {claim}.")
    if page.keywords:
        claim = ", ".join(page.keywords)[:SHOWN]
        yield Row("says", sentence(f"Its keywords meta is ignored: {claim}"))


def _alternates(page: StoredPage) -> Iterator[Row]:
    """Yield its translations, grouped by URL."""
    grouped = [
        (url, ", ".join(language for language, _ in several))
        for url, several in groupby(sorted(page.alternates, key=lambda pair: pair[1]), key=lambda pair: pair[1])
    ]
    for url, languages in grouped[:LISTED]:
        yield Row("says", f"Its version for {languages} is {url}")
    if len(grouped) > LISTED:
        yield Row("says", f"and {counted(len(grouped) - LISTED, 'more version')}; --json lists them.")


def template_rows(around: AroundText) -> Iterator[Row]:
    """Yield a row for each rule by which lines were taken out of the main text."""
    if around.signed:
        lines = counted(around.signed, "line")
        why = "by its markup, its links or its place"
        yield Row(
            "read", f"{lines} are template, not main text, {why}: {_first_of(around.signed, around.signed_first)}."
        )
    if around.repeated:
        lines = counted(around.repeated, "line")
        why = f"as other pages of its site have the same (learnt from {counted(around.learnt_from, 'page')} of it)"
        yield Row(
            "read", f"Taken for a template, too, {why}: {lines}, {_first_of(around.repeated, around.repeated_first)}."
        )


def _first_of(count: int, first: tuple[str, ...]) -> str:
    quoted = ", ".join(f"“{line}”" for line in first)
    return f"{quoted}, …" if count > len(first) else quoted
