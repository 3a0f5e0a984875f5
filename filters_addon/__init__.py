"""How does any Scrapy project come by Breadcrumb's filters? Each is an item pipeline of its own.

    ITEM_PIPELINES = {
        "filters_addon.WellKnownFiles": 100,
        "filters_addon.Admission": 200,
        "filters_addon.Fingerprint": 300,
        "filters_addon.NearDuplicates": 400,
        "filters_addon.SoftNotFound": 500,
        "filters_addon.Spoofing": 600,
    }

Take those that you want, in this order: it is that of the engine (`pipelines/filters.py`), and both call the same
functions. An item may be anything that itemadapter understands, with these fields:

| field | meaning |
|---|---|
| `url` | the URL of the page; needed |
| `body` or `html` | the page as bytes or text; else `text`, with `title`, is taken as it is |
| `headers` | of the response: a dict, Scrapy's `response.headers`, or pairs; without a Content-Type it is HTML |
| `status` | of the response; 200 where it is missing |

An item without `url` or without content is no page and passes, and so does a PDF or an office file without `text`. A
filter rejects an item with `Rejected`, a `DropItem`: its message has URL, rule and reason. Stats, by the filter's name:
`filters/Fingerprint/passed`, `filters/Fingerprint/duplicate` (for each rule) and `filters/Fingerprint/no_page`.

`Spoofing` is a filter of the extension `spoofing` (extensions/spoofing/item_pipeline.py). Where that folder is deleted,
`filters_addon` has no class `Spoofing`, and the other filters work as before.

The filters know the pages of one run. `RepeatedLines` of the engine has no such pipeline: it rejects
nothing, and needs the pages of a site before it can judge the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from filters_addon.filters import (
    Admission,
    Fingerprint,
    NearDuplicates,
    Rejected,
    SoftNotFound,
    WellKnownFiles,
)

if TYPE_CHECKING:
    from filters_addon.filters import Filter

__all__ = ["Admission", "Fingerprint", "NearDuplicates", "Rejected", "SoftNotFound", "WellKnownFiles"]


def __getattr__(name: str) -> type[Filter]:
    """Return the filter of an extension, which is imported only when a project names it."""
    if name != "Spoofing":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from extensions.spoofing.item_pipeline import Spoofing  # noqa: PLC0415 - the others do without the extension
    except ModuleNotFoundError as error:
        raise AttributeError(f"filters_addon.Spoofing needs the extension spoofing: {error}") from error
    return Spoofing
