"""Checks before any partition begins: of the index in a cluster, and by the command cluster."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from commands.frame.command import run_command
from commands.frame.command_settings import CommandSettings
from extensions.machines.divided import check_before_parts
from extensions.machines.store.shared_store import SharedStore
from indexer.faults import IndexFault
from indexer.remote import VARIABLE

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = "http://a.localhost/"
AWAY = "opensearch://127.0.0.1:9/away"  # nobody listens there


def test_an_index_whose_cluster_does_not_answer_is_told_before_parts_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opensearchpy", reason="opensearch-py is not installed: ./breadcrumb cluster --yes adds it")
    monkeypatch.setenv(VARIABLE, AWAY)
    told: list[str] = []
    check_before_parts(SEEDS, {}, CommandSettings(), told.append)
    assert len(told) == 1
    assert told[0].startswith(f"{AWAY}: the cluster does not respond")


def test_without_its_client_nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, AWAY)
    monkeypatch.setitem(sys.modules, "opensearchpy", None)  # as where it is not installed
    with pytest.raises(IndexFault, match="needs the package opensearch-py"):
        check_before_parts(SEEDS, {}, CommandSettings(), print)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(
            ["--store", "my store", SEEDS],
            f"--master is missing: ./breadcrumb cluster --master 'processes[2]' --store 'my store' {SEEDS}; with Spark",
            id="no master",
        ),
        pytest.param(
            ["--master", "local[2]"],
            "--store is missing: ./breadcrumb cluster --master 'local[2]' --store ./crawl SEEDS; for several",
            id="no store",
        ),
        pytest.param(
            ["--master", "processes[3]", "--store", "{folder}/s0"],
            "holds no crawl yet: ./breadcrumb cluster --master 'processes[3]' --store {folder}/s0 SEEDS makes one",
            id="no crawl, and no seeds",
        ),
        pytest.param(
            ["--fetch", "{folder}/data", "--store", "{folder}/s0"],
            "holds no crawl: ./breadcrumb cluster --master 'processes[2]' --store {folder}/s0 SEEDS begins one",
            id="nothing to fetch",
        ),
    ],
)
def test_what_lacks_for_a_crawl_is_told_as_a_command_that_has_it(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BREADCRUMB_DATA", "bakery")  # of no concern to a store
    given = [word.format(folder=tmp_path) for word in words]
    assert run_command(import_module("extensions.machines.cluster").COMMAND, given) == 2
    assert said.format(folder=tmp_path) in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_folder_to_fetch_into_that_can_t_be_written_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SharedStore.make(str(tmp_path / "store"), 2)
    (tmp_path / "file").touch()
    given = ["--store", str(tmp_path / "store"), "--fetch", str(tmp_path / "file" / "below")]
    assert run_command(import_module("extensions.machines.cluster").COMMAND, given) == 2
    assert "below: Not a directory; give a folder that you may write" in capsys.readouterr().err
