"""The top pages by their links, in the terminal and for programs; invalid settings are reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.commands.conftest import HOST

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb


def test_links_are_reported_with_the_foremost_page_first(bakery: Breadcrumb) -> None:
    done = bakery.run("report", "links")
    assert done.code == 0
    assert "damping 0.85" in done.out
    found = json.loads(bakery.run("report", "links", "--json", "-s", "PAGERANK_DAMPING=0.5").out)
    assert found["damping"] == 0.5
    assert found["foremost"][0]["url"] == f"{HOST}/"


@pytest.mark.parametrize("damping", ["1", "-0.1"])
def test_a_damping_that_is_no_probability_is_told(bakery: Breadcrumb, damping: str) -> None:
    done = bakery.run("report", "links", "-s", f"PAGERANK_DAMPING={damping}")
    assert done.code == 2
    assert "give a probability from 0 to less than 1" in done.err


def test_why_tells_of_the_links_to_a_page(bakery: Breadcrumb) -> None:
    told = bakery.run("why", f"{HOST}/rye.html").out
    assert "By links it is number" in told
    links = json.loads(bakery.run("why", f"{HOST}/rye.html", "--json").out)["links"]
    assert set(links) == {"pagerank", "inlinks", "place", "pages"}
