"""What errors about several machines say to run or to set, carried out without a crawl."""

from __future__ import annotations

import runpy
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from commands.frame.command import run_command
from extensions.machines.opensearch.address import IndexAddress
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.store.objects import StoreError
from extensions.machines.store.shared_store import SharedStore, objects_at
from indexer.faults import IndexFault
from tests.advice import commands_in
from tests.commands.conftest import ROOT
from tests.commands.test_start import launcher

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLUSTER = import_module("extensions.machines.cluster").COMMAND


def of_opensearch() -> None:
    Cluster(IndexAddress.read("opensearch://127.0.0.1:9/x"))


def of_a_store() -> None:
    objects_at("s3://bucket/crawl")


def of_a_pod() -> None:
    runpy.run_path(str(ROOT / "extensions/machines/pod.py"), run_name="__main__")


@pytest.mark.parametrize(
    ("package", "needs_it"), [("opensearchpy", of_opensearch), ("fsspec.core", of_a_store), ("pyspark", of_a_pod)]
)
def test_the_command_that_adds_what_is_not_installed_takes_the_lock_of_the_cluster(
    package: str,
    needs_it: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises((IndexFault, StoreError, SystemExit)) as raised:
        needs_it()
    [(name, *words)] = commands_in(str(raised.value))
    assert any("cluster" in lock for lock in launcher().needed(name, tuple(words)))
    assert run_command(CLUSTER, words) == 0
    assert "What a cluster needs is here" in capsys.readouterr().out


def test_the_command_of_a_split_that_is_not_done_continues_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uri = str(tmp_path / "store")
    SharedStore.make(uri, 2).begin_split(4)
    with pytest.raises(StoreError) as raised:
        SharedStore.open(uri)
    [(_, *words)] = commands_in(str(raised.value))
    assert run_command(CLUSTER, words) == 0, capsys.readouterr().err
    assert SharedStore.open(uri).parts == 4
