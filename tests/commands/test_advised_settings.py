"""What errors say to set or to give instead, carried out: it is accepted, and what was there stays as it was."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

import pytest

from commands.crawling.start import check_owner_is_known
from commands.frame.command_settings import CommandSettings, read_crawl_settings
from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError, StorageError
from crawldb.databases import partition_of
from crawldb.parts.division import check_divides
from crawldb.parts.partition import Partition
from frontier.job import CrawlJob
from frontier.session import Session
from spiders.arguments import SpiderArguments
from spiders.downloader.address_policy import IdentityError
from tests.advice import commands_in, settings_in, state_of
from tests.commands.conftest import HOST, Breadcrumb
from tests.commands.test_advice import advised, carry_out
from tests.samples import an_outcome
from urls.canonical import canonicalize
from urls.records import LeaseEnd
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_end_of_too_long_a_chain_of_redirects_is_fetched_once_it_is_submitted(empty: Breadcrumb) -> None:
    home = "http://chain.example/"
    session = Session(empty.data, CrawlJob((canonicalize(home),)))
    number = 0
    while leases := session.frontier.lease(10, lambda _: 10):
        number += 1
        target = f"{home}{number}"
        session.store.outcome(an_outcome(leases[0].url, LeaseEnd.MOVED, Rule.MOVED, target=target, status=301))
    session.close("finished")
    before = state_of(empty.data)
    [stopped] = [url for url, (_, rule) in before.urls.items() if rule == "redirect-limit"]
    command = advised(empty, "why", stopped, name="submit")
    end = f"{home}{number}"
    carry_out(empty, [end if word == "ADDRESS" else word for word in command])
    assert before.changed_to(state_of(empty.data)) == {end: (0, None)}


def test_the_owner_that_a_robot_must_name_is_set_as_the_error_says() -> None:
    def begin(*given: str) -> None:
        settings, seeds = CommandSettings(given), ["https://93.184.215.14/"]
        check_owner_is_known(read_crawl_settings(settings, SpiderArguments.of({"seeds": seeds[0]})), seeds)

    with pytest.raises(IdentityError) as unknown:
        begin()
    named = re.findall(r"-s ([A-Z_]+=\S+)", str(unknown.value))
    assert len(named) == 2
    for missing in named:
        with pytest.raises(IdentityError):
            begin(*(each for each in named if each != missing))
    begin(*named)


def test_a_host_without_an_address_may_be_misspelt() -> None:
    settings, seed = CommandSettings(), "http://bakery.invalid/"
    with pytest.raises(IdentityError, match=r"^http://bakery\.invalid/ has a host without an IP address: check its"):
        check_owner_is_known(read_crawl_settings(settings, SpiderArguments.of({"seeds": seed})), [seed])


BROKEN: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(b"x" * 9_000),
    "malformed": lambda path: path.write_bytes(path.read_bytes()[:4_096] + b"x" * (path.stat().st_size - 4_096)),
    "read-only": lambda _: None,
    "too old": lambda path: sqlite3.connect(path).execute("PRAGMA user_version = 1").connection.close(),
}


def read_only(path: Path) -> str:
    """Return what is said where SQLite may not write."""
    with CrawlDatabase(path.parent) as database:
        database.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StorageError) as error:
            database.transaction().__enter__()
    return str(error.value)


@pytest.mark.parametrize("how", BROKEN)
def test_where_a_folder_can_not_be_used_another_one_can_as_the_error_says(bakery: Breadcrumb, how: str) -> None:
    path = bakery.data / FILE_NAME
    sqlite3.connect(path).execute("PRAGMA journal_mode = DELETE").connection.close()
    BROKEN[how](path)
    left = path.read_bytes()
    said = bakery.run("submit", f"{HOST}/new").err if how != "read-only" else read_only(path)
    assert settings_in(said) == [("DATA_DIR", "FOLDER")]
    done = bakery.run_as_it_stands("submit", "-s", f"DATA_DIR={bakery.folder / 'other'}", f"{HOST}/new")
    assert done.code == 0
    assert path.read_bytes()[100:] == left[100:], "all behind the header, in which SQLite notes its mode"


def test_where_no_folder_is_named_the_example_of_the_error_names_one(bakery: Breadcrumb) -> None:
    said = bakery.run_as_it_stands("report", "-s", "DATA_DIR").err
    [(name, value)] = settings_in(said)
    assert CommandSettings([f"{name}={value}"]).data_dir == CommandSettings([]).data_dir


def test_what_a_crawl_is_begun_with_where_the_folder_has_another_division_is_what_the_error_says(
    bakery: Breadcrumb, tmp_path: Path
) -> None:
    def begin(data: Path, part: Partition) -> None:
        Session(data, CrawlJob((canonicalize(f"{HOST}/"),), partition=part)).close("not begun")

    with pytest.raises(DatabaseError) as of_whole:
        begin(bakery.data, Partition(1, 2))
    begin(tmp_path / "farm" / "part-1", Partition(1, 2))
    with pytest.raises(DatabaseError) as of_part:
        begin(tmp_path / "farm" / "part-1", Partition())
    with pytest.raises(DatabaseError) as of_number:
        check_divides(tmp_path / "farm", 3)
    with pytest.raises(DatabaseError) as of_whole_again:
        check_divides(bakery.data, 2)
    for error in (of_whole, of_part, of_number, of_whole_again):
        assert settings_in(str(error.value)) == [("DATA_DIR", "FOLDER")]
    begin(tmp_path / "other" / "part-1", Partition(1, 2))
    begin(tmp_path / "whole", Partition())
    check_divides(tmp_path / "new", 3)
    [part] = re.findall(r"-a part=(\S+),", str(of_part.value))
    begin(tmp_path / "farm" / "part-1", partition_of(part))
    [number] = re.findall(r"-n (\d+)", str(of_number.value))
    check_divides(tmp_path / "farm", int(number))
    assert commands_in(str(of_whole_again.value)) == [["crawl", "site"]]
