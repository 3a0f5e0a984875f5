"""Is this the same page again? A hash of what it says, without what changes at each visit and without its links.

The book (9.1.6) finds duplicates by checksums, and says that MD5 is popular; ours is BLAKE2b with 128 bits, which is
faster and not broken. Title and visible text go in; addresses of links do not, because aliases and session ids change
them. Only words that a program writes anew at each visit are left out, and only where a word beside them shows it: bare
dates, times and numbers stay, or the pages of a calendar would all be one page.

Limits: a page made for each visitor (greetings, random tips) has a new fingerprint at each visit, and so have volatile
words in forms that are not listed here: near duplicates catch those. Two pages that differ only in a "last changed"
date, a counter or in pictures have the same fingerprint.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urls.records import Page

FINGERPRINT_BYTES = 16  # 128 bits: two among 10^9 pages agree by chance with a probability of 10^-21
MAX_LINE_CHARS = 200  # stamps and counters stand in short lines; in a paragraph a date is content

_ZONE = r"(?:\s?(?:Z|UTC|GMT|MEZ|CET|MSK|JST|KST|[+-]\d{2}:?\d{2})\b)?"
_CLOCK = rf"\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:\s?[ap]\.?m\b\.?)?{_ZONE}"
_MONTH = r"(?:[^\W\d_]{3,12}\.?)"
_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.|er)?\s(?:de\s)?{_MONTH},?\s(?:de\s)?\d{{4}}|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}"
    r"|\d{4}\s?[年년]\s?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일])"
)
_MOMENT = re.compile(rf"(?:{_DAY}|{_CLOCK})(?:(?:[ T,]|\sat\s|\sum\s)*(?:{_DAY}|{_CLOCK}))*", re.IGNORECASE)
# A day with a time to the second: a program has written it, whatever stands beside it.
_STAMP = re.compile(rf"{_DAY}[T ,]+\d{{1,2}}:\d{{2}}:\d{{2}}(?:\.\d+)?{_ZONE}")
# Words that mean "the page was made at this time": the times in their line are volatile.
_MADE = re.compile(
    r"updated?\b|modified|generated|rendered|retrieved|printed|last (?:change|edit|visit)|refreshed"
    r"|(?:current|server|local) (?:time|date)|time (?:now|is)|today is|it is now"
    r"|\bstand:|aktualisiert|erzeugt|geändert|heute ist|mise? à jour|générée?|modifiée?|actualizad[oa]|generad[oa]"
    r"|обновлен|изменен|сгенерирован|сейчас|сегодня|更新|現在|现在|生成|업데이트|수정|현재",
    re.IGNORECASE,
)
_NUMBER = r"\d[\d.,'\u00a0 ]*"
_COUNTED = r"visitors?|visits|hits|page ?views|users? online|besucher|visiteurs?|visitas|посетител\w*|просмотр\w*"
# Counters, with the word that says what is counted, and how long the page took to make.
_COUNTER = re.compile(
    rf"\b(?:{_COUNTED}|views|online|訪問者|访问量|浏览|방문자)"
    rf"(?:\s?(?:number|no\.?|nr\.?|count(?:er)?|today|total|heute|сегодня))?\s?[:#№=]?\s?{_NUMBER}"
    rf"|{_NUMBER}(?:th|st|nd|rd)?\s?(?:{_COUNTED})\b"
    r"|\b(?:generated|rendered|loaded|created|served|built|erzeugt|générée?|generad[oa]|сгенерирован\w*)\D{0,16}"
    r"\d+(?:[.,]\d+)?\s?(?:seconds?|secs?|s|ms|milliseconds|sekunden|secondes|segundos|сек\w*)\b",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"\b(?:phpsessid|jsessionid|aspsessionid\w*|session(?:[ _-]?id)?|sid|request[ _-]?id|token|nonce)\b\s?[:=#]?\s?"
    r"(?=[a-z-]*\d)[0-9a-z_-]{8,}",
    re.IGNORECASE,
)
# Cheap tests, so that most lines need none of the patterns above.
_DIGIT = re.compile(r"\d")
_SECONDS = re.compile(r"\d:\d\d:\d\d")
_TIME_LIKE = re.compile(r"\d{4}|\d:\d\d|\d[-./]\d")


def fingerprint(page: Page) -> bytes:
    """Return 16 bytes that are equal for pages which say the same."""
    digest = blake2b(page.title.encode(), digest_size=FINGERPRINT_BYTES)
    digest.update(b"\0")
    digest.update("\n".join(map(steady, page.text.split("\n"))).encode())
    return digest.digest()


def steady(line: str) -> str:
    """Return a line of text without what a machine writes anew at each visit."""
    if len(line) > MAX_LINE_CHARS or not _DIGIT.search(line):
        return line
    line = _SESSION.sub("\0", _COUNTER.sub("\0", line))
    if _SECONDS.search(line):
        line = _STAMP.sub("\0", line)
    return _MOMENT.sub("\0", line) if _TIME_LIKE.search(line) and _MADE.search(line) else line
