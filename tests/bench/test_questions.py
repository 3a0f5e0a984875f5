"""Are questions judged by the places of their right pages, and is each site crawled once?"""

from __future__ import annotations

import gzip
import json
import tomllib
from functools import partial
from http.server import SimpleHTTPRequestHandler
from math import log2
from typing import TYPE_CHECKING, Any

import pytest

from bench.judged.places import (
    BEGINNING,
    ELSEWHERE,
    EVERYDAY,
    FURTHER,
    MISSPELT,
    SECTIONS,
    SHORT,
    TOPICAL,
    beginnings,
    figures,
    files_about,
    judged_questions,
    known_items,
    one_form,
    place_all,
)
from bench.judged.questions import judged_pages
from bench.judged.snippets import cut_ends, wanted_snippets
from indexer.evaluation import read_judgements
from tests.serving import PatientServer, serving

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from bench.judged.graded import Question
    from tests.forks import Bench

SITES = {name: f"http://{name}.test/" for name in ("python", "sqlite", "postgresql")}
PAGES = {  # three sites in one folder; the index of the book holds every word
    "python/index.html": (
        "Python",
        '<p>The manual.</p><a href="library/json.html">json</a> <a href="index-of-all.html">all</a>',
    ),
    "python/library/json.html": (
        "The json module",
        "<p>Call json.dumps to encode an object, and json.loads to decode it.</p>",
    ),
    "python/index-of-all.html": ("Index", "<p>json.dumps json.loads json.dumps json.loads decode encode</p>"),
    "sqlite/index.html": ("SQLite", '<p>A small database.</p><a href="pragma.html">pragma</a>'),
    "sqlite/pragma.html": ("Pragma statements", "<p>The PRAGMA statement is an extension of the language.</p>"),
    "postgresql/index.html": ("PostgreSQL", "<p>A large database.</p>"),
}


@pytest.fixture(scope="module")
def everyday() -> list[Question]:
    return judged_questions(SITES)


def test_there_are_a_hundred_questions_in_two_halves_that_share_none(everyday: list[Question]) -> None:
    told = [each for each in everyday if each.kind != MISSPELT]
    halves = {half: {each.text for each in told if each.half == half} for half in ("development", "test")}
    assert {half: len(texts) for half, texts in halves.items()} == {"development": 50, "test": 50}
    assert not halves["development"] & halves["test"]
    kinds = [{each.kind for each in everyday if each.half == half} for half in ("development", "test")]
    assert kinds[0] == kinds[1]


def test_each_beginning_leads_to_completions_of_it_and_is_in_one_half() -> None:
    found = beginnings()
    halves = {half: {each.text for each in found if each.half == half} for half in ("development", "test")}
    assert {half: len(texts) for half, texts in halves.items()} == {"development": 30, "test": 30}
    assert not halves["development"] & halves["test"]
    assert all(answer.startswith(each.text.lower()) for each in found for answer in each.answers)


def test_each_question_has_answers_on_the_sites_it_names(everyday: list[Question]) -> None:
    for each in everyday:
        assert each.answers, each.text
        assert all(url.startswith(tuple(SITES.values())) for url in each.answers), each.text
    by_text = {each.text: each.answers for each in everyday}
    assert by_text["python"] == {"http://python.test/"}
    assert {url.split("/")[2] for url in by_text["create table"]} == {"sqlite.test", "postgresql.test"}
    assert {url.split("/")[2] for url in by_text["sqlite create index"]} == {"sqlite.test"}


def test_a_site_that_is_not_given_is_asked_for() -> None:
    with pytest.raises(SystemExit, match=f"{EVERYDAY.name} asks about sqlite: give --site sqlite=URL"):
        judged_questions({name: url for name, url in SITES.items() if name != "sqlite"})


def test_a_hundred_queries_are_answered_by_a_section_of_a_page() -> None:
    asked = judged_questions(SITES, SECTIONS)
    assert [sum(each.half == half for each in asked) for half in ("development", "test")] == [50, 50]
    assert len({each.text for each in asked}) == 100
    assert all("#" in url for each in asked for url in each.answers)


def test_the_further_queries_are_in_halves_and_in_no_other_file(everyday: list[Question]) -> None:
    further = judged_questions(SITES, FURTHER)
    assert [sum(each.half == half for each in further) for half in ("development", "test")] == [17, 22]
    others = {each.text for each in (*everyday, *judged_questions(SITES, SECTIONS), *judged_questions(SITES, TOPICAL))}
    assert len({each.text for each in further} - others) == 39


def test_the_short_queries_are_short_and_each_is_in_one_half(everyday: list[Question]) -> None:
    elsewhere = {name: f"http://{name}.test/" for name in ("apache", "cmake", "django", "git", "node")}
    for sites, file, halves in ((SITES, SHORT, [33 + 18, 33 + 2 * 18]), (elsewhere, ELSEWHERE, [60 + 12, 180])):
        asked = judged_questions(sites, file)
        assert [sum(each.half == half for each in asked) for half in ("development", "test")] == halves
        assert len({each.text for each in asked}) == sum(halves)
        assert all(each.answers and len(each.text.split()) <= 4 for each in asked)
    known = {each.text for each in (*everyday, *judged_questions(SITES, FURTHER), *judged_questions(SITES, SECTIONS))}
    assert not known & {each.text for each in judged_questions(SITES, SHORT)}


