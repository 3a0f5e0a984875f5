"""Evidence for a page besides its single terms: all terms together, its language, and a named site's home page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import indexer
from indexer.query.parser import parse_query
from indexer.ranking.prior import language_of_query
from indexer.ranking.weights import NAMES, Formula, Weights, weights_from
from indexer.segments.link_ranks import GraphState, LinkRanks
from indexer.segments.schema import URL, url_key
from indexer.segments.snapshot import HOME_PAGE_ENDINGS
from tests.indexer.ranking.test_sections import sectioned
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOME = "Quill, its home page and documentation"
NO_PRIORS = Formula(weights_from(["entrance=0", "language=0", "all_words=0", "pagerank=0"]))


def told(hit: Any) -> set[str]:
    return {part.term for part in hit.explain().others}


TITLED = Page(CanonicalUrl("http://site.test/"), HOME, f"welcome to all {'news ' * 40}")
HEADED = sectioned(
    "index.html",
    "Start",
    [(HOME, "", "Welcome to all."), ("Write a letter", "", "With ink."), ("Get help", "", "news " * 40)],
    headings=(HOME, "Write a letter", "Get help"),
)


@pytest.mark.parametrize("home", [TITLED, HEADED], ids=["title", "first heading"])
def test_who_names_a_site_finds_its_first_page_first(
    index: Callable[..., Any], page: Callable[..., Page], home: Page
) -> None:
    pages = [page(f"p{n}", "quill quill quill quill", title="Quill") for n in range(5)]
    searcher = index(*pages, home)
    first = searcher.search("quill").hits[0]
    assert first.url == home.url
    assert any("entrance" in str(part) and "“quill” in its name" in str(part) for part in first.explain().others)
    assert searcher.search("quill site:site.test").hits[0].url == home.url
    assert index(formula=NO_PRIORS).search("quill").hits[0].url != home.url


@pytest.mark.parametrize("query", ["letter", "help", "ink", "welcome", "write quills"])
def test_further_headings_of_a_home_page_name_no_site(index: Callable[..., Any], query: str) -> None:
    [hit] = index(HEADED).search(query).hits
    assert ["“quills” in its name" in str(part) for part in hit.explain().others if part.term == "entrance"] == [
        True
    ] * query.endswith("quills")


@pytest.mark.parametrize(
    ("names", "first"),
    [
        pytest.param(["3/", "3/library/", "p"], "3/", id="the root leads elsewhere"),
        pytest.param(["en/5.0/index.html", "en/5.0/topics/x/", "p"], "en/5.0/index.html", id="deeper"),
        pytest.param(["3/", "index.html"], "index.html", id="the root is there"),
        pytest.param(["docs/a", "docs/b"], None, id="no home page"),
    ],
)
def test_where_the_root_is_no_page_the_home_next_to_it_is_the_first_page(
    index: Callable[..., Any], page: Callable[..., Page], names: list[str], first: str | None
) -> None:
    searcher = index(*(page(name, "quill and more") for name in names))
    named = [hit.url for hit in searcher.search("quill site").hits if "entrance" in told(hit)]
    assert named == [f"http://site.test/{first}"] * (first is not None)


def test_a_removed_home_page_leaves_its_place_to_the_next_deeper_one(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path
) -> None:
    index(*(page(name, "quill and more") for name in ("3/", "3/library/", "en/5.0/")))
    with indexer.open_writer(tmp_path) as writer:
        writer.remove("http://site.test/3/")
    searcher = indexer.open_index(tmp_path)
    named = [hit.url for hit in searcher.search("quill site").hits if "entrance" in told(hit)]
    assert named == ["http://site.test/3/library/"]


def test_of_a_site_only_the_urls_that_a_home_page_can_have_are_read(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(*(page(name, "quill") for name in ("3/", "3/a", "b/index.html", "b/myindex.html", "c.html")))
    (view,) = searcher.snapshot.views
    read = view.file.terms(URL, "http://site.test/", HOME_PAGE_ENDINGS)
    assert read == ["http://site.test/3/", "http://site.test/b/index.html"]


def test_a_folder_that_few_pages_link_to_is_no_home(page: Callable[..., Page], tmp_path: Path) -> None:
    pages = [page("old/", "quill"), page("guide/start", "quill")]
    with indexer.open_writer(tmp_path) as writer:
        for one in pages:
            writer.put(one)
    for linked, expected in ((4, []), (5, ["http://site.test/old/"])):
        keys, links = zip(*sorted(zip((url_key(one.url) for one in pages), (linked, 10), strict=True)), strict=True)
        with indexer.open_writer(tmp_path) as writer:
            arrays = np.array(keys, np.uint64), np.ones(2, np.float32), np.array(links, np.uint32)
            writer.put_ranks(LinkRanks(GraphState(1, 9, 2, 0.85), *arrays))
            writer.commit()
        hits = indexer.open_index(tmp_path).search("quill site").hits
        assert [hit.url for hit in hits if "entrance" in told(hit)] == expected


@pytest.mark.parametrize(
    ("linked", "earned"),
    [
        pytest.param(0, 0.0, id="nothing without links"),
        pytest.param(10, 0.5, id="half"),
        pytest.param(90, 0.9, id="most"),
    ],
)
def test_the_name_of_a_site_counts_as_far_as_others_link_to_its_first_page(
    page: Callable[..., Page], tmp_path: Path, linked: int, earned: float
) -> None:
    pages = [page("", "buy now", title="Quill"), page("p", "how a goose lost its quill"), page("q", "ink")]
    keys = np.array(sorted(url_key(one.url) for one in pages), np.uint64)
    counts = np.where(keys == np.uint64(url_key(pages[0].url)), linked, 3).astype(np.uint32)
    with indexer.open_writer(tmp_path) as writer:
        for one in pages:
            writer.put(one)
        writer.put_ranks(LinkRanks(GraphState(1, 9, 3, 0.85), keys, np.full(3, 0.9, np.float32), counts))
        writer.commit()
    score = next(hit for hit in indexer.open_index(tmp_path).search("quill").hits if hit.url == pages[0].url).explain()
    parts = [part for part in score.others if part.term == "entrance"]
    assert round(sum(part.value for part in score.parts), 4) == score.total
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    assert sum(part.value for part in parts) == pytest.approx(Weights().entrance * idf * earned, abs=2e-4)
    why = f"earns {linked} / ({linked} + 10) of what a name can give: pages count, as fewer than 10 sites here"
    assert all(why in str(part) for part in parts)


@pytest.mark.parametrize(
    ("linking_sites", "other_sites", "anchors", "value", "why"),
    [
        pytest.param(10, 10, ("the quill",), 0.5, "10 other sites link to it, which earns 10 / (10 + 10)", id="others"),
        pytest.param(10, 0, ("quill",), None, "", id="its own menu earns nothing"),
        pytest.param(10, 1, ("quill",), None, "", id="one site alone may be bought"),
        pytest.param(10, 90, (), None, "", id="its title alone names no site"),
        pytest.param(9, 0, (), 0.9, "90 pages link to it, which earns 90 / (90 + 10)", id="few sites that could"),
    ],
)
def test_where_sites_link_to_each_other_only_others_earn_and_give_a_name(
    page: Callable[..., Page],
    tmp_path: Path,
    linking_sites: int,
    other_sites: int,
    anchors: tuple[str, ...],
    value: float | None,
    why: str,
) -> None:
    home = page("", "buy now", title="Quill", headings=("Quill",), anchors=anchors)
    pages = [home, page("p", "how a goose lost its quill"), page("q", "ink")]
    keys = np.array(sorted(url_key(one.url) for one in pages), np.uint64)
    is_home = keys == np.uint64(url_key(home.url))
    counts = np.where(is_home, 90, 0).astype(np.uint32), np.where(is_home, other_sites, 0).astype(np.uint32)
    with indexer.open_writer(tmp_path) as writer:
        for one in pages:
            writer.put(one)
        ranks = np.full(3, 0.9, np.float32)
        writer.put_ranks(LinkRanks(GraphState(1, 9, 3, 0.85, linking_sites), keys, ranks, *counts))
        writer.commit()
    score = next(hit for hit in indexer.open_index(tmp_path).search("quill").hits if hit.url == home.url).explain()
    part = next((part for part in score.others if part.term == "entrance"), None)
    assert round(sum(part.value for part in score.parts), 4) == score.total
    assert (part is not None) is (value is not None)
    if part is not None and value is not None:
        idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
        assert part.value == pytest.approx(Weights().entrance * idf * value, abs=2e-4)
        assert why in str(part)


def test_the_words_of_its_host_name_a_site(page: Callable[..., Page], tmp_path: Path) -> None:
    home = page("", "welcome")
    keys = np.array([url_key(home.url)], np.uint64)
    counts = np.array([0], np.uint32), np.array([10], np.uint32)
    with indexer.open_writer(tmp_path) as writer:
        writer.put(home)
        writer.put_ranks(LinkRanks(GraphState(1, 9, 1, 0.85, 10), keys, np.array([0.9], np.float32), *counts))
        writer.commit()
    [hit] = indexer.open_index(tmp_path).search("welcome site").hits
    assert "that has “site” in its name (host or words of links); 10 other sites link to it" in str(hit.explain())


def test_a_page_with_all_words_of_a_short_question_has_a_part_for_it(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(page("both", "oak and then elm"), page("one", "oak oak oak oak"), page("other", "elm elm"))
    first, *others = searcher.search("oak elm").hits
    assert first.url.endswith("both")
    assert "all words" in told(first)
    assert not any("all words" in told(hit) for hit in others)
    assert "all words" not in told(searcher.search("oak").hits[0])
    assert "all words" not in told(searcher.search("oak elm ash fir yew").hits[0])


def mail_pages(page: Callable[..., Page]) -> list[Page]:
    """Pages about mail, of which one has the two words, and one, about something else, what they make as one word."""
    others = [page(f"o{n}", f"the mail of day {n} was quiet {'send email ' * (n % 3)}") for n in range(12)]
    asked = page("asked", f"how to send email to a list {'of people ' * 20}", title="Send email")
    rare = page("rare", f"a list of commands {'and options ' * 20} sendemail")
    return [*others, asked, rare]


@pytest.mark.parametrize("query", ["send email", "emails sends send email"])
def test_a_page_that_joins_two_words_of_the_query_has_both_in_another_form(
    index: Callable[..., Any], page: Callable[..., Page], query: str
) -> None:
    hits = {hit.url.rpartition("/")[2]: hit for hit in index(*mail_pages(page)).search(query, limit=20).hits}
    assert "all words" in told(hits["asked"])
    assert "all words" in told(hits["rare"])
    joined = {part.term: part for part in hits["rare"].explain().words}
    assert len(joined) == 2
    assert all(part.frequency == part.other_forms == 1 for part in joined.values())
    assert next(iter(hits)) == "asked", "two words are better than one that joins them"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        pytest.param(
            "pre-commit hook",
            "it has all 2 words that the query ranks by: pre-commit (as pre, commit, precommit), hook; weight 0.2 x ",
            id="a word by its parts",
        ),
        pytest.param(
            "e-mail",
            "it has all parts of the word that the query ranks by: e-mail (as e, mail, email); weight 0.2 x ",
            id="one word",
        ),
        pytest.param(
            "how do I write a hook for the e-mail",
            "it has all 3 words that the query ranks by: write, hook, e-mail (as mail, email); weight 0.2 x ",
            id="without stop words",
        ),
    ],
)
def test_all_words_are_those_that_were_typed(
    index: Callable[..., Any], page: Callable[..., Page], query: str, told: str
) -> None:
    [hit] = index(page("a", "to write a pre-commit hook is one word: precommit; with e-mail")).search(query).hits
    assert told in str(hit.explain())


@pytest.mark.parametrize("query", ["send email sendemail", "sendemail send email"])
def test_a_word_that_was_typed_counts_in_full_although_it_joins_two_others(
    index: Callable[..., Any], page: Callable[..., Page], query: str
) -> None:
    hits = {hit.url.rpartition("/")[2]: hit for hit in index(*mail_pages(page)).search(query, limit=20).hits}
    idf = {part.term: part.idf for hit in hits.values() for part in hit.explain().words}
    assert idf["sendemail"] > max(idf["send"], idf["email"])
    assert "all words" not in told(hits["asked"]), "it lacks a word of the query"


def test_a_stop_word_counts_no_more_than_the_commonest_other_word(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    pages = [page(f"p{number}", f"the password of account {number} and its reset") for number in range(8)]
    named = page("my", "Why is it there? It came with the machine.", title="Things on my machine: password")
    asked = page("asked", "You can remember a password here. Remember where you remember it.")
    hits = index(*pages, named, asked).search("remember my password", limit=20).hits
    assert [hit.url.rpartition("/")[2] for hit in hits[:2]] == ["asked", "my"]
    told = {part.term: part for hit in hits for part in hit.explain().words}
    assert told["my"].idf == told["password"].idf < told["remember"].idf
    assert told["my"].idf_of == "password"
    alone = {part.term: part for part in index().search("my").hits[0].explain().words}
    assert alone["my"].idf > told["my"].idf, "a query of stop words alone ranks by them"


def test_a_question_in_a_language_prefers_pages_in_it(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    searcher = index(page("en", "Index Index", language="en"), page("de", "Index Index", language="de"))
    first, second = searcher.search("was ist ein Index").hits
    assert (first.url[-2:], "language" in told(first), "language" in told(second)) == ("de", True, False)
    assert not any("language" in told(hit) for hit in searcher.search("Index").hits)


@pytest.mark.parametrize(
    ("question", "language"),
    [("was ist ein Index", "de"), ("what is an index", "en"), ("index", ""), ("索引とは", "ja"), ("", "")],
)
def test_function_words_tell_the_language_of_a_question(question: str, language: str) -> None:
    spoken = frozenset({"de", "en", "ja"})
    assert language_of_query(parse_query(question, spoken), spoken) == language


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ("anchor=2", "give name=number, and as a name one of body"),
        ("anchors", "give anchors as a number from 0 to 1000"),
        ("anchors=-1", "from 0 to 1000"),
        ("anchors=nan", "from 0 to 1000"),
        ("body_length=1.5", "from 0 to 1"),
        ("said=0", "from 0.01 to 1000"),
    ],
)
def test_a_weight_that_cannot_hold_is_refused_with_what_would_work(change: str, advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        weights_from([change])


def test_any_weight_can_be_changed(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    assert weights_from(["anchors=9", "title=0.5"]) == Weights(anchors=9, title=0.5)
    assert all(weights_from([f"{name}=1"]) for name in NAMES)
    pages = page("text", "yew yew"), page("title", "ash", title="yew")
    assert index(*pages).search("yew").hits[0].url.endswith("title")
    formula = Formula(weights_from(["title=0", "title_said=0"]))
    assert [hit.url[-4:] for hit in index(formula=formula).search("yew").hits] == ["text"]
