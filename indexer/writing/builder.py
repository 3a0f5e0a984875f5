"""How do pages become segments? They wait in memory under their URL; when they are many, they become a segment.

The last page that was put under a URL counts. A new version of a page marks the old copy as deleted. One look-up in
each segment finds it, in the dictionary of the field `url`. The merge policy (`merging.py`) decides which segments are
merged. Nothing of this counts until a generation names it (`writer.py`).

The pages of an area that is kept apart (`segments/areas.py`) never share a segment with others.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.segments.areas import areas_in
from indexer.segments.directory import Directory
from indexer.segments.schema import URL
from indexer.segments.segment import Segment, SegmentReader
from indexer.writing.documents import document_of
from indexer.writing.inversion import Vocabulary
from indexer.writing.merging import Weight, choose_merge, merge_segments
from indexer.writing.segment_writer import write_segments
from urls.areas import area_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from urls.records import Page

MAX_WAITING_PAGES = 2_000  # then they are written
MAX_WAITING_CHARS = 12_000_000  # of text; inverted, they take about ten times as many bytes


class SegmentBuilder:
    """Makes segments of pages in the folder of a build. `changed` is True once anything has changed, until a commit.

    `share` is its part of the bounds on waiting pages, where several build at once. `apart` are the areas whose pages
    are kept apart.
    """

    apart: frozenset[str] = frozenset()

    def __init__(
        self,
        build: Path,
        segments: Iterable[Segment] = (),
        files: Mapping[str, SegmentReader] | None = None,
        *,
        share: float = 1,
    ) -> None:
        self.storage = Directory(build)
        self.share = share
        self.segments = list(segments)
        self.changed = False
        self._files = dict(files or {})
        self._waiting: dict[str, Page | None] = {}  # None: to be removed
        self._waiting_chars = 0
        self._tokens = Vocabulary()

    def put(self, page: Page) -> None:
        """Add a page, or replace the one with the same URL."""
        self._wait(page.url, dataclasses.replace(page, body=b"", links=()))  # neither is indexed
        pages, chars = len(self._waiting) / self.share, self._waiting_chars / self.share
        if pages >= MAX_WAITING_PAGES or chars >= MAX_WAITING_CHARS:
            self.flush()

    def remove(self, url: str) -> None:
        """Remove a page. A URL that is not in the index is no error."""
        self._wait(url, None)

    def _wait(self, url: str, page: Page | None) -> None:
        before = self._waiting.pop(url, None)  # the latest change of a URL also moves to the end
        self._waiting_chars += len(page.text if page else "") - len(before.text if before else "")
        self._waiting[url] = page

    def flush(self) -> None:
        """Write the waiting pages as segments."""
        self._tokens.share = self.share
        areas = dict.fromkeys(map(self._area, self._waiting))
        written = [segment for area in areas for segment in self._written(area)]
        for url in self._waiting:
            self._delete(url)
        self.segments += written
        self.changed |= bool(written)
        self._waiting.clear()
        self._waiting_chars = 0

    def _area(self, url: str) -> str:
        return area_of(url, self.apart) if self.apart else ""

    def _written(self, area: str) -> Iterator[Segment]:
        for segment in write_segments(self.storage, map(document_of, self._taken(area)), self._tokens):
            segment.area = area
            yield segment

    def _taken(self, area: str) -> Iterator[Page]:
        """Yield the waiting pages of an area, and release each from memory: a long one has 4 MB of text."""
        for url, page in self._waiting.items():
            if page is not None and self._area(url) == area:
                self._waiting[url] = None
                yield page

    def adopt_from(self, folder: Path, segments: Sequence[Segment]) -> None:
        """Move segments here from a folder. Their pages are in no other segment, and come before those of others."""
        for segment in segments:
            self.storage.move_in(folder / segment.file_name)
        self.segments[:0] = segments
        self.changed |= bool(segments)

    def _delete(self, url: str) -> None:
        for segment in self.segments:
            file = self.file(segment)
            for number in file.documents(URL, url) if file.may_have(url) else ():
                if number not in segment.deleted:
                    segment.deleted.add(number)
                    self.changed = True

    def merge(self, *, ending: bool = False) -> None:
        """Merge as the policy decides; `ending`: no more pages come."""
        while places := self._next_merge(ending=ending):
            chosen = [self.segments[place] for place in places]
            sources = [(self.file(segment), segment.deleted) for segment in chosen]
            kept = [segment for segment in self.segments if segment not in chosen]
            if any(file.count > len(deleted) for file, deleted in sources):
                merged = merge_segments(self.storage, sources)
                merged.area = chosen[0].area
                merged.merged_from = tuple((one.name, one.count - len(one.deleted)) for one in chosen)
                kept.insert(places[0], merged)  # results with equal scores keep the order of indexing
            self.segments = kept
            self.changed = True

    def _next_merge(self, *, ending: bool) -> list[int]:
        """Return the places of the segments to merge into one, ascending; empty: none."""
        by_area: dict[str, list[int]] = defaultdict(list)
        for place, segment in enumerate(self.segments):
            by_area[segment.area].append(place)
        for places in by_area.values():
            weights = [self._weight(self.segments[place]) for place in places]
            if chosen := choose_merge(weights, ending=ending):
                return sorted(places[number] for number in chosen)
        return []

    @property
    def mixes(self) -> bool:
        """Whether pages of an area that is to be apart are in other segments: they were written before."""
        return any(areas_in(self.file(segment), self.apart) != {segment.area} for segment in self.segments)

    @property
    def files(self) -> dict[str, SegmentReader]:
        """The files of the segments, by file name."""
        return {segment.file_name: self.file(segment) for segment in self.segments}

    @property
    def documents(self) -> int:
        """The number of pages in the segments."""
        return sum(segment.count - len(segment.deleted) for segment in self.segments)

    def file(self, segment: Segment) -> SegmentReader:
        """Return the open file of a segment."""
        if segment.name not in self._files:
            self._files[segment.name] = SegmentReader(self.storage.folder, segment)
        return self._files[segment.name]

    def _weight(self, segment: Segment) -> Weight:
        return Weight(segment.count, len(segment.deleted), self.file(segment).size)

    def close_others(self) -> None:
        """Close the files of segments that were merged."""
        self._files = {segment.name: self.file(segment) for segment in self.segments}

    def close(self) -> None:
        """Drop the waiting pages and close the files."""
        self._waiting.clear()
        self._files.clear()
