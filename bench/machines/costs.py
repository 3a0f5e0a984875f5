"""How much does a page cost, and how long do hosts make us wait? Measured figures, which a simulation multiplies.

Measured on 2026-11-23 on two cores. The manuals of SQLite and Python were crawled (600 and 528 pages). The links come
from 1,501 pages of six manuals, the delays from 1,209 real robots.txt files. Put yours in their place.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Seconds that a host wants between two requests, and its share of the hosts: the Crawl-delay for `*`, cut at
# MAX_CRAWL_DELAY; a host that names none gets DOWNLOAD_DELAY (docs/settings.md).
DELAYS = ((1.0, 1147), (2.0, 5), (3.0, 3), (5.0, 12), (6.0, 1), (10.0, 31), (20.0, 1), (30.0, 5), (60.0, 4))


@dataclass(frozen=True, slots=True)
class Costs:
    """The measured costs. `delays`: pairs of seconds and a number of hosts."""

    page_bytes: float = 22_800.0  # in the crawl database, bodies compressed
    index_bytes: float = 11_900.0  # in an index in the folder
    opensearch_times: float = 5.0  # as many bytes in OpenSearch: 4.6 to 4.8 for abstracts, 5.2 for pages of manuals
    cpu_seconds: float = 0.019  # to fetch, parse, filter, store and index a page
    letters: float = 5.0  # links of a page to other hosts, each URL once
    letter_bytes: float = 150.0  # URL, source and words
    start_seconds: float = 2.5  # from a task's start to its first request, and from its last to its end
    copy_bytes: float = 100e6  # a second, from storage and back: a gigabit network; the disk here had 320e6
    delays: tuple[tuple[float, int], ...] = DELAYS


NAMES = tuple(one.name for one in fields(Costs) if one.name != "delays")


def with_given(costs: Costs, given: Iterable[str]) -> Costs:
    """Return costs with the NAME=VALUE settings of a person. Raises ValueError with what would work."""
    for text in given:
        name, _, value = text.partition("=")
        if name not in NAMES:
            raise ValueError(f"{text!r}: give NAME=VALUE with one of {', '.join(NAMES)}")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 < number < float("inf"):
            raise ValueError(f"{text!r}: give a number above 0, such as {name}={getattr(costs, name):g}")
        costs = Costs(**asdict(costs) | {name: number})
    return costs
