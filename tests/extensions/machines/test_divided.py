"""The folder of a divided crawl: each command answers for all parts, or acts on those concerned."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from commands import MODULES
from commands.frame.command import run_command
from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError
from crawldb.databases import folders_of, open_whole
from crawldb.lock import CrawlLock
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from extensions.machines.divided import share_line
from extensions.machines.driving.stages import PartProgress
from extensions.machines.farm import share_of
from frontier.job import CrawlJob
from frontier.session import Session
from indexer import open_index
from indexer.following import catch_up
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PARTS = tuple(Partition(number, 2) for number in (1, 2))
ONE, TWO = (next(f"{letter}.example" for letter in "abcdefgh" if part.owns(f"{letter}.example")) for part in PARTS)
WORDS = {ONE: "rye bread with a dark crust", TWO: "wheat bread with a light crust"}
Told = tuple[int, str, str]


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    """Two parts with the pages of a site each, and on both sites a page that says the same."""
    folder = tmp_path / "farm"
    seeds = tuple(canonicalize(f"http://{host}/{path}") for host in WORDS for path in ("", "copy"))
    for part, host in zip(PARTS, WORDS, strict=True):
        session = Session(folder_of(folder, part), CrawlJob(seeds, partition=part))
        for url in lease_all(session):
            text = "a notice about the weather" if url.endswith("copy") else WORDS[host]
            session.store.page(a_page(url, text, language="en"))
        session.close("finished")
        catch_up(folder_of(folder, part))
    return folder


@pytest.fixture
def ask(farm: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Run a command in the folder of all parts; return its exit code and what it said."""

    def answer(name: str, *words: str) -> Told:
        code = run_command(import_module(MODULES[name]).COMMAND, ["-s", f"DATA_DIR={farm}", *words])
        return code, *capsys.readouterr()

    return answer


def told(ended: Told) -> Any:
    code, out, err = ended
    assert err == ""
    return json.loads(out) | {"code": code}


def test_a_search_answers_from_all_parts(ask: Callable[..., Told]) -> None:
    found = told(ask("search", "bread", "--json"))
    assert {hit["url"] for hit in found["hits"]} == {f"http://{ONE}/", f"http://{TWO}/"}
    assert len({hit["score"] for hit in found["hits"]}) == 1, "the statistics are those of all parts"
    assert [(part["part"], part["documents"], part["fault"]) for part in found["parts"]] == [
        ("1/2", 2, None), ("2/2", 2, None),
    ]  # fmt: skip


def test_a_page_that_is_in_two_parts_is_shown_once_and_says_where_else(ask: Callable[..., Told]) -> None:
    code, out, _ = ask("search", "weather")
    assert (code, out.count("exact copy:")) == (0, 1)
    found = told(ask("search", "weather", "--json"))
    assert (found["total"], [len(hit["copies"]) for hit in found["hits"]]) == (1, [1])


def test_a_search_names_the_part_that_it_can_t_read(ask: Callable[..., Told], farm: Path) -> None:
    (farm / "part-2" / FILE_NAME).write_bytes(b"no database")
    code, out, err = ask("search", "bread")
    assert (code, err) == (0, "")
    assert "Part 2/2 is not searched" in out
    assert f"http://{TWO}/" not in out
    code, out, _ = ask("search", "wheat")
    assert (code, "Part 2/2 is not searched" in out) == (1, True)


def test_why_asks_the_part_that_has_the_host(ask: Callable[..., Told]) -> None:
    for host in WORDS:
        found = told(ask("why", f"http://{host}/", "--json"))
        assert (found["state"], found["rank"]["place"], found["refusal"]) == ("done", 1, None)
    assert ask("why", f"http://{ONE}/never")[0] == 1


def test_why_advises_what_goes_on_with_all_parts(ask: Callable[..., Told], farm: Path) -> None:
    ask("submit", f"http://{ONE}/new")
    advice = told(ask("why", f"http://{ONE}/new", "--json"))["advice"]
    assert advice == f"The next crawl fetches it: ./breadcrumb farm --data {farm}"


def test_why_says_of_a_copy_in_another_part_that_the_best_of_them_is_shown(ask: Callable[..., Told]) -> None:
    places = {host: told(ask("why", f"http://{host}/copy", "--json", "--q", "weather"))["rank"] for host in (ONE, TWO)}
    [hidden] = [host for host, rank in places.items() if rank["place"] is None]
    other = ONE if hidden == TWO else TWO
    assert places[hidden]["absence"] == f"an exact copy ranks above it: http://{other}/copy"


