"""Which arguments does a crawl take with -a? Where it begins, how far it goes, and which part of a whole it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.databases import Partition, partition_of
from extension_points import called
from spiders.seeds import RootSet, read_root_set
from spiders.setting_values import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class SpiderArguments:
    """The spider's arguments as they were given, each as `-a NAME=VALUE`; empty, or None: not given."""

    seeds: str = ""
    pages: str = ""
    each: str = ""
    mode: str = ""
    part: str = ""
    added: Mapping[str, str] = field(default_factory=dict)  # those of extensions, by name

    @classmethod
    def of(cls, given: Mapping[str, str]) -> SpiderArguments:
        """Return the arguments by their names. Raises TypeError for a name that is none."""
        names = given.keys() & {argument.name for argument in called("spider_arguments")}
        ours = {name: value for name, value in given.items() if name not in names}
        return cls(**ours, added={name: given[name] for name in names})

    def root_set(self) -> RootSet:
        """Read the seeds; raise `SeedError` for what can't be used."""
        return read_root_set(self.seeds) if self.seeds else RootSet()

    def trial_sizes(self) -> tuple[int, int]:
        """Return `pages` and `each` as numbers, 0 where they are not given."""
        for name, count in (("pages", self.pages), ("each", self.each)):
            if count and not (count.isascii() and count.isdecimal() and int(count)):
                raise SettingError(f"{name}={count!r} is no number of pages: give one from 1 up, or leave it out")
        return int(self.pages or 0), int(self.each or 0)

    def partition(self) -> Partition:
        """Return which part of a divided crawl this process is."""
        try:
            return partition_of(self.part or "1/1")
        except ValueError as error:
            raise SettingError(str(error)) from None
