"""`tune`: does it find what misleads on a site, does its file change the results as it says, and what can go wrong?

On the site, titles mislead: the page about a thing has a bare title, and another page is named after the thing.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import tomllib
from typing import TYPE_CHECKING

import pytest

from commands.frame.exits import CommandError
from extensions.tune.tune import write_settings_file
from indexer import open_writer
from tests.child import INTERRUPTED, PATIENCE, wait_until
from tests.commands.conftest import Breadcrumb
from urls.canonical import canonicalize
from urls.records import Page

if TYPE_CHECKING:
    from pathlib import Path

SITE = "http://shop.example"
THINGS = [first + second for first in ("bar", "cor", "dul", "fen", "hol") for second in ("ack", "ide", "oss", "ump")]
QUERIES = "".join(f"{thing}\t{SITE}/goods/{number}\n" for number, thing in enumerate(THINGS))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Breadcrumb:
    folder = tmp_path_factory.mktemp("shop")
    with open_writer(folder / "data") as writer:
        for number, thing in enumerate(THINGS):
            about = f"This is the {thing}. The {thing} is sold here, and each {thing} is made by hand by our people."
            offer = "Today our offers are cheap. Come to the shop, see them for yourself, and tell your friends."
            writer.put(Page(canonicalize(f"{SITE}/goods/{number}"), "Goods", about, language="en"))
            writer.put(Page(canonicalize(f"{SITE}/offers/{number}"), f"{thing} offers", offer, language="en"))
    (folder / "judged.tsv").write_text(QUERIES)
    return Breadcrumb(folder / "data", folder)


class Tune:
    """Runs `tune` over the shop."""

    def __init__(self, shop: Breadcrumb, folder: Path) -> None:
        self.shop, self.output = shop, folder / "tuned.toml"

    def __call__(self, *words: str, queries: str = QUERIES) -> tuple[int, str, str]:
        file = self.output.with_name("judged.tsv")
        file.write_text(queries)
        done = self.shop.run("tune", "--queries", str(file), "--output", str(self.output), *words)
        return done.code, done.out, " ".join(done.err.split())


@pytest.fixture
def tune(shop: Breadcrumb, tmp_path: Path) -> Tune:
    return Tune(shop, tmp_path)


def first_of(shop: Breadcrumb, *words: str) -> list[str]:
    """Return the first result of some queries."""
    found = (shop.run("search", thing, "-n", "1", "--json", *words) for thing in THINGS[:3])
    return [json.loads(each.out)["hits"][0]["url"] for each in found]


@pytest.mark.slow
def test_where_titles_mislead_names_are_lowered_and_the_file_does_what_it_says(tune: Tune) -> None:
    lost = "".join(f"lost {number}\t{SITE}/lost/{number}\n" for number in range(12))
    code, out, err = tune(queries=f"# lost\n{lost}{QUERIES}")
    assert code == 0
    assert f"line 2: {SITE}/lost/0 is not in the index, so it is left out. Why: ./breadcrumb why {SITE}/lost/0" in err
    assert "line 11:" in err
    assert "2 more judged pages not in the index." in err  # a slow machine adds its progress
    assert out.startswith(
        "name 1 → 0, sentence_name 0.6 → 0\n"
        "    nDCG@10 0.631 → 1.000 on queries that did not choose it: 20 better, 0 worse.\n"
        "    Chance gives as much fewer than 1 of 100 times.\n"
    )
    content = tune.output.read_text()
    assert "# name 1 → 0, sentence_name 0.6 → 0\n#   nDCG@10 0.631 → 1.000 on queries that did not" in content
    assert "# All changes, on all 20 queries: nDCG@10 0.631 → 1.000, MRR@10 0.500 → 1.000.\n" in content
    assert tomllib.loads(content) == {"RANKING": ["name=0", "sentence_name=0"]}
    assert first_of(tune.shop) == [f"{SITE}/offers/{number}" for number in range(3)]
    right = [f"{SITE}/goods/{number}" for number in range(3)]
    assert first_of(tune.shop, "--settings", str(tune.output)) == right
    assert first_of(tune.shop, *shlex.split(out[out.index("-s 'RANKING=") :])[:2]) == right


@pytest.mark.slow
def test_json_has_the_same_and_a_second_run_with_its_weights_finds_no_more(tune: Tune) -> None:
    code, out, _ = tune("--json")
    found = json.loads(out)
    assert (code, found["queries"], found["file"]) == (0, 20, str(tune.output))
    assert found["before"] == {"ndcg": pytest.approx(0.6309, abs=1e-4), "mrr": 0.5}
    assert found["after"] == {"ndcg": 1.0, "mrr": 1.0}
    assert found["changed"][0]["weights"] == {"name": [1.0, 0.0], "sentence_name": [0.6, 0.0]}
    assert found["ranking"] == ["name=0", "sentence_name=0"]
    code, out, _ = tune("--json", "--replace", "-s", f"RANKING={','.join(found['ranking'])}")
    again = json.loads(out)
    assert (code, again["before"], again["file"]) == (1, found["after"], None)
    assert tomllib.loads(tune.output.read_text())["RANKING"] == found["ranking"]  # and the file stays


@pytest.mark.slow
def test_where_the_right_page_is_first_the_weights_stay(tune: Tune) -> None:
    right = "".join(f"{thing}\t{SITE}/offers/{number}\n" for number, thing in enumerate(THINGS))
    code, out, _ = tune(queries=right)
    assert code == 1
    assert out == (
        "No change of a weight is better on queries that did not choose it.\n"
        "The weights stay. nDCG@10 is 1.000, MRR@10 1.000.\n"
    )
    assert not tune.output.exists()


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_few_queries_are_too_little_evidence(tune: Tune, words: tuple[str, ...]) -> None:
    code, out, _ = tune(*words, queries="".join(QUERIES.splitlines(keepends=True)[:19]))
    assert code == 1
    assert "Too little evidence: 19 queries with a right page in the index. At least 20 are needed." in " ".join(
        out.split()
    )
    assert not tune.output.exists()


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ("", "it has no judgement"),
        (f"{QUERIES}barack {SITE}/\n", "line 21: write a query, a tab, a URL"),
        (f"barack\t{SITE}/goods/1\t9\n", "line 1: '9' is not a grade from 0 to 3"),
    ],
)
def test_a_line_that_can_not_be_read_is_named_and_nothing_is_written(tune: Tune, queries: str, said: str) -> None:
    code, out, err = tune(queries=queries)
    assert (code, out) == (2, "")
    assert said in err
    assert err.endswith("docs/gateway.md shows such a file")
    assert not tune.output.exists()


def test_a_file_that_exists_is_not_replaced_unasked(tune: Tune) -> None:
    tune.output.write_text("CONTACT = 'me@example.org'\n")
    code, out, err = tune()
    assert (code, out) == (2, "")
    assert "tuned.toml: it exists; give --replace to replace it, or another name" in err
    assert tune.output.read_text() == "CONTACT = 'me@example.org'\n"


def test_a_place_that_can_not_be_written_is_told_before_the_work(tune: Tune, tmp_path: Path) -> None:
    code, out, err = tune("--output", str(tmp_path / "nowhere" / "tuned.toml"))
    assert (code, out) == (2, "")
    assert "No such file or directory; choose a file in a folder of yours" in err
    code, out, err = tune("--output", str(tmp_path), "--replace")
    assert (code, out) == (2, "")
    assert err.endswith("it is a folder; give the name of a file")


def test_on_a_full_disk_the_file_stays_and_no_other_is_left(tmp_path: Path) -> None:
    file = tmp_path / "tuned.toml"
    file.write_text("CONTACT = 'me@example.org'\n")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(CommandError, match=r"tuned\.toml: File too large; nothing is written"):
            write_settings_file(file, 101 * "#")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_text() == "CONTACT = 'me@example.org'\n"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.slow
def test_ctrl_c_leaves_no_file(tune: Tune) -> None:
    file = tune.output.with_name("judged.tsv")
    file.write_text(QUERIES)
    os.utime(file, (0, file.stat().st_mtime))
    with tune.shop.start("tune", "--queries", str(file), "--output", str(tune.output), "--json") as process:
        wait_until(lambda: file.stat().st_atime > 0, process)  # it has been read
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) in INTERRUPTED
    assert list(tune.output.parent.iterdir()) == [file]


def test_without_queries_it_says_what_to_give(shop: Breadcrumb) -> None:
    done = shop.run("tune")
    assert (done.code, done.out) == (2, "")
    assert "no judged queries: give --queries FILE, --clicks or both" in done.err
