"""The API matches its description: every response is valid by it, and has nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from extensions.openapi.document import description
from indexer import open_index, open_writer
from indexer.retrieval.results import PartState, results_as_dict
from robots import PageControls
from tests.extensions import described
from tests.gateway.conftest import SITE, a_page, gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

DOCUMENT = description("http://localhost", "Breadcrumb")


def check(client: FlaskClient, path: str, parameters: dict[str, Any]) -> Any:
    return described.check(client, "get", path, query_string=parameters).json


def test_the_description_is_served_with_the_address_it_was_asked_at(client: FlaskClient) -> None:
    assert client.get("/api/openapi.json").json == DOCUMENT


def test_every_schema_in_it_is_one() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


ASKED = [
    pytest.param({"q": "rye bread"}, set(), id="words"),
    pytest.param({"q": "rye -wheat site:bakery"}, {"understood"}, id="operators"),
    pytest.param({"q": "soudrough"}, {"spelling"}, id="a misspelt word"),
    pytest.param({"q": " ".join(f"word{n}" for n in range(99))}, {"left_out"}, id="too many words"),
    pytest.param({"q": "helicopter"}, set(), id="nothing"),
    pytest.param({"q": "cake", "page": 3, "n": 5, "type": "htm", "year": 2026, "lang": "en"}, set(), id="all"),
    pytest.param({"q": "rye", "similar": f"{SITE}/rye.html"}, set(), id="similar pages"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "more"), ASKED)
def test_answers_are_as_they_are_described(client: FlaskClient, parameters: dict[str, Any], more: set[str]) -> None:
    assert more <= check(client, "/api/search", parameters).keys()


@pytest.mark.parametrize("parameters", [{}, {"q": "x", "page": 0}, {"q": "x", "n": "a"}, {"q": "x", "lang": "english"}])
def test_refusals_are_as_they_are_described(client: FlaskClient, parameters: dict[str, Any]) -> None:
    assert check(client, "/api/search", parameters).keys() == {"error"}


def test_before_anything_is_indexed_too(tmp_path: Path) -> None:
    for path in ("/api/search", "/api/suggest"):
        assert check(gateway(tmp_path), path, {"q": "rye"}).keys() == {"error"}


def test_pages_without_a_phrase_dated_ones_and_those_known_from_links_alone_are_described(tmp_path: Path) -> None:
    unseen = {"not_fetched": "robots.txt forbids it", "controls": PageControls(archive=False)}
    with open_writer(tmp_path) as writer:
        writer.put(a_page("/", "Rye", "Rye bread and bread of rye", published=1.7e9, modified=1.71e9))
        writer.put(a_page("/b.html", "Bread", "Bread, and rye elsewhere"))
        writer.put(a_page("/c.html", "", "", anchors=("rye cellar",), **unseen))
    hits = check(gateway(tmp_path), "/api/search", {"q": '"rye bread"'})["hits"]
    assert [hit.get("lacks") for hit in hits] == [None, ["rye bread"], ["rye bread"]]
    assert [hit["not_fetched"] for hit in hits] == [None, None, "robots.txt forbids it"]


def test_what_parts_add_is_described(bakery: Path) -> None:
    parts = PartState("1/2", 3, 1.7e9, 5), PartState("2/2", fault="it is away")
    told = results_as_dict(replace(open_index(bakery).search("rye"), parts=parts), 0.1)
    described.validate(told, "/api/search", "get", 200)


def test_what_is_not_described_is_no_answer(client: FlaskClient) -> None:
    answer = client.get("/api/search?q=rye").json
    assert answer is not None
    for change in ({"more": 1}, {"total": "2"}, {"hits": [answer["hits"][0] | {"secret": ""}]}):
        with pytest.raises(ValidationError):
            described.validate(answer | change, "/api/search", "get", 200)


TEXTS = st.text(max_size=30).map(lambda text: text.encode("utf-8", "replace").decode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(parameters=st.dictionaries(st.sampled_from(["q", "page", "n", "site", "lang", "type", "year", "exact"]), TEXTS))
def test_any_parameters_get_an_answer_that_is_described(client: FlaskClient, parameters: dict[str, str]) -> None:
    check(client, "/api/search", parameters)
    check(client, "/api/suggest", parameters)


def test_each_parameter_that_is_read_is_described_with_its_bounds(client: FlaskClient) -> None:
    schemas = {one["name"]: one["schema"] for one in DOCUMENT["paths"]["/api/search"]["get"]["parameters"]}
    assert schemas.keys() == {"q", "page", "n", "site", "lang", "type", "year", "exact", "similar"}
    for name, within, beyond in (
        ("page", schemas["page"]["maximum"], schemas["page"]["maximum"] + 1),
        ("year", schemas["year"]["maximum"], schemas["year"]["maximum"] + 1),
        ("year", schemas["year"]["minimum"], schemas["year"]["minimum"] - 1),
        ("q", "x" * schemas["q"]["maxLength"], "x" * (schemas["q"]["maxLength"] + 1)),
    ):
        asked = {"q": "rye"}
        assert client.get("/api/search", query_string=asked | {name: within}).status_code == 200
        assert client.get("/api/search", query_string=asked | {name: beyond}).status_code == 400
