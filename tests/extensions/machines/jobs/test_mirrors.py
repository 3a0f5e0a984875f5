"""Mirrors in different parts are found as in one crawl, by the same evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.databases import Parts
from crawldb.parts.partition import WHOLE
from extension_points import built_in, call_extensions
from extensions.machines.jobs.copies import join_copies
from extensions.machines.tasks.places import PartsInFolder
from tests.extensions.machines.jobs.divided import HOSTS, PARTS, SEEDS, crawl
from urls.records import Link

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

SAME, NEAR, OWN = range(1, 12), range(12, 20), range(20, 21)


def story(number: int) -> str:
    return " ".join(f"sentence{number}x{place} of story{number}" for place in range(80))


def two_in_different_parts() -> tuple[str, str]:
    """An original and its mirror, in the order in which both crawls meet them."""
    owners = {host: PARTS[0].owner(host) for host in HOSTS}
    return next((one, other) for one in HOSTS for other in HOSTS if one < other and owners[one] < owners[other])


def proposals(data_dir: Path) -> list[dict[str, Any]]:
    with Parts.in_folder(data_dir) as parts:
        found = [each.as_dict() for each in call_extensions("option_proposals", databases=parts.readable())]
    return [each | {name: sorted(each[name]) for name in ("samples", "counter_examples")} for each in found]


@pytest.mark.skipif("suggest" not in built_in(), reason="the extension that proposes mirrors")
def test_a_mirror_in_another_part_is_proposed_as_in_one_crawl(tmp_path: Path) -> None:
    original, mirror = two_in_different_parts()
    web: dict[str, tuple[Link, ...]] = dict.fromkeys(SEEDS, ())
    texts: dict[str, str] = {}
    for host in (original, mirror):
        pages = [f"http://{host}/{number}" for number in (*SAME, *NEAR, *OWN)]
        web |= dict.fromkeys(pages, ()) | {f"http://{host}/0": tuple(Link(page, "on") for page in pages)}
        texts |= {f"http://{host}/{number}": story(number) for number in SAME}
        texts |= {f"http://{host}/{number}": f"{story(number)} Here it is {host}'s." for number in NEAR}
    whole, divided = tmp_path / "whole", tmp_path / "divided"
    crawl(whole, (WHOLE,), web, texts)
    crawl(divided, PARTS, web, texts)
    expected = proposals(whole)
    assert [(each["site"], each["names"], each["agree"], each["proposed"]) for each in expected] == [
        (mirror, (original,), len(SAME) + len(NEAR), True)
    ]
    assert proposals(divided) != expected, "before, a part knows nothing of near copies in another"
    join_copies(PartsInFolder(divided))
    assert proposals(divided) == expected
