"""Which area of the web is a URL in? An area is the beginning of URLs, up to a folder: https://wiki.example/staff/.

An area has the URL of its folder, with or without the slash at the end, and all URLs below. Where one area is inside
another, the inner one has its pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENDS = {"", "/", "?"}  # what may follow the folder of an area in a canonical URL


def area_of(url: str, areas: Iterable[str]) -> str:
    """Return the innermost of `areas` that has a canonical URL; "" if none has it."""
    return max((area for area in areas if _has(area.rstrip("/"), url)), key=len, default="")


def _has(folder: str, url: str) -> bool:
    return url.startswith(folder) and url[len(folder) : len(folder) + 1] in _ENDS
