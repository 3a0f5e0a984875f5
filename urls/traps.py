"""Is a URL part of a trap: of a space that a server generates faster than a robot can fetch it?

    refusal = shape_refusal(canonicalize("http://a.example/x/x/x/"), depth=1, limits=Limits(), year=2026)

1. The form of one URL: length, depth and extension, repeated path parts, far dates, overgrown queries.
2. The pattern: which URLs may one program have made?
3. The yield: does a page have content that its pattern lacks, and when is a pattern exhausted?

`generated_urls.py` checks whether a site generates a page for any URL. *HTTP: The Definitive Guide*, 9.1.10, names most
of these rules, and says that each costs some good pages. So each verdict is stored with its reason, `report traps`
shows it, and `release` undoes it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import unquote

from urls.canonical import canonical_or_none
from urls.records import Refusal
from urls.rules import Rule
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from urls.records import CanonicalUrl, Page


# Under these a URL can be suppressed as one of a trap: by its own shape, or by what its pattern or site has brought.
TRAP_RULES = (
    *(Rule.URL_LENGTH, Rule.DEPTH, Rule.REPEATED_PATH, Rule.FAR_DATE, Rule.QUERY),
    *(Rule.NO_YIELD, Rule.MADE_UP, Rule.PATTERN_BUDGET, Rule.SITE_BUDGET, Rule.HOST_BUDGET),
)

# -- Is the form of a URL alone a reason to reject it? Length, depth, cycles, dates, queries, and file extensions.
#
# The limits on length and depth are the plainest rules of *HTTP: The Definitive Guide*, 9.1.10. A rejection for
# length is a signal too: a URL of over a kilobyte often contains the state of a visitor, and is not meant as a page.
#
# A run of path parts that repeats is a folder that contains itself. A symbolic link to its own folder makes
# `/subdir/subdir/subdir/…`. One to two folders up makes `/a/b/a/b/a/b/…` (9.1.10, pattern detection: periods of one
# part and more). Twice is no proof: `/en/en/` exists.
#
# A calendar program continues to the year 9999, and those days have no entries. Only certain dates are read: a
# parameter with the name year, month, day or date, a `y` together with an `m`, or an ISO date. `/3021/5/` may be a
# message in a forum, so a number in a path is none. An archive may be old: the limit in the past is the age of
# print. Between the two limits the yield of the pages decides (below).
#
# Links that add a parameter to the current query make a new URL at each step. A shop with six filters of six values has
# over a hundred thousand URLs, and the same few goods. The yield decides whether a combination brings anything new.
# Queries that no form sends are rejected at once: dozens of parameters, or one parameter over and over.

MAX_URL_LENGTH = 1024  # characters: longer URLs nearly always come from a loop or a session
DOMAIN_SITES = 200  # sites of one registered domain, with SCOPE=domain: a name server can make up hosts without end
PATH_REPEATS = 3  # times in a row that a run of path parts makes a loop: /a/b/a/b/a/b/
QUERY_PARAMETERS = 12  # of one URL: a query that has more has grown by itself, each link added one
LONGEST_PERIOD = 4  # path parts: /a/b/c/d/a/b/c/d/ is the longest cycle that is looked for
YEARS_AHEAD = 10  # plans, bonds and eclipses are written about so far ahead, and seldom further
FIRST_YEAR = 1450  # of printing with movable type: what is older is described, not dated by its URL
SAME_PARAMETER = 5  # times that one name may stand: boxes to tick send their name once for each tick
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)  # its groups can look like dates

_ISO = re.compile(r"(?<![0-9])([0-9]{4,5})-(?:0[1-9]|1[0-2])(?:-[0-3][0-9])?(?![0-9])")
# A year that a month follows, in one number or in the next: 2003 alone may be the number of a topic.
DATE = re.compile(
    r"(?<![0-9])(?:19|20)[0-9]{2}(?=[-/&](?:[a-z]+=)?(?:0?[1-9]|1[0-2])(?![0-9])|(?:0[1-9]|1[0-2])(?:[0-3][0-9])?(?![0-9]))"
)
_NAMED = re.compile(r"(?:year|yr|yyyy|date|month|day)\Z", re.IGNORECASE)
_YEAR = re.compile(r"([0-9]{4,5})(?:[-/.]?[0-9]{2}){0,2}\Z")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is too much? One number for each rule; docs/settings.md gives the reasons.

    A person can change those, and undo a single verdict with `release`.
    """

    max_url_length: int = MAX_URL_LENGTH
    max_depth: int = 25  # links from a seed
    pattern_pages: int = 200  # URLs of one pattern to begin with; each page that says something new adds more
    site_pages: int = 50_000  # URLs of a site, or of a registered domain where SCOPE is domain
    skipped_endings: frozenset[str] = frozenset()  # of file names, without the dot, in lower case
    skip_queries: bool = False  # refuse what a program makes: URLs with a query or with /cgi-bin/ in the path
    trap_patience: int = 20  # pages of one pattern in a row that say nothing new; 0: however many
    domain_sites: int = DOMAIN_SITES


