"""A blacklist file: what its lines mean, and that a change of it has its effect while a crawl runs."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from crawldb.tables.blocks import blacklist
from crawldb.tables.journal import Journal
from frontier.session import Session
from frontier.takedown import BlacklistFileError, block
from tests.samples import SEED, a_page, accounting, lease_all
from urls.blacklist import Target, TargetKind, read_blacklist
from urls.rules import Rule


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "blacklist.txt"
    path.write_text("# nobody asked yet\n")
    return path


@pytest.fixture
def crawled(open_session: Callable[..., Session], file: Path) -> Session:
    session = open_session(blacklist_file=file)
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/x/1", "http://a.example/x/2", "http://a.example/y")))
    lease_all(session)
    session.store.page(a_page("http://a.example/x/1"))
    return session


def edit(session: Session, file: Path, text: str) -> None:
    """Write the file as an editor does, a second after it was last looked at."""
    file.write_text(text)
    os.utime(file, (1, file.stat().st_mtime + 10))
    session.store._blacklist_file._looked_at = -10.0


def test_a_line_is_a_url_a_site_or_a_pattern_with_its_reason() -> None:
    reading = read_blacklist("\n# opt-outs\nhttp://a.example/x/ # asked by mail\n  b.example:80\n*.c.example\na b\n")
    assert reading.entries == {
        Target(TargetKind.PATTERN, "http://a.example/x/*"): "asked by mail",
        Target(TargetKind.SITE, "b.example"): "",
        Target(TargetKind.PATTERN, "*.c.example"): "",
    }
    [mistake] = reading.mistakes
    assert mistake.startswith("line 6 is left out: ")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_only_the_end_of_a_line_ends_an_entry(end: str) -> None:
    lines = [
        "http://a.example/x\t# a letter\u2028of.example\x0bof.example\x85of.example",
        "\t# a note",
        "b.example # #1",
    ]
    assert read_blacklist(end.join(lines)).entries == {
        Target(TargetKind.URL, "http://a.example/x"): "a letter\u2028of.example\x0bof.example\x85of.example",
        Target(TargetKind.SITE, "b.example"): "#1",
    }


def test_what_is_new_in_the_file_is_blocked_at_once(crawled: Session, file: Path) -> None:
    edit(crawled, file, "http://a.example/x/* # its owner asked\n")
    crawled.store.page(a_page("http://a.example/y"))
    assert crawled.database.count("SELECT count(*) FROM page WHERE title LIKE '%/x/1'") == 0
    assert accounting(crawled)["suppressed"] == 2
    crawled.store.page(a_page("http://a.example/x/2"))
    assert crawled.database.count("SELECT count(*) FROM page") == 2
    reasons = [entry.reason for entry in Journal(crawled.database).latest(rule="blocked")]
    assert "the folder http://a.example/x/ is on the blacklist: its owner asked" in reasons


def test_what_has_left_the_file_is_asked_for_again(crawled: Session, file: Path) -> None:
    edit(crawled, file, "http://a.example/x/*\nhttp://a.example/y\n")
    crawled.store.note(Rule.WARNING, "a write")
    edit(crawled, file, "http://a.example/y\n")
    crawled.store.note(Rule.WARNING, "a write")
    assert {url for url in lease_all(crawled) if "/x/" in url} == {"http://a.example/x/1", "http://a.example/x/2"}
    assert accounting(crawled)["suppressed"] == 1


def test_what_a_person_blocked_stays_when_it_leaves_the_file(crawled: Session, file: Path) -> None:
    edit(crawled, file, "http://a.example/y\n")
    crawled.store.note(Rule.WARNING, "a write")
    block(crawled.database, "http://a.example/y", "asked by telephone")
    edit(crawled, file, "")
    crawled.store.note(Rule.WARNING, "a write")
    assert blacklist(crawled.database).urls == {"http://a.example/y": "asked by telephone"}


def test_the_file_is_looked_at_once_a_second_at_most(crawled: Session, file: Path) -> None:
    assert not crawled.store._blacklist_file.has_changed()
    edit(crawled, file, "a.example\n")
    assert crawled.store._blacklist_file.has_changed()
    assert not crawled.store._blacklist_file.has_changed()


def test_a_file_that_has_gone_is_told_and_what_it_said_holds(crawled: Session, file: Path) -> None:
    edit(crawled, file, "http://a.example/y\n")
    crawled.store.note(Rule.WARNING, "a write")
    file.unlink()
    crawled.store._blacklist_file._looked_at = -10.0
    crawled.store.note(Rule.WARNING, "a write")
    assert blacklist(crawled.database).urls == {"http://a.example/y": ""}
    assert "can't be read any longer" in Journal(crawled.database).latest(rule="blacklist-file")[0].reason


def test_a_line_that_can_not_be_read_is_told_and_the_others_hold(crawled: Session, file: Path) -> None:
    edit(crawled, file, "two words\nhttp://a.example/y\n")
    crawled.store.note(Rule.WARNING, "a write")
    assert "line 1 is left out" in Journal(crawled.database).latest(rule="blacklist-file")[0].reason
    assert blacklist(crawled.database).urls == {"http://a.example/y": ""}


def test_a_transaction_that_came_to_nothing_takes_the_file_back(crawled: Session, file: Path) -> None:
    edit(crawled, file, "http://a.example/y\n")
    with pytest.raises(LookupError):
        crawled.store.page(a_page("http://a.example/never-leased"))
    assert blacklist(crawled.database).urls == {}
    crawled.store.note(Rule.WARNING, "a write")
    assert blacklist(crawled.database).urls == {"http://a.example/y": ""}


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"#" * (10 * 1024 * 1024 + 1)])
def test_a_crawl_does_not_begin_without_its_file(
    open_session: Callable[..., Session], tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "list"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BlacklistFileError, match=r"BLACKLIST_FILE=.*can't be read"):
        open_session(blacklist_file=path)


def test_without_the_file_its_entries_go(crawled: Session, file: Path, open_session: Callable[..., Session]) -> None:
    edit(crawled, file, "http://a.example/y\n")
    crawled.store.note(Rule.WARNING, "a write")
    crawled.close("finished")
    assert blacklist(open_session().database).urls == {}
