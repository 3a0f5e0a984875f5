"""From what a trial measured to what a round will cost."""

from dataclasses import replace

import pytest

from extensions.plan.forecast import (
    BYTES_A_KNOWN_URL,
    Links,
    Measurement,
    Memory,
    Rates,
    SiteEstimate,
    estimate,
    estimate_site,
)
from reports.wording import Span

RATES = Rates(site_pages=50_000, pattern_pages=200, packing=0.25, disk=1000.0)
# 100 URLs are known, 20 of them were asked for with 22 requests, 16 gave a page.
TRIED = Measurement(
    "a.example", known=100, queued=80, ended=20, requests=22, pages=16, size=220_000,
    links=Links(100, 0), unread=0, read=16, latency=0.3, spacing=0.05,
)  # fmt: skip


def site(measured: Measurement = TRIED, host: str = "a.example", delay: float = 1.0) -> SiteEstimate:
    return estimate_site(measured, host, delay, RATES)


def test_a_sample_that_says_next_to_nothing_is_vague() -> None:
    memory = Memory(0)
    few = site(replace(TRIED, known=22, queued=2, links=Links(2, 2)))
    assert few.urls.upper == RATES.site_pages
    assert estimate([few], memory, {}).is_vague
    assert not estimate([site()], memory, {}).is_vague
    assert not estimate([], memory, {}).is_vague


def test_everything_is_in_proportion_to_the_trial() -> None:
    found = site()
    assert found.urls == Span(100, 105)
    assert found.requests == Span(111, 117)  # 1.1 a URL, and the robots.txt
    assert found.pages == Span(80, 84)
    assert found.bytes == Span(111 * 2500, 117 * 2500)  # 10,000 bytes a body, packed to a quarter
    assert found.disk == Span(80_000, 84_000)


@pytest.mark.parametrize(
    ("delay", "latency", "each"),
    [
        pytest.param(1.0, 0.3, 1.0, id="the delay is longer than an answer"),
        pytest.param(1.0, 4.0, 4.0, id="an answer is longer than the delay"),
        pytest.param(0.0, 0.3, 0.05, id="without a delay, as the trial's answers followed each other"),
    ],
)
def test_requests_to_a_host_stand_in_line(delay: float, latency: float, each: float) -> None:
    found = site(replace(TRIED, latency=latency), delay=delay)
    assert found.seconds.lower == pytest.approx(111 * each)


def test_sizes_reach_from_the_typical_page_to_the_mean_one() -> None:
    found = site(replace(TRIED, typical_size=2_000))
    assert found.bytes == Span(111 * 500, 117 * 2500)
    assert found.disk == Span(16_000, 84_000)


def test_the_longest_gap_of_a_trial_counts_once() -> None:
    found = site(replace(TRIED, start=5.0, typical_spacing=0.02), delay=0.0)
    assert found.seconds.lower == pytest.approx(5.0 + 111 * 0.02)
    assert found.seconds.upper == pytest.approx(5.0 + 117 * 0.05)


def test_a_site_that_was_tried_whole_has_one_size_and_one_time() -> None:
    found = site(replace(TRIED, queued=0, typical_size=2_000, typical_spacing=0.02), delay=0.0)
    assert found.bytes == Span(111 * 2500, 111 * 2500)
    assert found.seconds.lower == found.seconds.upper


@pytest.mark.parametrize(
    ("measured", "upper", "said"),
    [
        pytest.param(replace(TRIED, queued=0), 100, "no URL waits", id="a whole site"),
        pytest.param(replace(TRIED, lists=1, listed=60), 105, "its sitemaps list 60", id="a sitemap that was read"),
        pytest.param(
            replace(TRIED, lists=2, listed=60, unread_lists=3),
            195,
            "3 of them are not read yet",
            id="sitemaps not yet read",
        ),
        pytest.param(replace(TRIED, families=(30, 200)), 275, "may reach PATTERN_PAGES", id="a calendar"),
        pytest.param(replace(TRIED, links=Links(5, 5)), 50_000, "the upper figure is SITE_PAGES", id="no end in sight"),
        pytest.param(replace(TRIED, ended=0, requests=0), 100, "the trial got no page of this site", id="not tried"),
        pytest.param(
            replace(TRIED, ended=0, requests=0, links=Links(0, 0)),
            100,
            "only its known URLs are counted",
            id="not tried, and no link to go by",
        ),
    ],
)
def test_the_basis_is_told(measured: Measurement, upper: int, said: str) -> None:
    found = site(measured)
    assert found.urls.upper == upper
    assert said in found.basis


def test_hosts_are_asked_side_by_side_and_ports_of_one_in_line() -> None:
    one, other, port = site(), site(replace(TRIED, known=50), "b.example"), site(replace(TRIED, known=50), "b.example")
    whole = estimate([one, other, port], Memory(100), {})
    assert whole.slowest == "b.example"
    assert whole.seconds.lower == pytest.approx(2 * 56.0)
    assert whole.requests == Span(111 + 2 * 56, 117 + 2 * 60)


def test_memory_is_the_peak_with_what_its_cache_and_its_urls_add() -> None:
    whole = estimate([site()], Memory(1000, 500, cache=50), {"a.example": 100})
    assert whole.memory == Span(1500, 1550 + 5 * BYTES_A_KNOWN_URL)


def test_no_site_at_all_costs_nothing() -> None:
    whole = estimate([], Memory(0), {})
    assert (whole.pages, whole.seconds, whole.slowest) == (Span(0, 0), Span(0, 0), "")
