"""The text to forward names the robot, the sites, the time, the load, the contact and how to stop it."""

from extensions.plan.announcement import SITES_NAMED, announcement
from extensions.plan.forecast import Estimate, SiteEstimate
from reports.actual import plan_and_actual, plan_sentence
from reports.wording import Span
from spiders.downloader.address_policy import Identity

WHERE = "Sites see nothing."
NONE = Span(0, 0)


def a_site(name: str, requests: int, delay: float = 2.0) -> SiteEstimate:
    span = Span(requests, requests)
    return SiteEstimate(name, name, span, span, span, NONE, NONE, NONE, delay, "")


def a_plan(*sites: SiteEstimate) -> Estimate:
    return Estimate(sites, Span(10, 20), Span(11, 22), Span(1000, 5_000_000), NONE, NONE, Span(60, 7260), "a.example")


def test_it_has_what_the_book_lists() -> None:
    identity = Identity("Breadcrumb", "me@example.org", "https://example.org/bot")
    text = "\n".join(announcement(a_plan(a_site("a.example", 22)), identity, WHERE, 1_795_000_000.0))
    for said in (
        "starting 2026-11-18", "A crawl of 1 site", "me@example.org",
        "https://example.org/bot", "Sites see nothing.", "a.example: 22 requests, at most 30 per minute",
        "11 to 22 requests", "1.0 kB to 5.0 MB", "1 min 00 s to 2 h 01 min", "Ctrl-C", "./breadcrumb block --site SITE",
    ):  # fmt: skip
        assert said in text


def test_a_site_that_is_asked_often_has_a_pace_without_an_exponent() -> None:
    text = "\n".join(announcement(a_plan(a_site("a.example", 22, 0.05)), Identity("Breadcrumb"), WHERE, 0.0))
    assert "a.example: 22 requests, at most 1,200 per minute" in text


def test_what_is_not_set_yet_is_asked_for() -> None:
    text = "\n".join(announcement(a_plan(), Identity("Breadcrumb"), WHERE, 0.0))
    assert "set CONTACT" in text
    assert "set BOT_URL" in text


def test_of_many_sites_the_largest_are_named() -> None:
    sites = [a_site(f"s{number}.example", number) for number in range(30)]
    paragraphs = announcement(a_plan(*sites), Identity("Breadcrumb"), WHERE, 0.0)
    named = [text for text in paragraphs if ".example: " in text]
    assert len(named) == SITES_NAMED
    assert named[0].strip().startswith("s29.example")
    assert "  and 10 smaller sites" in paragraphs


def test_plan_and_actual_stand_side_by_side() -> None:
    took = {"pages": 15, "requests": 1, "bytes": 900, "disk": 0, "memory": 0, "seconds": 61.0, "over": True}
    plan = {"estimate": a_plan().as_dict(), "actual": took}
    found = {name: (planned, actual) for name, planned, actual in plan_and_actual(plan)}
    assert found["pages"] == ("10 to 20", "15")
    assert found["bytes"] == ("1.0 kB to 5.0 MB", "900 bytes")
    assert plan_sentence(plan) == (
        "Plan:  10 to 20 pages, 11 to 22 requests in 1 min 00 s to 2 h 01 min; "
        "real cost: 15 pages, 1 request in 1 min 01 s."
    )