def test_a_file_runs_where_all_sites_that_it_asks_about_are_given() -> None:
    assert list(files_about(SITES)) == ["everyday", "further", "short", "topical", "sections"]
    assert list(files_about(("apache", "cmake", "django", "git", "node"))) == ["short, other manuals"]
    assert list(files_about(("python", "git"))) == []


def test_sites_that_no_file_is_about_are_told_before_a_crawl(bench: Bench, tmp_path: Path) -> None:
    done = bench("relevance", "questions", str(tmp_path / "data"), "--site", "git=http://git.test/")
    assert (done.returncode, (tmp_path / "data").exists()) == (2, False)
    assert "no file of queries is about git alone" in done.stderr


def test_each_topical_need_is_long_and_has_graded_pages() -> None:
    needs = judged_questions(SITES, TOPICAL)
    halves = [sum(each.half == half for each in needs) for half in ("development", "test")]
    assert (sum(halves), len({each.text for each in needs})) == (150, 150)
    assert abs(halves[0] - halves[1]) <= 2
    assert all(len(each.text.split()) >= 5 and each.answers for each in needs)
    kinds = [kind for half in tomllib.loads(TOPICAL.read_text()).values() for kind in half.values()]
    assert not [row for kind in kinds for row in kind.values() if set(row["answers"]) & set(row.get("related", ()))]
    (swap,) = (each for each in needs if each.text.startswith("let each customer see only"))
    assert swap.grades["http://postgresql.test/ddl-rowsecurity.html"] == 2
    assert swap.grades["http://postgresql.test/sql-createpolicy.html"] == 1


def test_the_development_halves_are_a_file_that_tune_reads(everyday: list[Question]) -> None:
    found = {each.text: each.grades for each in read_judgements(judged_pages(SITES).encode())}
    told = [each for each in everyday if each.kind != MISSPELT] + judged_questions(SITES, TOPICAL)
    assert found.keys() == {each.text for each in told if each.half == "development"}
    assert found["python"] == {"http://python.test/": 2, "http://python.test/index.html": 2}
    for each in told:
        assert each.half != "development" or each.grades.items() <= found[each.text].items()


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("http://a.test/index.html", "http://a.test/"),
        ("http://a.test/b/index.html", "http://a.test/b/"),
        ("http://a.test/myindex.html", "http://a.test/myindex.html"),
        ("http://a.test/", "http://a.test/"),
    ],
)
def test_a_folder_and_its_entrance_are_one_page(url: str, form: str) -> None:
    assert one_form(url) == form


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "ki_python"
    folder.mkdir()
    with gzip.open(folder / "docs.jsonl.gz", "wt", encoding="utf-8") as rows:
        for name in ("index.html", "library/json.html"):
            rows.write(json.dumps({"id": name, "title": "", "text": ""}) + "\n")
    queries = [("p1", "json.dumps", "ident"), ("p2", "json loads", "split")]
    lines = (json.dumps({"id": id_, "text": text, "kind": kind}) for id_, text, kind in queries)
    (folder / "queries.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "qrels.tsv").write_text("p1\tlibrary/json.html\t1\np2\tlibrary/json.html\t1\np2\tindex.html\t0\n")
    return folder


def test_known_items_are_judged_over_the_listed_documents_alone(collection: Path) -> None:
    questions, listed = known_items(collection, SITES["python"])
    assert listed == {"http://python.test/", "http://python.test/library/json.html"}
    results = [SITES["python"] + path for path in ("index-of-all.html", "index.html", "library/json.html")]
    (first, second) = place_all(questions, lambda _: results, listed.__contains__)
    assert (first.place, first.found) == (2, ("http://python.test/", "http://python.test/library/json.html"))
    assert second.question.answers == {"http://python.test/library/json.html"}  # a grade of 0 is no answer
    assert [each.place for each in place_all(questions, lambda _: results)] == [3, 3]


def test_places_add_up_to_the_figures_by_hand(everyday: list[Question]) -> None:
    asked = everyday[:4]
    answers = {each.text: min(each.answers) for each in asked}
    behind = {each.text: before for each, before in zip(asked, (0, 2, 9, 10), strict=True)}
    results = {text: [f"http://x.test/{n}" for n in range(behind[text])] + [answers[text]] for text in answers}
    placed = place_all(asked, results.__getitem__)
    assert [each.place for each in placed] == [1, 3, 10, 0]
    counted = figures(placed)
    assert (counted.questions, counted.first, counted.top_three, counted.success) == (4, 1, 2, 0.75)
    assert counted.mrr == pytest.approx((1 + 1 / 3 + 1 / 10) / 4)


def test_a_page_that_only_helps_counts_a_third_in_ndcg_and_has_no_place() -> None:
    (need,) = (
        each for each in judged_questions(SITES, TOPICAL) if each.text.startswith("move from the old version two")
    )
    best, (helps, other) = min(need.answers), sorted(need.grades.keys() - need.answers)
    (placed,) = place_all([need], lambda _: [helps, best])
    assert (len(need.answers), placed.place) == (1, 2)
    ideal = 3 + 1 / log2(3) + 1 / log2(4)
    assert figures([placed]).ndcg == pytest.approx((1 + 3 / log2(3)) / ideal)
    assert other not in placed.found


def test_a_snippet_that_is_cut_is_counted_and_a_whole_one_is_not() -> None:
    text = "Heading\nRye is old, e.g. here. It keeps.\nOats are new, and corn is not."
    for shown in (
        "Heading · Rye is old, e.g. here.",
        "It keeps. Oats are new, and corn is not.",
        "Heading … It keeps.",
    ):
        assert cut_ends(shown, text) == (False, False), shown
    assert cut_ends("…here. It keeps.", text) == (True, False)
    assert cut_ends("static house.Rye.is(new) · It keeps.", "static is(new)\nIt keeps.") == (False, False)
    assert cut_ends("house.Rye.was(new) · It keeps.", "static is(new)\nIt keeps.") == (True, True)
    assert cut_ends("Rye is old…", text) == (False, True)
    assert cut_ends("Heading … is new…", text) == (True, True)


def test_the_halves_of_the_snippets_share_no_query() -> None:
    halves = {half: wanted_snippets(half, SITES) for half in ("development", "test")}
    assert {half: len(rows) for half, rows in halves.items()} == {"development": 48 + 18, "test": 48 + 18}
    assert not {each.text for each in halves["development"]} & {each.text for each in halves["test"]}
    others = wanted_snippets("development", {"django": "http://django.test/", "git": "http://git.test/"})
    assert len(others) == 12, "queries over sites that are not given are left out"
    assert all(each.sentences and each.page.startswith("http") for rows in halves.values() for each in rows)


class QuietHandler(SimpleHTTPRequestHandler):
    asked = 0

    def log_message(self, *_: object) -> None:
        QuietHandler.asked += 1


@pytest.fixture
def manuals(tmp_path: Path) -> Iterator[dict[str, str]]:
    for path, (title, body) in PAGES.items():
        file = tmp_path / "manuals" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<html lang=en><title>{title}</title><h1>{title}</h1>{body}")
    addresses: dict[str, str] = {}
    servers = [
        serving(PatientServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(tmp_path / "manuals" / name))))
        for name in SITES
    ]
    with servers[0] as python, servers[1] as sqlite, servers[2] as postgresql:
        addresses = {name: f"{at}/" for name, at in zip(SITES, (python, sqlite, postgresql), strict=True)}
        yield addresses


