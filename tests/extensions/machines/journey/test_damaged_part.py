"""A damaged partition in storage is crawled again, with its received messages; late processes are rejected."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.exchange import ForeignUrl
from crawldb.parts.mailbox import Outbox
from crawldb.parts.partition import Partition
from extensions.machines.store.outcomes import EpochOutcome, MessageFile
from extensions.machines.store.part_folders import stored_as
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.store.versions import Versions
from extensions.machines.tasks.messages import read_messages, write_messages
from extensions.machines.tasks.task import Task, TaskFailed, crawl_part
from tests.journey.conftest import Answer, Site, html
from urls.canonical import canonicalize
from urls.records import FoundBy

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO = Partition(1, 2), Partition(2, 2)
HOSTS = [f"host{number}.localhost" for number in range(20)]
HERE = next(host for host in HOSTS if ONE.owns(host))
THERE = next(host for host in HOSTS if TWO.owns(host))


def a_letter_of_the_other_part(store: SharedStore, url: str, folder: Path) -> None:
    """Let part 2 commit a term in which it wrote one letter."""
    with CrawlDatabase(folder) as database, database.transaction():
        Outbox(database, TWO).hand_over(ForeignUrl(canonicalize(url), 1, 1, FoundBy.LINK, f"http://{THERE}/", "here"))
    with CrawlDatabase(folder) as database:
        letters, last, receivers = write_messages(database, 2, 0, folder / "letters")
    term = store.terms(2).claim("somebody", 600.0)
    stored = stored_as(folder / "letters", "parts/0002/letters/000001-x")
    store.objects.put(folder / "letters", stored.name)
    sent = MessageFile(2, term.number, stored, 0, last, letters, receivers)
    term.commit(EpochOutcome(2, term.number, 1, "finished", 0, 0.0, 1, {}, sent, {}).as_json())


@pytest.mark.slow
def test_what_a_damaged_folder_had_is_fetched_again_also_what_only_a_letter_told(site: Site, tmp_path: Path) -> None:
    home, told_of = f"http://{HERE}:{site.port}/", f"http://{HERE}:{site.port}/told"
    site.pages |= {"/": html("home", "/a", f"http://{THERE}:{site.port}/x"), "/a": html("a"), "/told": html("told")}
    store = SharedStore.make(str(tmp_path / "store"), 2)
    a_letter_of_the_other_part(store, told_of, tmp_path / "two")
    assert store.begin_stage(1, {2: 1})
    words = ("-a", f"seeds={home},http://{THERE}:{site.port}/", "-s", "INDEX_FOLLOW=0")
    task = Task(store.objects.uri, 1, 1, words, Versions.here(), seconds=0, scratch=str(tmp_path / "scratch"))
    letters = [letter for file in store.message_files(0, 1) for letter in read_messages(store.objects, file)]
    first = crawl_part(task, letters)
    assert (first.counts["pages"], first.counts["waiting"], first.told) == (3, 0, ())
    assert crawl_part(task, letters) == first, "a stage that was committed is not crawled again"
    store.objects.replace(first.files["crawl.sqlite3"].name, b"something else")
    assert store.begin_stage(2, {1: first.term, 2: 1})

    def too_late(_: dict[str, str]) -> Answer:
        store.terms(1).abandon(3, "somebody lost patience")
        return html("a")

    site.pages["/a"] = too_late
    task = replace(task, stage=2, letters_from=1)
    with pytest.raises(TaskFailed, match="part 1, stage 2: term 3 was abandoned: somebody lost patience"):
        crawl_part(task, [])
    assert [name[:7] for name in store.objects.names("parts/0001/refused")] == ["000003-"], "a person can see that"
    again = crawl_part(task, [])
    assert (again.counts["pages"], again.base, again.ending) == (3, 0, "finished"), again
    assert f"what term {first.term} had stored is damaged" in again.told[0]
    asked = [path for path in site.asked() if path != "/robots.txt"]
    assert sorted(asked) == sorted(["/", "/a", "/told"] * 3)
    assert (again.letters.after, again.letters.last > first.letters.last) == (0, True), "no number comes twice"
    with pytest.raises(TaskFailed, match="part 1, stage 3: "):
        crawl_part(replace(task, stage=3, store=str(tmp_path / "nowhere")), [])