@dataclass(frozen=True, slots=True)
class Released:
    """The URLs that a person has released (`frontier/budgets.py`): for these no rule about traps holds."""

    urls: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def covers(self, url: str) -> bool:
        """Return whether no rule about traps holds for `url`."""
        return url in self.urls or (bool(self.beginnings) and url.startswith(self.beginnings))


def shape_refusal(
    url: CanonicalUrl, depth: int, limits: Limits, *, year: int, released: bool = False
) -> Refusal | None:
    """Return why the form of `url` alone is refused, or None; `depth` counts links from a seed, `year` is now.

    For a URL that a person `released`, no rule about traps holds, and those about its type do.
    """
    refusal = None if released else _trap_refusal(url, depth, limits, year)
    if refusal:
        return refusal
    ending = file_extension(url)
    if ending in limits.skipped_endings:
        return Refusal(
            Rule.TYPE, f"its name ends in .{ending}, and SKIPPED_ENDINGS has that: it holds no text to index"
        )
    sign = dynamic_sign(url) if limits.skip_queries else ""
    if sign:
        return Refusal(Rule.DYNAMIC, f"it has {sign}, so a program makes its page, and SKIP_QUERIES leaves those out")
    return None


def _trap_refusal(url: CanonicalUrl, depth: int, limits: Limits, now: int) -> Refusal | None:
    """Return by which rule the form of `url` is that of a trap, or None."""
    if len(url) > limits.max_url_length:
        return Refusal(Rule.URL_LENGTH, f"it is {len(url)} characters long; the limit is {limits.max_url_length}")
    if depth > limits.max_depth:
        return Refusal(Rule.DEPTH, f"it is {counted(depth, 'link')} from a seed; MAX_DEPTH is {limits.max_depth}")
    cycle = repeated_parts(url, PATH_REPEATS)
    if cycle:
        shown = "/".join(cycle)
        return Refusal(Rule.REPEATED_PATH, f"/{shown} stands {PATH_REPEATS} times in a row in its path")
    year = far_date(url, now)
    if year is not None:
        return Refusal(Rule.FAR_DATE, f"it is dated {year}: only a calendar without an end goes so far")
    overgrown = overgrown_query(url, QUERY_PARAMETERS)
    return Refusal(Rule.QUERY, overgrown) if overgrown else None


def repeated_parts(url: CanonicalUrl, repeats: int) -> tuple[str, ...] | None:
    """Return the first run of one to four path parts that repeats `repeats` times in a row, or None."""
    path = url.partition("?")[0]
    parts = path.split("/")[3:]
    if parts and not parts[-1]:
        parts.pop()
    for period in range(1, LONGEST_PERIOD + 1):
        matches = 0  # how many parts in a row equal the one a period before them
        for here in range(period, len(parts)):
            matches = matches + 1 if parts[here] == parts[here - period] else 0
            if matches == period * (repeats - 1):
                return tuple(parts[here - period + 1 : here + 1])
    return None


def far_date(url: CanonicalUrl, year: int) -> int | None:
    """Return the year in `url` that is too far from `year`, the present one, to be meant; None for any other URL."""
    path, _, query = url[url.index("/", url.index("//") + 2) :].partition("?")
    years = [int(found) for found in _ISO.findall(_UUID.sub("", path))]
    pairs = [pair.partition("=")[::2] for pair in query.split("&")] if query else []
    names = {name for name, _ in pairs}
    for name, value in pairs:
        if _NAMED.search(name) or (name == "y" and "m" in names):
            years += [int(found) for found in _YEAR.findall(value) or _ISO.findall(_UUID.sub("", value))]
    return next((found for found in years if not FIRST_YEAR <= found <= year + YEARS_AHEAD), None)


