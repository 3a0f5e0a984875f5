"""What is counted of the gateway? Requests by view and status, their seconds, and beside them how the crawl stands.

Names, units and types are those of Prometheus' own advice: seconds, bytes, `_total` for what only grows. A view is the
path by which Flask knows it, so that no visitor can make up a new one.
"""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

from flask import current_app, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily

from crawldb.database import DatabaseError
from gateway.served_crawl import served_crawl
from indexer.faults import IndexFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Flask, Response

EXTENSION = "measurements"  # under this name Flask keeps what an application counts
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # the upper ends of the histogram
NO_VIEW = "none"  # the view of a request that no path of ours fits


class Measurements:
    """The counters of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        asked = ("breadcrumb_requests", "Requests that were answered.", ("view", "status"))
        self._requests = Counter(*asked, registry=self.registry)
        took = ("breadcrumb_request_seconds", "Seconds from a request to its answer.", ("view",))
        self._seconds = Histogram(*took, buckets=SECONDS, registry=self.registry)
        self.registry.register(_Standing())

    def note(self, view: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(view, str(status)).inc()
        self._seconds.labels(view).observe(seconds)


class _Standing:
    """The index, the crawl and the disk, asked when a monitor asks; what can't be asked is left out."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from _index()
        try:
            yield from _crawl()
        except (DatabaseError, sqlite3.Error):
            return

    def describe(self) -> tuple[GaugeMetricFamily, ...]:
        return ()  # else the registry would ask for the crawl before there is a request


def _index() -> Iterator[GaugeMetricFamily]:
    try:
        searcher = served_crawl().searcher
        generation, documents = searcher.generation, searcher.documents
    except IndexFault:
        yield _gauge("breadcrumb_index_up", "Whether questions can be answered.", 0)
        return
    yield _gauge("breadcrumb_index_up", "Whether questions can be answered.", 1)
    yield _gauge("breadcrumb_index_generation", "The committed state of the index that answers.", generation)
    yield _gauge("breadcrumb_index_documents", "Pages in the index.", documents)


def _crawl() -> Iterator[GaugeMetricFamily]:
    health = served_crawl().health()
    yield _gauge("breadcrumb_disk_free_bytes", "Bytes left on the disk of the data folder.", health.free)
    yield _gauge("breadcrumb_alarms", "Things that need a person.", len(health.needs))
    if (age := health.age(time.time())) is not None and health.last_run is not None:
        yield _gauge("breadcrumb_crawl_age_seconds", "Seconds since the newest crawl ended; 0: it goes on.", age)
        yield _gauge("breadcrumb_crawl_running", "Whether a crawl is at work.", int(health.last_run["running"]))
    numbers = served_crawl().measured()
    last = numbers["last_run"] or {"status": {}, "requests": 0, "bytes": 0}
    yield _gauges("breadcrumb_crawl_urls", "URLs by state.", "state", numbers["urls"])
    yield _gauges("breadcrumb_crawl_pages", "Pages by kind.", "kind", numbers["pages"])
    yield _gauges("breadcrumb_last_crawl_answers", "Answers to the newest crawl.", "status", last["status"])
    yield _gauge("breadcrumb_last_crawl_requests", "Requests of the newest crawl.", last["requests"])
    yield _gauge("breadcrumb_last_crawl_bytes", "Bytes of bodies that the newest crawl received.", last["bytes"])


def _gauge(name: str, means: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, means, value=value)


def _gauges(name: str, means: str, label: str, values: Mapping[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, means, labels=[label])
    for key, value in values.items():
        if key != "discovered":  # the sum of all others
            family.add_metric([key], value)
    return family


def measurements() -> Measurements:
    """Return what the application that answers this request counts."""
    found: Measurements = current_app.extensions[EXTENSION]
    return found


def count_answers(app: Flask) -> None:
    """Let an application count its answers."""
    app.extensions[EXTENSION] = Measurements()
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    g.began = time.perf_counter()


def _end(response: Response) -> Response:
    view = str(request.url_rule or NO_VIEW)
    measurements().note(view, response.status_code, time.perf_counter() - g.get("began", time.perf_counter()))
    return response