def test_a_report_adds_up_and_has_a_line_a_part(ask: Callable[..., Told], farm: Path) -> None:
    found = told(ask("report", "--json"))
    assert found["urls"]["discovered"] == found["urls"]["done"] == 4
    assert [part["pages"]["stored"] for part in found["parts"]] == [2, 2]
    code, out, _ = ask("report")
    assert (code, "4 discovered = 0 queued" in out, "1/2: 2 URLs" in out, "2/2: 2 URLs" in out) == (0, *[True] * 3)
    assert told(ask("report", "traps", "--json"))["harms"]["wasted"] == 0
    (farm / "part-1" / FILE_NAME).unlink()
    code, out, _ = ask("report")
    assert (code, "1/2 is not in these numbers" in out, "2 discovered" in out) == (1, True, True)
    code, out, _ = ask("report", "robots", "--json")
    assert (code, json.loads(out)["files"], list(json.loads(out)["faults"])) == (1, 0, ["1/2"])
    assert "part 1/2 is not in these numbers" in ask("report", "robots")[1]


def test_forget_takes_out_of_the_part_that_has_it(ask: Callable[..., Told], farm: Path) -> None:
    found = told(ask("forget", "--site", TWO, "--yes", "--json"))
    assert (found["code"], found["pages"], found["index"].count("up to date")) == (0, 2, 1)
    assert [hit.url for hit in open_index(farm).search("bread").hits] == [f"http://{ONE}/"]
    assert ask("forget", "nowhere.example")[0] == 1


def test_block_holds_in_every_part_and_is_lifted_in_every_part(ask: Callable[..., Told], farm: Path) -> None:
    found = told(ask("block", TWO, "--yes", "--reason", "its owner asked", "--json"))
    assert (found["pages"], found["blocked"][0]["pages"]) == (2, 2)
    assert open_index(farm).search("wheat").total == 0
    for folder in folders_of(farm):
        with CrawlDatabase(folder, readonly=True) as database:
            assert database.value("SELECT target FROM block") == TWO
    assert told(ask("block", TWO, "--lift", "--json"))["lifted"][0]["urls"] == 2
    assert ask("block", TWO, "--lift")[0] == 2


def test_an_address_that_is_handed_in_is_queued_by_its_part_and_in_scope_for_all(
    ask: Callable[..., Told], farm: Path
) -> None:
    new = next(f"new{number}.example" for number in range(9) if PARTS[1].owns(f"new{number}.example"))
    (found,) = told(ask("submit", f"http://{new}/", "--json"))["submitted"]
    assert (found["accepted"], found["state"]) == (True, "queued")
    (refused,) = told(ask("submit", f"http://{new}/{'a/' * 3}", "--json"))["submitted"]
    assert (refused["accepted"], refused["rule"]) == (False, "repeated-path")
    for part in PARTS:
        session = Session(folder_of(farm, part), CrawlJob(partition=part))
        assert new in session.policy.scope.sites
        session.close("finished")


def test_what_a_missing_part_would_need_is_refused_before_anything_is_done(
    ask: Callable[..., Told], farm: Path
) -> None:
    (farm / "part-2" / FILE_NAME).unlink()
    for name in ("forget", "block", "submit", "release", "index"):
        code, _, err = ask(name, *([] if name == "index" else [f"http://{ONE}/"]))
        assert (code, "part 2/2" in err, "is missing" in err) == (2, True, True), name
    assert open_index(farm / "part-1").search("rye").total == 1
    with CrawlDatabase(farm / "part-1", readonly=True) as database:
        assert database.value("SELECT target FROM block") is None


def test_index_brings_each_part_up_to_date(ask: Callable[..., Told], farm: Path) -> None:
    found = told(ask("index", "--rebuild", "--json"))
    assert (found["put"], found["documents"], found["complete"]) == (4, 4, True)
    _, out, _ = ask("index")
    assert out.splitlines() == [
        "part-1: No changes: the index holds 2 documents.",
        "part-2: No changes: the index holds 2 documents.",
        "No changes: the index holds 4 documents.",
    ]
    assert open_index(farm).search("bread").total == 2


