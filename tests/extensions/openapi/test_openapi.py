"""The description is OpenAPI 3.1 by the schema of its authors, and what it says of each view is true."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from extensions.openapi.document import description
from tests.extensions.described import check
from tests.gateway.conftest import SITE, gateway

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.testing import FlaskClient

DOCUMENT = description("http://localhost", "Breadcrumb")
OPENAPI = json.loads(Path(__file__).with_name("openapi-3.1.json").read_text())  # its $id says where it is from
METHODS = ("get", "post", "delete")
OPERATIONS = [(path, method) for path, item in DOCUMENT["paths"].items() for method in METHODS if method in item]
RYE = f"{SITE}/rye.html"


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a document, at any depth."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(each)


def check_openapi(document: dict[str, Any]) -> None:
    """What the schema of OpenAPI holds, and what it leaves to its text: references, names and parameters of paths."""
    Draft202012Validator(OPENAPI).validate(document)
    names = [document["paths"][path][method]["operationId"] for path, method in OPERATIONS]
    assert len(names) == len(set(names))
    for each in objects_in(document):
        if isinstance(target := each.get("$ref"), str):
            found: Any = document
            for key in target.removeprefix("#/").split("/"):
                found = found[key]
        if "schema" in each:
            Draft202012Validator.check_schema(each["schema"])
    for path, method in OPERATIONS:
        item = document["paths"][path]
        parameters = [*item.get("parameters", ()), *item[method].get("parameters", ())]
        given = {each["name"] for each in parameters if each["in"] == "path"}
        assert given == set(re.findall(r"\{(\w+)\}", path))
    schemes = document["components"]["securitySchemes"].keys()
    needed = {name for each in objects_in(document) for one in each.get("security", ()) for name in one}
    assert needed <= schemes


def test_it_is_openapi() -> None:
    check_openapi(DOCUMENT)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        pytest.param(("openapi",), "3.2.0", id="another version"),
        pytest.param(("paths", "/api/search", "get", "responses"), {}, id="no responses"),
        pytest.param(("paths", "/api/search", "get", "operationId"), "suggest", id="a name twice"),
        pytest.param(("paths", "/why", "get", "parameters", 0, "in"), "path", id="no such parameter"),
        pytest.param(("components", "schemas", "Results"), {"$ref": "#/components/schemas/None"}, id="no such schema"),
    ],
)
def test_what_is_no_openapi_is_noticed(place: tuple[Any, ...], value: object) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises((ValidationError, AssertionError, KeyError)):
        check_openapi(document)


def test_every_path_is_there_and_every_view_below_api_is_in_it(client: FlaskClient) -> None:
    rules = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in client.application.url_map.iter_rules()
        for method in rule.methods or ()
    }
    assert set(OPERATIONS) <= rules
    programs = {(path, method) for path, method in rules if path.startswith("/api/") and method in METHODS}
    assert programs - set(OPERATIONS) == {("/api/openapi.json", "get")}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/why?format=json&url={RYE}&q=rye", 200),
        ("/why?format=json&url=http://nowhere.example/", 404),
        ("/why?format=json", 400),
        (f"/why/diff?format=json&url={RYE}&with={SITE}/copy-of-rye.html", 200),
        (f"/why/diff?format=json&url={RYE}&with={SITE}/nothing.html", 404),
        ("/stats?format=json", 200),
        ("/healthz", 200),
    ],
)
def test_pages_for_programs_are_as_described(client: FlaskClient, path: str, status: int) -> None:
    assert check(client, "get", path).status_code == status


def test_so_are_faults(tmp_path: Path) -> None:
    empty = gateway(tmp_path)
    for path in (f"/why?format=json&url={RYE}", "/stats?format=json", "/healthz"):
        assert check(empty, "get", path).status_code == 503


def test_so_are_forms(bakery: Path, tmp_path: Path) -> None:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True)
    client = gateway(tmp_path, allow_submit=True)
    token = re.search('name="token" value="([^"]+)"', client.get("/submit").text)
    assert token is not None
    for path, field, status in (
        ("/submit", {"url": f"{SITE}/new.html"}, 202),
        ("/submit", {"url": "http://nowhere.example/"}, 422),
        ("/submit", {"url": ""}, 400),
        ("/bot", {"site": SITE, "reason": "too many requests", "contact": ""}, 202),
        ("/bot", {"site": "", "reason": "", "contact": ""}, 422),
    ):
        sent = check(client, "post", f"{path}?format=json", data={"token": token[1], **field})
        assert (path, sent.status_code) == (path, status)
        assert check(client, "post", f"{path}?format=json", data=field).status_code == 403


def test_it_has_the_name_by_which_it_was_asked_for_and_no_other_one(bakery: Path) -> None:
    named = gateway(bakery, allowed_hosts=("Search.intranet.example", "mill"))
    for host, status in (("search.intranet.example", 200), ("mill:8080", 200), ("x.mill", 421), ("192.0.2.1", 421)):
        answer = named.get("/api/openapi.json", headers={"Host": host})
        assert (answer.status_code, f"http://{host}" in answer.text) == (status, status == 200)
