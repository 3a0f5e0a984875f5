"""How are searches and the crawl doing, for a monitor? `/metrics` has their numbers in the text format of Prometheus.

Metric names, units and types follow Prometheus: seconds, bytes, `_total` for counters. Requests are counted by view,
the rule by which Flask knows it, so no visitor can create new labels. What can't be read is left out.
"""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

from flask import Blueprint, Response, current_app, g, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily

from crawldb.database import DatabaseError
from gateway.served_crawl import MONITOR_CACHE_SECONDS, TimedCache, served_crawl
from indexer.faults import IndexFault
from reports.numbers import report_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask.blueprints import BlueprintSetupState

    from reports.numbers import Report

metrics_views = Blueprint("metrics", __name__)
EXTENSION = "request_metrics"  # the key in app.extensions
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # upper bounds of the histogram
NO_VIEW = "none"  # the view of an unknown path


class RequestMetrics:
    """The counters of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        requests = ("breadcrumb_requests", "Requests answered.", ("view", "status"))
        self._requests = Counter(*requests, registry=self.registry)
        seconds = ("breadcrumb_request_seconds", "Seconds from a request to its response.", ("view",))
        self._seconds = Histogram(*seconds, buckets=SECONDS, registry=self.registry)
        self.registry.register(_CrawlMetrics())
        self.report: TimedCache[Report] = TimedCache(MONITOR_CACHE_SECONDS, time.monotonic)

    def note(self, view: str, status: int, seconds: float) -> None:
        """Count a response."""
        self._requests.labels(view, str(status)).inc()
        self._seconds.labels(view).observe(seconds)


class _CrawlMetrics:
    """The index, the crawl and the disk, read for each scrape; what can't be read is left out."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from _index_metrics()
        try:
            yield from _crawl_metrics()
        except (DatabaseError, sqlite3.Error):
            return

    def describe(self) -> tuple[GaugeMetricFamily, ...]:
        return ()  # else the registry would read the crawl before the first request


def _index_metrics() -> Iterator[GaugeMetricFamily]:
    try:
        searcher = served_crawl().searcher
        generation, documents = searcher.generation, searcher.documents
    except IndexFault:
        yield _gauge("breadcrumb_index_up", "Whether search works.", 0)
        return
    yield _gauge("breadcrumb_index_up", "Whether search works.", 1)
    yield _gauge("breadcrumb_index_generation", "Generation of the index in use.", generation)
    yield _gauge("breadcrumb_index_documents", "Pages in the index.", documents)


def _crawl_metrics() -> Iterator[GaugeMetricFamily]:
    health = served_crawl().health()
    yield _gauge("breadcrumb_disk_free_bytes", "Bytes left on the disk of the data folder.", health.free)
    yield _gauge("breadcrumb_alarms", "Problems that need a person.", len(health.needs))
    if (age := health.age(time.time())) is not None and health.last_run is not None:
        yield _gauge("breadcrumb_crawl_age_seconds", "Seconds since the newest crawl ended; 0: it is running.", age)
        yield _gauge("breadcrumb_crawl_running", "Whether a crawl is running.", int(health.last_run["running"]))
    numbers = _report()
    last = numbers["last_run"] or {"status": {}, "requests": 0, "bytes": 0}
    yield _gauges("breadcrumb_crawl_urls", "URLs by state.", "state", numbers["urls"])
    yield _gauges("breadcrumb_crawl_pages", "Pages by kind.", "kind", numbers["pages"])
    yield _gauges("breadcrumb_last_crawl_answers", "Responses to the newest crawl.", "status", last["status"])
    yield _gauge("breadcrumb_last_crawl_requests", "Requests of the newest crawl.", last["requests"])
    yield _gauge("breadcrumb_last_crawl_bytes", "Bytes of bodies that the newest crawl received.", last["bytes"])


def _report() -> Report:
    """Return the report, at most MONITOR_CACHE_SECONDS old: monitors read it often, and counting takes long."""
    crawl = served_crawl()
    crawl.check_all_shown()
    return request_metrics().report.get(lambda: report_of(crawl.parts()))


def _gauge(name: str, means: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, means, value=value)


def _gauges(name: str, means: str, label: str, values: Mapping[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, means, labels=[label])
    for key, value in values.items():
        if key != "discovered":  # the sum of all others
            family.add_metric([key], value)
    return family


def request_metrics() -> RequestMetrics:
    """Return the metrics of the current application."""
    found: RequestMetrics = current_app.extensions[EXTENSION]
    return found


def _add_metrics(state: BlueprintSetupState) -> None:
    """Give an application its counters."""
    state.app.extensions[EXTENSION] = RequestMetrics()


metrics_views.record(_add_metrics)


@metrics_views.before_app_request
def _begin() -> None:
    g.began = time.perf_counter()


@metrics_views.after_app_request
def _end(response: Response) -> Response:
    view = str(request.url_rule or NO_VIEW)
    request_metrics().note(view, response.status_code, time.perf_counter() - g.get("began", time.perf_counter()))
    return response


@metrics_views.get("/metrics")
def metrics() -> Response:
    """Return the metrics in the text format of Prometheus."""
    return Response(generate_latest(request_metrics().registry), content_type=CONTENT_TYPE_LATEST)
