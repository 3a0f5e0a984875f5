"""Is this another of the files that stand at a site's root? Somebody has put it in the place of robots.txt.

humans.txt tells who made a site (humanstxt.org), ads.txt who may sell its advertising (the IAB's ads.txt 1.1), and
security.txt whom to tell about a weakness (RFC 9116). No reading of robots.txt knows a line of theirs, so whoever gets
one of them is allowed everything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from robots.advice.finding import Finding
from robots.rules.lines import Field, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLAGS: Final = re.IGNORECASE | re.MULTILINE
_HUMANS: Final = re.compile(rb"^[ \t]*/\*[ \t]*(?:team|thanks|site|technology colophon)[ \t]*\*/", _FLAGS)
_ADS: Final = re.compile(
    rb"^[ \t]*[a-z0-9.-]{1,253},[^,#\r\n]{1,253},[ \t]*(?:direct|reseller)[ \t]*(?:[,#\r\n]|\Z)", _FLAGS
)
_CONTACT: Final = re.compile(rb"^contact:", _FLAGS)  # RFC 9116, 2.5: a security.txt must have both
_EXPIRES: Final = re.compile(rb"^expires:", _FLAGS)


def about_stranger(text: bytes) -> Iterator[Finding]:
    """Name what a file without any group is instead; `text` is without a byte order mark."""
    found = _recognised(text)
    if found and all(line.field is not Field.USER_AGENT for line in read_lines(text, forgiving=True)):
        rule, what, place = found
        number = len(text[: place + 1].splitlines())
        sentence = (
            f"This is {what}, in the place of robots.txt: to every reading it has no rule, and allows everything."
        )
        yield Finding(number, rule, sentence)


def _recognised(text: bytes) -> tuple[str, str, int] | None:
    if line := _HUMANS.search(text):
        return "humans-txt", "a humans.txt, which tells who made the site", line.start()
    if line := _ADS.search(text):
        return "ads-txt", "an ads.txt, which tells who may sell advertising", line.start()
    if (line := _CONTACT.search(text)) and _EXPIRES.search(text):
        return "security-txt", "a security.txt, which tells whom to write to about a weakness", line.start()
    return None
