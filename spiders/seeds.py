"""Where does a crawl begin? At the root set: addresses on the command line, or a file with one a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crawldb import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from crawldb import CanonicalUrl


class SeedError(ValueError):
    """The seeds can't be used; the message names the first that can't, and what would do."""


def read_seeds(text: str) -> tuple[CanonicalUrl, ...]:
    """Read `URL[,URL…]`, or the path of a file with a URL a line, where `#` begins a comment."""
    path = Path(text)
    if "://" not in text and path.is_file():
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SeedError(f"the seed file {text} can't be read: {error}") from error
        where, given = f"{text}, line {{}}: ", [line.partition(" #")[0].strip() for line in lines]
    else:
        where, given = "", [part.strip() for part in text.split(",")]
    seeds: dict[CanonicalUrl, None] = {}
    for number, seed in enumerate(given, 1):
        if seed and not seed.startswith("#"):
            seeds[_seed(seed, where.format(number))] = None
    if not seeds:
        raise SeedError(f"{text!r} names no seed: give -a seeds=http://HOST/ or a file with one address a line")
    return tuple(seeds)


def _seed(text: str, where: str) -> CanonicalUrl:
    try:
        return canonicalize(text)
    except UnusableUrl as error:
        if "://" not in text:
            raise SeedError(
                f"{where}{text!r} is no address and no file: an address begins with http:// or https://"
            ) from error
        raise SeedError(f"{where}{error}") from error