def test_release_asks_each_part_for_what_was_caught(ask: Callable[..., Told], farm: Path) -> None:
    for part, host in zip(PARTS, WORDS, strict=True):
        session = Session(folder_of(farm, part), CrawlJob(partition=part))
        lease_all(session)
        session.store.page(a_page(f"http://{host}/", links=(f"http://{host}/x/y/x/y/x/y/",)))
        session.close("finished")
    assert told(ask("release", f"http://{TWO}/x/y/x/y/x/y/", "--json"))["released"][0]["urls"] == 1
    assert ask("release", "/never")[0] == 2


@pytest.mark.skipif("suggest" not in MODULES, reason="the extension that proposes options")
def test_an_option_is_proposed_from_what_two_parts_hold_and_switched_on_in_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = next(f"{x}.example" for x in "abcdefghijkl" if PARTS[1].owns(f"{x}.example")
                 and PARTS[0].owns(f"www.{x}.example"))  # fmt: skip
    seeds = tuple(canonicalize(f"http://{host}/{number}") for host in (f"www.{plain}", plain) for number in range(5))
    for part in PARTS:
        session = Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part))
        for url in lease_all(session):
            session.store.page(a_page(url, url.rpartition("/")[2] * 20))
        session.close("finished")
        catch_up(folder_of(tmp_path, part))
    command = import_module(MODULES["suggest"]).COMMAND
    assert run_command(command, ["-s", f"DATA_DIR={tmp_path}", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["evidence"]
    assert (found["site"], found["option"], found["agree"]) == (f"www.{plain}", "www", 5)
    assert run_command(command, ["-s", f"DATA_DIR={tmp_path}", "--apply"]) == 0
    assert open_index(tmp_path).documents == 5
    for folder in folders_of(tmp_path):
        with CrawlDatabase(folder, readonly=True) as database:
            assert database.value("SELECT option FROM site_option") == "www"
    assert run_command(command, ["-s", f"DATA_DIR={tmp_path}", "--off", f"www.{plain}", "www"]) == 0


def test_a_share_counts_sites_that_have_a_page_and_what_failed_and_what_the_index_lacks(farm: Path) -> None:
    part = PARTS[0]
    more = [canonicalize(f"http://{letter}.test/") for letter in "abcdefghijkl" if part.owns(f"{letter}.test")]
    session = Session(folder_of(farm, part), CrawlJob(tuple(more[:2]), partition=part))
    for url in map(canonicalize, lease_all(session)):
        if url == more[0]:
            session.store.outcome(Outcome(url, LeaseEnd.FAILED, Rule.GONE, "410", 410))
        elif url != more[1]:  # which waits
            session.store.page(a_page(url, WORDS[ONE], language="en"))
    session.close("finished")
    catch_up(farm / "part-1")
    share = share_of(PartProgress(part), farm)
    assert (share.sites, share.pages, share.queued, share.failed, share.behind) == (1, 2, 1, 1, 0)
    assert share_line(asdict(share)).startswith("Part 1/2: 1 site, 2 pages stored, 2 in the index, ")
    assert share_line(asdict(share)).endswith(" 1 queued, 1 failed")
    with CrawlDatabase(farm / "part-1") as database, database.transaction() as connection:
        connection.execute("DELETE FROM change WHERE seq > 1")  # as an older copy that was put back
    assert share_of(PartProgress(part), farm).behind == 1, "the index is ahead, so it shows no change of this copy"
    (farm / "part-1" / "index").rename(farm / "taken away")
    assert share_of(PartProgress(part), farm).behind > 0


def test_a_second_farm_is_refused_with_the_number_of_the_first(ask: Callable[..., Told], farm: Path) -> None:
    lock = CrawlLock(farm)
    code, out, err = ask("farm")
    lock.release()
    assert (code, out) == (2, "")
    assert f"is in use by a crawl (process {os.getpid()})" in err


def test_a_farm_without_seeds_asks_for_them_in_its_own_words_and_makes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new"
    assert run_command(import_module("extensions.machines.farm").COMMAND, ["-n", "3", "-s", f"DATA_DIR={folder}"]) == 2
    assert f"./breadcrumb farm SEEDS -n 3 --data {folder}; SEEDS are addresses" in capsys.readouterr().err
    assert not folder.exists()


def test_what_is_for_whole_crawls_says_what_would_work(ask: Callable[..., Told], farm: Path) -> None:
    with pytest.raises(DatabaseError, match=r"holds a crawl in 2 parts: \./breadcrumb farm continues it"):
        open_whole(farm)
    code, _, err = ask("farm", "-n", "3")
    assert (code, "continue with -n 2" in err) == (2, True)
