"""What would the owner of a site want to know about one line? What robots can't read in it, and what its path reveals.

A finding says what was found and where, in one sentence for the owner of a site.

Does any robot understand this line? Every text asks robots to pass over what they do not know, so nobody tells the
author of a misspelt field. A finding names misspelt fields, fields of other times and other engines, and values that
can't be read.

What does the path of a rule reveal? The protocol is advice: a Disallow keeps polite robots out and shows everybody else
where to look. So a finding names paths that were to be hidden, and patterns that only some robots understand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from robots.crawl_delay import delay_seconds, rate_of
from robots.lines import ROBOTS_PATH, Field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robots.lines import Line


MAX_SHOWN: Final = 60  # characters of a line that a sentence repeats: a line may have 500 KiB
FINDINGS: Final = frozenset({  # the short names of all findings
    "acap", "ads-txt", "blank", "blank-line", "byte-order-mark", "comment", "crawl-delay", "empty-allow",
    "empty-disallow", "extension", "hidden-allow", "hidden-disallow", "host", "html", "humans-txt", "misspelt",
    "no-agent", "no-colon", "no-rules", "no-slash", "no-text", "no-utf-8", "nobody", "noindex",
    "not-understood", "request-rate", "robots-txt", "security-txt", "sitemap", "size", "tells-where", "utf-16",
    "wildcard",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a robots.txt. All findings of a kind have the same short name, `rule`."""

    line: int  # from 1; 0: the file as a whole
    rule: str
    sentence: str


def shown(value: bytes) -> str:
    """Return a value of the file, short enough for a sentence."""
    text = value[: 4 * MAX_SHOWN].decode("utf-8", "backslashreplace")  # no character has more than four octets
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


PRIVATE: Final = re.compile(
    rb"(?<![a-z])(?:admin(?:istrat(?:or|ion))?|backups?|confidential|credentials?|dumps?|hidden|internal|intranet|logins?"
    rb"|passw(?:or)?ds?|phpmyadmin|private?|secrets?)(?![a-z])"
    rb"|/\.(?:env|git|ht|ssh|svn)",
    re.IGNORECASE,
)


def about_path(line: Line) -> Iterator[Finding]:
    """Judge an Allow or Disallow line by itself."""
    if not line.value:
        yield _without_path(line)
        return
    yield from _form(line)
    private = PRIVATE.search(line.value) if line.field is Field.DISALLOW else None
    if private:
        sentence = (
            f"A robots.txt is public, and {shown(private[0].strip(b'/'))!r} tells where to look: it protects nothing. "
            "Ask for a password there."
        )
        yield Finding(line.number, "tells-where", sentence)
    if line.value.startswith(ROBOTS_PATH):
        sentence = "Only Google's parser heeds a rule on /robots.txt; in the other readings it may always be fetched."
        yield Finding(line.number, "robots-txt", sentence)
    yield from _wildcards(line)


def _without_path(line: Line) -> Finding:
    if line.field is Field.ALLOW:
        return Finding(line.number, "empty-allow", "An Allow without a path means nothing in any reading.")
    sentence = "A Disallow without a path opens the site in three readings and closes it in the book's: write Allow: /"
    return Finding(line.number, "empty-disallow", sentence)


_SLASHES: Final = re.compile(rb"\s//|^//\s")  # a comment as in a program; a path may well begin with two slashes


def _form(line: Line) -> Iterator[Finding]:
    if line.value.lower().startswith((b"http://", b"https://")):
        sentence = "This is a whole address, and no path begins like it: the rule matches nothing. Begin with a slash."
        yield Finding(line.number, "no-slash", sentence)
    elif not line.value.startswith((b"/", b"*")):
        sentence = f"No path begins like this: the rule matches nothing. Is /{shown(line.value)} meant?"
        yield Finding(line.number, "no-slash", sentence)
    if _SLASHES.search(line.value):
        sentence = (
            f"Only # begins a comment: every reading takes {shown(line.value)!r} for the path, and it matches nothing."
        )
        yield Finding(line.number, "comment", sentence)
    elif len(line.value.split(maxsplit=1)) > 1:
        sentence = (
            "A line has one path, and no URL has a blank: the rule matches nothing but %20. Write a line for each."
        )
        yield Finding(line.number, "blank", sentence)


