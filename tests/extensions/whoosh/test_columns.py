"""Are the columns of Whoosh's formulas what its own classes return, and does a sentence say why columns are missing?"""
# mypy: disable-error-code="attr-defined,no-untyped-call"

from __future__ import annotations

import html
import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from whoosh.qparser import MultifieldParser
from whoosh.scoring import BM25F, PL2, TF_IDF

import indexer
from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from extension_points import manager
from extensions.whoosh.comparison import MAX_LEAVES, whoosh_columns
from extensions.whoosh.index import PageIndex
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.takedown import block
from indexer.evaluation import JudgedQuery, ndcg
from indexer.faults import IndexFault
from indexer.libraries import ComparedQuery
from indexer.query.deadline import Deadline
from tests.gateway.conftest import SITE, gateway, index
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

FORMULAS = (BM25F, TF_IDF, PL2)
RYE, HOME = f"{SITE}/rye.html", f"{SITE}/"


def told(client: FlaskClient, query: str, **asked: str) -> dict[str, Any]:
    answer = client.get("/inside/ranking", query_string={"q": query, "format": "json", **asked})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.get_json()
    return found


def by_whoosh_itself(data_dir: Path, query: str, formula: type) -> list[tuple[str, float]]:
    """The ten best as a program for Whoosh finds them, with all of Whoosh's query language."""
    opened = indexer.open_whoosh(data_dir)
    asked = MultifieldParser(["title", "content"], opened.schema).parse(query)
    with opened.searcher(weighting=formula()) as searcher:
        return [(hit["url"], float(hit.score)) for hit in searcher.search(asked, limit=10)]


@pytest.mark.parametrize(
    "query", ["rye bread", "cake", '"rye bread"', "mohn OR 호밀빵", "bread NOT wheat", "title:rye"]
)
def test_each_column_is_what_whoosh_s_own_classes_return(client: FlaskClient, bakery: Path, query: str) -> None:
    found = told(client, query)
    places = {hit["url"]: hit["place"] for hit in found["saved"]["pages"]}
    columns = found["whoosh"]["columns"]
    assert [column["formula"] for column in columns] == ["BM25F", "TF_IDF", "PL2"]
    for column, formula in zip(columns, FORMULAS, strict=True):
        wanted = by_whoosh_itself(bakery, query, formula)
        assert wanted
        assert [(page["url"], page["score"]) for page in column["pages"]] == wanted
        for page in column["pages"]:
            assert page["saved"] == places.get(page["url"]) or page["saved"] > len(places)
        assert column["ndcg"] is None, "nobody judged it"


def test_our_own_column_is_first_and_is_our_own_search(client: FlaskClient) -> None:
    page = html.unescape(client.get("/inside/ranking?q=rye+bread").text)
    heads = [head for head in re.findall(r"<h2>(.*?)</h2>", page) if head != "Computed by"]
    assert heads == ["Saved ranking", "Whoosh's BM25F", "Whoosh's TF_IDF", "Whoosh's PL2"]
    hits = client.get("/api/search?q=rye+bread").get_json()["hits"]
    found = told(client, "rye bread")
    assert [(hit["url"], hit["score"]) for hit in found["saved"]["pages"]] == [
        (hit["url"], hit["score"]) for hit in hits
    ]
    assert "(title:rye OR content:rye) AND (title:bread OR content:bread)" in page
    assert "saved: 1</span>" in page
    assert "nDCG" not in page


def test_a_judged_query_has_the_ndcg_of_each_column(bakery: Path) -> None:
    query, grades = "mohn OR 호밀빵", {f"{SITE}/ko.html": 3, HOME: 1}
    client = gateway(bakery, judgements=(JudgedQuery("rye", {RYE: 1}), JudgedQuery(query, grades)))
    found = told(client, f"  {query} ")
    saved, *columns = lists = [found["saved"], *found["whoosh"]["columns"]]
    for each in lists:
        assert each["ndcg"] == ndcg([page["url"] for page in each["pages"]], grades)
    assert saved["ndcg"] == found["turned"]["ndcg"]
    assert len({each["ndcg"] for each in columns}) > 1
    page = client.get("/inside/ranking", query_string={"q": query}).text
    assert re.findall(r"nDCG@10 (\d\.\d{4})</p>", page) == [f"{each['ndcg']:.4f}" for each in lists]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"q": "***"}, "Whoosh finds no word in this query"),
        ({"q": "dated:2026"}, "Whoosh can't parse this query: '2026': pages can be sorted by this field"),
        ({"q": " ".join(f"w{number}" for number in range(MAX_LEAVES))}, f"it would search {2 * MAX_LEAVES} words"),
        ({"q": "rye", "lang": "en"}, "they rank the whole index"),
        ({"q": "rye", "site": SITE}, "they rank the whole index"),
    ],
    ids=["no word", "no field to search", "too many words", "language", "site"],
)
def test_a_sentence_says_why_columns_are_missing(client: FlaskClient, asked: dict[str, str], said: str) -> None:
    page = client.get("/inside/ranking", query_string=asked)
    assert page.status_code == 200
    assert said in html.unescape(page.text)
    assert "<h2>Saved ranking</h2>" in page.text
    assert "<h2>Whoosh" not in page.text
    found = told(client, asked.pop("q"), **asked)
    assert (found["whoosh"]["columns"], said in found["whoosh"]["missing"]) == ([], True)


