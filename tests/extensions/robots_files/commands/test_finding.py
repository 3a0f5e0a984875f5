"""`robots --import` and `search --in robots`: other people's files come in, are found, and rule nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commands.frame.data_folder import open_to_read
from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import stored_versions
from extensions.robots_files import importing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb

CRAWLED = "http://bakery.localhost:8400/robots.txt"
JOINT = "# ours\nUser-agent: Googlebot\nDisallow: /\n"
APART = "User-agent: Googlebot\nDisallow:\n\nUser-agent: *\nDisallow: /\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "joint.example.txt").write_text(JOINT)
    (folder / "apart.example.txt").write_text(APART)
    return folder


def addresses(done: str) -> list[str]:
    return [hit["address"] for hit in json.loads(done)["hits"]]


def test_imported_files_are_found_and_known_the_second_time(crawled: Breadcrumb, files: Path) -> None:
    done = crawled.run("robots", "--import", str(files))
    assert (done.code, done.err) == (0, "")
    assert "mine: 2 files imported." in " ".join(done.out.split())
    assert "The index of robots.txt files has 3 versions" in done.out
    again = json.loads(crawled.run("robots", "--json", "--import", str(files)).out)
    assert [(one["imported"], one["known"]) for one in again["collections"]] == [(0, 2)]
    found = crawled.run("search", "--in", "robots", "agent:Googlebot disallow:/", "--json")
    assert (found.code, addresses(found.out)) == (0, ["joint.example"])
    assert addresses(
        crawled.run("search", "--in", "robots", "disallow:*", "--site", "bakery.localhost:8400", "--json").out
    ) == [CRAWLED]
    verdict = crawled.run("why", "http://bakery.localhost:8400/", "--json")
    assert json.loads(verdict.out)["robots"]["allowed"], "what was imported rules nothing"


def test_each_result_shows_the_lines_that_decide_and_why_it_is_in_its_place(empty: Breadcrumb, files: Path) -> None:
    assert empty.run("robots", "--import", str(files)).code == 0, "a folder without a crawl will do"
    done = empty.run("search", "--in", "robots", "agent:Googlebot", "disallow:*")
    lines = done.out.splitlines()
    assert lines[0] == "Files: in one group User-agent: googlebot and Disallow: (any)."
    assert lines[1].startswith("1 to 2 of 2, ")
    assert lines[3] == " 1  joint.example"
    assert lines[4].startswith("    imported from mine, dated ")
    assert lines[5:7] == ["    2  User-agent: Googlebot", "    3  Disallow: /"]
    hit = json.loads(empty.run("search", "--in", "robots", "agent:Googlebot disallow:*", "--json").out)["hits"][0]
    parts = " + ".join(f"{part['value']:.4f} {part['condition']}" for part in hit["explain"])
    assert lines[7] == f"    {hit['score']:.4f} = {parts}"
    explained = empty.run("search", "--in", "robots", "agent:Googlebot", "--explain").out
    assert "agent:Googlebot: 1 of 3 lines, mean 3.5; idf" in " ".join(explained.split())
    assert "Ranked by BM25 over lines" in explained


def test_pages_follow_one_another(empty: Breadcrumb, files: Path) -> None:
    empty.run("robots", "--import", str(files))
    second = empty.run("search", "--in", "robots", "agent:*", "OR", "agent:googlebot", "-n", "1", "--page", "2")
    assert "2 to 2 of 2" in second.out
    behind = empty.run("search", "--in", "robots", "agent:googlebot", "--page", "3")
    assert (behind.code, behind.out.splitlines()[-1]) == (
        1,
        "There is no page 3: 2 files in total, 10 per page.",
    )


def test_nothing_found_says_what_would_help(empty: Breadcrumb, files: Path) -> None:
    empty.run("robots", "--import", str(files))
    done = empty.run("search", "--in", "robots", "agent:gogglebot disallow:/")
    assert done.code == 1
    assert done.out.splitlines()[1:] == [
        "No results for agent:gogglebot disallow:/ in 2 files.",
        "  by itself, User-agent: gogglebot: 0 files",
        "  by itself, Disallow: /: 2 files",
        "No file names gogglebot; known are googlebot (2 files).",
    ]


def test_older_versions_are_asked_for(empty: Breadcrumb, files: Path) -> None:
    empty.run("robots", "--import", str(files))
    (files / "joint.example.txt").write_text("User-agent: *\nDisallow:\n")
    empty.run("robots", "--import", str(files / "joint.example.txt"))
    newest = empty.run("search", "--in", "robots", "ours")
    assert newest.out.splitlines()[-1] == "--all-versions searches older versions of the files, too."
    older = empty.run("search", "--in", "robots", "ours", "--all-versions")
    assert (older.code, "an older version" in older.out) == (0, True)


@pytest.mark.parametrize("command", [("search", "--in", "robots", "x"), ("report", "robots")])
def test_a_folder_without_a_crawl_is_told_of_both_ways_to_fill_it(empty: Breadcrumb, command: tuple[str, ...]) -> None:
    done = empty.run(*command)
    assert done.code == 2
    assert f"To import a collection: ./breadcrumb robots --import FILES --data {empty.data}" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["search", "x", "--all-versions"], "give --in robots with it"),
        (["search", "x", "--in", "robots", "--lang", "en"], "--lang is about pages"),
        (["search", " ", "--in", "robots"], "QUERY is empty"),
        (["robots", "--lint"], "no robots.txt is named"),
        (["robots", "--lint", "--import", "x"], "--import takes all the names that follow it"),
    ],
)
def test_what_does_not_go_together_is_told(empty: Breadcrumb, words: list[str], told: str) -> None:
    done = empty.run(*words)
    assert done.code == 2
    assert told in done.err


def test_an_empty_folder_is_told_what_would_fill_it(empty: Breadcrumb, tmp_path: Path) -> None:
    done = empty.run("robots", "--import", str(tmp_path / "nowhere"))
    assert (done.code, "No such file or directory" in " ".join(done.out.split())) == (2, True)
    assert not empty.data.exists(), "nothing is made where nothing was taken"
    CrawlDatabase(empty.data).close()
    found = empty.run("search", "--in", "robots", "x")
    assert found.code == 1
    assert f"./breadcrumb robots --import FILES --data {empty.data}" in " ".join(found.out.split())


def test_of_several_collections_one_may_be_unusable(empty: Breadcrumb, files: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{\n" * 9)
    done = empty.run("robots", "--import", str(tmp_path / "bad.jsonl"), str(files))
    assert done.code == 1
    assert "  and 4 more things that can't be used" in done.out.splitlines()
    assert "mine: 2 files imported." in " ".join(done.out.split())


def test_what_was_stored_before_ctrl_c_stays(empty: Breadcrumb, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = importing.files_in
    stops = iter([False, False, True])

    def interrupted(path: Path) -> object:
        for file in [*plain(path), *plain(path)]:
            if next(stops):
                raise KeyboardInterrupt
            yield file

    monkeypatch.setattr(importing, "BATCH", 1)
    monkeypatch.setattr(importing, "files_in", interrupted)
    done = empty.run("robots", "--import", str(files))
    assert done.code == 130
    assert done.err == "Interrupted: 2 files imported, and the same command continues from there.\n"
    monkeypatch.undo()
    assert "0 files imported, 2 files known already" in " ".join(
        empty.run("robots", "--import", str(files)).out.split()
    )


def test_imported_files_of_a_divided_crawl_lie_with_the_sites_of_their_part(empty: Breadcrumb, files: Path) -> None:
    for number in (1, 2):
        with CrawlDatabase(empty.data / f"part-{number}") as database, database.transaction() as connection:
            connection.execute("INSERT INTO part VALUES (1, ?, 2)", (number,))
    for letter in "abcdef":
        (files / f"{letter}.example").write_text(JOINT)
    empty.run("robots", "--import", str(files))
    with open_to_read(empty.data) as databases:
        counts = [sum(each.newest for each in stored_versions(database)) for database in databases]
    assert sum(counts) == 8
    assert all(counts)
    found = json.loads(empty.run("search", "--in", "robots", "ours", "--json", "-n", "20").out)
    assert found["total"] == 7
    assert {hit["part"] for hit in found["hits"]} == {"part-1", "part-2"}


@pytest.mark.parametrize("word", ["forget", "block"])
def test_what_is_taken_out_of_the_crawl_is_no_longer_found(crawled: Breadcrumb, files: Path, word: str) -> None:
    (files / "bakery.localhost:8400").write_text("# imported\n" + JOINT)
    crawled.run("robots", "--import", str(files))
    question = ["search", "--in", "robots", "site:bakery.localhost:8400", "--json"]
    assert len(addresses(crawled.run(*question).out)) == 2
    done = crawled.run(word, "bakery.localhost:8400", "--yes")
    assert done.code == 0
    assert "\n2 stored versions of robots.txt removed. " in done.out
    assert addresses(crawled.run(*question, "--all-versions").out) == []
    assert b"imported" not in (crawled.data / "robots_index.sqlite3").read_bytes()
    verdict = json.loads(crawled.run("why", "http://bakery.localhost:8400/ovens/", "--json").out)
    assert not verdict["robots"]["allowed"], "what has to be obeyed stays"
