"""May an abandoned epoch have sent requests that no stored folder has? A later job sends none, and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition, heirs_of
from extensions.machines.store.epochs import EpochSequence
from extensions.machines.store.objects import FolderObjects
from extensions.machines.tasks.task import bring_into_division, was_abandoned
from indexer import open_index
from tests.extensions.machines.jobs.divided import SEEDS, a_web, crawl
from urls.canonical import site_of

if TYPE_CHECKING:
    from pathlib import Path


def terms_that_ended(folder: Path, *ends: dict[str, Any] | None) -> EpochSequence:
    """Terms, each with what it committed; None: it was abandoned."""
    terms = EpochSequence(FolderObjects(folder), "terms")
    for end in ends:
        term = terms.claim("one machine", 1.0)
        if end is None:
            term.give_up("it was killed")
        else:
            term.commit(end)
    return terms


CRAWL, JOB, NEXT_CRAWL = {"base": 0, "stage": 1}, {"base": 1, "stage": 1}, {"base": 1, "stage": 2}


def test_a_crawl_after_an_abandoned_one_takes_care_and_the_one_after_it_need_not(tmp_path: Path) -> None:
    terms = terms_that_ended(tmp_path, CRAWL, None, NEXT_CRAWL)
    assert [was_abandoned(terms, newest) for newest in (0, 1, 2, 3)] == [False, False, True, False]


def test_a_job_in_between_is_looked_through(tmp_path: Path) -> None:
    terms = terms_that_ended(tmp_path, CRAWL, None, JOB, {"base": 3, "stage": 1})
    assert [was_abandoned(terms, newest) for newest in (3, 4)] == [True, True]


def test_a_part_that_was_split_off_from_an_abandoned_one_is_no_better_known(tmp_path: Path) -> None:
    terms = terms_that_ended(tmp_path, None, CRAWL, {"base": 2, "stage": 2})
    assert [was_abandoned(terms, newest) for newest in (2, 3)] == [True, False]


def test_a_part_of_a_split_that_gets_no_page_has_an_empty_index(tmp_path: Path) -> None:
    """The index of the part that was split has followed changes of which the new part has none."""
    old = Partition(1, 2)
    crawl(tmp_path, [old], a_web(pages=1))
    new = next(
        part
        for number in heirs_of(1, 1, (2, 40))
        if not any(map((part := Partition(number, 40, (2,))).owns, map(site_of, SEEDS)))
    )
    folder = folder_of(tmp_path, old)
    assert open_index(folder).documents > 0
    assert bring_into_division(folder, new)
    assert open_index(folder).documents == 0
