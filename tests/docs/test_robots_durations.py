"""Does docs/robots.md name the durations that the code keeps?"""

from __future__ import annotations

from pathlib import Path

import pytest

from robots import MAX_REDIRECTS
from robots.access_state import CLOSED_FOR, GIVE_UP_AFTER, Unreachable
from robots.freshness import MAX_KEPT, MAX_LIFETIME, MAX_RETRY, MIN_LIFETIME, MIN_RETRY, RETRY, RETRY_SOON

DOCS = Path(__file__).resolve().parents[2] / "docs"
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
WORDS = {5.0: "five", 10.0: "ten"}


def told(seconds: float, unit: float, name: str) -> str:
    number = seconds / unit
    assert number == int(number)
    return f"{number:g} {name}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("robots.md", f"| up to {told(CLOSED_FOR, HOUR, 'hours')} | **closed** | **closed** |"),
        (
            "robots.md",
            f"| {told(CLOSED_FOR, HOUR, 'hours')} to {told(GIVE_UP_AFTER, DAY, 'days')} | the last good file",
        ),
        ("robots.md", f"| after {told(GIVE_UP_AFTER, DAY, 'days')} | the last good file decides | as if there were no"),
        ("robots.md", f"The {told(CLOSED_FOR, HOUR, 'hours')} are our choice"),
        ("robots.md", f"fails](#while-your-robotstxt-fails), for {told(MAX_KEPT, DAY, 'days')} at most"),
        ("robots.md", f"for as long as that, {told(MAX_KEPT, DAY, 'days')} at most"),
        ("robots.md", f"no copy is used for longer than {told(MAX_LIFETIME, HOUR, 'hours')} unless"),
        ("robots.md", f"never under {WORDS[MIN_LIFETIME / MINUTE]} minutes"),
        ("robots.md", f"after {told(RETRY, MINUTE, 'minutes')} (503: {RETRY_SOON / MINUTE:g}), then later and later"),
        ("robots.md", f"patience gets it | after {told(RETRY_SOON, MINUTE, 'minutes')}, then later and later"),
        ("robots.md", f"anywhere between {WORDS[MIN_RETRY]} seconds and a"),
        ("robots.md", f"followed {WORDS[MAX_REDIRECTS]} times"),
        ("settings.md", f"closed for {told(CLOSED_FOR, HOUR, 'hours')}, then the last good copy"),
        ("settings.md", f"closed for {told(GIVE_UP_AFTER, DAY, 'days')}, and a site that answers 5xx"),
        ("book.md", f"closed for {told(CLOSED_FOR, HOUR, 'hours')}, then the last good copy"),
        ("book.md", f"after {told(GIVE_UP_AFTER, DAY, 'days')} the last good copy"),
    ],
)
def test_a_duration_is_that_of_the_code(text: str, sentence: str) -> None:
    assert " ".join(sentence.split()) in " ".join((DOCS / text).read_text("utf-8").split())


def test_the_readings_differ_as_the_tables_say() -> None:
    assert (Unreachable.RFC9309.closed_for, Unreachable.GOOGLE.closed_for) == (CLOSED_FOR, GIVE_UP_AFTER)
    assert MAX_RETRY == MAX_LIFETIME == DAY
