"""Which URLs of this crawl would a bit map lose? `/inside/bit-map` adds them to one, in the order of their discovery.

    /inside/bit-map?bits=4&hashes=3&url=http://bakery.example/rye

- `bits`: bits a URL, 0.5 to 16; `hashes`: bits that each URL sets, 1 to 12
- `url`: any URL, whose bits are marked

A crawl in parts has a visited set for each part; here the URLs of all parts share one array.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from flask import Blueprint, render_template, request

import crawldb.visited
from crawldb.figures.totals import known_urls
from extensions.course import presence_bits
from extensions.course.presence_bits import PresenceBits, fill
from extensions.course.tables import urls_by_discovery
from gateway.plots import WIDTH, Plot, drawing, element, line_plot
from gateway.search_request import InvalidParameter, number_parameter, read_text
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of
from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from extensions.course.presence_bits import LostUrl

MAX_URLS = 20_000  # that are added: a fifth of a second
USUAL_BITS, USUAL_HASHES = 8.0, 6
LEAST_BITS, MOST_BITS, MOST_HASHES = 0.5, 16.0, 12
LOST_SHOWN = 30
SIDE = 64  # squares in a row of the picture, and rows; a square has one bit, or several
LEVELS = 4  # shades of a cell with several bits
bit_map_view = Blueprint("inside_bit_map", __name__, template_folder="templates")


class DiscoveredUrl(NamedTuple):
    """A URL in the order of its discovery; `led_to` counts the URLs that were first found on it."""

    url: str
    led_to: int


class SetBit(NamedTuple):
    """A bit of a URL that was set already, and the URL that had set it."""

    place: int
    by: str


@bit_map_view.get("/inside/bit-map")
def bit_map() -> str:
    """Show the bit map of the crawl's URLs, and those that it would lose."""
    each = number_parameter(request.args, "bits", USUAL_BITS, LEAST_BITS, MOST_BITS)
    hashes = int(number_parameter(request.args, "hashes", USUAL_HASHES, 1, MOST_HASHES))
    url = _canonical(read_text(request.args, "url"))
    parts = served_crawl().parts()
    found, faults = parts.ask(_discovered)
    known = sum(total for total, _ in found.values())
    urls = [each for _, part in found.values() for each in part][:MAX_URLS]
    bits = PresenceBits(max(8, math.ceil(each * len(urls))), hashes)
    filled = fill(bits, (each.url for each in urls))
    return render_template(
        "inside/bit_map.html",
        each=each,
        hashes=hashes,
        usual=(USUAL_BITS, USUAL_HASHES),
        bounds=(LEAST_BITS, MOST_BITS, MOST_HASHES),
        url=url,
        is_added=any(url == each.url for each in urls),
        is_known=bool(url) and url in bits,
        places=bits.places(url) if url else (),
        urls=urls,
        known=known,
        faults=faults,
        filled=filled,
        bits=bits,
        octets_of_urls=sum(len(each.url.encode("utf-8", "surrogatepass")) for each in urls),
        set_expected=bits.bits * (1 - math.exp(-hashes * len(urls) / bits.bits)),
        best=max(1, min(MOST_HASHES, round(bits.bits / max(len(urls), 1) * math.log(2)))),
        lost=[(urls[each.number], _set_bits(each, urls)) for each in filled.lost[:LOST_SHOWN]],
        picture=bits_drawn(bits, bits.places(url) if url else []),
        curve=errors_by_hashes(bits, len(urls)),
        sources=source_files_of(presence_bits, crawldb.visited),
    )


def _canonical(text: str) -> str:
    if not text:
        return ""
    try:
        return canonicalize(text if "://" in text else f"http://{text}")
    except UnusableUrl as error:
        raise InvalidParameter(f"url={text[:100]!r} is invalid: {error.refusal.reason}") from None


def _discovered(database: CrawlDatabase) -> tuple[int, list[DiscoveredUrl]]:
    """Return how many URLs a crawl has discovered, and the first MAX_URLS of them."""
    rows = urls_by_discovery(database, MAX_URLS)
    led_to = Counter(row.found_on for row in rows)
    return known_urls(database), [DiscoveredUrl(row.url, led_to[row.id]) for row in rows]


def _set_bits(lost: LostUrl, urls: list[DiscoveredUrl]) -> list[SetBit]:
    return [SetBit(place, urls[number].url) for place, number in zip(lost.places, lost.setters, strict=True)]


def bits_drawn(bits: PresenceBits, marked: list[int]) -> Plot:
    """Draw the array row by row, with an outline around the squares of the marked bits."""
    together = math.ceil(bits.bits / SIDE**2)
    squares = math.ceil(bits.bits / together)
    shades: dict[int, list[str]] = {}
    for square in range(squares):
        members = range(square * together, min((square + 1) * together, bits.bits))
        if share := sum(map(bits.is_set, members)) / len(members):
            row, column = divmod(square, SIDE)
            shades.setdefault(math.ceil(share * LEVELS), []).append(f"M{column} {row}h.9v.9h-.9z")
    rows = math.ceil(squares / SIDE)
    pieces = [element("rect", x=0, y=0, width=SIDE, height=rows, class_="unset")]
    pieces += [element("path", d="".join(path), class_=f"shade-{level}") for level, path in sorted(shades.items())]
    for square in sorted({place // together for place in marked}):
        row, column = divmod(square, SIDE)
        pieces.append(element("rect", x=column, y=row, width=1, height=1, class_="marked"))
    several = f"; a square has {together} bits: the darker, the more are set" if together > 1 else ""
    title = f"{bits.set_bits:,} of {bits.bits:,} bits set{several}"
    scaled = element("g", *pieces, transform=f"scale({WIDTH / SIDE})")
    return Plot(title, drawing(title, "The bits, row by row.", rows * WIDTH / SIDE, scaled))


def errors_by_hashes(bits: PresenceBits, urls: int) -> Plot:
    """Draw the share of new URLs that would count as known at the end, by the number of hashes."""
    points = [
        (float(hashes), 100 * PresenceBits(bits.bits, hashes).expected_errors(urls))
        for hashes in range(1, MOST_HASHES + 1)
    ]
    return line_plot(
        {"by the formula": points} if urls else {},
        title="Errors when all URLs are added, by the formula",
        x="bits that each URL sets",
        y="% of new URLs taken for known",
        marks={"chosen": float(bits.hashes)},
        nothing="The crawl has no URLs.",
    )
