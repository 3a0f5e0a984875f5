"""Which robots.txt files does a crawl have to be studied? Each version that it keeps, fetched or imported."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from zstandard import ZstdError

from crawldb.tables.robots_files import answers_by_status
from crawldb.tables.robots_versions import body_of, stored_versions
from extensions.robots_files.study.study import study_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.parts.parts import Parts
    from crawldb.tables.robots_versions import RobotsVersion
    from extensions.robots_files.study.study import RobotsStudy


def stored_study(parts: Parts, most: int | None = None) -> RobotsStudy:
    """Study the files of all parts of a crawl; at most so many versions are read, where `most` says so.

    A part that can't be asked is told. Raises DatabaseError where none can.
    """
    answers, faults = parts.ask(answers_by_status)
    databases = [parts.of(part) for part in parts.parts if str(part) in answers]
    together: Counter[str] = Counter()
    for each in answers.values():
        together.update(each)
    study = study_of(_versions(databases, most), dict(together.most_common()))
    return replace(study, faults=faults)


def _versions(databases: Iterable[CrawlDatabase], most: int | None) -> Iterator[tuple[RobotsVersion, bytes | None]]:
    pairs = ((database, version) for database in databases for version in stored_versions(database, all_versions=True))
    for database, version in islice(pairs, most):
        yield version, _body(database, version)
    for _, version in pairs:
        yield version, None


def _body(database: CrawlDatabase, version: RobotsVersion) -> bytes | None:
    try:
        return body_of(database, version)
    except ZstdError:
        return None  # one damaged file does not end the study of the others; it is told as left out
