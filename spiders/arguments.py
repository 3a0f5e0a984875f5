"""What is a crawl told with -a? Where it begins, how far it goes, which part of a whole it is, what it looks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.databases import Partition, partition_of
from spiders.seeds import RootSet, read_root_set
from spiders.setting_values import SettingError

if TYPE_CHECKING:
    from spiders.topic import TopicReader


@dataclass(frozen=True, slots=True)
class SpiderArguments:
    """The spider's arguments as they were given, each as `-a NAME=VALUE`; empty, or None: not given."""

    seeds: str = ""
    pages: str = ""
    each: str = ""
    mode: str = ""
    part: str = ""
    topic: str | None = None

    def root_set(self) -> RootSet:
        """Read the seeds; raise `SeedError` for what can't be used."""
        return read_root_set(self.seeds) if self.seeds else RootSet()

    def trial_sizes(self) -> tuple[int, int]:
        """Return `pages` and `each` as numbers, 0 where they are not given."""
        for name, count in (("pages", self.pages), ("each", self.each)):
            if count and not (count.isascii() and count.isdecimal() and int(count)):
                raise SettingError(f"{name}={count!r} is no number of pages: give one from 1 up, or leave it out")
        return int(self.pages or 0), int(self.each or 0)

    def topic_reader(self) -> TopicReader | None:
        """Return what finds the terms of the topic; None without one. Raises `TopicError` where it can't be used."""
        if self.topic is None:
            return None
        from spiders.topic import TopicReader, read_topic  # stemmers, and 0.03 s: few crawls have a topic

        return TopicReader(read_topic(self.topic))

    def partition(self) -> Partition:
        """Return which part of a divided crawl this process is."""
        try:
            return partition_of(self.part or "1/1")
        except ValueError as error:
            raise SettingError(str(error)) from None