def is_dated(url: CanonicalUrl) -> bool:
    """Return whether `url` has a year followed by a month: probably a page of a calendar."""
    return bool(DATE.search(url, url.index("/", url.index("//") + 2)))


def overgrown_query(url: CanonicalUrl, most: int) -> str:
    """Return what is wrong with the query of `url`, as a sentence's end, where it has more than `most` parameters."""
    query = url.partition("?")[2]
    if not query:
        return ""
    names = Counter(pair.partition("=")[0] for pair in query.split("&"))
    if names.total() > most:
        return f"its query has {names.total()} parameters; {most} are allowed"
    name, times = names.most_common(1)[0]
    if times > SAME_PARAMETER:
        return f"its query has the parameter {name[:50]} {times} times; {SAME_PARAMETER} times is the most"
    return ""


def dynamic_sign(url: CanonicalUrl) -> str:
    """Return what in a URL shows that a program makes its page: a query, or the customary folder; "" for neither."""
    path, mark, _ = url.partition("?")
    if mark:
        return "a query"
    return "/cgi-bin/ in its path" if "/cgi-bin/" in path else ""


def file_extension(url: str) -> str:
    """Return the extension of the file name in a URL, in lower case without its dot, or an empty string."""
    name = url.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


# -- Which URLs may one program have made? Those that differ only in numbers, tokens, or the values of their query.
#
# A counter writes numbers, a calendar dates, a session a token into the path or behind a semicolon, a filter values.
# The pattern is the URL without these. Its budget stops traps that no rule on a single URL can detect. Numbers count
# if they are a whole path part, alone (`17`) or as a date (`2026-11-21`), if they follow a semicolon, or in a path
# with a query. `/news-17.html` has none, because people name pages so.

SEVERAL = "{several}"  # stands for names that were put together: a filter makes any choice of them a path
TOKEN = "{token}"  # noqa: S105 - stands in a pattern for a session's or a hash's letters
ALL = "*"
BELOW = "**"
_NUMBER = re.compile(r"[0-9]+")
NUMBERS = re.compile(r"[0-9]+(?:-[0-9]+)*\Z")  # a whole part of a path
# A hash, a shorter one where letters and digits are mixed, a UUID, letters and digits in a heap, a session as ASP.NET
# writes it into a path; and what a session, or a program's state, puts behind a semicolon.
TOKENS = re.compile(
    r"(?:[0-9a-f]{16,}|(?=(?:[a-f]*[0-9]){2})(?=[0-9]*[a-f])[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=(?:[A-Za-z]*[0-9]){4})[A-Za-z0-9]{20,}|\([A-Z]\([a-z0-9]{8,}\)\))\Z",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"[^+]+(?:[+][^+]+)+\Z")
_SESSION = re.compile(r"(;[a-z]*(?:sess|sid)[a-z]*=)[^/;]*", re.IGNORECASE)
_COUNTED = re.compile(r"(;[^=/;]+=)-?[0-9]+(?![^/;])")


class PatternKind(IntEnum):
    """The common part of the URLs of a pattern, as in the column `pattern.kind`."""

    NUMBERED = 0  # they differ only in numbers, tokens or values
    PROGRAM = 1  # all that one program answers: whatever the parameters, or whatever comes after the token
    FOLDER = 2  # they lie in one folder, and nothing counts in them


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern within a site, by the name under which it is shown and released."""

    name: str
    kind: PatternKind

    @property
    def is_tree(self) -> bool:
        """Whether it holds what lies below a folder, however deep."""
        return self.name.endswith(f"/{BELOW}")

    def is_made_by(self, url: CanonicalUrl) -> bool:
        """Return whether `url` is the program itself, whose parameters make the pattern."""
        path, mark, _ = self.name.partition("?")
        return bool(mark) and path == path_and_query(url)[0]


def patterns_of(url: CanonicalUrl) -> tuple[Pattern, ...]:
    """Return the patterns to which `url` belongs, the narrowest first: numbers and program, or its folder."""
    own = pattern_of(url)
    if own is None:
        path = path_and_query(url)[0]
        return (Pattern(path[: path.rindex("/") + 1] + ALL, PatternKind.FOLDER),)
    numbered = Pattern(own, PatternKind.NUMBERED)
    before, token, _ = own.partition(TOKEN)
    if token:
        return numbered, Pattern(f"{before}{token}/{ALL}", PatternKind.PROGRAM)
    path, mark, _ = own.partition("?")
    return (numbered, Pattern(f"{path}?{ALL}", PatternKind.PROGRAM)) if mark else (numbered,)


def trees_of(url: CanonicalUrl) -> tuple[Pattern, ...]:
    """Return the trees that a page lies in: that of its first folder, and the whole site's."""
    path = path_and_query(url)[0]
    first = path[: path.find("/", 1) + 1]
    site = Pattern(f"/{BELOW}", PatternKind.FOLDER)
    return (Pattern(f"{first}{BELOW}", PatternKind.FOLDER), site) if first else (site,)