def test_an_index_without_pages_and_a_folder_without_an_index_say_so(tmp_path: Path) -> None:
    Session(tmp_path, CrawlJob((canonicalize(SITE),))).close("finished")
    assert gateway(tmp_path).get("/inside/ranking?q=rye").status_code == 503
    index(tmp_path)
    assert (
        told(gateway(tmp_path), "rye")["whoosh"]["missing"]
        == "The index has no page yet, so Whoosh's columns are empty."
    )


def test_there_is_no_column_after_the_deadline(bakery: Path) -> None:
    found = told(gateway(bakery, search_timeout=0.0), "rye bread")
    assert found["whoosh"]["columns"] == []
    assert "the column of Whoosh's BM25F" in found["notice"]


def test_a_page_that_is_blocked_is_in_no_column_from_then_on(bakery: Path, tmp_path: Path) -> None:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True)
    client = gateway(tmp_path)
    assert RYE in json.dumps(told(client, "rye")["whoosh"])
    with CrawlDatabase(tmp_path) as database:
        block(database, canonicalize(RYE), "its owner wrote")
    after = told(client, "rye")
    assert RYE not in json.dumps(after)
    assert [page["url"] for page in after["whoosh"]["columns"][0]["pages"]] == [HOME]


def test_new_pages_are_in_the_columns_after_a_commit_and_an_index_alone_is_ranked(bakery: Path, tmp_path: Path) -> None:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True)
    (tmp_path / FILE_NAME).unlink()
    client = gateway(tmp_path)
    assert len(told(client, "rye")["whoosh"]["columns"][0]["pages"]) == 2
    with indexer.open_writer(tmp_path) as writer:
        writer.put(a_page(canonicalize(f"{SITE}/new"), "rye rye rye"))
        writer.commit(writer.position + 1)
    assert len(told(client, "rye")["whoosh"]["columns"][0]["pages"]) == 3


def test_a_divided_crawl_is_ranked_as_one(tmp_path: Path) -> None:
    parts = [Partition(number, 2) for number in (1, 2)]
    hosts = [next(f"{letter}.example" for letter in "abcdefgh" if part.owns(f"{letter}.example")) for part in parts]
    for part, host in zip(parts, hosts, strict=True):
        session = Session(folder_of(tmp_path, part), CrawlJob((canonicalize(f"http://{host}/"),), partition=part))
        for url in lease_all(session):
            session.store.page(a_page(url, f"{host} bakes bread"))
        session.close("finished")
        index(folder_of(tmp_path, part))
    columns = told(gateway(tmp_path), "bread")["whoosh"]["columns"]
    for column, formula in zip(columns, FORMULAS, strict=True):
        assert {page["url"] for page in column["pages"]} == {f"http://{host}/" for host in hosts}
        wanted = by_whoosh_itself(tmp_path, "bread", formula)
        assert [(page["url"], page["score"]) for page in column["pages"]] == wanted


WORDS = st.sampled_from(
    [
        "rye",
        "AND",
        "OR",
        "NOT",
        "ANDMAYBE",
        "REQUIRE",
        "(",
        ")",
        '"',
        "title:",
        "site:",
        "dated:",
        "foo:",
        "*",
        "~",
        "^",
    ]
)


@given(st.lists(WORDS | st.text(max_size=5), max_size=30).map(" ".join))
@example("rye ANDMAYBE ANDMAYBE bread")  # on which Whoosh's parser stops with an AssertionError
def test_any_query_has_three_columns_or_a_sentence(bakery: Path, query: str) -> None:
    found = whoosh_columns(PageIndex(bakery), ComparedQuery(query, [], None, Deadline()))
    assert (len(found.columns), bool(found.missing)) in {(3, False), (0, True)}


def test_without_the_extension_there_is_no_column_and_its_door_says_how_to_add_it(
    bakery: Path, client: FlaskClient
) -> None:
    extension = manager().unregister(name="whoosh")
    try:
        assert "whoosh" not in told(client, "rye")
        assert "Whoosh" not in client.get("/inside/ranking?q=rye").text
        with pytest.raises(IndexFault, match=r"add its name to extensions/built_in\.txt"):
            indexer.open_whoosh(bakery)
    finally:
        manager().register(extension, "whoosh")
    assert told(client, "rye")["whoosh"]["columns"]
