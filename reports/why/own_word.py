"""What does a page say of itself, and what was made of it? Its encoding, dates, place, and what counts nothing."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from reports.wording import Row, calendar_day, counted, sentence
from robots.freshness import http_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reports.why.dossier import StoredPage

SHOWN = 160  # characters of a list
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
        told = (
            f"It tells no date. Its server says that it changed on {calendar_day(served.timestamp())} (Last-Modified)"
        )
        yield Row("says", f"{told}, which may be when the answer was made.")
    if dates:
        yield Row("says", sentence(f"It was {', and '.join(dates)}"))
    if page.site_name:
        told = f"Its site is called “{page.site_name[:SHOWN]}”, {page.site_name_by}"
        yield Row("says", f"{told}: where that is a part of its title, it is cut off.")
    if page.breadcrumbs:
        yield Row("says", sentence(f"Its place in the site: {' > '.join(page.breadcrumbs)[:SHOWN]}"))
    if page.data_types:
        yield Row("says", sentence(f"Its structured data: {', '.join(page.data_types)[:SHOWN]}"))
    yield from _alternates(page)
    if page.pictures:
        told = ", ".join(f"“{text}”" for text in page.pictures[:LISTED])[:SHOWN]
        yield Row("says", f"Words of its pictures ({len(page.pictures)}), searched with its text: {told}.")
    if page.keywords:
        told = ", ".join(page.keywords)[:SHOWN]
        yield Row("says", sentence(f"Its keywords meta was read and counts nothing: {told}"))


def _alternates(page: StoredPage) -> Iterator[Row]:
    """Tell its translations, those of one address together."""
    grouped = [
        (url, ", ".join(language for language, _ in several))
        for url, several in groupby(sorted(page.alternates, key=lambda pair: pair[1]), key=lambda pair: pair[1])
    ]
    for url, languages in grouped[:LISTED]:
        yield Row("says", f"Its version for {languages} is {url}")
    if len(grouped) > LISTED:
        yield Row("says", f"and {counted(len(grouped) - LISTED, 'version')} more; --json has them.")
