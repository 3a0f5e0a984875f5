"""Health for a monitor: a word whether all is well, and numbers that a real Prometheus parser reads."""

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


def test_health_names_the_generation_the_crawl_and_the_disk(client: FlaskClient) -> None:
    told = client.get("/healthz").json
    assert told is not None
    assert (told["ok"], told["generation"], told["documents"]) == (True, 1, 38)
    assert told["as_of"].startswith("20")
    assert told["crawl"]["running"] is False
    assert 0 <= told["crawl"]["age_seconds"] < 3600
    assert told["crawl"]["ending"] == "finished"
    assert 0 < told["disk"]["free_bytes"] <= told["disk"]["total_bytes"]
    assert told["alarms"] == []


def test_without_an_index_health_is_bad_and_says_what_would_help(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/healthz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["ok"] is False
    named = gateway(tmp_path, folder=" --data x -s INDEX=opensearch://a:9200/b").get("/healthz").json
    assert named is not None
    assert "./breadcrumb index --data x -s INDEX=opensearch://a:9200/b)" in named["error"]
    first, more = named["alarms"][0].split(". ", 1)
    assert first.endswith("seeds=URL --data x -s INDEX=opensearch://a:9200/b makes one")
    assert more.endswith("./breadcrumb check --data x -s INDEX=opensearch://a:9200/b.")


def test_without_the_crawl_database_questions_are_answered_and_health_says_what_is_missing(
    bakery: Path, tmp_path: Path
) -> None:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True, ignore=lambda *_: [FILE_NAME, f"{FILE_NAME}.seal"])
    client = gateway(tmp_path)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json["ok"], answer.json["crawl"]) == (200, True, None)  # type: ignore[index]  # json may be None, for Flask
    assert "holds no crawl yet" in answer.json["alarms"][0]  # type: ignore[index]  # as above
    assert numbers(client)["breadcrumb_index_documents",] == 38


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
