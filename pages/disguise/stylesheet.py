"""What does a stylesheet say about what a reader sees? Its rules, as far as they set whether and how text shows.

The grammar is CSS Syntax Level 3 in so far as rules, selectors and declarations are told apart; what cannot be read is
skipped, as browsers do. A rule in an at-rule that asks for a screen or for nothing holds always. One that asks for
paper, a width or a preference may hold or not: it is `conditional`. The work is bounded by the length of a sheet, the
number of its rules and the depth of their blocks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SHEET_CHARS = 200_000  # of all sheets of a page: Bootstrap has 160,000
MAX_RULES = 5_000  # of all sheets of a page, one for each selector
MAX_BLOCKS = 8  # inside each other
MAX_SELECTOR_CHARS = 200
PROPERTIES = frozenset(
    (
        "display", "visibility", "opacity", "position", "left", "top", "right", "bottom", "text-indent", "margin",
        "margin-left", "margin-top", "transform", "clip", "clip-path", "height", "max-height", "width", "max-width",
        "overflow", "overflow-x", "overflow-y", "font-size", "font", "color", "background", "background-color",
        "background-image", "background-clip", "-webkit-background-clip", "-webkit-text-fill-color", "text-shadow",
        "animation", "animation-name", "padding", "padding-top", "padding-bottom",
    )
)  # fmt: skip
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BLOCK = re.compile(r"[{};]")
_BRACKET = re.compile(r"[{}]")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_ALWAYS = re.compile(
    r"@(?:media\s*(?:only\s+)?(?:all|screen)?|supports\b.*|layer\b.*|scope\b.*|document\b.*)\s*", re.DOTALL
)
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
    for selectors, body, conditional in _blocks(_plain(css)):
        set_to = tuple(declared_styles(body))
        if not set_to:
            continue
        for selector in _apart(selectors):
            if len(rules) >= MAX_RULES:
                return rules
            if selector and len(selector) <= MAX_SELECTOR_CHARS:
                rules.append(StyleRule(selector, set_to, conditional))
    return rules


def condensed(css: str) -> str:
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
    return _QUOTED.sub(lambda quoted: '""' if _BLOCK.search(quoted[0]) else quoted[0], _COMMENT.sub(" ", css))


def _blocks(css: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the selectors and the declarations of each rule, and whether it holds only at times.

    Rules inside a rule are skipped: few sheets nest, and a browser that doesn't know it skips them too.
    """
    within: list[bool] = []  # for each open at-rule: whether its rules hold only at times
    place = 0
    while mark := _BLOCK.search(css, place):
        text, place = css[place : mark.start()].strip(), mark.end()
        if mark[0] == "}":
            within = within[:-1]
        elif mark[0] == "{" and text.startswith("@"):
            if _GROUPING.match(text.lower()) and len(within) < MAX_BLOCKS:
                within.append(any(within) or _ALWAYS.fullmatch(text.lower()) is None)
            else:
                place = _end_of_block(css, place)
        elif mark[0] == "{":
            end = _end_of_block(css, place)
            body = css[place : end - 1]
            yield text, body.partition("{")[0].rpartition(";")[0] if "{" in body else body, any(within)
            place = end


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
