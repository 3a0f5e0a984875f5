"""What may a private page say of others? Nothing: only its links within its own area are followed.

Else the text of such a link would be a word of a public page, and its URL would be known through the private page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extensions.logins.tables import marked_areas
from pipelines.filters import PageFilter
from urls.areas import area_of
from urls.canonical import canonical_or_none
from urls.records import revised

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from pipelines.filters import FilterSettings
    from urls.records import Page


class LinksWithinArea(PageFilter):
    """Removes from a private page what leads out of its area: links, canonical URL, refresh and translations."""

    def __init__(self, database: CrawlDatabase, criteria: FilterSettings) -> None:
        super().__init__(database, criteria)
        self._areas = marked_areas(database)

    def apply(self, page: Page) -> Page:
        """Return the page with the links that stay in its area; a public page as it is."""
        area = area_of(page.url, self._areas)
        if not area:
            return page

        def stays(url: str | None) -> bool:
            target = canonical_or_none(url) if url else None
            return target is not None and area_of(target, self._areas) == area

        return revised(
            page,
            links=tuple(link for link in page.links if stays(link.url)),
            canonical=page.canonical if stays(page.canonical) else None,
            refresh=page.refresh if page.refresh and stays(page.refresh[1]) else None,
            alternates=tuple(pair for pair in page.alternates if stays(pair[1])),
        )
