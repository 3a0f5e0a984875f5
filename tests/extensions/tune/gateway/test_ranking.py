"""Does the list reorder as the sliders say, and does the setting that is shown really give that list?"""

from __future__ import annotations

import html
import json
import re
import shutil
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.__main__ import main
from extension_points import added_weights, built_in
from extensions.tune.ranking_page import PENALTY, changes, settings_for, slider_groups, tuned_formula
from gateway.search_request import InvalidParameter
from indexer.evaluation import JudgedQuery
from indexer.ranking.demotion import Penalty
from indexer.ranking.weights import NAMES, Formula, Weights, changes_in, weights_from
from tests.extensions.described import check
from tests.gateway.conftest import SITE, gateway, whoosh_folder

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

TURNED = {"body": "0", "headings": "0", "near_text": "3", "pagerank": "1.5", PENALTY: "0.5"}
NUMBERS = st.floats(0.01, 1.0)
OWN = NAMES[: len(NAMES) - len(added_weights())]  # without those of extensions that are off


def text_of(client: FlaskClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return html.unescape(answer.text)


def listed(page: str, title: str) -> list[str]:
    part = page.partition(f"<h2>{title}</h2>")[2].partition("</section>")[0]
    return re.findall(r'<a href="/why[^>]*>(.*?)</a>', part)


def test_nothing_turned_shows_the_results_as_a_search_has_them(client: FlaskClient) -> None:
    page = text_of(client, "/inside/ranking?q=bread")
    hits = client.get("/api/search?q=bread").json["hits"]  # type: ignore[index]  # json may be None, for Flask
    assert listed(page, "Saved ranking") == [hit["title"] for hit in hits]
    assert "This is the saved ranking" in page
    assert page.count('type="range"') == len(OWN) + 1, "all weights, and the penalty"
    assert "This is the saved ranking" in text_of(client, "/inside/ranking?q=bread&body=1"), "which is what it was"


def test_the_setting_that_is_shown_gives_the_list_that_is_shown(
    client: FlaskClient, bakery: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = text_of(client, f"/inside/ranking?{urlencode({'q': 'rye bread'} | TURNED)}")
    settings = re.findall(r"<code>([A-Z_]+=[^<]*)</code>", page)
    assert settings == ["RANKING=body=0,headings=0,near_text=3,pagerank=1.5", "SPOOF_PENALTY=0.5"]
    assert listed(page, "Tuned ranking") != listed(page, "Saved ranking")
    shutil.copytree(bakery, tmp_path / "data")
    given = [word for setting in settings for word in ("-s", setting)]
    main(["search", "--data", str(tmp_path / "data"), "--json", *given, "rye", "bread"])
    told = json.loads(capsys.readouterr().out)
    assert [hit["title"] for hit in told["hits"]] == listed(page, "Tuned ranking")


def test_how_far_each_moved_is_told_in_both_lists(client: FlaskClient) -> None:
    page = text_of(client, "/inside/ranking?q=rye+bread&body=0&headings=0&description=0&title_said=0")
    assert listed(page, "Saved ranking") == ["Rye bread", "The bakery by the river"]
    assert listed(page, "Tuned ranking") == ["Rye bread"]
    assert "</span> same</span>" in page
    assert "</span> no result</span>" in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("body=x", "RANKING=body=x: give body as a number from 0 to 1000"),
        ("body_length=2", "give body_length as a number from 0 to 1"),
        ("said=0", "give said as a number from 0.01 to 1000"),
        ("penalty=nan", "penalty=nan: give a share of the score"),
        ("title=inf", "give title as a number"),
        ("body=" + "9" * 100_000, "give body as a number"),
        ("q=" + "x" * 100_000, "q has 100000 characters"),
    ],
)
def test_a_number_that_can_not_hold_is_refused_with_a_sentence(client: FlaskClient, query: str, said: str) -> None:
    answer = client.get(f"/inside/ranking?{query}")
    assert answer.status_code == 400
    assert said in html.unescape(answer.text)


def test_judged_questions_say_whether_it_is_better(bakery: Path) -> None:
    judged = (JudgedQuery("sourdough", {f"{SITE}/rye.html": 1}), JudgedQuery("wheat", {f"{SITE}/": 1}))
    client = gateway(bakery, judgements=judged)
    assert "2 judged queries are loaded" in text_of(client, "/inside/ranking?q=bread")
    page = text_of(client, "/inside/ranking?body=0&headings=0")
    assert "nDCG@10 over 2 judged queries:" in page
    changed = page.count('0.0000</td><td class="number">-1.0000</td>')
    assert f"By chance, two rankings differ as much {200 // 2**changed} of 100 times." in page
    assert '0.0000</td><td class="number">-1.0000</td>' in page, "where the text counts nothing, the words are gone"
    assert '<a href="/inside/ranking?q=wheat&body=0&headings=0"' in page


@given(st.dictionaries(st.sampled_from(OWN), NUMBERS), st.dictionaries(st.sampled_from(OWN), NUMBERS), NUMBERS)
def test_whatever_is_turned_the_settings_give_the_same_formula(
    saved: dict[str, float], turned: dict[str, float], penalty: float
) -> None:
    before = Formula(Weights(**saved))
    asked = {name: f"{value!r}" for name, value in turned.items()} | {PENALTY: f"{penalty!r}"}
    after = tuned_formula(before, asked)
    kept = dict(line.split("=", 1) for line in settings_for(before, after))
    weights = weights_from(filter(None, kept.get("RANKING", ",".join(changes_in(before.weights))).split(",")))
    share = float(kept.get("SPOOF_PENALTY", before.penalty.share))
    assert Formula(weights, Penalty(share=share)) == after
    assert tuned_formula(before, changes(before, after)) == after, "and a link leads to it"
    for slider in (slider for group in slider_groups(before, after) for slider in group.sliders):
        assert slider.least <= min(slider.value, slider.saved) <= max(slider.value, slider.saved) <= slider.most


def test_a_number_beyond_the_end_of_its_slider_moves_the_end() -> None:
    sliders = {
        one.name: one for group in slider_groups(Formula(Weights(anchors=9)), Formula()) for one in group.sliders
    }
    assert (sliders["anchors"].most, sliders["anchors"].saved, sliders["anchors"].value) == (10, 9, 2.5)
    assert sliders["pagerank"].step == "0.05"
    with pytest.raises(InvalidParameter):
        tuned_formula(Formula(), {"anchors": "-1"})


@pytest.mark.skipif("whoosh" not in built_in(), reason="the extension that reads such a folder")
def test_a_whoosh_folder_has_no_weights_to_tune(tmp_path: Path) -> None:
    whoosh_folder(tmp_path)
    client = gateway(tmp_path)
    assert "/inside/ranking?q" not in client.get("/search?q=rye").text
    answer = client.get("/inside/ranking?q=rye")
    assert (answer.status_code, "This index has no crawl" in answer.text) == (404, True)
    assert "no columns to compare" in answer.text


def test_its_json_is_as_described(client: FlaskClient) -> None:
    assert check(client, "get", "/inside/ranking?format=json&q=rye").status_code == 200
