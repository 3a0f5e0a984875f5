"""Links whose whole text is the query raise the page that they lead to, by their number."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indexer
from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed, LinkTextRows, read_link_texts
from indexer import open_index
from indexer.analysis.tokenizer import text_key
from indexer.following import StopSignal, catch_up, update
from indexer.links import link_ranks, with_link_texts
from indexer.ranking.prior import MAX_HOMES
from indexer.ranking.weights import Formula, weights_from
from indexer.segments.link_ranks import GraphState, LinkRanks, LinkTexts
from indexer.segments.schema import url_key
from tests.samples import SEED, a_page, lease_all
from urls.records import CanonicalUrl, Link, Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from frontier.session import Session

HOST = "http://a.example"
OTHERS = ("http://b.example", "http://c.example")
CALLED = f"{HOST}/called"
CALLED_HERE = "http://site.test/called"


def ranks_of(urls: list[str]) -> LinkRanks:
    counts = np.zeros(len(urls), np.int64), np.zeros(len(urls), np.int64)
    return link_ranks(GraphState(1, 9, len(urls), 0.85, 0), urls, np.full(len(urls), 0.9), *counts)


def rows_of(links: list[tuple[str, str, int]]) -> LinkTextRows:
    """The rows of links, each by its text, its URL, and who links."""
    texts = {text: number for number, text in enumerate({text for text, _, _ in links}, 1)}
    urls = {url: number for number, url in enumerate({url for _, url, _ in links}, 1)}
    rows = [(texts[text], urls[url], linking) for text, url, linking in links]
    return LinkTextRows({v: k for k, v in texts.items()}, {v: k for k, v in urls.items()}, np.array(rows, np.int64))


def part_of(searcher: Any, query: str, url: str = CALLED) -> Any:
    """The part of a page for the text of links to it; the parts of the score must add up."""
    hit = next((hit for hit in searcher.search(query, 50).hits if hit.url == url), None)
    assert hit is not None, query
    score = hit.explain()
    assert round(sum(part.value for part in score.parts), 4) == score.total
    return next((part for part in score.others if part.term == "link text"), None)


TEXTS = {
    "Rye bread": 3, "4.2. Baking": 2, "B.1 Yeast": 1, "C. Salt": 1, "to be": 1, "os.path.join": 1, "404": 1,
    "A loaf": 1, "oven-clean-up(1)": 2, "crumb (3pm)": 1, "oven-heat()": 1, "a lid-open(1)": 1,
}  # fmt: skip


@pytest.fixture
def called(tmp_path: Path, page: Callable[..., Page]) -> Any:
    """A page with links of several texts, and one without, which has the same words."""
    words = "rye bread baking yeast salt to be os.path.join 404 a loaf fresh oven clean up crumb heat lid open"
    pages = [page("called", words, anchors=tuple(TEXTS)), page("other", words), page("third", "wheat")]
    links = [(text, str(pages[0].url), linking) for text, times in TEXTS.items() for linking in range(times)]
    with indexer.open_writer(tmp_path) as writer:
        for one in pages:
            writer.put(one)
        writer.put_ranks(with_link_texts(ranks_of([str(one.url) for one in pages]), rows_of(links)))
    return indexer.open_index(tmp_path)


@pytest.mark.parametrize(
    ("query", "links"),
    [
        pytest.param("rye bread", 3, id="the whole text"),
        pytest.param('"Rye-Bread"', 3, id="as it is indexed: case, signs and quotes do not matter"),
        pytest.param("rye bread -wheat site:site.test", 3, id="conditions are no words of it"),
        pytest.param("baking", 2, id="without the number of a section"),
        pytest.param("4.2. Baking", 2, id="with the number"),
        pytest.param("yeast", 1, id="the number of an appendix"),
        pytest.param("salt", 1, id="the letter of an appendix"),
        pytest.param("to be", 1, id="stop words alone"),
        pytest.param("os path join", 1, id="the words of a name"),
        pytest.param("404", 1, id="a number alone is a text"),
        pytest.param("loaf", 0, id="an article is no number"),
        pytest.param("oven-clean-up(1)", 2, id="a page of a manual"),
        pytest.param("oven clean up", 2, id="without its section"),
        pytest.param("clean up", 2, id="and without its program"),
        pytest.param("up", 0, id="but not by its last word alone"),
        pytest.param("crumb", 1, id="a blank before the section"),
        pytest.param("oven-heat()", 1, id="a function"),
        pytest.param("heat", 0, id="is no page of a manual"),
        pytest.param("open", 0, id="nor is a page in a sentence"),
        pytest.param("bread rye", 0, id="another order"),
        pytest.param("fresh rye bread", 0, id="a word more"),
        pytest.param("bread", 0, id="a word less"),
        pytest.param("rye breads", 0, id="another form"),
        pytest.param("rye OR bread", 0, id="alternatives are no text"),
        pytest.param("rye brea*", 0, id="nor is a beginning"),
    ],
)
def test_links_count_whose_text_is_the_query(called: Any, query: str, links: int) -> None:
    url = "http://site.test/called"
    part = part_of(called, query, url)
    assert (part is not None) is (links > 0)
    assert part_of(called, query, "http://site.test/other") is None
    if part is not None:
        told = re.fullmatch(
            r"called “(.+)” by (\d+) \(pages of its site, and each other site once\); weight 0\.5 x (\d+\.\d{3}), "
            r"the sum of weight x idf of all words, x (\d+) / \((\d+) \+ 3\)",
            part.told,
        )
        assert told, part.told
        assert {told[2], told[4], told[5]} == {str(links)}
        assert text_key(told[1]) == text_key(query.partition(" -")[0])
        assert part.value == pytest.approx(0.5 * float(told[3]) * links / (links + 3), abs=6e-4)


ELSEWHERE = "http://rival.test/called"


@pytest.fixture
def sites(tmp_path: Path, page: Callable[..., Page]) -> Any:
    """Two sites with a page that links call alike; a title names one of them, and its host the other."""
    words = "yeast yeasts and rye bread"
    pages = [page("", title="The Crumb Manual"), page("called", words), page("third", "crumb wheat")]
    pages += [Page(CanonicalUrl(f"http://rival.test/{path}"), "", words) for path in ("", "called")]
    with indexer.open_writer(tmp_path) as writer:
        for one in pages:
            writer.put(one)
        links = [("Yeast", CALLED_HERE, 1), ("yeast", CALLED_HERE, 2), ("yeast", ELSEWHERE, 3), ("the", CALLED_HERE, 4)]
        writer.put_ranks(with_link_texts(ranks_of([str(one.url) for one in pages]), rows_of(links)))
    return indexer.open_index(tmp_path)


@pytest.mark.parametrize(
    ("query", "name", "here", "elsewhere"),
    [
        pytest.param("yeast", "", 2, 1, id="no name"),
        pytest.param("crumb yeast", "crumb", 2, 0, id="a title"),
        pytest.param("yeast crumbs", "crumbs", 2, 0, id="another form of it"),
        pytest.param("yeast crumb manual", "crumb manual", 2, 0, id="two words of it"),
        pytest.param("the yeast", "", 0, 0, id="a stop word names nothing"),
        pytest.param("rival yeast", "rival", 0, 1, id="a word of the host"),
        pytest.param("wheat yeast", "", 0, 0, id="a word that names no site"),
        pytest.param("crumb yeast rye", "", 0, 0, id="and a word more"),
        pytest.param("crumb.yeast", "", 0, 0, id="a part of a typed name"),
    ],
)
def test_the_pages_of_a_site_are_called_without_its_name(
    sites: Any, query: str, name: str, here: int, elsewhere: int
) -> None:
    for url, links in ((CALLED_HERE, here), (ELSEWHERE, elsewhere)):
        part = part_of(sites, query, url)
        assert (part is not None) is (links > 0), url
        if part is not None:
            assert re.match(rf"called “yeast” by {links} \(", part.told)
            assert (f"once), on the site that “{name}” names; weight" in part.told) is bool(name)


@pytest.mark.parametrize("further", [MAX_HOMES - 1, MAX_HOMES])
def test_a_word_that_names_many_sites_names_none(tmp_path: Path, further: int) -> None:
    called, homes = "http://one.shop/called", ["http://one.shop/", *(f"http://{n}.shop/" for n in range(further))]
    with indexer.open_writer(tmp_path) as writer:
        for url in (called, *homes):
            writer.put(Page(CanonicalUrl(url), "", "yeast of the shop"))
        writer.put_ranks(with_link_texts(ranks_of([called, *homes]), rows_of([("yeast", called, 1)])))
    part = part_of(indexer.open_index(tmp_path), "shop yeast", called)
    assert (part is not None) is (further < MAX_HOMES)


def test_with_a_weight_of_zero_no_text_counts(called: Any) -> None:
    assert (
        part_of(called.ranked_by(Formula(weights_from(["link_text=0"]))), "rye bread", "http://site.test/called")
        is None
    )


URLS = [f"http://site.test/{number}" for number in range(4)]
SAID = st.sampled_from(["a", "A", "1. a", "2. a", "b c", "b-c", "…", "1.2"])
LINKS = st.lists(st.tuples(SAID, st.sampled_from(URLS), st.integers(-2, 3)), min_size=1)


@given(LINKS)
def test_the_numbers_are_those_of_a_plain_count(links: list[tuple[str, str, int]]) -> None:
    known = URLS[:-1]  # the last one has no rank
    ranks = with_link_texts(ranks_of(known), rows_of(links))
    linking = defaultdict(set)
    for text, url, who in links:
        for key in {text_key(text), text_key(re.sub(r"^\d\. ", "", text))} - {0}:
            linking[key, url].add(who)
    expected = {pair: len(each) for pair, each in linking.items() if pair[1] in known}
    texts = ranks.texts_of(np.array([url_key(url) for url in known], np.uint64))
    documents = texts.documents[texts.urls].tolist()
    found = {(k, known[d]): n for k, d, n in zip(texts.keys.tolist(), documents, texts.links.tolist(), strict=True)}
    assert found == expected
    assert ranks.state.link_texts == len(expected)
    again = LinkRanks.load(ranks.dump())
    for name in ("keys", "urls", "links"):
        assert getattr(again.texts, name).tolist() == getattr(ranks.texts, name).tolist()


@pytest.mark.parametrize(
    ("keys", "urls"), [pytest.param([9, 3], [0, 0], id="order"), pytest.param([3], [1], id="no such URL")]
)
def test_texts_that_nobody_wrote_are_refused(keys: list[int], urls: list[int]) -> None:
    ranks, numbers = ranks_of(URLS[:1]), np.array(urls, np.uint32)
    texts = LinkTexts(np.array(keys, np.uint64), numbers, numbers)
    changed = replace(ranks, texts=texts, state=replace(ranks.state, link_texts=len(texts.keys)))
    with pytest.raises(ValueError, match="texts of links"):
        LinkRanks.load(changed.dump())


@pytest.mark.parametrize(
    "text",
    ["1." * 50_000, "A." * 50_000, " " * 100_000, "1 " * 50_000, "A.1" * 30_000, "a-" * 50_000 + "(1", "(1)" * 50_000],
)
def test_the_names_in_a_text_are_found_in_linear_time(text: str) -> None:
    began = time.process_time()
    with_link_texts(ranks_of(URLS), rows_of([(text, URLS[0], 1)]))
    assert time.process_time() - began < 2


def crawl(session: Session, pages: dict[str, list[tuple[str, str]]], text: str = "rye bread and more") -> None:
    """Store pages by their URLs, each with its links and their texts."""
    for _ in range(2):
        for url in lease_all(session):
            links = tuple(Link(*link) for link in pages.get(url, []))
            session.store.page(replace(a_page(url, text if url == CALLED else f"{url} says nothing"), links=links))


def test_pages_of_the_same_site_count_and_each_other_site_once(
    open_session: Callable[..., Session], data_dir: Path
) -> None:
    bread = [(CALLED, "rye bread")]
    session = open_session(f"{HOST}/", *(f"{other}/" for other in OTHERS))
    inside = {f"{HOST}/{n}": [*bread, (CALLED, "3. Rye bread")] for n in range(4)}
    outside = {f"{other}/{n}": bread for other in OTHERS for n in range(5)}
    roots = {f"{host}/": [(url, "") for url in (inside | outside) if url.startswith(host)] for host in (HOST, *OTHERS)}
    crawl(session, roots | inside | outside | {f"{HOST}/": [*roots[f"{HOST}/"], (CALLED, "Rye bread")]})
    crawl(session, {})
    catch_up(data_dir)
    part = part_of(open_index(data_dir), "rye bread")
    assert part.told.startswith("called “rye bread” by 7 (")


def test_a_link_with_nofollow_does_not_count(session: Session) -> None:
    lease_all(session)
    links = (Link(CALLED, "rye bread"), Link(CALLED, "sourdough", nofollow=True))
    session.store.page(replace(a_page(SEED), links=links))
    assert [*read_link_texts(session.database).texts.values()] == ["rye bread"]


def test_a_link_that_is_gone_counts_no_more_when_the_crawl_ends(session: Session, data_dir: Path) -> None:
    lease_all(session)
    once, twice = (Link(CALLED, "rye bread"),), (Link(CALLED, "rye bread"), Link(f"{HOST}/b", "b"))
    session.store.page(replace(a_page(SEED), links=twice))
    lease_all(session)
    session.store.page(a_page(CALLED, "rye bread and more"))
    session.store.page(replace(a_page(f"{HOST}/b"), links=once))
    until = StopSignal()
    until.closed.set()
    for links, told in ((twice, 2), ((Link(f"{HOST}/b", "b"),), 1)):
        session.store.page(replace(a_page(SEED), links=links))
        put = update(data_dir, until).put
        assert part_of(open_index(data_dir), "rye bread").told.startswith(f"called “rye bread” by {told} ("), put


def test_an_index_of_an_earlier_version_has_no_such_part_until_a_crawl_ends(session: Session, data_dir: Path) -> None:
    crawl(session, {SEED: [(CALLED, "rye bread")]})
    catch_up(data_dir)
    with indexer.open_writer(data_dir) as writer, CrawlDatabase(data_dir, readonly=True) as database:
        state = replace(writer.graph, link_texts=None)
        writer.put_ranks(replace(ranks_of([SEED, CALLED]), state=state))
        writer.commit(Feed(database).last())
    assert part_of(open_index(data_dir), "rye bread") is None
    until = StopSignal()
    until.closed.set()
    update(data_dir, until)
    assert part_of(open_index(data_dir), "rye bread") is not None
