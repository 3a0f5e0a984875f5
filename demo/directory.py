"""Where does a person begin? At a page that lists every site of the town, with what each of them shows."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from demo.answer import Answer
from demo.truth import SITES, SiteTruth, load

if TYPE_CHECKING:
    from pathlib import Path

PAGE: Path = SITES / "directory.html"
_CARD = """<li style="--hue: {hue}" lang="{lang}">
<h2><a href="http://{name}.localhost:8400/">{title}</a></h2>
<p lang="en">{shows}</p>
<p class="ways" lang="en"><code>{name}.localhost:8400</code> <a href="/~{name}/">reading copy</a></p>
</li>"""
_HUES = 360  # degrees


def directory(names: tuple[str, ...]) -> Answer:
    """Return the page at `http://127.0.0.1:8400/`: the sites `names`, those off the list last."""
    sites = sorted((site for site in load().sites if site.name in names), key=lambda site: not site.listed)
    cards = "\n".join(_card(place, len(sites), site) for place, site in enumerate(sites))
    return Answer(200, PAGE.read_text("utf-8").replace("{sites}", cards).encode(), modified=PAGE.stat().st_mtime)


def _card(place: int, count: int, site: SiteTruth) -> str:
    return _CARD.format(
        name=site.name,
        title=escape(site.title),
        shows=escape(site.shows),
        lang=escape(site.lang),
        hue=round(place * _HUES / count),
    )
