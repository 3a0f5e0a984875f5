"""Near copies in different parts become one result, by the rule of one crawl."""

from __future__ import annotations

import random
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from commands.frame.command_settings import CommandSettings
from crawldb.databases import Parts
from crawldb.neighbours import band_keys
from crawldb.parts.division import folder_of
from crawldb.parts.partition import WHOLE
from extensions.machines.cluster_jobs import do_job
from extensions.machines.jobs import copies
from extensions.machines.jobs.copies import (
    MAX_SHARING,
    JoinedClusters,
    centres_in,
    join_copies,
    joined_numbers,
    number_of,
    put_numbers,
    signatures_of,
)
from extensions.machines.jobs.each_part import PartsFailed
from extensions.machines.tables import Centre
from extensions.machines.tasks.places import PartsInFolder
from indexer import open_index
from pages.content.similarity import ORDERS, THRESHOLD, banding, similarity
from reports.why import url_record, why_rows
from tests.extensions.machines.jobs.divided import HOSTS, PARTS, a_web, crawl
from tests.extensions.machines.standalone import needs_spark

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.machines.engines.spark import SparkTasks

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
        facts = url_record(known.home(PAGES[0]), PAGES[0], everywhere=known.readable())
    own = PARTS[0].owner(HOSTS[0])
    owners = {PARTS[0].owner(url.split("/")[2]) for url in PAGES}
    assert {PARTS[0].owner(url.split("/")[2]) for url in facts.similar_elsewhere} == owners - {own}
    assert set(facts.similar_elsewhere) < set(PAGES)
    assert any(
        f"Near copies in other parts of the crawl: {facts.similar_elsewhere[0]}" in row.text for row in why_rows(facts)
    )
    before = written(divided)
    assert join_copies(PartsInFolder(divided)) == told
    assert written(divided) == before, "nothing is new"
    groups = f"{told.joined} groups of pages have a near copy in another part; joined, they are 1 group"
    assert do_job("copies", PartsInFolder(divided), CommandSettings()) == f"near copies: {groups}"


def many_centres(seed: int) -> list[Centre]:
    """Centres of three parts: chains of likenesses, a band that many share, strangers, and some that are not shown."""
    chance = random.Random(seed)
    signatures = [chance.randbytes(ORDERS) for _ in range(12)]
    template = chance.randbytes(banding()[1])
    while len(signatures) < 240:
        old = chance.choice(signatures)
        others = set(chance.sample(range(ORDERS), chance.choice([0, 10, 40, 60, 70])))
        signatures.append(bytes(byte ^ 1 if place in others else byte for place, byte in enumerate(old)))
        if chance.random() < 0.5:
            signatures[-1] = template + signatures[-1][len(template) :]
    return [
        Centre(chance.randint(1, 3), number, each, f"http://{number}/", None, chance.random() < 0.9)
        for number, each in enumerate(signatures, 1)
    ]


@pytest.mark.parametrize("sharing", [MAX_SHARING, 5])
def test_a_joined_cluster_has_one_head_that_all_of_it_are_near(sharing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "MAX_SHARING", sharing)
    centres = {centre[:2]: centre for centre in many_centres(1)}
    groups: dict[int, list[Centre]] = {}
    for each, number in sorted(joined_numbers(centres.values()).items()):
        groups.setdefault(number, []).append(centres[each])
    assert len(groups) > 10
    for number, (head, *others) in groups.items():
        assert number == number_of(head.canonical), "the first of them"
        assert len({each.part for each in (head, *others)}) > 1
        assert all(similarity(head.signature, each.signature) >= THRESHOLD and each.shown for each in others)


@pytest.mark.long
@needs_spark
def test_spark_joins_as_one_process_does(crawled: tuple[Path, Path], spark_here: SparkTasks, tmp_path: Path) -> None:
    from extensions.machines.jobs import spark_copies  # noqa: PLC0415 - pyspark is an extra
    from extensions.machines.jobs.spark_parts import PART_BITS  # noqa: PLC0415

    spark, centres = spark_here.session(), many_centres(1)
    keys = band_keys(signatures_of(centres), *banding()).tolist()
    rows = [
        ((each.part << PART_BITS) + each.cluster, each.signature, each.canonical, None, each.shown, bands)
        for each, bands in zip(centres, keys, strict=True)
    ]
    numbers = spark_copies.numbers_of(spark.createDataFrame(rows, spark_copies.CENTRES), THRESHOLD).collect()
    found = {(row.centre >> PART_BITS, row.centre & 0xFFFFFFFFFF): row.number for row in numbers}
    assert found == joined_numbers(centres)

    for name in ("here", "spark"):
        copytree(crawled[1], tmp_path / name)
        for part in PARTS:
            put_numbers(folder_of(tmp_path / name, part), {})
    place = PartsInFolder(tmp_path / "spark")
    assert spark_copies.join_copies_on_spark(spark, place) == join_copies(PartsInFolder(tmp_path / "here"))
    assert [centres_in(folder_of(tmp_path / "spark", part)) for part in PARTS] == [
        centres_in(folder_of(tmp_path / "here", part)) for part in PARTS
    ]
    before = written(tmp_path / "spark")
    spark_copies.join_copies_on_spark(spark, place)
    assert written(tmp_path / "spark") == before, "nothing is new"
    (folder_of(tmp_path / "spark", PARTS[1]) / "crawl.sqlite3").write_bytes(b"damaged")
    with pytest.raises(PartsFailed, match=r"^part 2/3: .*crawl\.sqlite3"):
        spark_copies.join_copies_on_spark(spark, place)


def test_that_there_are_none_in_other_parts_is_told_in_words(tmp_path: Path) -> None:
    texts = {url: f"Page {number} " + f"says {number} things about {number}. " * 60 for number, url in enumerate(PAGES)}
    crawl(tmp_path, PARTS, a_web(), texts)
    told = do_job("copies", PartsInFolder(tmp_path), CommandSettings(["NEAR_DUPLICATE_THRESHOLD=1"]))
    assert told == "near copies: no page has a near copy in another part"
