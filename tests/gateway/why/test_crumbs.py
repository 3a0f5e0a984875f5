"""The parts of a URL are shown as before, and the search of each finds the pages below it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

import indexer
from gateway.template_filters import crumbs, trail
from indexer.query.parser import MAX_PHRASE_WORDS
from urls.canonical import canonicalize
from urls.records import Page

if TYPE_CHECKING:
    from indexer.retrieval.searcher import Searcher

PATHS = (
    "/",
    "/bread/rye/old.html",
    "/bread/wheat.html",
    "/br%C3%B6tchen/mohn",
    "/quoted%22part/x",
    "/a%2Fb/c",
    "/~home/_x_/-/y",
    "/v1.2.3/api/os.path.join/",
    "/site:b.test/lang:de/-minus/x",
    "/%E8%89%B2%E5%8C%99/%E9%A2%9C",
    "/it's/O'Brien's/C++/-Fc",
    "/%FF%FE/bad",
    "/" + "/".join(f"deep{n}" for n in range(40)),
    "/" + "long" * 200 + "/x",
    "/" + ".".join("abcdefgh") * 5 + "/" + "_".join("ijklmnop") + "/z",
    "/bread?x=1&y=" + quote("rye bread"),
    "//double//slash",
    "/CamelCase/HTTPServer/getUserName",
    "/e-mail/state-of-the-art/x",
    "/ \u0e20\u0e32\u0e29\u0e32/\u0639\u0631\u0628\u064a",
)


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder = tmp_path_factory.mktemp("crumbs")
    with indexer.open_writer(folder) as writer:
        for host in ("http://a.test:8400", "https://xn--bcker-gra.test"):
            for path in PATHS:
                writer.put(Page(canonicalize(f"{host}{path}"), "A page", "words"))
    return indexer.open_index(folder)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", ["http://a.test:8400", "https://bäcker.test"])
def test_each_crumb_finds_its_page_on_its_site_and_nothing_elsewhere(searcher: Searcher, host: str, path: str) -> None:
    url = canonicalize(f"{host}{path}")
    for crumb in crumbs(url):
        [question] = parse_qs(crumb.parameters)["q"]
        results = searcher.search(question, 100)
        assert url in {hit.url for hit in results.hits}, question
        assert {hit.site for hit in results.hits} == {urlsplit(url).netloc}
        assert not results.left_out


def test_a_folder_finds_what_stands_below_it_alone(searcher: Searcher) -> None:
    _, bread, rye, _ = crumbs("http://a.test:8400/bread/rye/old.html")
    found = [
        {urlsplit(hit.url).path for hit in searcher.search(parse_qs(one.parameters)["q"][0], 100).hits}
        for one in (bread, rye)
    ]
    assert found == [{"/bread/rye/old.html", "/bread/wheat.html", "/bread"}, {"/bread/rye/old.html"}]


@given(st.text(max_size=200) | st.from_regex(r"https?://[a-zé.]{1,20}(:8\d)?(/[^#]{0,30}){0,30}"))
def test_of_any_text_the_trail_is_shown(text: str) -> None:
    found = crumbs(text)
    assert tuple(one.text for one in found) == trail(text)
    assert all(len(one.parameters) < 5_000 for one in found)


def test_a_question_of_a_crumb_is_within_the_bounds_of_questions() -> None:
    assert MAX_PHRASE_WORDS > 12
    [question] = parse_qs(crumbs("http://a.test/" + "/".join("abcdefghijklmnopqrstuvwxyz"))[-1].parameters)["q"]
    assert question == 'site:a.test inurl:"a b c d e f g h i j k l"'
