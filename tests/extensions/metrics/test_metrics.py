"""Are the numbers for a monitor those of requests, index and crawl? A real Prometheus parser reads them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from crawldb.database import FILE_NAME
from tests.gateway.conftest import gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def numbers(client: FlaskClient) -> dict[tuple[str, ...], float]:
    """The samples by name and values of their labels, as Prometheus would store them."""
    families = text_string_to_metric_families(client.get("/metrics").text)
    samples = [sample for family in families for sample in family.samples]
    return {
        (each.name, *(each.labels[name] for name in sorted(each.labels, reverse=True))): each.value for each in samples
    }


def test_a_monitor_reads_requests_index_crawl_and_disk(client: FlaskClient) -> None:
    client.get("/search?q=rye")
    client.get("/search?q=rye&page=0")
    client.get("/no/such/path")
    found = numbers(client)
    assert found["breadcrumb_requests_total", "/search", "200"] == 1
    assert found["breadcrumb_requests_total", "/search", "400"] == 1
    assert found["breadcrumb_requests_total", "none", "404"] == 1
    assert found["breadcrumb_request_seconds_count", "/search"] == 2
    assert found["breadcrumb_request_seconds_bucket", "/search", "+Inf"] == 2
    assert (found["breadcrumb_index_generation",], found["breadcrumb_index_documents",]) == (1, 38)
    assert found["breadcrumb_crawl_urls", "suppressed"] == 1
    assert sum(value for name, value in found.items() if name[0] == "breadcrumb_crawl_urls") == 40
    assert found["breadcrumb_last_crawl_requests",] == sum(
        value for name, value in found.items() if name[0] == "breadcrumb_last_crawl_answers"
    )
    assert found["breadcrumb_disk_free_bytes",] > 0
    assert found["breadcrumb_crawl_running",] == 0


def test_no_visitor_makes_up_a_view(client: FlaskClient) -> None:
    for path in ("/a", "/b", "/static/none", "/inside/none"):
        client.get(path)
        client.open(path, method="MADE-UP")
    assert len({name for name in numbers(client) if name[0] == "breadcrumb_requests_total"}) <= 4


def test_without_an_index_a_monitor_is_told_that_it_is_down(tmp_path: Path) -> None:
    found = numbers(gateway(tmp_path))
    assert found["breadcrumb_index_up",] == 0


def test_without_the_crawl_database_the_index_has_its_numbers(bakery: Path, tmp_path: Path) -> None:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True, ignore=lambda *_: [FILE_NAME, f"{FILE_NAME}.seal"])
    found = numbers(gateway(tmp_path))
    assert found["breadcrumb_index_documents",] == 38
    assert not any(name.startswith("breadcrumb_crawl") for name, *_ in found)


def test_a_crawl_report_leads_to_the_numbers(client: FlaskClient) -> None:
    assert 'href="/metrics"' in client.get("/stats").text
