"""How is Scrapy's own robots.txt middleware seen in all situations? In a process of its own, for the clock it sets."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

from tests.own_commands import ROOT
from tests.situations.assessment import Observation
from tests.situations.crawl import ANSWER_SECONDS, LONGEST_RUN
from tests.situations.server import SituationServer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.situations.situation import Situation


def observe_scrapy(situations: Sequence[Situation]) -> dict[str, Observation]:
    """Let Scrapy crawl all situations; return what is seen of each by its id."""
    with SituationServer(situations) as server:
        visits: dict[int, list[str]] = defaultdict(list)
        for situation in situations:
            for label, site in situation.sites.items():
                for number in range(1, len(site.visits) + 1):
                    visits[number].append(server.url(situation, label))
        told = json.dumps({"visits": list(visits.values()), "port": server.ports[0]})
        subprocess.run(
            [sys.executable, "-m", "tests.situations.obedient", str(ANSWER_SECONDS)],
            input=told,
            text=True,
            cwd=ROOT,
            timeout=LONGEST_RUN,
            check=True,
        )
        return {situation.id: Observation(server.log[situation.id]) for situation in situations}
