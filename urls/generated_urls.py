"""Does a site generate the pages of a pattern? Two random URLs of the pattern show it.

An archive has different text on every page, and so has a generator of words: their pages alone show no difference. A
probe does. A pattern is probed if its own pages lead to more of it, or if it has far more links than it is allowed. Two
URLs of the pattern are requested that no page can have linked.

- A written site answers that it has no such page, or gives the same response both times.
- A site that has much new text for each generates its pages, and would for ever.
- So does a site whose pages only list links, and whose two responses say what all its pages say.

Soft-404 detection does the same (Bar-Yossef et al., *Sic Transit Gloria Telae*, 2004).

A random URL has the form of a known one, with another number, date, token or name in it. The number is far larger than
any that a site counts to, the year is far ahead, and the name has no vowel. The choice depends on the known URL alone,
so a repeated crawl requests the same.
"""

from __future__ import annotations

from enum import IntEnum
from random import Random
from typing import TYPE_CHECKING

from urls.traps import DATE, NUMBERS, TOKENS, Pattern, path_and_query

if TYPE_CHECKING:
    from urls.records import CanonicalUrl


PROBES = 2  # addresses that are made up of one pattern: an apology may be new once
PAGES_BEFORE_A_PROBE = 15  # fresh pages that the pattern itself led to; well before MAX_DEPTH ends it
LINKS_BEFORE_A_PROBE = 1000  # links that wait for their pattern to earn more: then a list of it is asked about as well
LISTED_DEPTH = 2  # links from a seed: what is so near was listed, and is asked for in a tree of made-up pages as well
NOTHING_NEW = -1  # in place of a number of characters
NEW_SHARE = 0.25  # of the length of the page that led to the question: so much has to be new to be a page of its own …
NEW_CHARACTERS = 100  # … and so many characters: an apology may change a word or two
BARE_SHARE = 2 / 3  # of the pages that led to the question: so many only name links, where such a page was made up
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_NAME_LETTERS = 9


class Authorship(IntEnum):
    """Who made the pages of a pattern, as far as is known; the column `pattern.authorship` has it."""

    UNASKED = 0
    ASKED = 1
    WRITTEN = 2  # there was no such page: what it has was written
    MADE_UP = 3  # there is a page for any name


def authorship(news: list[int], length: int, bare: int = 0) -> Authorship:
    """Return the conclusion from the responses: the characters of new lines in each, in the order of arrival.

    0 is for no page, `NOTHING_NEW` for a page without a new line. `length` is that of the text of the page that led to
    the question; of `PAGES_BEFORE_A_PROBE` pages before it, `bare` did no more than name links.
    """
    if len(news) < PROBES and all(news):
        return Authorship.ASKED
    is_a_page_of_its_own = news[-1] >= max(NEW_CHARACTERS, NEW_SHARE * length)
    if set(news) == {NOTHING_NEW}:  # like all others: that tells something only where those say nothing
        return Authorship.MADE_UP if bare >= BARE_SHARE * PAGES_BEFORE_A_PROBE else Authorship.ASKED
    return Authorship.MADE_UP if all(news) and is_a_page_of_its_own else Authorship.WRITTEN


def random_url(url: CanonicalUrl, pattern: Pattern, attempt: int) -> str | None:
    """Return a URL of the form of `url` that no page can have linked; None where nothing in it can be varied."""
    dice = Random(f"{attempt} {url}")  # noqa: S311 - it shall be the same again, and guards nothing
    path, mark, query = path_and_query(url)
    origin = url[: len(url) - len(path) - len(mark) - len(query)]
    parts = path.split("/")
    if pattern.is_tree:
        fixed = pattern.name.count("/")
        return origin + "/".join([*parts[:fixed], *(_renamed(part, dice) for part in parts[fixed:])])
    dated = DATE.sub(lambda _: f"9{dice.randrange(100, 1000)}", f"{path}{mark}{query}", count=1)
    if dated != f"{path}{mark}{query}":
        return origin + dated
    varied = _varied(parts, dice)
    if varied is not None:
        return f"{origin}{'/'.join(varied)}{mark}{query}"
    pairs = [pair.partition("=") for pair in query.split("&")] if query else []
    values = [value or name for name, _, value in pairs]
    others = _varied(values, dice) or ([*values[:-1], random_name(dice)] if values and pairs[-1][2] else None)
    if others is None:
        return None
    changed = "&".join(
        f"{name}={other}" if value else other for (name, _, value), other in zip(pairs, others, strict=True)
    )
    return f"{origin}{path}?{changed}"


def _varied(values: list[str], dice: Random) -> list[str] | None:
    """Return `values` with other numbers and tokens in them, or None where there are none."""
    others = [str(dice.randrange(10**7, 10**8)) if NUMBERS.match(value) else _shuffled(value, dice) for value in values]
    return None if others == values else others


def _shuffled(value: str, dice: Random) -> str:
    if not TOKENS.match(value):
        return value
    digits = "".join(dice.choice("0123456789") if sign.isdecimal() else sign for sign in value)
    return "".join(dice.choice("abcdef") if sign in "abcdef" else sign for sign in digits)


def _renamed(part: str, dice: Random) -> str:
    stem, dot, ending = part.rpartition(".")
    return f"{random_name(dice)}.{ending}" if dot and stem else part and random_name(dice)


def random_name(dice: Random) -> str:
    """Return a name without a vowel."""
    return "".join(dice.choice(_CONSONANTS) for _ in range(_NAME_LETTERS))
