"""Do driver and executors fit together? Only with the same code and the same Python."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Self

from crawldb.code_digest import code_digest
from crawldb.database import newest_schema

ROOMS = (
    "commands",
    "crawldb",
    "extension_points",
    "extensions",
    "frontier",
    "indexer",
    "pages",
    "pipelines",
    "reports",
    "robots",
    "spiders",
    "urls",
)


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions that must match: a digest of Breadcrumb's files, Python's `3.11`, the crawl database's schema."""

    breadcrumb: str
    python: str
    schema: int

    @classmethod
    def here(cls) -> Self:
        """Return the versions of this process."""
        return cls(code_digest(ROOMS), ".".join(platform.python_version_tuple()[:2]), newest_schema())

    def difference(self, other: Versions, whose: str) -> str:
        """Return why the `other` versions don't fit, and what would; "" if they do. `whose` names their process."""
        if other.python != self.python:
            sentence = f"{whose} has Python {other.python}, and here it is {self.python}"
            return f"{sentence}: let both have the same (--conf spark.pyspark.python=PATH names it)"
        if other.breadcrumb != self.breadcrumb:
            return (
                f"{whose} has another version of Breadcrumb (its code is {other.breadcrumb}, and here it is "
                f"{self.breadcrumb}): bring both to the same commit"
            )
        return ""
