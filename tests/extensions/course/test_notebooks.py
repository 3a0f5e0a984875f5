"""A notebook runs from its first cell to its last in the folder of a lab, and its numbers are those of the engine."""

from __future__ import annotations

import csv
import json
import math
import os
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from commands.frame.command import COMMANDS
from extensions.course.lab import NOTEBOOKS, _notebook, titles
from tests.commands.conftest import HOST
from tests.commands.conftest import bakery as crawl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb
    from tests.forks import ForkServer

__all__ = ["crawl"]  # a fixture
NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


def cells(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((NOTEBOOKS / name).read_text("utf-8"))["cells"]
    return found


@pytest.fixture
def _in_shell(crawl: Breadcrumb, monkeypatch: pytest.MonkeyPatch, forks: ForkServer) -> None:
    """Give this process what the shell of a lab has: the command, and the data folder of the lab."""
    programs = crawl.folder / "bin"
    programs.mkdir()
    (programs / "breadcrumb").write_text(f'#!/bin/sh\nexec {shlex.join(map(str, forks.calling(COMMANDS)))} "$@"\n')
    (programs / "breadcrumb").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("BREADCRUMB_DATA", str(crawl.data))
    monkeypatch.chdir(crawl.folder)


def executed(name: str) -> dict[str, Any]:
    """Run the code of a notebook, cell after cell; return its names."""
    names: dict[str, Any] = {}
    for number, cell in enumerate(cells(name)):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}, cell {number}", "exec"), names)
    return names


@pytest.mark.slow
@pytest.mark.usefixtures("_in_shell")
def test_postings_give_the_weights_of_the_engine(crawl: Breadcrumb) -> None:
    made = executed("6-postings.ipynb")
    assert made["all_of"]("rye", "bread") == made["phrase"]("rye", "bread") == {f"{HOST}/rye.html"}
    assert made["phrase"]("bread", "rye") == set()
    first = made["search"]("rye bread")[0]
    assert first[1] == f"{HOST}/rye.html"
    [hit] = json.loads(crawl.run("search", "--json", "-n", "1", "sourdough").out)["hits"]
    engine = {part["idf"] for part in hit["explain"]["parts"] if "idf" in part and part["term"] == "sourdough"}
    n = len({row["url"] for row in made["table"]("postings") if row["term"] == "sourdough"})
    pages = len({row["url"] for row in made["table"]("postings")})
    assert list(engine) == pytest.approx([math.log(1 + (pages - n + 0.5) / (n + 0.5))], abs=1e-3)


@pytest.mark.slow
@pytest.mark.usefixtures("_in_shell")
def test_pagerank_is_that_of_the_engine_on_the_same_graph() -> None:
    import numpy as np  # noqa: PLC0415 - of this test alone

    from indexer.links import LinkMatrix, pagerank  # noqa: PLC0415 - the same

    made = executed("7-pagerank.ipynb")
    web = made["web"]
    number = {page: place for place, page in enumerate(web)}
    pairs = [(number[page], number[target]) for page, targets in web.items() for target in targets]
    sources, targets = np.array(sorted(pairs), np.int64).T
    ranks = pagerank(LinkMatrix(sources, targets, np.ones(len(pairs)), len(web)))
    assert [made["rank"][page] for page in web] == pytest.approx(ranks.tolist(), abs=1e-6)
    assert list(made["pagerank"](made["ring"])[0].values()) == pytest.approx([1 / 6] * 6)


@pytest.mark.slow
@pytest.mark.usefixtures("_in_shell")
def test_traps_and_duplicates_add_up(crawl: Breadcrumb) -> None:
    traps = executed("3-traps.ipynb")
    with (crawl.folder / "pages.csv").open(newline="") as rows:
        assert sum(map(len, traps["patterns"].values())) == len(list(csv.DictReader(rows)))
    assert traps["cost"](10**9, 1) == (0, 0)
    copies = executed("4-duplicates.ipynb")
    assert copies["similarity"]({1, 2, 3}, {2, 3, 4}) == 0.5
    assert copies["texts"][f"{HOST}/rye.html"][:4] == ["rye", "bread", "keeps", "for"]
    assert max(copies["errors"]) < 0.3  # 64 orders: some five times the standard deviation


def test_a_lab_puts_its_notebook_into_its_folder_and_keeps_what_a_student_wrote(tmp_path: Path) -> None:
    assert {int(name.partition("-")[0]) for name in NAMES} <= set(titles())
    assert _notebook(6, tmp_path) == ["Notebook: 6-postings.ipynb (jupyter lab opens it)"]
    (tmp_path / "6-postings.ipynb").write_text("mine")
    _notebook(6, tmp_path)
    assert (tmp_path / "6-postings.ipynb").read_text() == "mine"
    assert _notebook(1, tmp_path) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_keeps_no_output_of_somebody_else(name: str) -> None:
    found = cells(name)
    assert len({cell["id"] for cell in found}) == len(found)
    assert [cell for cell in found if cell.get("outputs") or cell.get("execution_count")] == []
