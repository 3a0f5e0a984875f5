"""May an abandoned epoch have sent requests that no stored folder has? A later job sends none, and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extensions.machines.store.epochs import EpochSequence
from extensions.machines.store.objects import FolderObjects
from extensions.machines.tasks.task import was_abandoned

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
