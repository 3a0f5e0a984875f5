"""`block` with patterns, and the hint where nothing is known of what was meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

HOST = "http://bakery.localhost:8400"


def test_a_pattern_blocks_what_it_fits_and_is_lifted_again(bakery: Breadcrumb) -> None:
    done = bakery.run("block", f"{HOST}/*bread*", f"{HOST}/r*", "--json")
    assert done.code == 0
    [none, rye] = json.loads(done.out)["blocked"]
    assert (none["kind"], rye["kind"], rye["pages"]) == ("pattern", "pattern", 1)
    assert "rye.html" not in bakery.run("search", "rye", "-n", "30").out
    assert "blacklist" in bakery.run("why", f"{HOST}/rye.html").out
    assert json.loads(bakery.run("block", "--lift", f"{HOST}/r*", "--json").out)["lifted"][0]["urls"] == 1


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("bakery.localhost:8500", "did you mean bakery.localhost:8400?"),
        ("bakery.localhost", "did you mean bakery.localhost:8400?"),
        (f"{HOST}/never-met.html", f"knows nothing of {HOST}/never-met.html yet.\n"),
        ("http://bakrey.localhost:8400/", "did you mean bakery.localhost:8400?"),
    ],
)
def test_what_nobody_knows_is_blocked_with_a_hint(crawled: Breadcrumb, target: str, hint: str) -> None:
    done = crawled.run("block", target)
    assert done.code == 0
    assert hint in done.out


def test_what_is_known_has_no_hint(crawled: Breadcrumb) -> None:
    assert "knows nothing" not in crawled.run("block", "bakery.localhost:8400").out


def test_a_missing_scheme_is_told_with_what_was_meant(crawled: Breadcrumb) -> None:
    done = crawled.run("block", "bakery.localhost:8400/rye.html")
    assert done.code == 2
    assert "did you mean http://bakery.localhost:8400/rye.html?" in done.err
    done = crawled.run("submit", "bakery.localhost:8400/rye.html")
    assert "did you mean http://bakery.localhost:8400/rye.html?" in done.out
