"""Which address of a pattern has nobody given? The same form with another number, date, token or name in it.

    made_up(canonicalize("http://a.example/page/17"), 0)         # http://a.example/page/83040127
    made_up(canonicalize("http://a.example/2026/11/21/"), 0)     # http://a.example/9471/11/21/

The number is far larger than any that a site counts to, the year far ahead, and the name has no vowel. The choice hangs
on the address alone, so that a crawl that is repeated asks the same.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from crawldb.frontier.traps.dates import DATE
from crawldb.frontier.traps.pattern import NUMBERS, TOKENS, Pattern, path_and_query

if TYPE_CHECKING:
    from crawldb.page import CanonicalUrl

_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_NAME = 9  # letters


def made_up(url: CanonicalUrl, pattern: Pattern, attempt: int) -> str | None:
    """Return an address of the form of `url` that nobody can have linked; None where nothing in it can be varied."""
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
    others = _varied(values, dice) or ([*values[:-1], _name(dice)] if values and pairs[-1][2] else None)
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
    return f"{_name(dice)}.{ending}" if dot and stem else part and _name(dice)


def _name(dice: Random) -> str:
    return "".join(dice.choice(_CONSONANTS) for _ in range(_NAME))
