"""The partitions of a crawl give the results of one index of all their pages, and say which of them are left out."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import indexer
from crawldb.database import DatabaseError
from indexer.segments.generation import CURRENT_FILE, index_folder
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.retrieval.results import Results
    from indexer.retrieval.searcher import Searcher

PARTS = 3
MOST = 12  # pages
WORDS = ["alpha", "beta", "gamma", "bread", "breads", "häuser"]  # the last two have a stem by their language
QUERIES = [
    "alpha",
    "häuser",
    "alpha beta bread",
    '"alpha beta"',
    "gamma -alpha",
    "site:one.test",
    "lang:de",
    "bread site:two.test",
]

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
pages = st.lists(
    st.builds(
        lambda *values: values,
        texts, texts, st.sampled_from(WORDS), st.sampled_from(["one.test", "two.test"]),
        st.sampled_from(["en", "de", ""]),
    ),
    min_size=1, max_size=MOST,
)  # fmt: skip


def made(corpus: Iterable[tuple[str, str, str, str, str]]) -> list[Page]:
    return [
        Page(CanonicalUrl(f"http://{site}/{number}"), title, text, headings=(keyword,), language=language)
        for number, (text, title, keyword, site, language) in enumerate(corpus)
    ]


def write(data_dir: Path, several: Iterable[Page]) -> None:
    with indexer.open_writer(data_dir) as writer:
        for page in several:
            writer.put(page)


def divided(data_dir: Path, several: Iterable[Page], shares: Iterable[int]) -> Searcher:
    """Put each page into the index of a part, and open them all."""
    by_part = defaultdict(list)
    for page, part in zip(several, shares, strict=False):
        by_part[part].append(page)
    for part in range(1, PARTS + 1):
        write(data_dir / f"part-{part}", by_part[part])
    return indexer.open_index(data_dir)


def shown(results: Results) -> tuple[Any, ...]:
    """Everything that a person sees but the order of pages with equal scores, which is that of their parts."""
    by_score = defaultdict(set)
    for hit in results.hits:
        score = hit.explain()
        parts = tuple(sorted((part.term, part.field, part.value) for part in score.parts))
        by_score[hit.score].add((hit.url, hit.title, hit.language, str(hit.snippet), parts))
        assert round(sum(part.value for part in score.parts), 4) == hit.score
    return results.total, [hit.score for hit in results.hits], dict(by_score)


@pytest.mark.slow
@settings(max_examples=12)
@given(corpus=pages, shares=st.lists(st.integers(1, PARTS), min_size=MOST, max_size=MOST))
@example(corpus=[("alpha", "", "beta", "one.test", "en"), ("häuser", "", "beta", "one.test", "de")], shares=[1, 2])
def test_pages_in_three_parts_are_found_as_in_one_index(corpus: list[tuple[str, ...]], shares: list[int]) -> None:
    several = made(corpus)  # type: ignore[arg-type]  # five texts each
    with tempfile.TemporaryDirectory() as folder:
        one, parts = Path(folder) / "one", Path(folder) / "parts"
        write(one, several)
        together, whole = divided(parts, several, shares), indexer.open_index(one)
        assert together.documents == whole.documents == len(several)
        for query in QUERIES:
            assert shown(together.search(query, 100)) == shown(whole.search(query, 100)), query


@pytest.fixture
def parts(tmp_path: Path) -> Searcher:
    """Thirty pages with ever more of a word, ten in each part."""
    several = [Page(CanonicalUrl(f"http://site.test/{n}"), "", f"common {'alpha ' * (n + 1)}") for n in range(30)]
    return divided(tmp_path, several, [1 + number % PARTS for number in range(30)])


def test_pages_of_results_follow_each_other_through_all_parts(parts: Searcher) -> None:
    several = [parts.search("alpha", 7, number) for number in range(1, 7)]
    assert [len(one.hits) for one in several] == [7, 7, 7, 7, 2, 0]
    hits = [hit for one in several for hit in one.hits]
    assert len({hit.url for hit in hits}) == 30
    assert [hit.rank for hit in hits] == list(range(1, 31))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_each_part_says_how_far_it_is_and_a_commit_is_seen(parts: Searcher, tmp_path: Path) -> None:
    before = parts.search("alpha")
    assert [(str(one.part), one.documents, one.fault) for one in before.parts] == [
        ("1/3", 10, ""), ("2/3", 10, ""), ("3/3", 10, ""),
    ]  # fmt: skip
    assert before.as_of == min(one.as_of for one in before.parts)
    write(tmp_path / "part-2", [Page(CanonicalUrl("http://site.test/new"), "", "alpha")])
    after = parts.search("alpha")
    assert (after.total, after.generation, after.parts[1].documents) == (31, before.generation + 1, 11)


@pytest.mark.parametrize("damage", ["missing", "record", "cut", "inside"])
@pytest.mark.usefixtures("parts")
def test_a_part_that_cannot_be_read_is_named_and_the_others_answer(tmp_path: Path, damage: str) -> None:
    folder = index_folder(tmp_path / "part-2")
    (segment,) = folder.glob("build-*/*.seg")
    match damage:
        case "missing":
            (folder / CURRENT_FILE).unlink()
        case "record":
            (folder / CURRENT_FILE).write_text("{")
        case "cut":
            segment.write_bytes(segment.read_bytes()[:-10])
        case "inside":  # it can be opened, and the search that reads the postings finds out
            content = bytearray(segment.read_bytes())
            for place in range(0, len(content), 7):
                content[place] ^= 0xFF
            segment.write_bytes(content)
    searcher = indexer.open_index(tmp_path)
    found = searcher.search("alpha", 50)
    assert [bool(one.fault) for one in found.parts] == [False, True, False]
    assert str(found.parts[1]).startswith(f"Part 2/3 is not searched: {folder}")
    assert found.total == len(found.hits) == 20
    words = sum(range(1, 31)) - sum(range(2, 31, 3)) + 20  # alphas, and the common word
    body = next(part for part in found.hits[0].explain().words if part.field == "body")
    assert body.mean_length == words / 20, "it counts in no statistics either"


@pytest.mark.usefixtures("parts")
def test_a_part_whose_database_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    def blocked(url: str) -> bool:
        if int(url.rpartition("/")[2]) % PARTS == 0:  # the pages of part 1
            raise DatabaseError("it is damaged")
        return False

    found = indexer.open_index(tmp_path, blocked=blocked).search("alpha", 50)
    assert (found.total, found.parts[0].fault) == (20, "it is damaged")


def test_where_no_part_can_be_read_the_damage_is_told(parts: Searcher, tmp_path: Path) -> None:
    (index_folder(tmp_path / "part-1") / CURRENT_FILE).unlink()
    for part in (2, 3):
        (index_folder(tmp_path / f"part-{part}") / CURRENT_FILE).write_text("{")
    for search in (indexer.open_index, lambda _: parts.search("alpha")):
        with pytest.raises(indexer.CorruptIndex, match="part-2"):
            search(tmp_path)


def test_of_pages_that_say_the_same_in_two_parts_the_better_is_shown_and_names_the_other(tmp_path: Path) -> None:
    url = "http://{}.test/".format
    several = [
        Page(CanonicalUrl(url("one")), "", "alpha beta"),
        Page(CanonicalUrl(url("two")), "alpha", "alpha beta"),  # its title makes it the better one
        Page(CanonicalUrl(url("three")), "", "alpha and other words"),
    ]
    same = {url("one"): (url("two"),), url("two"): (url("one"),)}
    divided(tmp_path, several, [1, 2, 3])
    searcher = indexer.open_index(tmp_path, copies=lambda page: same.get(page, ()))
    results = searcher.search("alpha")
    assert [(hit.url, hit.copies) for hit in results.hits] == [(url("two"), (url("one"),)), (url("three"), ())]
    assert results.total == 2
    (second,) = searcher.search("alpha", 1, 2).hits
    assert (second.url, second.rank) == (url("three"), 2)
    (other,) = searcher.search("alpha", site="one.test").hits
    assert other.url == url("one"), "it stands aside only for a page that is among the results"


def test_a_whole_crawl_is_searched_though_a_folder_beside_it_is_called_a_part(tmp_path: Path) -> None:
    write(tmp_path, [Page(CanonicalUrl("http://site.test/"), "", "alpha")])
    write(tmp_path / "part-2", [Page(CanonicalUrl("http://site.test/2"), "", "alpha")])
    results = indexer.open_index(tmp_path).search("alpha")
    assert (results.total, results.parts) == (1, ())
