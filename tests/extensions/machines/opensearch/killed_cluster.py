"""What is lost when nodes are killed while an index is written into them? A writer, and the remaining documents."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

from extensions.machines.opensearch.address import IndexAddress
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.state import read_state
from extensions.machines.opensearch.writer import ClusterWriter
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.extensions.machines.opensearch.nodes import Nodes

KILLED_PAGES = 300  # of one round of the writer that is killed
REMOVED = 0.05  # of them in each round
COPIES = {"index_patterns": ["bench-*"], "template": {"settings": {"number_of_replicas": 1}}}


class KilledCluster:
    """One writer on a cluster whose nodes are killed; `expected` has the version of each URL that was committed."""

    def __init__(self, nodes: Nodes, scratch: Path) -> None:
        self.nodes = nodes
        address = IndexAddress.read(f"opensearch://{','.join(nodes.hosts)}/bench-kills")
        self.cluster = Cluster(address)
        self.cluster.ask("PUT", "/_index_template/bench", COPIES)
        self.writer = ClusterWriter(scratch, address)
        self.expected: dict[str, int] = {}
        self.seq = self.rounds = 0
        self.faults: Counter[str] = Counter()

    def write_a_round(self) -> None:
        """Put most pages anew, remove some, and commit."""
        wanted = dict(self.expected)
        for number in range(KILLED_PAGES):
            self.seq += 1
            url = CanonicalUrl(f"http://bench.test/{number}")
            if random.random() < REMOVED:
                self.writer.remove(url, self.seq)
                wanted.pop(url, None)
            else:
                self.writer.put(Page(url, f"{number}", f"round {self.seq} " + "some words of a page " * 40), self.seq)
                wanted[url] = self.seq
            if number % 50 == 0:
                self.writer.flush()  # so a kill finds bulks under way
        self.writer.commit(self.seq)
        self.expected = wanted
        self.rounds += 1

    def kill_one(self) -> None:
        """Kill a node at a moment of a round, start it again, and compare."""
        victim = random.randint(1, len(self.nodes.hosts))
        timer = threading.Timer(random.uniform(0.0, 1.5), self.nodes.kill, (victim,))
        timer.start()
        self.write_a_round()
        while timer.is_alive():
            self.write_a_round()
        timer.join()
        if len(self.nodes.hosts) > 1:
            self.write_a_round()  # while it is away
        self.nodes.start(victim)
        self.compare()

    def outlast_one(self) -> None:
        """The same for a cluster of one node: it is back before the writer gives up."""
        self.nodes.kill(1)
        back = threading.Timer(random.uniform(0.0, 1.0), self.nodes.start, (1,))
        back.start()
        self.write_a_round()
        back.join()
        self.compare()

    def compare(self) -> None:
        """Count what is not as it was committed."""
        self.nodes.wait()
        while len(self.nodes.hosts) > 1 and self.nodes.health().get("status") != "green":
            time.sleep(0.2)  # or the next kill meets the only copy
        self.cluster.ask("POST", "/bench-kills/_refresh")
        query = {"query": {"match_all": {}}, "size": 10_000, "version": True, "_source": ["url"]}
        hits = self.cluster.ask("POST", "/bench-kills/_search", query)["hits"]["hits"]
        urls = Counter(hit["_source"]["url"] for hit in hits)
        self.faults["twice"] += sum(count - 1 for count in urls.values())
        self.faults["lost"] += len(self.expected.keys() - urls.keys())
        self.faults["not removed"] += len(urls.keys() - self.expected.keys())
        self.faults["stale"] += sum(hit["_version"] != self.expected.get(hit["_source"]["url"]) for hit in hits)
        self.faults["position"] += read_state(self.cluster).position != self.seq
