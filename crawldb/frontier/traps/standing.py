"""What is known of how a pattern comes by its pages? Whether the site makes them up, as an address made up by us shows.

Text that differs on every page is what an archive has, and what a generator of words has as well: no look at the pages
tells them apart. A question does. Where a pattern goes on from its own pages, or has far more links than it is allowed,
two addresses of it are made up, which nobody can have linked, and asked for. A site that somebody wrote says that it
has no such page, or says the same both times. One that has much to say about each has made it up, and would for ever;
and so has one whose pages do no more than name links, and that says of both what it says everywhere (the trick is that
of soft-404 detection: Bar-Yossef et al., *Sic Transit Gloria Telae*, 2004).
"""

from __future__ import annotations

from enum import IntEnum

NOTHING_NEW = -1  # in place of a number of characters
PROBES = 2  # addresses that are made up of one pattern: an apology may be new once
GROWN = 15  # fresh pages that the pattern itself led to, from which on it is asked; well before MAX_DEPTH ends it
FAR_MORE = 1000  # links that wait for their pattern to earn more, from which on a list of it is asked about as well
LISTED_DEPTH = 2  # links from a seed: what is so near was listed, and is asked for in a tree of made-up pages as well
MUCH = 0.25  # of the length of the page that led to the question: so much has to be new to be a page of its own …
MOSTLY = 2 / 3  # of the pages that led to the question: so many only name links, where a page that does so was made up
LEAST = 100  # … and so many characters: an apology may change a word or two


class Standing(IntEnum):
    """How a pattern stands, as the column `pattern.standing` has it."""

    UNASKED = 0
    ASKED = 1
    WRITTEN = 2  # there was no such page: what it has was written
    MADE_UP = 3  # there is a page for any name


def standing(news: list[int], length: int, bare: int = 0) -> Standing:
    """Return what the answers tell: the characters of new lines in each, in the order of arrival.

    0 is for no page, `NOTHING_NEW` for a page without a new line. `length` is that of the text of the page that led to
    the question; of `GROWN` pages before it, `bare` did no more than name links.
    """
    if len(news) < PROBES and all(news):
        return Standing.ASKED
    own = news[-1] >= max(LEAST, MUCH * length)
    if set(news) == {NOTHING_NEW}:  # like all others: that tells something only where those say nothing
        return Standing.MADE_UP if bare >= MOSTLY * GROWN else Standing.ASKED
    return Standing.MADE_UP if all(news) and own else Standing.WRITTEN
