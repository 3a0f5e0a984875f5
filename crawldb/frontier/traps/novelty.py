"""Does a page say anything that the pages of its pattern have not said? A line of text, numbers and dates aside.

The pages of a counter differ in the number that they show, those of a calendar in the name of the month, those of a
filter in which of the same goods they list: each is a page of its own to a fingerprint, and none says anything new.
A page of an archive has lines that no other has. So a page is fresh when at least one of its lines is.

Limit: pages whose whole content is numbers (tables of rates, scores, tides) look like those of a counter.
"""

from __future__ import annotations

import re
from hashlib import blake2b

MAX_LINES = 1000  # of a page that are compared: one that has more has said enough
MARK_BYTES = 8  # 64 bits: a chance agreement among a million lines has a probability of 10^-13

_NAMES = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun)\b"
)
_TOKEN = re.compile(r"\b(?=[a-z]*[0-9])[0-9a-z]{16,}\b")
_NUMBER = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*(?:st|nd|rd|th)?")


def marks(title: str, text: str) -> list[int]:
    """Return a number for each distinct line of a page, the same for lines that differ only in numbers and dates."""
    found: dict[int, None] = {}
    for line in (title, *text.split("\n")):
        folded = _folded(line)
        if folded:
            digest = blake2b(folded.encode(), digest_size=MARK_BYTES).digest()
            found[int.from_bytes(digest, "big", signed=True)] = None
        if len(found) >= MAX_LINES:
            break
    return list(found)


def _folded(line: str) -> str:
    folded = _TOKEN.sub("#", line.lower())
    return _NUMBER.sub("#", _NAMES.sub("#", folded)).strip(" #.,")
