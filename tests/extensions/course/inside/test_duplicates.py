"""Are the reported clusters those of the crawl, and does a threshold have its predicted effect?"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from crawldb.databases import Parts
from crawldb.pages.clusters import Clusters, settle
from crawldb.visited import find
from extensions.course.inside.duplicates import (
    SHOWN,
    DuplicateFigures,
    cluster_of,
    cluster_page,
    joining_pairs,
    read_duplicates,
    s_curve,
)
from pages.content.similarity import THRESHOLD, banding, chance_to_meet, similarity
from pipelines.duplicates import signature
from tests.samples import SEED, a_page, lease_all
from urls.canonical import canonicalize
from urls.records import CanonicalUrl, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.session import Session

WORDS = [f"{first}{second}{third}" for first in "bdkmt" for second in "aeiou" for third in "lnrs"]
SHEET = random.Random(7).choices(WORDS, k=300)


def text(every: int = 0, seed: int = 0) -> str:
    """The sheet with each so many-th word another one; or another sheet."""
    words = list(random.Random(seed).choices(WORDS, k=300)) if seed else list(SHEET)
    if every:
        words[::every] = (f"x{word}" for word in words[::every])
    return " ".join(words)


TEXTS = {"original": text(), "twentieth": text(20), "tenth": text(10), "fifth": text(5), "stranger": text(seed=9)}


def address(name: str) -> CanonicalUrl:
    return canonicalize(f"http://a.example/{name}")


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


@pytest.fixture
def sheets(session: Session) -> Session:
    """Five sheets, and a copy of the first."""
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(address(name) for name in [*TEXTS, "copy"])))
    lease_all(session)
    for name, said in TEXTS.items():
        session.store.page(a_page(address(name), text=said, signature=signature(said)))
    refusal = Refusal(Rule.DUPLICATE, "the same text as original")
    original = address("original")
    copy = a_page(address("copy"), text=TEXTS["original"], duplicate_of=original, refusals=(refusal,))
    session.store.page(copy)
    with session.database.transaction():
        settle(session.database)
    return session


def told(session: Session, threshold: float = THRESHOLD, url: str = "") -> DuplicateFigures:
    with Parts.in_folder(session.database.path.parent) as parts:
        return read_duplicates(parts, url=url, threshold=threshold, usual=THRESHOLD)


def test_a_cluster_is_told_with_its_members_their_likeness_and_exact_copies(sheets: Session) -> None:
    (cluster,) = told(sheets).shown
    assert [name_of(member.url) for member in cluster.members] == ["original", "twentieth", "tenth"]
    centre = signature(TEXTS["original"])
    assert [member.resemblance for member in cluster.members] == [
        similarity(signature(TEXTS[name_of(member.url)]), centre) for member in cluster.members
    ]
    assert [member.copies for member in cluster.members] == [(address("copy"),), (), ()]
    assert (cluster.pages, cluster.members[0].all_copies) == (3, 1)
    (exact,) = told(sheets).exact
    assert (exact.url, exact.copies, exact.pages) == (address("original"), (address("copy"),), 1)


@pytest.mark.parametrize("name", ["tenth", "copy"])
def test_the_cluster_of_one_page_is_found_for_an_exact_copy_too(sheets: Session, name: str) -> None:
    cluster = cluster_of(sheets.database, address(name))
    assert cluster is not None
    assert cluster.pages == 3
    assert [len(each.members) for each in told(sheets, url=address("fifth")).shown] == [1], "it is alone"
    assert told(sheets, url="http://nowhere.example/").shown == ()


def test_who_is_told_to_leave_leaves_when_it_is_judged_by_that_threshold(sheets: Session) -> None:
    (cluster,) = told(sheets).shown
    threshold = 0.7
    below = {member.url for member in cluster.members if (member.resemblance or 0) < threshold}
    assert below == {address("tenth")}
    judged = Clusters(sheets.database, threshold)
    with sheets.database.transaction():
        moved = {
            member.url
            for member in cluster.members
            if judged.place(
                find(sheets.database.connection, member.url) or 0, signature(TEXTS[name_of(member.url)])
            ).moved
        }
    assert moved == below


def test_who_is_told_to_join_joins_when_it_is_judged_by_that_threshold(sheets: Session) -> None:
    assert told(sheets).joining.pairs == (), "at the threshold of the crawl nothing is left to join"
    joining = told(sheets, 0.2).joining
    (pair,) = joining.pairs
    assert {pair.first, pair.second} == {address("tenth"), address("fifth")}, "by those that stand for them"
    assert (joining.found, joining.compared, joining.clusters) == (1, 3, 3)
    assert pair.chance == chance_to_meet(pair.resemblance, *banding(0.2)) > 0.9
    number = find(sheets.database.connection, address("fifth")) or 0
    with sheets.database.transaction():
        assert Clusters(sheets.database, 0.2).place(number, signature(TEXTS["fifth"])).canonical == address("tenth")


def test_pairs_are_those_that_are_compared_one_by_one(sheets: Session) -> None:
    signs = {name: signature(said) for name, said in TEXTS.items() if name not in {"twentieth", "tenth"}}
    wanted = sorted(
        similarity(one, other) for name, one in signs.items() for second, other in signs.items() if name < second
    )
    found = joining_pairs(sheets.database, 0.0, 2.0)
    assert [pair.resemblance for pair in found.pairs] == [each for each in reversed(wanted) if each >= 0.1]
    assert joining_pairs(sheets.database, 0.0, wanted[-1]).found == found.found - 1, "those above are together"


def test_many_clusters_are_told_a_part_at_a_time_the_largest_first(session: Session) -> None:
    lease_all(session)
    names = [f"{number}-{copy}" for number in range(SHOWN + 2) for copy in range(3 if number == 4 else 2)]
    session.store.page(a_page(SEED, links=tuple(address(name) for name in names)))
    lease_all(session)
    for name in names:
        said = text(seed=int(name[0]) + 20)
        session.store.page(a_page(address(name), text=said, signature=signature(said)))
    with Parts.in_folder(session.database.path.parent) as parts:
        first, second = (cluster_page(parts, page) for page in (1, 2))
    assert (first.found, len(first.shown), len(second.shown)) == (SHOWN + 2, SHOWN, 2)
    assert [each.pages for each in first.shown] == [3, 2, 2, 2, 2]
    assert len({each.canonical for each in (*first.shown, *second.shown)}) == SHOWN + 2


def test_the_curve_rises_from_never_to_always() -> None:
    chances = [chance for _, chance in s_curve(0.45)]
    assert (chances[0], chances[-1]) == (0.0, 1.0)
    assert chances == sorted(chances)
