"""Which pages are kept? Three item pipelines drop the others. Scrapy counts them by the exception.

They are as tutorials write them. The filters of the engine are item pipelines, too: `filters_addon/`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from datasketch import MinHash, MinHashLSH
from scrapy.exceptions import DropItem

if TYPE_CHECKING:
    from textbook.spider import Page

PERMUTATIONS = 128  # hash functions of a MinHash: the estimate errs by about 1/sqrt(128) = 0.09
SHINGLE_WORDS = 3
THRESHOLD = 0.9  # Jaccard similarity from which on two pages count as copies


class NoIndex(DropItem):
    """The page asks not to be indexed."""


class SameText(DropItem):
    """The text of the page is known already."""


class NearDuplicate(DropItem):
    """The text of the page is nearly that of another."""


class PageControls:
    """Drops a page that says noindex, in a meta element or in X-Robots-Tag."""

    def process_item(self, page: Page) -> Page:
        """Return the page, or raise NoIndex."""
        if not page.controls.index:
            raise NoIndex(f"{page.url}: noindex", log_level="INFO")
        return page


class Fingerprint:
    """Drops a page whose text is, letter for letter, that of an earlier one."""

    def __init__(self) -> None:
        self.url_of: dict[str, str] = {}

    def process_item(self, page: Page) -> Page:
        """Return the page, or raise SameText with the URL of the earlier one."""
        digest = hashlib.sha256(page.text.encode()).hexdigest()
        earlier = self.url_of.setdefault(digest, page.url)
        if earlier != page.url:
            raise SameText(f"{page.url}: same text as {earlier}", log_level="INFO")
        return page


class NearDuplicates:
    """Drops a page that shares nearly all of its word triples with an earlier one."""

    def __init__(self) -> None:
        self.known = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)

    def process_item(self, page: Page) -> Page:
        """Return the page, or raise NearDuplicate with the URL of the earlier one."""
        words = page.text.lower().split()
        sketch = MinHash(num_perm=PERMUTATIONS)
        for start in range(len(words) - SHINGLE_WORDS + 1):
            sketch.update(" ".join(words[start : start + SHINGLE_WORDS]).encode())
        if similar := self.known.query(sketch):
            raise NearDuplicate(f"{page.url}: near duplicate of {similar[0]}", log_level="INFO")
        self.known.insert(page.url, sketch)
        return page
