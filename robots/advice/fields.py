"""Does anybody understand this line? Misspelt fields, fields of other times and engines, and values that are none.

Every text asks robots to pass over what they don't know, so a slip of the pen is never told to whoever made it.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from robots.advice.finding import Finding, shown
from robots.advice.paths import about_path
from robots.rules.lines import Field
from robots.rules.pace import rate_of, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robots.rules.lines import Line

A_DAY: Final = 24 * 3600.0  # seconds; a robot that minds a longer Crawl-delay has as good as left
CLOSE: Final = 0.8  # of 1: how alike two names must be for the one to be a slip of the other; tried on real files
MAX_SLIP: Final = 2  # letters that a slip adds or leaves out
FIELDS: Final = tuple(field.value for field in Field if field is not Field.BLANK)
OF_PAGES: Final = frozenset({b"noindex", b"nofollow", b"noarchive", b"nosnippet"})
OF_OTHERS: Final = MappingProxyType(
    {
        b"clean-param": "A field of Yandex alone",
        b"visit-time": "A field of a proposal of 1996 that few robots learnt",
        b"content-signal": "A field of a proposal of 2025",
        b"content-usage": "A field of a proposal of 2025",
    }
)


def about_known(line: Line) -> Iterator[Finding]:
    """Judge a line whose field is known."""
    match line.field:
        case Field.ALLOW | Field.DISALLOW:
            yield from about_path(line)
        case Field.USER_AGENT if not line.value:
            yield Finding(line.number, "nobody", "No robot is named here: * stands for every robot.")
        case Field.CRAWL_DELAY:
            yield from _delay(line)
        case Field.REQUEST_RATE:
            yield _rate(line)
        case Field.SITEMAP if not line.value.lower().startswith((b"http://", b"https://")):
            sentence = (
                "A sitemap's address must be a whole one, with https:// and the host: robots pass this line over."
            )
            yield Finding(line.number, "sitemap", sentence)
        case _:
            pass


def about_unknown(number: int, text: bytes, by_google: Line | None) -> Finding:
    """Judge a line that says nothing to RFC 9309; `by_google` is what Google's parser makes of it all the same."""
    name, colon, _ = (part.strip() for part in text.partition(b":"))
    field = name.lower()
    if by_google:
        read = f"{by_google.field.value}: {shown(by_google.value)}".rstrip()
        what = f"{shown(name)!r} is no field" if colon else "There is no colon"
        sentence = f"{what}: Google's parser takes the line for {read!r}, the other readings pass it over."
        return Finding(number, "misspelt" if colon else "no-colon", sentence)
    if not colon:
        return Finding(number, "no-colon", "No reading understands a line without a colon.")
    return _of_others(number, field) or _slip(number, name, field)


def _of_others(number: int, field: bytes) -> Finding | None:
    if field in OF_PAGES:
        word = field.decode()
        sentence = f"No reading knows {word} in a robots.txt: it belongs into a page's meta element or X-Robots-Tag."
        return Finding(number, "noindex", sentence)
    if field == b"host":
        return Finding(
            number, "host", "Host named a preferred mirror to Yandex once: it changes no verdict of anybody."
        )
    if field.startswith(b"acap-"):
        return Finding(number, "acap", "ACAP was a plan of publishers of 2007: no reading knows its lines.")
    if field in OF_OTHERS:
        return Finding(number, "extension", f"{OF_OTHERS[field]}: the four readings pass it over.")
    return None


def _slip(number: int, name: bytes, field: bytes) -> Finding:
    word = field.decode("latin-1")
    meant = next((known for known in FIELDS if _alike(word, known.lower())), "")
    if meant:
        return Finding(number, "misspelt", f"No reading knows the field {shown(name)!r}: is {meant} meant?")
    return Finding(number, "not-understood", f"No reading knows the field {shown(name)!r}: the line means nothing.")


def _alike(word: str, known: str) -> bool:
    return abs(len(word) - len(known)) <= MAX_SLIP and SequenceMatcher(None, word, known).ratio() >= CLOSE


def _delay(line: Line) -> Iterator[Finding]:
    delay = seconds(line.value)
    if delay is None:
        yield Finding(line.number, "crawl-delay", f"{shown(line.value)!r} is no number of seconds: nobody waits.")
    elif delay > A_DAY:
        sentence = f"{delay:,.0f} s are over a day between two visits: robots cap it or stay away; Disallow is plainer."
        yield Finding(line.number, "crawl-delay", sentence)


def _rate(line: Line) -> Finding:
    rate = rate_of(line.value)
    if rate is None:
        return Finding(line.number, "request-rate", f"{shown(line.value)!r} is no rate such as 1/10: nobody waits.")
    sentence = (
        f"A field of a proposal of 1996 that few robots learnt: more of them mind Crawl-delay: "
        f"{rate.seconds_per_request:g}, which asks for about the same."
    )
    return Finding(line.number, "extension", sentence)
