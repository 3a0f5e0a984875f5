"""What does a page tell machines about itself? JSON-LD, as schema.org defines its words, read within bounds.

A block is looked for only where the markup holds `ld+json`, and taken from the text before any parser: what stands in
comments is none. It is read by Python's JSON reader and then walked with a stack of its own, so that neither depth nor
size can hurt. Of the many things that a block may describe (comments, other articles, videos) only those that are the
page count: what is told of a part or of another page is not followed.
"""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pages.fields.dates import Said
from urls.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BLOCKS = 20  # of JSON-LD a page; real pages have one to five
MAX_BLOCK_CHARS = 256 * 1024  # of all blocks of a page together; real ones have under 20 kB
MAX_ITEMS = 2000  # objects of a page that are looked at
MAX_TYPES = 10  # kinds of things that are told
MAX_CRUMBS = 20  # steps of a trail; real ones have two to six
MAX_CRUMB_CHARS = 100
MAX_NAME_CHARS = 200  # of a headline or the name of a site

_BLOCK = re.compile(
    r"<!--(?:-?>|.*?(?:-->|\Z))"
    r"|<script(?=[\s/>])(?P<attributes>(?:[^\"'>]|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+)>(?P<json>.*?)(?:</script|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_IS_JSON_LD = re.compile(r"""type\s*+=\s*+["']?\s*+application/ld\+json""", re.IGNORECASE)
# What these name is another thing than the page.
_OTHERS = frozenset(
    [
        "author",
        "comment",
        "comments",
        "review",
        "reviews",
        "itemlistelement",
        "haspart",
        "ispartof",
        "mentions",
        "citation",
        "isbasedon",
        "video",
        "image",
        "associatedmedia",
        "subjectof",
        "relatedlink",
        "logo",
        "potentialaction",
        "suggestedanswer",
        "acceptedanswer",
        "offers",
        "about",
    ]
)
_SITES = frozenset({"WebSite"})


@dataclass(frozen=True, slots=True)
class StructuredData:
    """What the JSON-LD of a page says. `types` are those of its things, such as Article; `warnings` a sentence each."""

    types: tuple[str, ...] = ()
    headline: str = ""
    site_name: str = ""
    published: tuple[Said, ...] = ()
    modified: tuple[Said, ...] = ()
    breadcrumbs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


NOTHING = StructuredData()


def read_structured_data(markup: str) -> StructuredData:
    """Read the JSON-LD of a document as it came."""
    if "ld+json" not in markup:
        return NOTHING
    blocks, warnings = _blocks(markup)
    return _told([item for block in blocks for item in _items(block)][:MAX_ITEMS], tuple(warnings))


def _blocks(markup: str) -> tuple[list[object], list[str]]:
    found: list[object] = []
    broken = cut = 0
    left = MAX_BLOCK_CHARS
    for script in _BLOCK.finditer(markup):
        if script["json"] is None or not _IS_JSON_LD.search(script["attributes"]):
            continue
        left -= len(script["json"])
        if left < 0 or len(found) + broken >= MAX_BLOCKS:
            cut += 1
            break
        try:
            found.append(json.loads(script["json"], strict=False))  # line breaks in strings are common
        except (ValueError, RecursionError):
            broken += 1
    warnings = [f"{counted(broken, 'block')} of JSON-LD can't be read: left aside"] if broken else []
    if cut:
        bound = f"{MAX_BLOCKS} blocks or {MAX_BLOCK_CHARS} characters"
        warnings.append(f"its JSON-LD has more than {bound}: the rest was left aside")
    return found, warnings


def _items(block: object) -> Iterator[dict[str, object]]:
    """Yield the objects that may be the page or its site, those above before those within."""
    waiting: deque[object] = deque([block])
    for _ in range(MAX_ITEMS):
        if not waiting:
            return
        value = waiting.popleft()
        if isinstance(value, list):
            waiting += value[:MAX_ITEMS]
        elif isinstance(value, dict):
            yield value
            waiting += [inner for name, inner in value.items() if name.lower() not in _OTHERS and _may_hold(inner)]


def _may_hold(value: object) -> bool:
    return isinstance(value, (dict, list))


def _told(items: list[dict[str, object]], warnings: tuple[str, ...]) -> StructuredData:
    types = tuple(dict.fromkeys(kind for item in items for kind in _types(item)))
    pages = [item for item in items if not _SITES.intersection(_types(item))]
    trails = [_trail(item) for item in items if "BreadcrumbList" in _types(item)]
    return StructuredData(
        types=types[:MAX_TYPES],
        headline=next(filter(None, (_text(item.get("headline")) for item in pages)), ""),
        site_name=next(filter(None, (_text(item.get("name")) for item in items if item not in pages)), ""),
        published=_dates(pages, "datePublished") + _dates(pages, "dateCreated") + _dates(pages, "uploadDate"),
        modified=_dates(pages, "dateModified"),
        breadcrumbs=next(filter(None, trails), ()),
        warnings=warnings,
    )


def _dates(items: list[dict[str, object]], name: str) -> tuple[Said, ...]:
    texts = (item.get(name) for item in items)
    return tuple(Said(text, f"JSON-LD {name}") for text in texts if isinstance(text, str))[:MAX_TYPES]


def _types(item: dict[str, object]) -> tuple[str, ...]:
    kind = item.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return tuple(word.rpartition("/")[2][:50] for word in kinds[:MAX_TYPES] if isinstance(word, str))


def _trail(item: dict[str, object]) -> tuple[str, ...]:
    """Return the names of a BreadcrumbList in the order of their positions."""
    steps = item.get("itemListElement")
    steps = steps if isinstance(steps, list) else [steps]
    named: list[tuple[float, str]] = []
    for place, step in enumerate(steps[:MAX_CRUMBS]):
        if not isinstance(step, dict):
            continue
        inner = step.get("item")
        name = _text(step.get("name")) or (_text(inner.get("name")) if isinstance(inner, dict) else "")
        position = step.get("position")
        number = str(position)
        at = float(number) if number.isascii() and number.isdigit() and len(number) < MAX_CRUMBS else float(place)
        if name:
            named.append((at, name[:MAX_CRUMB_CHARS]))
    return tuple(name for _, name in sorted(named, key=lambda step: step[0]))


def _text(value: object) -> str:
    """Return a text on one line; JSON-LD may wrap it into an object with its language, or a list."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("@value")
    return " ".join(value[:MAX_NAME_CHARS].split()) if isinstance(value, str) else ""
