"""Is every number of the study what a person counts in a few small files?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError
from crawldb.databases import Parts
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.robots_files import ImportedFile, RobotsVersion, put_imported, write_robots
from crawldb.tables.runs import Run
from extensions.robots_files.study.study import (
    SIZES,
    RobotKind,
    RobotNumbers,
    RobotsStudy,
    kind_of,
    stored_study,
    study_of,
)
from extensions.robots_files.study.study_rows import study_rows
from robots import RobotsRecord

if TYPE_CHECKING:
    from pathlib import Path

DAY = 24 * 3600.0
NOVEMBER = 1_762_000_000.0  # 2025-11-01, 12:26 UTC
A = b"""\
User-agent: *
Disallow: /private/
Crawl-delay: 2

User-agent: GoogleBot
User-agent: Xenu Link Sleuth
Crawl-delay: 10
Disallow:

User-agent: GPTBot/1.0
Disallow: /
Sitemap: https://a.example/sitemap.xml
Sitemap: http://A.example:8080/news.xml
Sitemap: https://elsewhere.example/sitemap.xml
"""
B = b"""\
User-agent: googlebot
Crawl-delay: 30
Disallow: /search

User-agent: gptbot
Disallow: /
Disalow: /twice
Disalow: /thrice
"""
C = b"User-agent: *\nDisallow: /\n"
D = b""


def version(origin: str, day: float = 0.0, *, newest: bool = True, imported: str = "") -> RobotsVersion:
    at = NOVEMBER + day * DAY
    return RobotsVersion(1, origin, imported, "a collection" if imported else "", at, at, 200, newest, b"")


def file_of(host: str, body: bytes) -> tuple[RobotsVersion, bytes]:
    return version(f"https://{host}.example:443"), body


@pytest.fixture(scope="module")
def study() -> RobotsStudy:
    return study_of([file_of("a", A), file_of("b", B), file_of("c", C), file_of("d", D)], {"200": 4, "404": 2})


def numbers_of(study: RobotsStudy, name: str) -> RobotNumbers:
    return next(robot for robot in study.robots if robot.name == name)


def test_robots_are_counted_by_their_product_tokens(study: RobotsStudy) -> None:
    assert [(robot.name, robot.named) for robot in study.robots] == [("googlebot", 2), ("gptbot", 2), ("xenu", 1)]
    assert study.universal.named == 2, "a and c have a group for *"


def test_whom_the_files_favour_and_shut_out(study: RobotsStudy) -> None:
    google, gpt, xenu = study.robots
    assert (google.favoured, google.disfavoured, google.shut_out) == (1, 1, 0), "by a it may enter /private/"
    assert (gpt.favoured, gpt.disfavoured, gpt.shut_out) == (0, 2, 2)
    assert (xenu.favoured, xenu.disfavoured, xenu.shut_out) == (1, 0, 0)
    assert (study.universal.favoured, study.universal.disfavoured, study.universal.shut_out) == (0, 0, 1), "by c"


def test_delays_by_robot_and_by_file(study: RobotsStudy) -> None:
    google = numbers_of(study, "googlebot")
    assert (google.delays, google.median_delay, google.longest_delay) == (2, 20.0, 30.0)
    gpt = numbers_of(study, "gptbot")
    assert (gpt.delays, gpt.median_delay, gpt.longest_delay) == (0, None, None)
    assert (study.universal.delays, study.universal.median_delay) == (1, 2.0)
    assert study.with_delays == 2
    assert list(study.delays.items()) == [(2, 1), (10, 1), (30, 1)]


def test_sizes_and_rules(study: RobotsStudy) -> None:
    assert study.files == 4
    assert study.rules == 6, "three in a with the empty one, two in b, one in c: a misspelt line is none"
    assert study.largest_size == len(A)
    assert study.median_size == (len(C) + len(B)) / 2
    assert list(study.sizes) == list(SIZES)
    found = {name: number for name, number in study.sizes.items() if number}
    assert found == {"empty": 1, "under 100 bytes": 1, "100 bytes to 1 kB": 2}


@pytest.mark.parametrize(("size", "name"), [(99, "under 100 bytes"), (100, "100 bytes to 1 kB"), (1_000, "1 to 10 kB")])
def test_a_size_at_a_bound_is_of_the_larger_ones(size: int, name: str) -> None:
    assert study_of([file_of("a", b"#" * size)], {}).sizes[name] == 1


def test_sitemaps_on_the_host_of_the_file_and_elsewhere(study: RobotsStudy) -> None:
    assert (study.with_sitemaps, study.sitemaps) == (1, 3)
    assert (study.with_sitemaps_elsewhere, study.sitemaps_elsewhere) == (1, 1)


SITEMAP = b"Sitemap: https://a.example/sitemap.xml\n"


@pytest.mark.parametrize(
    ("name", "numbers"), [("a.example", (1, 0, 0)), ("b.example", (1, 1, 0)), ("a1b2", (1, 0, 1)), ("", (1, 0, 1))]
)
def test_where_an_imported_file_is_from_its_name_tells_or_nobody(name: str, numbers: tuple[int, int, int]) -> None:
    study = study_of([(version("", imported=name), SITEMAP)], {})
    assert (study.with_sitemaps, study.with_sitemaps_elsewhere, study.with_sitemaps_unplaced) == numbers
    assert any("1 file is of no known host" in row.text for row in study_rows(study)) is bool(numbers[2])


def test_a_finding_of_the_lint_counts_once_a_file(study: RobotsStudy) -> None:
    assert study.findings == {"tells-where": 1, "empty-disallow": 1, "misspelt": 1}


def test_answers_are_passed_on(study: RobotsStudy) -> None:
    assert study.answers == {"200": 4, "404": 2}


def test_kinds_of_robots_are_told_by_name_or_not_at_all(study: RobotsStudy) -> None:
    assert study.kinds == {
        RobotKind.SEARCH: 2, RobotKind.LINKS: 1, RobotKind.PRICE: 0, RobotKind.STOCK: 0, RobotKind.STATISTICS: 0,
        RobotKind.MODELS: 2, RobotKind.UNKNOWN: 0,
    }  # fmt: skip
    assert kind_of("storebot-google") is RobotKind.PRICE
    assert kind_of("linkwalker") is RobotKind.LINKS
    assert kind_of("nobody-knows") is RobotKind.UNKNOWN


HISTORY = (
    (version("https://a.example:443", 0, newest=False), b"User-agent: *\nDisallow: /x\n"),
    (version("https://a.example:443", 2, newest=False), b"# new\nUser-agent: *\nDisallow: /x\n\n"),
    (version("https://a.example:443", 8), b"User-agent: *\nDisallow: /\nUser-agent: GPTBot\nDisallow: /x\n"),
    (version("https://b.example:443", 0, newest=False), b"User-agent: a\nDisallow: /x\nUser-agent: b\nAllow: /y\n"),
    (version("https://b.example:443", 40), b"User-agent: b\nDisallow: /x\nUser-agent: a\nAllow: /y\n"),
    (version("https://c.example:443", 0), b""),
    (version("", imported="one"), C),
    (version("", imported="two"), D),
)


def test_history_is_counted_a_version_after_the_other() -> None:
    history = study_of(HISTORY, {}).history
    assert (history.versions, history.with_changes, history.changes) == (8, 2, 3)
    assert history.median_days == 6, "of 2, 6 and 40"
    assert {kind.name: number for kind, number in history.by_kind.items() if number} == {  # type: ignore[attr-defined]  # a ChangeKind is told as a str
        "NOTHING": 1, "ROBOTS_ADDED": 1, "RULES_ADDED": 1, "CLOSED": 1, "REGROUPED": 1,
    }  # fmt: skip
    assert history.by_month == {"2025-11": 2, "2025-12": 1}
    assert (history.robots_added, history.robots_removed) == ({"gptbot": 1}, {})
    assert (history.rules_added, history.rules_removed) == (1, 0)


def test_only_the_newest_version_of_an_origin_is_its_file() -> None:
    study = study_of(HISTORY, {})
    assert study.files == 5
    assert [(robot.name, robot.named) for robot in study.robots] == [("a", 1), ("b", 1), ("gptbot", 1)]


def test_a_fetched_and_an_imported_file_of_one_origin_have_histories_of_their_own() -> None:
    mixed = [
        (version("https://a.example:443", 0, newest=False), C),
        (replace(version("https://a.example:443", 1), collection="old"), D),
        (version("https://a.example:443", 2), C + b"Disallow: /y\n"),
    ]
    history = study_of(mixed, {}).history
    assert (history.changes, history.rules_added, history.median_days) == (1, 1, 2)


def test_what_cant_be_read_is_told() -> None:
    study = study_of([(version("https://a.example:443"), None), file_of("c", C)], {})
    assert (study.files, study.left_out) == (1, 1)
    assert any("1 version can't be read" in row.text for row in study_rows(study))


def test_a_time_beyond_all_calendars_is_no_fault() -> None:
    versions = [(version("https://a.example:443", day, newest=day > 0), b"%r" % day) for day in (0, 1e30)]
    assert study_of(versions, {}).history.by_month == {"no month": 1}


def told(study: RobotsStudy) -> list[str]:
    return [str(row) for row in study_rows(study)]


def test_rows_tell_the_numbers(study: RobotsStudy) -> None:
    rows = told(study)
    assert "files     4 with 6 rules; 73 bytes in the middle, 289 bytes at most" in rows
    assert "everybody 2 files have a group for *" in rows
    assert "          1 file shuts out whomever it does not name" in rows
    google = next(row for row in rows if "googlebot" in row)
    assert " ".join(google.split()) == "googlebot 2 1 1 0 20 s"
    assert "kinds     search engines: 2, checkers of links: 1, language models: 2" in rows
    assert "delays    2 files ask for a Crawl-delay, most often:" in rows
    assert "          2 s: 1, 10 s: 1, 30 s: 1" in rows
    assert "lint      tells-where: 1, empty-disallow: 1, misspelt: 1" in rows
    assert "answers   200: 4, 404: 2" in rows
    assert "changes   none in 4 versions" in rows


def test_rows_tell_changes_and_an_empty_crawl() -> None:
    rows = told(study_of(HISTORY, {}))
    assert "changes   3 in 2 files, 6.0 days in the middle from one version to the next" in rows
    assert "          newly named, most often: gptbot 1" in rows
    assert told(study_of([], {}))[0].startswith("files     none yet")


def fill(folder: Path) -> Path:
    """A crawl with two versions of one file, another file, an origin without one, and an imported file."""
    with CrawlDatabase(folder) as database:
        run = Run(1, 1, resumed=False)
        for host, at, body in (("a", NOVEMBER, C), ("a", NOVEMBER + DAY, A), ("b", NOVEMBER, B)):
            origin = f"https://{host}.example:443"
            write_robots(database, run, RobotsRecord(origin, "PARSED", "", at, at + DAY, 200, body, good_at=at))
        write_robots(database, run, RobotsRecord("https://d.example:443", "ALLOW_ALL", "", NOVEMBER, NOVEMBER, 404))
        with database.transaction():
            put_imported(database, ImportedFile("old", "", NOVEMBER, D), "collection")
    return folder


def study_in(folder: Path, most: int | None = None) -> RobotsStudy:
    with Parts.in_folder(folder) as parts:
        return stored_study(parts, most)


def test_a_crawl_is_studied_with_its_history_and_its_answers(tmp_path: Path) -> None:
    study = study_in(fill(tmp_path))
    assert (study.files, study.left_out, study.history.versions, study.history.changes) == (3, 0, 4, 1)
    assert study.answers == {"200": 2, "404": 1}
    assert numbers_of(study, "gptbot").shut_out == 2


def test_too_many_are_left_out_and_a_damaged_one_is_passed_over(tmp_path: Path) -> None:
    assert study_in(fill(tmp_path), most=1).left_out == 3
    with CrawlDatabase(tmp_path) as database:
        database.connection.execute("UPDATE robots_body SET data = x'00' WHERE id = 1")
    study = study_in(tmp_path)
    assert (study.left_out, study.history.versions) == (1, 3)


def test_the_parts_of_a_divided_crawl_are_one_study_and_one_that_is_away_is_told(tmp_path: Path) -> None:
    one, two = (fill(folder_of(tmp_path, Partition(number, 2))) for number in (1, 2))
    both = study_in(tmp_path)
    assert (both.files, both.answers, both.faults) == (6, {"200": 4, "404": 2}, {})
    (two / FILE_NAME).unlink()
    half = study_in(tmp_path)
    assert (half.files, list(half.faults)) == (3, ["2/2"])
    assert told(half)[0].startswith("faults    part 2/2 is not in these numbers")
    (one / FILE_NAME).unlink()
    with pytest.raises(DatabaseError):
        study_in(tmp_path)


def test_a_file_with_too_many_robots_is_told() -> None:
    body = b"".join(b"User-agent: a%d\nDisallow: /\n" % number for number in range(2_000))
    study = study_of([file_of("a", body)], {})
    assert study.cut == 1
    assert any("1 file names more robots than are counted or compared" in row.text for row in study_rows(study))
