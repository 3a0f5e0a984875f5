"""How was a page rendered? What was requested and what was refused, by which rule, and the text before and after."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from crawldb.pages.pages import Pages
from extension_points import WhySection
from extensions.rendering.tables import rendering_of
from reports.wording import Row, counted, duration, moment, sentence, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from extensions.rendering.tables import NotedRequest, Rendering
    from urls.records import CanonicalUrl

SHOWN = 20  # requests of each sort
SHOWN_CHARS = 200  # of a text


def rendering_section(database: CrawlDatabase, url: CanonicalUrl | None) -> WhySection:
    """Return how a page was last rendered, or an empty section."""
    found = None if url is None else rendering_of(database, url)
    if url is None or found is None:
        return WhySection("fetched", "rendering", None)
    page = Pages(database).get(url)
    said = "" if page is None or not found.rendered else page.visible_text
    value = asdict(found) | {"text_after": said[: len(found.text_before) or SHOWN_CHARS]}
    del value["url"]
    return WhySection("fetched", "rendering", value, tuple(_rows(found, said)))


def _rows(found: Rendering, said: str) -> Iterator[Row]:
    when = moment(found.at)
    if found.rendered:
        took = f"in {duration(found.seconds)}, {found.cpu:.1f} s of CPU"
        yield Row("rendered", f"{when}: its scripts ran, {took}. " + (sentence(found.trouble) if found.trouble else ""))
    else:
        yield Row("rendered", f"{when}: no, since {sentence(found.trouble)} It is stored as it came.")
    yield Row("", f"before, {counted(found.words_before, 'word')}: {_quoted(found.text_before)}")
    if found.rendered:
        markup = f" in {counted(found.bytes_after, 'byte')} of markup" if found.bytes_after else ""
        yield Row("", f"after, {counted(found.words_after, 'word')}{markup}: {_quoted(said)}")
    yield from _listed([each for each in found.requests if not each.rule], "requested")
    yield from _listed([each for each in found.requests if each.rule], "refused")
    if found.beyond:
        yield Row("", f"and {counted(found.beyond, 'further request')}, of which only the number is kept.")


def _listed(requests: list[NotedRequest], label: str) -> Iterator[Row]:
    for place, each in enumerate(requests[:SHOWN]):
        yield Row("" if place else label, _line(each))
    if len(requests) > SHOWN:
        yield Row("", f"and {counted(len(requests) - SHOWN, 'other')}.")


def _line(each: NotedRequest) -> str:
    times = f", {counted(each.times, 'time')}" if each.times > 1 else ""
    if each.rule:
        return f"{each.url} ({each.kind}{times}): by the rule {each.rule}: {sentence(each.reason)}"
    source = ", which this run had already" if each.reused else ""
    return f"{each.url} ({each.kind}{times}): {each.status}, {size(each.size)}{source}."


def _quoted(text: str) -> str:
    words = " ".join(text.split())
    if not words:
        return "no text."
    return f"“{words[:SHOWN_CHARS]}{'…' if len(words) > SHOWN_CHARS else ''}”"
