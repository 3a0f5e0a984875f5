"""In which form is a page's content kept? JSON in zstd, and of a page that said noindex none of its words.

What only belongs to the record of a page stands in this JSON: a field more needs no migration, and a record that an
earlier Breadcrumb wrote is read with the field's default.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import datetime
from operator import attrgetter
from typing import Any

from crawldb.database import zstd_unpacked
from crawldb.pages.bodies import is_withheld
from robots import PageControls, Wish
from urls.records import Page, Refusal
from urls.rules import Rule
from urls.signals import NO_DISGUISE, Signal, SignalName

# Fields of `Page` that are texts and numbers, those that are tuples of texts, and of pairs.
PLAIN = (
    "text", "snippet_text", "template_text", "layout", "canonical", "encoding_reason", "site_name", "published",
    "published_by", "modified", "modified_by",
)  # fmt: skip
LISTS = ("headings", "keywords", "breadcrumbs", "pictures", "data_types")
PAIRS = ("alternates", "languages", "withheld")
_OF_CONTROLS = tuple(field.name for field in fields(PageControls))
_controls = attrgetter(*_OF_CONTROLS)
# What a page says, which its owner may want to be withheld.
_SILENCE: dict[str, Any] = {
    **dict.fromkeys(("text", "template_text", "layout", "description"), ""),
    **dict.fromkeys((*LISTS, "withheld", "signals", "added_fields"), ()),
    "snippet_text": None,
    "disguise": NO_DISGUISE,
}


def as_kept(page: Page) -> Page:
    """Return `page` with what may be kept of it: of one that said noindex, or has expired, none of its words."""
    if not is_withheld(page):
        return page
    return replace(page, **_SILENCE)


def pack_refusals(page: Page) -> str:
    """Return the refusals of a page as JSON."""
    return json.dumps([(refusal.rule, refusal.reason) for refusal in page.refusals], ensure_ascii=False)


def read_refusals(text: str) -> tuple[Refusal, ...]:
    """Read what `pack_refusals` wrote."""
    return tuple(Refusal(Rule(rule), reason) for rule, reason in json.loads(text))


def content_of(page: Page) -> bytes:
    """Return those fields of a page that have no column of their own."""
    content = {name: getattr(page, name) for name in (*PLAIN, *LISTS, *PAIRS)} | {
        "controls": dict(zip(_OF_CONTROLS, _controls(page.controls), strict=True))
    }
    if page.added_fields:
        content["added_fields"] = page.added_fields
    content["signals"] = [(each.name, each.value, each.evidence) for each in page.signals]
    return json.dumps(content, ensure_ascii=False, default=datetime.isoformat).encode()


def read_content(data: bytes) -> dict[str, Any]:
    """Return the fields of a `Page` that `content_of` wrote; one that an older record lacks is left out."""
    inner = json.loads(zstd_unpacked(data))
    controls = inner["controls"]
    controls["wishes"] = tuple(Wish(*wish) for wish in controls["wishes"])
    if controls["expires"]:
        controls["expires"] = datetime.fromisoformat(controls["expires"])
    fields = {name: inner[name] for name in PLAIN if name in inner}
    lists = {name: tuple(inner[name]) for name in LISTS if name in inner}
    pairs = {name: tuple(map(tuple, inner[name])) for name in PAIRS if name in inner}
    signals = tuple(Signal(SignalName(name), *rest) for name, *rest in inner.get("signals", ()))
    added = tuple((name, tuple(values)) for name, values in inner.get("added_fields", ()))
    return (
        fields
        | lists
        | pairs
        | {
            "controls": PageControls(**controls),
            "signals": signals,
            "added_fields": added,
        }
    )
