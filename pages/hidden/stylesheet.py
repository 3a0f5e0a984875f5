"""What do stylesheets say about whether text shows? Their rules for that, in the page and in files of its site.

The grammar is CSS Syntax Level 3 as far as it separates rules, selectors and declarations. What cannot be read is
skipped, as browsers do. A rule in an at-rule for screens, or without a condition, always applies. A rule for paper, a
width or a preference may apply or not: it is `conditional`. The length of a sheet, the number of rules and the depth of
blocks bound the work.

A script may show what a sheet hides, so for a page with scripts no sheets in files are requested or used. Any other
page is read with the files of its own site once all are known, with their imports: one that is missing might show what
another one hides. Sheets of other sites are never requested. They leave colours unsure, as any unread sheet does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, islice, product
from typing import TYPE_CHECKING

from pages import encoding
from pages.links import BaseUrl
from robots.freshness import first_header, validator
from robots.page_controls import declared_type
from urls.canonical import canonical_or_none, site_of
from urls.records import NamedSheet, Stylesheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.http_headers import FetchedBody
    from urls.records import CanonicalUrl


MAX_SHEET_CHARS = 200_000  # of all sheets of a page: Bootstrap has 160,000
MAX_RULES = 5_000  # of all sheets of a page, one for each selector
MAX_BLOCKS = 8  # inside each other
MAX_SELECTOR_CHARS = 200
MAX_NESTED = 50  # selectors of a rule inside a rule
MAX_LETTER = 0x10FFFF
_SCREENS = frozenset({"all", "screen", ""})
PROPERTIES = frozenset(
    (
        "display", "visibility", "opacity", "position", "left", "top", "right", "bottom", "text-indent", "margin",
        "margin-left", "margin-top", "transform", "clip", "clip-path", "height", "max-height", "width", "max-width",
        "overflow", "overflow-x", "overflow-y", "font-size", "font", "color", "background", "background-color",
        "background-image", "background-clip", "-webkit-background-clip", "-webkit-text-fill-color", "text-shadow",
        "animation", "animation-name", "padding", "padding-top", "padding-bottom", "filter", "zoom", "scale",
        "translate", "inset", "content-visibility", "block-size", "max-block-size", "inline-size",
    )
)  # fmt: skip
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BLOCK = re.compile(r"[{};]")
_BRACKET = re.compile(r"[{}]")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_EVERY_SCREEN = re.compile(
    r"\s*(?:(?:only\s+)?(?:all|screen)?(?:\s*(?:and\s*)?\(\s*(?:min-width\s*:|width\s*>=?)\s*\d\d?(?:px)?\s*\))?|not\s+print)\s*"
)
_ESCAPED = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
AT_TIMES = "@media (x)"  # stands for every condition under which a rule may hold or not
_IMPORT = re.compile(
    r"@import\s*(?:url\(\s*(?:\"([^\"]{1,2000})\"|'([^']{1,2000})'|([^\"'()\s]{1,2000}))\s*\)|[\"']([^\"'\n]{1,2000})[\"'])"
    r"([^;{}]{0,200})",
    re.IGNORECASE,
)
_GROUPING = re.compile(r"@(?:media|supports|layer|container|scope|document)\b")


@dataclass(frozen=True, slots=True)
class StyleRule:
    """One selector with what it sets; `conditional`: only on some screens, or on paper."""

    selector: str
    set_to: tuple[tuple[str, str], ...]  # properties of PROPERTIES and custom ones, with their values
    conditional: bool = False


def read_stylesheet(css: str) -> list[StyleRule]:
    """Return the rules of a sheet that set how text shows, in their order."""
    rules: list[StyleRule] = []
    for selectors, set_to, conditional in _blocks(_plain(css)):
        for selector in selectors:
            if len(rules) >= MAX_RULES:
                return rules
            if selector and len(selector) <= MAX_SELECTOR_CHARS:
                rules.append(StyleRule(selector, set_to, conditional))
    return rules


def reduced_sheet(css: str) -> str:
    """Return a sheet that says of how text shows what `css` says, and nothing else."""
    rules = read_stylesheet(css)
    written: list[str] = []
    for (set_to, conditional), alike in groupby(rules, lambda rule: (rule.set_to, rule.conditional)):
        selectors = ",".join(rule.selector for rule in alike)
        block = f"{selectors}{{{';'.join(f'{name}:{value}' for name, value in set_to)}}}"
        written.append(f"{AT_TIMES}{{{block}}}" if conditional else block)
    return "\n".join(written)


def imported_sheets(css: str) -> Iterator[tuple[str, str]]:
    """Yield the sheets that a sheet imports, as it writes their addresses, each with the media that it is for."""
    for found in _IMPORT.finditer(_COMMENT.sub(" ", css[:MAX_SHEET_CHARS])):
        yield found[1] or found[2] or found[3] or found[4] or "", " ".join(found[5].lower().split())


def is_whole(css: str) -> bool:
    """Return whether a sheet is short enough to be read to its end."""
    return len(css) <= MAX_SHEET_CHARS and len(read_stylesheet(css)) < MAX_RULES


def declared_styles(body: str) -> Iterator[tuple[str, str]]:
    """Yield the properties that a block or an attribute sets, with their values; `!important` stays with a value."""
    for declaration in body.split(";"):
        name, colon, value = declaration.partition(":")
        name = name.strip().lower()
        if colon and (name in PROPERTIES or name.startswith("--")):
            yield name, " ".join(value.lower().split())


def _plain(css: str) -> str:
    """Return a bounded sheet without comments, and without strings that hold the marks of a block."""
    css = css[:MAX_SHEET_CHARS].replace("<!--", "").replace("-->", "")
    css = _ESCAPED.sub(_letter, css) if "\\" in css else css
    return _QUOTED.sub(lambda quoted: '""' if _BLOCK.search(quoted[0]) else quoted[0], _COMMENT.sub(" ", css))


def _letter(escaped: re.Match[str]) -> str:
    """Return the letter or digit that an escape stands for; another character stays as it is written."""
    number = int(escaped[1], 16)
    return chr(number) if number <= MAX_LETTER and (chr(number).isalnum() or number == ord("-")) else escaped[0]


def _blocks(css: str, depth: int = 0) -> Iterator[tuple[Iterable[str], tuple[tuple[str, str], ...], bool]]:
    """Yield the selectors of each rule that sets how text shows, what it sets, and whether it holds only at times."""
    within: list[bool] = []  # for each open at-rule: whether its rules hold only at times
    place = 0
    while mark := _BLOCK.search(css, place):
        text, place = css[place : mark.start()].strip(), mark.end()
        if mark[0] == "}":
            within = within[:-1]
        elif mark[0] == "{" and text.startswith("@"):
            if _GROUPING.match(text.lower()) and len(within) < MAX_BLOCKS:
                within.append(any(within) or _holds_at_times(text.lower()))
            else:
                place = _end_of_block(css, place)
        elif mark[0] == "{":
            end = _end_of_block(css, place)
            body = css[place : end - 1]
            own = body.partition("{")[0].rpartition(";")[0] if "{" in body else body
            if set_to := tuple(declared_styles(own)):
                yield _apart(text), set_to, any(within)
            if len(own) < len(body) and depth < MAX_BLOCKS:
                outer = [*islice(_apart(text), MAX_NESTED)]  # once: a sheet may have thousands of rules in one
                for inner, set_to, at_times in _blocks(body[len(own) :].lstrip(";"), depth + 1):
                    yield _nested(outer, inner), set_to, at_times or any(within)
            place = end


def _holds_at_times(at_rule: str) -> bool:
    """Return whether the rules of an at-rule hold on some screens or in some browsers only."""
    name, _, queries = at_rule.partition(" ") if not at_rule.startswith("@media") else ("@media", "", at_rule[6:])
    if name != "@media":
        return at_rule.startswith("@container")
    # Single blanks: the pattern has several places for them in a row, and would try all shares of a long run.
    return not any(_EVERY_SCREEN.fullmatch(" ".join(query.split())) for query in queries.split(","))


def _nested(outer: Sequence[str], inner: Iterable[str]) -> list[str]:
    """Return the selectors of a rule that stands in a rule (CSS Nesting 1), but for those that would be too long."""
    pairs = islice(product(outer, islice(inner, MAX_NESTED)), MAX_NESTED)
    whole = ((around, part if "&" in part else f"& {part}") for around, part in pairs)
    return [
        part.replace("&", around).strip()
        for around, part in whole
        if len(part) + part.count("&") * (len(around) - 1) <= MAX_SELECTOR_CHARS
    ]


def _end_of_block(css: str, place: int) -> int:
    """Return where the block ends whose content begins at `place`, its closing bracket included."""
    depth = 1
    while depth and (mark := _BRACKET.search(css, place)):
        depth += 1 if mark[0] == "{" else -1
        place = mark.end()
    return place if not depth else len(css) + 1


def _apart(selectors: str) -> Iterator[str]:
    """Yield the selectors of a list: commas inside brackets part nothing."""
    begin = depth = 0
    for place, letter in enumerate(selectors):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth <= 0:
            yield selectors[begin:place].strip()
            begin = place + 1
    yield selectors[begin:].strip()


MAX_NAMED = 3  # sheets in files of a page: with more of them, none is read
MAX_LINK_ELEMENTS = 1_000  # of a page, among which sheets are looked for
SHEET_ENDING = ".css"  # of a path: else whoever writes on a site could have its other pages taken for sheets


@dataclass(frozen=True, slots=True)
class PageSheets:
    """The stylesheets of a page."""

    texts: tuple[str, ...] = ()  # that it is read with, in their order
    named: tuple[NamedSheet, ...] = ()  # those in files of its own site
    unread: bool = False  # whether it has others


@dataclass(frozen=True, slots=True)
class _SheetLink:
    """A link to a sheet, or an import of one."""

    url: CanonicalUrl | None  # None: it is of another site
    at_times: bool = False  # it is for paper, or for some screens

    def text(self, used: Mapping[CanonicalUrl, str]) -> str:
        css = used.get(self.url, "") if self.url else ""
        return f"{AT_TIMES}{{{css}}}" if css and self.at_times else css


def sheets_of(
    tree: LexborHTMLParser,
    links: Sequence[LexborNode],
    styles: Sequence[LexborNode],
    where: tuple[BaseUrl, BaseUrl],
    known: Mapping[str, str],
    *,
    scripted: bool,
) -> PageSheets:
    """Return the sheets of a page; `links` and `styles` are its elements, `known` the sheets of its site, by URL.

    `where` has the base of its links, and its own address.
    """
    linked = {node.mem_id: link for node in links[:MAX_LINK_ELEMENTS] if (link := _linked(node, *where))}
    inside = {node.mem_id: node.text() for node in styles if _is_for_screens(node)}
    imported = {node: _imported(text, *where) for node, text in inside.items() if "@import" in text}
    named = [*linked.values(), *(each for imports in imported.values() for each in imports)]
    own = list(dict.fromkeys(each.url for each in named if each.url))
    used = {} if scripted else _used(own, known, sum(map(len, inside.values())))
    texts = {
        node: "\n".join([*(each.text(used) for each in imported.get(node, ())), text]) for node, text in inside.items()
    }
    if used:
        texts |= {node: link.text(used) for node, link in linked.items()}
        texts = {node.mem_id: texts[node.mem_id] for node in tree.css("link, style") if node.mem_id in texts}
    return PageSheets(
        tuple(filter(None, texts.values())),
        () if scripted else _named(own, known, used),
        unread=len(links) > MAX_LINK_ELEMENTS or any(each.url not in used for each in named),
    )


def _named(
    own: Sequence[CanonicalUrl], known: Mapping[str, str], used: Mapping[CanonicalUrl, str]
) -> tuple[NamedSheet, ...]:
    """Return the sheets to request: none if there are too many, or if they are too long together."""
    if len(own) > MAX_NAMED or (not used and all(url in known for url in own)):
        return ()
    return tuple(NamedSheet(url, url in used) for url in own)


def _used(own: Sequence[CanonicalUrl], known: Mapping[str, str], taken: int) -> dict[CanonicalUrl, str]:
    """Return the sheets in files with which a page is read: all of its own site, or none; `taken` characters are."""
    if len(own) > MAX_NAMED or any(url not in known for url in own):
        return {}
    used = {url: known[url] for url in own}
    return used if taken + sum(map(len, used.values())) <= MAX_SHEET_CHARS else {}


def _is_for_screens(sheet: LexborNode) -> bool:
    """Return whether a style or link element is for what readers mostly have."""
    return (sheet.attributes.get("media") or "all").lower() in _SCREENS


def _linked(node: LexborNode, base: BaseUrl, address: BaseUrl) -> _SheetLink | None:
    """Return the sheet that an element links to; None where there is none, or a reader has to choose it."""
    rel = (node.attributes.get("rel") or "").lower().split()
    if "stylesheet" not in rel or "alternate" in rel:
        return None
    at_times = not _is_for_screens(node) or "disabled" in node.attributes
    return _SheetLink(same_site_sheet(node.attributes.get("href") or "", base, address), at_times)


def _imported(css: str, base: BaseUrl, address: BaseUrl) -> list[_SheetLink]:
    return [
        _SheetLink(same_site_sheet(name, base, address), media not in _SCREENS) for name, media in imported_sheets(css)
    ]


def same_site_sheet(name: str, base: BaseUrl, address: BaseUrl) -> CanonicalUrl | None:
    """Return a sheet of the site of `address`, by its name there; None where it is none."""
    url = base.resolve(name)
    if not isinstance(url, str):
        return None
    url = url.partition("#")[0]
    if not url.partition("?")[0].lower().endswith(SHEET_ENDING):
        return None
    sheet, page = canonical_or_none(url), canonical_or_none(address.url)
    return sheet if sheet and page and site_of(sheet) == site_of(page) else None


MAX_SHEET_BYTES = 200 * 1024  # of a file: Bootstrap 4 has 160,000
TOO_LARGE = "it is too large to be read"
_TYPE = "text/css"


def read_sheet(fetched: FetchedBody) -> Stylesheet:
    """Read one answer as a stylesheet."""
    css, imports, reason = _read(fetched)
    return Stylesheet(
        fetched.url,
        css,
        reason,
        imports,
        fetched_at=fetched.fetched_at,
        status=fetched.status,
        etag=validator(fetched.headers, "etag"),
        last_modified=validator(fetched.headers, "last-modified"),
        seconds=fetched.seconds,
        size=len(fetched.body),
    )


def _read(fetched: FetchedBody) -> tuple[str | None, tuple[CanonicalUrl, ...], str]:
    content_type = first_header(fetched.headers, "content-type")
    declared = declared_type(content_type)
    if declared != _TYPE:
        return None, (), f"the server says {declared or 'no type'} and not {_TYPE}"
    css = encoding.decode(fetched.body[: MAX_SHEET_BYTES + 1], content_type=content_type, markup=False).text
    if len(fetched.body) > MAX_SHEET_BYTES or not is_whole(css):
        return None, (), TOO_LARGE
    base = BaseUrl.of(fetched.url)
    imports = [same_site_sheet(name, base, base) if media in _SCREENS else None for name, media in imported_sheets(css)]
    own = tuple(dict.fromkeys(url for url in imports if url and url != fetched.url))
    if None in imports or len(own) > MAX_NAMED:
        return None, (), "it imports sheets that are not read: of other sites, for some screens, or too many"
    return reduced_sheet(css), own, ""