def ask(
    bench: Bench, folder: Path, collection: Path, sites: dict[str, str], *words: str
) -> subprocess.CompletedProcess[str]:
    named = (word for name, url in sites.items() for word in ("--site", f"{name}={url}"))
    return bench("relevance", "questions", str(folder), *named, "--known", str(collection), *words)


def test_the_sites_are_crawled_once_and_both_kinds_of_questions_are_asked(
    bench: Bench, tmp_path: Path, collection: Path, manuals: dict[str, str]
) -> None:
    done = ask(bench, tmp_path / "data", collection, manuals, "--json")
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert set(report["everyday"]) == {"development", "test"}
    assert report["everyday"]["development"]["all"]["questions"] == 50
    assert report["everyday"]["development"][MISSPELT]["questions"] == 36
    assert report["everyday"]["development"][BEGINNING]["questions"] == 30
    assert report["everyday"]["test"]["name"]["success"] >= 1 / 7  # json.dumps has its page
    assert list(report["known items"]) == ["python", "3 manuals in one index"]
    assert report["known items"]["python"]["ident"] == {
        "questions": 1,
        "first": 1,
        "top_three": 1,
        "mrr": 1.0,
        "success": 1.0,
        "ndcg": 1.0,
    }
    assert {path.name for path in (tmp_path / "data").iterdir()} == {"python", "postgresql+python+sqlite"}
    QuietHandler.asked = 0
    again = ask(bench, tmp_path / "data", collection, manuals, "--rebuild", "--misses")
    assert again.returncode == 0, again.stderr
    assert QuietHandler.asked == 0, "a crawl that is there is not done again"
    assert "'pg_ctl restart'" in again.stdout
    assert "'pg_dump -Fc'" not in again.stdout, "the half for testing is not shown"


def test_a_collection_without_its_site_is_told(bench: Bench, tmp_path: Path, collection: Path) -> None:
    done = ask(bench, tmp_path / "data", collection, {"sqlite": SITES["sqlite"]})
    assert done.returncode == 2
    assert "give --site python=URL too" in done.stderr
