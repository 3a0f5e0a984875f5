"""Every text of a foreign page, and every query of a visitor, is shown as text: in every view, in every field."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from flask import current_app
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import ImportedFile, put_imported
from tests.gateway.conftest import EVIL, SITE, crawl, gateway, index
from tests.gateway.hostile_fields import ATTACKS, FOREIGN, address, foreign_markup, hostile_pages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

SECRET = "/secret-recipe.html"
NONCE = re.compile(r"'nonce-[\w-]{22}'")  # drawn for each response, so now and then it has the letters of FOREIGN


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data_dir = tmp_path_factory.mktemp("hostile")
    crawl(data_dir, tuple(hostile_pages(4, 90)), ())
    with CrawlDatabase(data_dir) as database, database.transaction():
        for number, attack in enumerate(ATTACKS):
            lines = (
                f"{field}bread {attack}" for field in ("User-agent: ", "Disallow: /", "Sitemap: https://", "", "#")
            )
            file = ImportedFile(f"{number} {attack}", "", 1.0, "\n".join(lines).encode())
            put_imported(database, file, f"bread {attack}")
    index(data_dir)
    return data_dir


def views(client: FlaskClient, url: str, q: str) -> Iterator[str]:
    """Each view that a GET reaches, about a page and a question."""
    with client.application.app_context():
        rules = sorted({rule.rule for rule in current_app.url_map.iter_rules() if "GET" in (rule.methods or ())})
    asked = f"url={quote(url, safe='')}&q={quote(q)}&term={quote(q)}&site={quote(urlsplit(url).netloc)}&text={quote(q)}"
    yield from (f"{rule}?{asked}" for rule in rules if "<" not in rule)
    yield f"/search?q={quote(q)}"  # without a site
    yield f"/inside/robots?version={len(q)}&part={quote(q)}"
    yield f"/inside/robots?version={len(q)}&urls={quote(q)}"


def test_no_field_of_a_crawled_page_becomes_markup_in_any_view(hostile: Path) -> None:
    client = gateway(hostile)
    seen = 0
    for number in range(2):
        for path in views(client, address(number), f"bread w{number}x5"):
            answer = client.get(path)
            assert answer.status_code < 500 or path.startswith(("/healthz", "/metrics")), path
            if answer.mimetype == "text/html":
                assert foreign_markup(answer.text) == [], path
                seen += FOREIGN in answer.text
            passed_on = answer.headers.pop("Location", "")  # with the parameters as they came
            assert re.fullmatch(r"[\w/?&=%.~+:-]*", passed_on, re.ASCII), path
            assert FOREIGN not in NONCE.sub("", str(answer.headers)).lower().replace("%3cxqz", "")
    assert seen >= 6, "the views do show them"


def test_what_became_markup_would_be_seen() -> None:
    assert foreign_markup("<p>&lt;xqz&gt; javascript:xqz</p>") == []
    for attack in ("<xqz>", '<a title="" xqz="1">', "<a href=' javascript:x'>x</a>", "<b onclick=x>", "<b style=x>"):
        assert foreign_markup(attack) != []


_ANY = st.one_of(st.sampled_from([*ATTACKS, EVIL]), st.text(max_size=20))
NAMES = [
    "q", "page", "n", "in", "site", "lang", "url", "format", "exact", "similar", "term", "field", "next", "redirect",
]  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(path=st.sampled_from(["/", "/search", "/why", "/cached", "/stats", "/bot", "/admin", "/api/search"]),
       told=st.dictionaries(st.sampled_from(NAMES), _ANY, max_size=3))  # fmt: skip
def test_no_parameter_opens_a_way_elsewhere_or_a_line_in_the_head(
    client: FlaskClient, path: str, told: dict[str, str]
) -> None:
    answer = client.get(path, query_string=told)
    assert answer.status_code < 500
    assert urlsplit(answer.headers.get("Location", "")).netloc == ""
    assert not answer.headers.get("Location", "/").startswith(("//", "/\\"))
    assert not [name for name, _ in answer.headers if FOREIGN in name.lower()]
    assert all("\n" not in value and "\r" not in value for _, value in answer.headers)
    if answer.mimetype == "text/html":
        assert foreign_markup(answer.text) == []


@pytest.mark.parametrize("path", [f"/cached?url={SITE}{SECRET}", f"/cached?url={SITE}{SECRET}&q=marzipan"])
def test_noarchive_is_honoured_whatever_else_is_asked(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "for your eyes only" not in answer.text


def test_hostile_pages_need_no_crawl_database_to_be_text(hostile: Path, tmp_path: Path) -> None:
    shutil.copytree(hostile / "index", tmp_path / "index")
    assert foreign_markup(gateway(tmp_path).get("/search?q=bread").text) == []
