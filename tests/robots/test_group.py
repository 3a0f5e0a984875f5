"""Whom do rules concern, and how often are they stored?"""

from __future__ import annotations

import pytest

import robots
from robots import Dialect

BOT = b"User-Agent: bot\nDisallow: /\n"


@pytest.mark.parametrize("agent", ["Bot", "Robot", "Bottom-Feeder", "Spambot", "Dont-Bother-Me"])
def test_in_the_book_bot_means_every_name_with_bot_in_it(agent: str) -> None:
    assert not robots.parse(BOT, Dialect.BOOK).decide(agent, "http://h.test/x").allowed
    assert robots.parse(BOT).decide(agent, "http://h.test/x").allowed is (agent != "Bot")


def test_in_1996_our_name_is_looked_for_in_theirs() -> None:
    body = b"User-agent: Mozilla/5.0 (compatible; Breadcrumb/1.0)\nDisallow: /\n"
    found = {
        dialect.value: not robots.parse(body, dialect).decide("Breadcrumb", "http://h/x").allowed for dialect in Dialect
    }
    assert found == {"rfc9309": False, "google": False, "1996": True, "book": False}


@pytest.mark.parametrize(
    ("agent", "value"),
    [
        pytest.param("Breadcrumb/1.0 (+https://seeds.example/bot)", "breadcrumb", id="we give our whole User-Agent"),
        pytest.param("Breadcrumb", "BREADCRUMB/2.1", id="the file gives a version"),
        pytest.param("Breadcrumb", "breadcrumb*", id="the file gives a star"),
        pytest.param("MJ12bot", "MJ12bot", id="digits are a part of names in use"),
        pytest.param("archive.org_bot", "archive.org_bot", id="points are a part of names in use"),
    ],
)
def test_the_product_token_is_what_names_a_robot(agent: str, value: str) -> None:
    assert not robots.parse(f"User-agent: {value}\nDisallow: /\n".encode()).decide(agent, "http://h.test/x").allowed


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("agent", ["", "*", "\ud800", "Зонд"])
def test_a_robot_without_a_usable_name_is_everybody(dialect: Dialect, agent: str) -> None:
    body = b"User-agent:\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"
    file = robots.parse(body, dialect)
    assert (file.decide(agent, "http://h/a").line, file.decide(agent, "http://h/b").line) == (0, 5)


def test_rules_are_stored_once_however_many_robots_they_are_for() -> None:
    names, rules = 10_000, 10_000
    agents = b"".join(b"User-agent: bot%d\n" % number for number in range(names))
    file = robots.parse(agents + b"".join(b"Disallow: /%d\n" % number for number in range(rules)))
    assert [len(group.rules) for group in file.groups] == [rules]
    assert sum(len(block.names) for group in file.groups for block in group.blocks) == names
    assert file.decide("bot9999", "http://h.test/777").line == names + 1 + 777  # and not the shorter /7 or /77


def test_delays_are_stored_once_however_many_robots_they_are_for() -> None:
    agents = b"".join(b"User-agent: bot%d\n" % number for number in range(10_000))
    file = robots.parse(agents + b"Crawl-delay: 1\n" * 10_000)
    assert len(file.groups[0].blocks) == 1
    assert file.delay("bot777") == 1.0