def views_of(url: CanonicalUrl) -> Pattern | None:
    """Return what a page with a query shares with all pages of its site whose queries have the same names."""
    query = path_and_query(url)[2]
    return Pattern(f"/{BELOW}?{_names(query)}", PatternKind.PROGRAM) if query else None


def all_patterns_of(url: CanonicalUrl) -> tuple[Pattern, ...]:
    """Return every pattern to which `url` belongs: its own, its trees and its views."""
    views = views_of(url)
    return (*patterns_of(url), *trees_of(url), *((views,) if views else ()))


def pattern_of(url: CanonicalUrl) -> str | None:
    """Return what `url` has in common with the pages that a counter would invent, or None if nothing counts in it.

    `/2026/07/?view=day&tz=utc` and `/2027/11/?tz=cet&view=week` share `/#/#/?tz&view`.
    """
    path, mark, query = path_and_query(url)
    parts = [_folded_part(part) for part in path.split("/")]
    folded = "/".join(parts)
    if not mark:
        return None if folded == path else folded
    return f"{_NUMBER.sub('#', folded)}?{_names(query)}"


def _names(query: str) -> str:
    # A key alone (`?4711`) counts like a value: gateways put their state there.
    return "&".join(sorted({_NUMBER.sub("#", key) for key in (pair.partition("=")[0] for pair in query.split("&"))}))


def path_and_query(url: CanonicalUrl) -> tuple[str, str, str]:
    """Return the path, "?" where there is a query, and the query of a canonical URL."""
    return url[url.index("/", url.index("//") + 2) :].partition("?")


def _folded_part(part: str) -> str:
    name, semicolon, state = part.partition(";")
    if semicolon:
        return _folded_part(name) + _COUNTED.sub(r"\1#", _SESSION.sub(rf"\1{TOKEN}", f";{state}"))
    if NUMBERS.match(part):
        return "#"
    if TOKENS.match(part):
        return TOKEN
    return SEVERAL if _SEVERAL.match(part) else part


# -- Does a page have content that the pages of its pattern lack, and when is a pattern exhausted?
#
# A page is fresh if at least one of its lines of text is new to its pattern, without numbers and dates. The pages of a
# counter differ in a number, those of a calendar in the name of a month, those of a filter in which of the same goods
# they list. Each has a fingerprint of its own, and none is fresh. Each page of an archive has lines that no other has.
#
# Two things are never new. One is a part of the page's own URL: a search page says "Results for jam" for `?q=jam`.
# The other is the text of its links to pages of its own pattern: a generator of names shows each generated name as a
# link. In a list of links to other patterns each name is content; a shop that shows the same goods in another order
# is not fresh. Limit: pages whose whole content is numbers (rates, scores, tides) look like those of a counter.
#
# A stated, additive rule decides when a pattern is exhausted. It begins with an allowance of PATTERN_PAGES URLs.
# Each fresh page adds ten. So an archive of thousands passes, and one fresh page in ten keeps a pattern level. A
# page counts against its pattern if it is a copy, an apology or has no new line, and its own pattern leads to it, or
# another one does twice. The links of a single page have an end, however similar they are, unless there are more of
# them than the pattern is allowed. A fresh page halves the count.
#
# At TRAP_PATIENCE the pattern is closed: after twenty such pages in a row, or if more than nine in ten are such. A
# program with many parameters is closed as a whole somewhat later, or each combination would have a patience of its
# own. A plain folder, whose names a person may have chosen, is closed later still, and only copies and apologies
# count against it. A tree is closed as early as a numbered pattern, since only growing paths count there.

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
_AMOUNT = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*(?:st|nd|rd|th)?")
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
    said = _RUN.sub("#", _AMOUNT.sub("#", _NAMES.sub("#", _TOKEN.sub("#", lowered)))).strip(" #.,")
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