def _wildcards(line: Line) -> Iterator[Finding]:
    anchored = line.value.endswith(b"$")
    if line.value.endswith(b"*") and b"*" not in line.value[:-1] and len(line.value) > 1:
        plain = shown(line.value[:-1])
        sentence = f"The * at the end adds nothing, and old robots take it as a plain character: write {plain}"
        yield Finding(line.number, "wildcard", sentence)
    elif anchored or b"*" in line.value:
        signs = " and ".join(sign for sign, there in (("*", b"*" in line.value), ("$", anchored)) if there)
        sentence = f"Old robots take {signs} as plain characters: for them this rule matches next to nothing."
        yield Finding(line.number, "wildcard", sentence)


A_DAY: Final = 24 * 3600.0  # seconds; a robot that obeys a longer Crawl-delay hardly ever comes
CLOSE: Final = 0.8  # of 1: how alike two names must be for one to be a misspelling of the other; tried on real files
MAX_LETTERS_APART: Final = 2  # letters that a misspelling adds or leaves out
FIELD_NAMES: Final = tuple(field.value for field in Field if field is not Field.BLANK)
FIELDS_OF_PAGES: Final = frozenset({b"noindex", b"nofollow", b"noarchive", b"nosnippet"})
FIELDS_OF_OTHERS: Final = MappingProxyType(
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
    """Judge a line that RFC 9309 does not know; `by_google` is what Google's parser reads in it all the same."""
    name, colon, _ = (part.strip() for part in text.partition(b":"))
    field = name.lower()
    if text.startswith(b"//"):
        return Finding(number, "comment", "Only # begins a comment: no reading knows // in a robots.txt.")
    if by_google:
        read = f"{by_google.field.value}: {shown(by_google.value)}".rstrip()
        what = f"{shown(name)!r} is no field" if colon else "There is no colon"
        sentence = f"{what}: Google's parser takes the line for {read!r}, the other readings pass it over."
        return Finding(number, "misspelt" if colon else "no-colon", sentence)
    if not colon:
        return Finding(number, "no-colon", "No reading understands a line without a colon.")
    return _of_others(number, field) or _misspelt(number, name, field)


def _of_others(number: int, field: bytes) -> Finding | None:
    if field in FIELDS_OF_PAGES:
        word = field.decode()
        sentence = f"No reading knows {word} in a robots.txt: it belongs into a page's meta element or X-Robots-Tag."
        return Finding(number, "noindex", sentence)
    if field == b"host":
        return Finding(
            number, "host", "Host named a preferred mirror to Yandex once: it changes no verdict of anybody."
        )
    if field.startswith(b"acap-"):
        return Finding(number, "acap", "ACAP was a plan of publishers of 2007: no reading knows its lines.")
    if field in FIELDS_OF_OTHERS:
        return Finding(number, "extension", f"{FIELDS_OF_OTHERS[field]}: the four readings pass it over.")
    return None


def _misspelt(number: int, name: bytes, field: bytes) -> Finding:
    word = field.decode("latin-1")
    meant = next((known for known in FIELD_NAMES if _alike(word, known.lower())), "")
    if meant:
        return Finding(number, "misspelt", f"No reading knows the field {shown(name)!r}: is {meant} meant?")
    return Finding(number, "not-understood", f"No reading knows the field {shown(name)!r}: the line means nothing.")


def _alike(word: str, known: str) -> bool:
    return abs(len(word) - len(known)) <= MAX_LETTERS_APART and SequenceMatcher(None, word, known).ratio() >= CLOSE


def _delay(line: Line) -> Iterator[Finding]:
    delay = delay_seconds(line.value)
    if delay is None:
        yield Finding(line.number, "crawl-delay", f"{shown(line.value)!r} is no number of seconds: nobody waits.")
    elif delay > A_DAY:
        sentence = f"{delay:,.0f} s are over a day between two visits: robots cap it or stay away; Disallow is plainer."
        yield Finding(line.number, "crawl-delay", sentence)


def _rate(line: Line) -> Finding:
    rate = rate_of(line.value)
    if rate is None:
        return Finding(line.number, "request-rate", f"{shown(line.value)!r} is no rate such as 1/10: nobody waits.")
    seconds = f"{rate.seconds_per_request:.6f}".rstrip("0").rstrip(".")  # to be pasted: no 1e+06
    sentence = (
        f"A field of a proposal of 1996 that few robots learnt: more of them mind Crawl-delay: "
        f"{seconds}, which asks for about the same."
    )
    return Finding(line.number, "extension", sentence)
