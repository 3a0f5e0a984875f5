"""Near copies in different parts become one result, by the rule of one crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cluster.jobs.copies import Centre, JoinedClusters, join_copies, joined_numbers
from cluster.jobs.places import PartsInFolder
from commands.crawling.cluster_jobs import do_job
from commands.frame.command_settings import CommandSettings
from crawldb.parts.partition import WHOLE
from crawldb.parts.parts import Parts
from indexer import open_index
from reports.why import account, dossier
from tests.cluster.jobs.divided import HOSTS, PARTS, a_web, crawl

if TYPE_CHECKING:
    from pathlib import Path

LONG = " ".join(f"sentence {number} of a story about an old mill and its miller," for number in range(60))
PAGES = [f"http://{host}/{number}" for number, host in enumerate(HOSTS[:5])]
CENTRE = bytes(range(128))


def test_clusters_of_parts_are_one_where_their_centres_are_near() -> None:
    far, near = bytes(200 for _ in range(128)), bytes((*range(100), *(250,) * 28))
    centres = [
        Centre(1, 7, CENTRE, "http://a/"), Centre(2, 7, near, "http://b/"), Centre(3, 1, far, "http://c/"),
        Centre(3, 2, CENTRE, "http://d/"),
    ]  # fmt: skip
    numbers = joined_numbers(centres)
    assert set(numbers) == {(1, 7), (2, 7), (3, 2)}
    assert len(set(numbers.values())) == 1
    assert numbers == joined_numbers(reversed(centres)), "in whatever order they come"
    assert joined_numbers(centres[:1] + centres[2:3]) == {}
    assert joined_numbers([centres[0], Centre(1, 8, CENTRE, "http://e/")]) == {}, "one part's are its own affair"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folders of a crawl with near copies on five hosts, as one and in three parts."""
    texts = {url: f"{LONG} This one stands at number {number}." for number, url in enumerate(PAGES)}
    folders = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("divided")
    for folder, parts in zip(folders, ((WHOLE,), PARTS), strict=True):
        crawl(folder, parts, a_web(), texts)
    return folders


def written(data_dir: Path) -> list[tuple[Path, int]]:
    files = [*data_dir.rglob("crawl.sqlite3"), *data_dir.rglob("current.json")]
    return [(path, path.stat().st_mtime_ns) for path in sorted(files)]


def test_a_search_shows_one_of_them_all_as_in_one_crawl(crawled: tuple[Path, Path]) -> None:
    whole, divided = crawled
    expected = open_index(whole).search("miller", limit=20)
    assert (len(expected.hits), expected.folded) == (1, 4)
    assert len({PARTS[0].owner(url.split("/")[2]) for url in PAGES}) > 1
    assert len(open_index(divided).search("miller", limit=20).hits) > 1, "before, each part shows one"
    told = join_copies(PartsInFolder(divided))
    assert told == JoinedClusters(len({PARTS[0].owner(url.split("/")[2]) for url in PAGES}), 1)
    found = open_index(divided).search("miller", limit=20)
    assert (len(found.hits), found.folded, found.total) == (1, 4, expected.total)
    with Parts.in_folder(divided) as known:
        facts = dossier(known.home(PAGES[0]), PAGES[0], everywhere=known.readable())
    own = PARTS[0].owner(HOSTS[0])
    owners = {PARTS[0].owner(url.split("/")[2]) for url in PAGES}
    assert {PARTS[0].owner(url.split("/")[2]) for url in facts.similar_elsewhere} == owners - {own}
    assert set(facts.similar_elsewhere) < set(PAGES)
    assert any("In other parts" in row.text and facts.similar_elsewhere[0] in row.text for row in account(facts))
    before = written(divided)
    assert join_copies(PartsInFolder(divided)) == told
    assert written(divided) == before, "nothing is new"
    groups = f"{told.joined} groups of pages say nearly the same as one in another part; joined, they are 1 group"
    assert do_job("copies", PartsInFolder(divided), CommandSettings()) == f"near copies: {groups}"


def test_that_there_are_none_in_other_parts_is_told_in_words(tmp_path: Path) -> None:
    texts = {url: f"Page {number} " + f"says {number} things about {number}. " * 60 for number, url in enumerate(PAGES)}
    crawl(tmp_path, PARTS, a_web(), texts)
    told = do_job("copies", PartsInFolder(tmp_path), CommandSettings(["NEAR_DUPLICATE_THRESHOLD=1"]))
    assert told == "near copies: no page says nearly the same as one in another part"
