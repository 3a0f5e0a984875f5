"""Does a page have content that the pages of its pattern lack, and when is a pattern exhausted?

A page is fresh if at least one of its lines of text is new to its pattern, without numbers and dates. The pages of a
counter differ in a number, those of a calendar in the name of a month, those of a filter in which of the same goods
they list. Each has a fingerprint of its own, and none is fresh. Each page of an archive has lines that no other has.

Two things are never new. One is a part of the page's own URL: a search page says "Results for jam" for `?q=jam`. The
other is the text of its links to pages of its own pattern: a generator of names shows each generated name as a link. In
a list of links to other patterns each name is content; a shop that shows the same goods in another order is not fresh.
Limit: pages whose whole content is numbers (rates, scores, tides) look like those of a counter.

A stated, additive rule decides when a pattern is exhausted. It begins with an allowance of PATTERN_PAGES URLs. Each
fresh page adds ten. So an archive of thousands passes, and one fresh page in ten keeps a pattern level. A page counts
against its pattern if it is a copy, an apology or has no new line, and its own pattern leads to it, or another one does
twice. The links of a single page have an end, however similar they are, unless there are more of them than the pattern
is allowed. A fresh page halves the count.

At TRAP_PATIENCE the pattern is closed: after twenty such pages in a row, or if more than nine in ten are such. A
program with many parameters is closed as a whole somewhat later, or each combination would have a patience of its own.
A plain folder, whose names a person may have chosen, is closed later still, and only copies and apologies count against
it. A tree is closed as early as a numbered pattern, since only growing paths count there.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import unquote

from urls.canonical import canonical_or_none
from urls.rules import Rule
from urls.traps.pattern import Pattern, PatternKind, path_and_query, patterns_of, trees_of
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from urls.records import CanonicalUrl, Page


MAX_LINES = 1000  # of a page that are compared: one that has more has said enough
MARK_BYTES = 8  # 64 bits: a chance agreement among a million lines has a probability of 10^-13
MAX_COMPARED_LINKS = 500  # of a page that are looked at: a list that has more has said enough
NEARLY_ALL = 0.9  # resemblance of a copy: pages in one cluster may have half of their words for themselves
GROWTH = 10  # URLs that a page adds to its pattern's allowance when it says something new
# Refusals of a page that says nothing new; and those that tell nothing of what the pattern brings.
_SAYS_NOTHING_NEW = frozenset({Rule.DUPLICATE, Rule.SOFT_404, Rule.EMPTY, Rule.LOGIN_WALL, Rule.PARKED})
TELLS_NOTHING = frozenset(
    {Rule.TYPE, Rule.SIZE, Rule.BINARY, Rule.WELL_KNOWN, Rule.FRAMES, Rule.MOVED, Rule.SCRIPT_SHELL}
)

_NAMES = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun)\b"
)
# Letters and digits in a heap, and shorter ones that may be a number to the base of 16.
_TOKEN = re.compile(r"\b(?:(?=[a-z]*[0-9])[0-9a-z]{16,}|(?=[0-9]*[a-f])(?=(?:[a-f]*[0-9]){2})[0-9a-f]{8,})\b")
_RUN = re.compile(r"#(?:[\W_]*#)+")  # however many stand in a row
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*(?:st|nd|rd|th)?")
_MADE = re.compile(r"[#{?*]")  # where in a pattern's name the part that differs begins
_STRETCH = {PatternKind.NUMBERED: 1.0, PatternKind.PROGRAM: 1.5, PatternKind.FOLDER: 2.0}


def repeats(page: Page) -> bool:
    """Return whether a page says what another one says, or nearly."""
    return page.resemblance >= NEARLY_ALL or any(refusal.rule == Rule.DUPLICATE for refusal in page.refusals)


def says_nothing_new(page: Page) -> bool:
    """Return whether a page is a copy, an apology, or empty."""
    return repeats(page) or any(refusal.rule in _SAYS_NOTHING_NEW for refusal in page.refusals)


def page_marks(page: Page, pattern: Pattern) -> list[int]:
    """Return the marks of what `page` says: `pattern` is the widest to which it belongs, or a tree."""
    path, _, query = path_and_query(page.url)
    values = [pair.partition("=")[2] or pair for pair in query.split("&")]
    links = [link for link in page.links[:MAX_COMPARED_LINKS] if link.text]
    fixed = _MADE.split(pattern.name, maxsplit=1)[0]
    # Within a tree the names of folders and pages are content: somebody has given them.
    kin = set() if pattern.is_tree else {link.text for link in links if fixed in link.url and _is_of(link.url, pattern)}
    others = [text for text in dict.fromkeys(link.text for link in links) if text not in kin]
    echoes = words_of((path, *values, *kin))
    named = line_marks(page.title, "\n".join(others), echoes)
    return list(dict.fromkeys([*named, *line_marks("", page.visible_text, echoes | words_of(others))]))


def _is_of(url: str, pattern: Pattern) -> bool:
    canonical = canonical_or_none(url)
    return canonical is not None and pattern in patterns_of(canonical)


def line_marks(title: str, text: str, echoes: frozenset[str] = frozenset()) -> list[int]:
    """Return a number for each distinct line of a page, the same for lines that differ only in numbers and dates.

    `echoes` are words in lower case that say nothing here: a line of which they leave nothing has no number.
    """
    return list(line_lengths(title, text, echoes))


def line_lengths(title: str, text: str, echoes: frozenset[str] = frozenset()) -> dict[int, int]:
    """Return for each number that `line_marks` returns how many characters its line has."""
    found: dict[int, int] = {}
    for line in (title, *text.split("\n")):
        said = folded(line, echoes)
        if said:
            digest = blake2b(said.encode(), digest_size=MARK_BYTES).digest()
            found.setdefault(int.from_bytes(digest, "big", signed=True), len(line))
        if len(found) >= MAX_LINES:
            break
    return found


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of link texts or of parts of an address, as `echoes` has them."""
    return frozenset(word for text in texts for word in _WORD.findall(unquote(text).lower()))


