"""Which groups make up the rule set of a robot, and what does the file remember of it?"""

from __future__ import annotations

import robots
from robots.file import MAX_RULE_SETS_KEPT
from robots.verdict import MAX_VERDICTS_KEPT


def test_a_group_that_names_a_robot_twice_counts_once() -> None:
    file = robots.parse(b"User-agent: a\nCrawl-delay: 1\nUser-agent: a\nDisallow: /x\n")
    assert len(file._rule_set("a").index.lines) == 1
    assert file.delay("a") == 1.0


def test_robots_that_the_file_calls_by_one_name_share_what_is_worked_out() -> None:
    file = robots.parse(b"User-agent: *\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n")
    assert file._rule_set("b") is file._rule_set("c")
    assert file._rule_set("b") is not file._rule_set("a")


def test_nothing_is_worked_out_for_robots_that_do_not_ask() -> None:
    file = robots.parse(b"User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n")
    assert not file._rule_sets
    file.decide("a", "http://h.test/")
    assert len(file._by_blocks) == 1


def test_robots_that_are_asked_about_in_thousands_do_not_fill_the_memory() -> None:
    file = robots.parse(b"User-agent: *\nDisallow: /x\n" * 64)
    for number in range(1000):
        assert not file.decide(f"bot{number}", "http://h.test/x").allowed
    assert len(file._rule_sets) <= MAX_RULE_SETS_KEPT
    assert len(file._by_blocks) <= MAX_RULE_SETS_KEPT


def test_verdicts_by_thousands_of_rules_do_not_fill_the_memory() -> None:
    count = 3 * MAX_VERDICTS_KEPT
    file = robots.parse(b"User-agent: *\n" + b"".join(b"Disallow: /%d$\n" % number for number in range(count)))
    assert all(file.decide("a", f"http://h.test/{number}").line == number + 2 for number in range(count))
    assert len(file._rule_set("a")._verdicts) <= MAX_VERDICTS_KEPT
