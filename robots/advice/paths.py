"""What does the path of a rule give away? Places that were to be hidden, and patterns that only some robots know.

The protocol is advice: a Disallow keeps polite robots out and shows everybody else where to look.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from robots.advice.finding import Finding, shown
from robots.rules.lines import Field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robots.rules.lines import Line

ROBOTS_TXT: Final = b"/robots.txt"
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
    if line.value.startswith(ROBOTS_TXT):
        sentence = "Only Google's parser heeds a rule on /robots.txt; in the other readings it may always be fetched."
        yield Finding(line.number, "robots-txt", sentence)
    yield from _wildcards(line)


def _without_path(line: Line) -> Finding:
    if line.field is Field.ALLOW:
        return Finding(line.number, "empty-allow", "An Allow without a path means nothing in any reading.")
    sentence = "A Disallow without a path opens the site in three readings and closes it in the book's: write Allow: /"
    return Finding(line.number, "empty-disallow", sentence)


def _form(line: Line) -> Iterator[Finding]:
    if line.value.lower().startswith((b"http://", b"https://")):
        sentence = "This is a whole address, and no path begins like it: the rule matches nothing. Begin with a slash."
        yield Finding(line.number, "no-slash", sentence)
    elif not line.value.startswith((b"/", b"*")):
        sentence = f"No path begins like this: the rule matches nothing. Is /{shown(line.value)} meant?"
        yield Finding(line.number, "no-slash", sentence)
    if len(line.value.split(maxsplit=1)) > 1:
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