def folded(line: str, echoes: frozenset[str] = frozenset()) -> str:
    """Return a line in lower case, with `#` for numbers, dates, tokens, and words among `echoes`."""
    lowered = line.lower()
    if echoes:
        lowered = _WORD.sub(lambda word: "#" if word[0] in echoes else word[0], lowered)
    said = _RUN.sub("#", _NUMBER.sub("#", _NAMES.sub("#", _TOKEN.sub("#", lowered)))).strip(" #.,")
    return said if _WORD.search(said) or not echoes else ""


def url_allowance(start: int, fresh: int) -> int:
    """Return how many URLs a pattern may have, if `fresh` of its pages were fresh."""
    return start + GROWTH * fresh


def is_exhausted(pattern: Pattern, barren: int, patience: int) -> bool:
    """Return whether a pattern is closed with `barren` pages counted against it; a patience of 0 has no end."""
    kind = PatternKind.NUMBERED if pattern.is_tree else pattern.kind
    return 0 < patience * _STRETCH[kind] <= barren


def is_cyclic(way: Sequence[CanonicalUrl], pattern: Pattern, *, dated: bool = False) -> bool:
    """Return whether the way to a page leads through its own `pattern`, or twice through another's numbers.

    `way` has the pages that led to it. For a `dated` page once is enough: the days of one month are as many as a
    calendar needs to be known. Through a tree it has to lead twice: every page of a site is below its front page.
    """
    if pattern.is_tree:
        return sum(pattern in trees_of(url) for url in way) > 1
    patterns = [one for url in way for one in patterns_of(url)]
    numbered = [one for one in patterns if one.kind is PatternKind.NUMBERED]
    repeated = pattern in patterns or len(set(numbered)) < len(numbered) or (dated and bool(numbered))
    return repeated or any(pattern.is_made_by(url) for url in way)


def closing_reason(name: str, wasted: int, fetched: int) -> str:
    """Return why no more URLs of a pattern are requested."""
    return f"{wasted} of {counted(fetched, 'page')} of {name[:100]} said nothing new, the latest among them"
