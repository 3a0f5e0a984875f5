"""In which order was it decided? Address, discovery, policy, robots.txt, pace, fetch, judgement, journal, what is next.

Each row is one sentence or two, so that the whole account stands on one screen. Of a host's pace it says how long lies
between two requests, who asks for that, and until when the host rests; nothing where it is never made to wait.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from reports.why.around_text import template_rows
from reports.why.dossier import UNDISCOVERED, UNUSABLE
from reports.why.own_word import own_word
from reports.why.site_files import robots_sentences, sitemap_sentences
from reports.wording import Row, counted, moment, plain, sentence
from urls.records import FoundBy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.tables.hosts import Host
    from crawldb.tables.journal import JournalEntry
    from reports.why.dossier import Dossier, StoredPage


FETCHES_SHOWN = 3  # of a URL, the newest: the journal below tells about the others
WISHES_SHOWN = 5  # of a page
ANCHORS_SHOWN = 5  # words by which others link to it
WARNINGS_SHOWN = 3  # of the parse
SHEETS_SHOWN = 3
MEMBERS_SHOWN = 5  # of a cluster
ENTRIES_SHOWN = 6  # of the journal, the newest
SHOWN = 160  # characters of a title, an anchor text or a sample
_LISTED = frozenset({FoundBy.SITEMAP, FoundBy.SITEMAP_INDEX, FoundBy.SITEMAP_LINE})  # no links lead there from a seed


def account(dossier: Dossier) -> tuple[Row, ...]:
    """Return the rows of a dossier, in the order in which things were decided; the last one is the advice.

    Rows on the same matter share the label of the first.
    """
    told: list[Row] = []
    last = ""
    for row in _rows(dossier):
        told.append(Row("", row.text) if row.label == last else row)
        last = row.label or last
    return tuple(told)


def _rows(dossier: Dossier) -> Iterator[Row]:
    yield from _address(dossier)
    yield from _discovery(dossier)
    yield from _added(dossier, "found")
    if dossier.robots is not None:
        yield from _paragraph("robots", robots_sentences(dossier.robots))
    if dossier.host is not None:
        yield from _paragraph("pace", host_sentences(dossier.host))
    yield from _fetches(dossier)
    yield from _added(dossier, "fetched")
    if dossier.moved_to:
        yield Row("moved", f"It leads to {dossier.moved_to}")
    yield from _added(dossier, "moved")
    if dossier.sitemap is not None:
        yield from _paragraph("sitemap", sitemap_sentences(dossier.sitemap))
    if dossier.page is not None:
        yield from _page(dossier, dossier.page)
    yield from _links(dossier)
    yield from _journal(dossier)
    if dossier.alarm:
        yield Row("alarm", sentence(dossier.alarm))
    yield Row("state", _state(dossier))
    if dossier.next_at and dossier.page is not None:
        visits = f"{counted(dossier.visits, 'visit')} since the first, {dossier.unchanged:,} without anything new"
        yield Row(
            "revisit",
            f"{visits if dossier.visits else 'Visited once'}; with mode=due it is asked for again "
            f"{moment(dossier.next_at)}.",
        )
    yield from dossier.added_rows
    yield Row("next", dossier.advice)


def _paragraph(label: str, sentences: Iterable[str]) -> Iterator[Row]:
    """Yield a row a sentence, of which the first has the label."""
    return (Row("" if at else label, sentence) for at, sentence in enumerate(sentences))


def _address(dossier: Dossier) -> Iterator[Row]:
    if dossier.canonical is None:
        yield Row("address", sentence(dossier.refusal.reason if dossier.refusal else "it is none"))
        return
    if not dossier.steps:
        known = ", under which it is known" if dossier.discovered else ""
        yield Row("address", f"It is in its canonical form{known}.")
    for step in dossier.steps:
        yield Row("address", f"{step.rule[0].upper()}{step.rule[1:]}: {step.after}")


def _discovery(dossier: Dossier) -> Iterator[Row]:
    if dossier.discovered:
        found_by = FoundBy(dossier.found_by)
        links = f", {counted(dossier.depth, 'link')} from a seed" if dossier.depth and found_by not in _LISTED else ""
        how = found_by.explanation.format(page=dossier.found_on or "a page that was not noted")
        yield Row("found", f"{how}{links}; {moment(dossier.found_at)}.")
    if dossier.lastmod is not None:
        yield Row("", f"Its sitemap says that it changed {moment(dossier.lastmod)}, or that day.")
    if dossier.refusal is not None and dossier.canonical is not None:
        verb = "As things stand it is refused" if dossier.discovered else "It would not be fetched"
        yield Row("policy", sentence(f"{verb} ({dossier.refusal.rule}): {dossier.refusal.reason}"))
    elif dossier.state == UNDISCOVERED:
        yield Row("policy", "Nothing speaks against it: a link or a person would bring it into the crawl.")


def _fetches(dossier: Dossier) -> Iterator[Row]:
    for fetch in dossier.fetches[:FETCHES_SHOWN]:
        status = "no answer" if fetch.status is None else str(fetch.status)
        size = f", {counted(fetch.size, 'byte')}" if fetch.size else ""
        yield Row("fetched", f"{moment(fetch.at)}: {status} ({fetch.rule}){size} in {fetch.seconds:.2f} s.")
    more = len(dossier.fetches) - FETCHES_SHOWN
    if more > 0:
        yield Row("", f"and {counted(more, 'time')} before that.")


def _added(dossier: Dossier, label: str) -> Iterator[Row]:
    """Yield what extensions tell behind the rows of a label."""
    return (row for section in dossier.sections if section.after == label for row in section.rows)


def _page(dossier: Dossier, page: StoredPage) -> Iterator[Row]:
    language = f"language {page.language}" if page.language else "language not known"
    yield Row(
        "page",
        f"“{page.title[:SHOWN] or 'without a title'}”: {counted(page.words, 'word')}, {language}, "
        f"{counted(page.links, 'link')} of which {page.off_site} off site.",
    )
    yield from template_rows(page.around)
    yield from own_word(page)
    yield from _wishes(page)
    yield from _judgement(dossier, page)
    for each in page.signals:
        yield Row("spoofing", sentence(f"{each.name.explanation[0].upper()}{each.name.explanation[1:]} ({each})"))
    for url, reason in page.unread_sheets[:SHEETS_SHOWN]:
        yield Row("stylesheet", sentence(f"{url} is not used: {reason}"))
    for warning in page.warnings[:WARNINGS_SHOWN]:
        yield Row("judged", sentence(f"The parse warned: {warning}"))
    if len(page.warnings) > WARNINGS_SHOWN:
        yield Row("judged", f"and {len(page.warnings) - WARNINGS_SHOWN} warnings more; --json has them.")


def _links(dossier: Dossier) -> Iterator[Row]:
    """Who links to it, and with which words."""
    anchors = dossier.page.anchors if dossier.page else dossier.link_only
    if dossier.inlinks:
        words = ", ".join(f"“{text[:SHOWN]}”" for text in anchors[:ANCHORS_SHOWN])
        yield Row(
            "links",
            sentence(f"{counted(dossier.inlinks, 'page links', 'pages link')} to it{f' as {words}' * bool(words)}"),
        )
    if dossier.link_only:
        yield Row("", "It is a result by these words alone (LINK_ONLY_RESULTS): robots.txt forbids to fetch it.")


def _judgement(dossier: Dossier, page: StoredPage) -> Iterator[Row]:
    """Whether it is a result, and what it was compared with."""
    for refusal in page.refusals:
        yield Row("judged", sentence(f"Not in the index ({refusal.rule}): {refusal.reason}"))
    if page.hidden is not None and page.hidden not in page.refusals:
        yield Row("judged", sentence(f"No longer a result ({page.hidden.rule}): {page.hidden.reason}"))
    copied = dossier.duplicate_of
    if copied and not any(copied in refusal.reason for refusal in page.refusals):
        yield Row("judged", f"A copy of {copied}")
    yield from _paragraph("similar", _cluster_sentences(dossier))
    if page.fingerprint:
        yield Row("judged", f"Its fingerprint is {page.fingerprint}: pages that share it say the same.")
    if page.volatile:
        left_out = ", ".join(f"“{words[:SHOWN]}”" for words in page.volatile)
        yield Row("", f"It leaves out what a program writes anew at each visit: {left_out}.")
    for lesson in page.learnt:
        where = f"two fetches of {lesson.pages[0]} and two of {lesson.pages[1]} differ there, {moment(lesson.at)}"
        yield Row("", f"It leaves out “{lesson.example[:SHOWN]}”, which changes by itself: {where}.")
    if page.indexed:
        yield Row("judged", "Worth keeping: nothing speaks against it being in the index.")


def _cluster_sentences(dossier: Dossier) -> Iterator[str]:
    """Yield what is to be told of the pages that say nearly the same."""
    cluster, elsewhere = dossier.cluster, dossier.similar_elsewhere
    if elsewhere:
        named = ", ".join(elsewhere[:MEMBERS_SHOWN])
        yield f"In other parts of the crawl these stand for pages that say nearly the same: {named}."
    if cluster is None:
        return
    others = cluster.pages - 1 if dossier.page and dossier.page.indexed else cluster.pages
    named = ", ".join(cluster.others[:MEMBERS_SHOWN])
    more = f" and {counted(others - MEMBERS_SHOWN, 'other')}" if others > MEMBERS_SHOWN else ""
    yield f"{counted(others, 'page says', 'pages say')} nearly the same (cluster {cluster.id}): {named}{more}."
    stands = "It stands" if cluster.canonical == dossier.canonical else f"{cluster.canonical} stands"
    yield f"{stands} for all of them: {cluster.reason.explanation}. A search shows the one that answers best."
    if dossier.resemblance is not None:
        yield f"This page and that one share {dossier.resemblance:.0%} of the word groups that either has."
    if dossier.difference is not None:
        yield f"{dossier.difference}"


def _wishes(page: StoredPage) -> Iterator[Row]:
    """What the page and its server ask of robots, each with where it stands."""
    wishes = page.controls.wishes
    for at, wish in enumerate(wishes[:WISHES_SHOWN]):
        yield Row("" if at else "asks", f"{wish}.")
    if len(wishes) > WISHES_SHOWN:
        yield Row("", f"and {len(wishes) - WISHES_SHOWN} wishes more; --json has them.")
    if page.controls.indexifembedded:
        yield Row("", "Nothing is embedded in the results here: indexifembedded changes nothing about its noindex.")
    if page.canonical:
        yield Row("", f"Its canonical address, by its own word, is {page.canonical}")


def _journal(dossier: Dossier) -> Iterator[Row]:
    told = {(refusal.rule, refusal.reason) for refusal in (dossier.page.refusals if dossier.page else ())}
    # Newest last, each rule and reason once: a retry or a block says the same again.
    said = {(entry.rule, entry.reason): entry for entry in dossier.journal}
    entries = [entry for key, entry in said.items() if key not in told]
    if len(entries) > ENTRIES_SHOWN:
        yield Row("journal", f"{len(entries) - ENTRIES_SHOWN} older entries are left out; --json has them.")
    for entry in entries[-ENTRIES_SHOWN:]:
        yield Row("journal", _entry(entry, dossier))


def _entry(entry: JournalEntry, dossier: Dossier) -> str:
    where = ""
    if entry.samples and entry.url == dossier.canonical and dossier.moved_to not in entry.samples:
        where = f" {counted(entry.count, 'link')} of it, such as {entry.samples[0][:SHOWN]}."
    elif entry.url and entry.url != dossier.canonical:
        where = f" Found on {entry.url}."
    return sentence(f"{moment(entry.at)}: {entry.rule}: {entry.reason}") + where


def _state(dossier: Dossier) -> str:
    if dossier.state == UNUSABLE:
        return "Unusable: this is no address that can be fetched."
    if dossier.state == UNDISCOVERED:
        return "Not discovered: the crawl has never met this URL."
    how = f" ({dossier.rule})" if dossier.rule else ""
    wait = dossier.due_at - time.time()
    due = f", due in {wait:.0f} s" if dossier.state == "queued" and wait > 0 else ""
    return f"{dossier.state.capitalize()}{how}{due}."


def host_sentences(host: Host) -> Iterator[str]:
    """Yield what is to be told about a host: nothing where it is never made to wait."""
    if host.delay:
        apart = f"{plain(host.delay, 3)} s"
        yield f"At least {apart} lie between two requests to {host.name}, because of {host.delay_reason}."
    if host.rests_until > time.time():
        yield sentence(f"Its host rests until {moment(host.rests_until)}: {host.rest_reason}")
