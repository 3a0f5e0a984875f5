"""When is an extra added? On request, and what is large only when a person agrees; then it stays."""

from __future__ import annotations

import os
import pty
import sys
from typing import TYPE_CHECKING, cast

import pytest

from tests.child import PATIENCE, child
from tests.launcher.conftest import ANY, COSTLY, SAMPLE, Project, said, wheel

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


@pytest.mark.slow
def test_the_extra_is_added_on_request_and_stays(finished: Project, tmp_path: Path) -> None:
    finished.lock(wheel(tmp_path, "crumb_sample", needs="never-called"), SAMPLE)
    assert said(finished.run("why")[1])["packages"] == ["crumb"], "nobody has asked for it"
    _, out, err = finished.run("plan")
    assert said(out)["packages"] == ["crumb", "crumb_sample"], "a lock is taken as it is, whatever its packages name"
    assert "Setting up" in err
    assert finished.run("search", "words")[2] == ""
    finished.lock(wheel(tmp_path, "crumb", "2.0"))
    assert said(finished.run("test")[1])["packages"] == ["crumb", "crumb_sample", "crumb_test"]
    finished.lock(wheel(tmp_path, "crumb_sample", "2.0"), SAMPLE)
    _, out, err = finished.run("why")
    assert "Setting up" in err, "a new lock of an extra that is in use"
    assert said(out)["packages"] == ["crumb", "crumb_sample", "crumb_test"]


def test_the_end_of_a_files_name_adds_an_extra(
    launcher: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This is which locks a command needs. The test above installs them."""
    monkeypatch.setattr(launcher, "VENV", str(tmp_path))  # nothing was added before
    lock = "extensions/table_files/requirements-parquet.lock"
    assert launcher.needed("export", ("--to", "x.csv")) == ["requirements.lock"]
    assert launcher.needed("export", ("--to=x.parquet", "--yes")) == ["requirements.lock", lock]


CLUSTER, CLUSTER_TEST = "requirements-cluster.lock", "requirements-cluster-test.lock"


@pytest.mark.slow
def test_what_a_cluster_needs_is_added_only_when_a_person_agrees(finished: Project, tmp_path: Path) -> None:
    finished.lock(wheel(tmp_path, "crumb_cluster"), CLUSTER)
    before = finished.stamp.read_text()
    status, out, err = finished.run("cluster", "--master", "spark://far:7077")
    assert (status, out) == (125, "")
    assert "750 MB more" in err
    assert "--yes adds them; farm and processes[N] over a folder need none" in err
    assert "(y/N)" not in err, "nobody could answer"
    assert said(finished.run("cluster", "--help")[1])["packages"] == ["crumb"], "help needs none of it"
    here = finished.run("cluster", "--master", "processes[2]", "--store", "data/s3", "http://yarn.example/")[1]
    assert said(here)["packages"] == ["crumb"], "nor do processes of this machine and a folder"
    assert asked(finished, "\n") == 125
    assert finished.stamp.read_text() == before, "nothing was changed"
    assert asked(finished, "y\n") == 1, "the command's own: how many words it got"
    assert "crumb_cluster" in finished.stamp.read_text()
    assert said(finished.run("why")[1])["packages"] == ["crumb", "crumb_cluster"], "it stays, and nobody is asked again"


@pytest.mark.slow
def test_the_tests_add_every_extra_at_once_where_they_are_asked_to(finished: Project, tmp_path: Path) -> None:
    every = {"sample": SAMPLE, "costly": COSTLY, "cluster": CLUSTER, "cluster_test": CLUSTER_TEST}
    for name, lock in every.items():
        finished.lock(wheel(tmp_path, f"crumb_{name}"), lock)
    _, out, err = finished.run("test", "--extras")
    assert set(cast("list[str]", said(out)["packages"])) == {
        "crumb",
        "crumb_test",
        *(f"crumb_{name}" for name in every),
    }
    assert (err.count("Setting up"), err.count("MB more")) == (1, 0), "once, and nobody is asked who asked for it"


def asked(project: Project, answer: str) -> int:
    """The exit code of a command to whose question a person at a terminal gives an answer."""
    ours, theirs = pty.openpty()
    line = [sys.executable, str(project.root / "breadcrumb"), "cluster", "--store=s3://bucket/crawl"]
    with child(line, cwd=project.root, env=project.environment, stdin=theirs) as process:
        os.write(ours, answer.encode())
        _, told = process.communicate(timeout=PATIENCE)
    os.close(ours)
    os.close(theirs)
    assert "Add them? (y/N)" in told
    return process.returncode


@pytest.mark.slow
def test_yes_adds_what_a_cluster_needs_and_test_then_adds_what_its_tests_need(
    finished: Project, tmp_path: Path
) -> None:
    finished.lock(wheel(tmp_path, "crumb_cluster"), CLUSTER)
    finished.lock(wheel(tmp_path, "crumb_cluster_test"), CLUSTER_TEST)
    assert said(finished.run("test")[1])["packages"] == ["crumb", "crumb_test"], "without the extra, neither"
    assert said(finished.run("cluster", "--yes")[1])["packages"] == ["crumb", "crumb_cluster", "crumb_test"]
    assert len(cast("list[str]", said(finished.run("test")[1])["packages"])) == 4


@ANY
def test_an_extra_that_weighs_much_is_added_only_when_it_is_agreed_to(finished: Project, tmp_path: Path) -> None:
    finished.lock(wheel(tmp_path, "crumb_costly"), COSTLY)
    status, out, err = finished.run("index", "--costly")
    assert (status, out) == (125, "")
    assert "What it reads needs a dictionary: 120 MB more in .venv" in err
    assert err.endswith("they were not added. --yes adds them.\n")
    assert said(finished.run("index")[1])["packages"] == ["crumb"], "it goes on without"
    assert said(finished.run("index", "--costly", "--yes")[1])["packages"] == ["crumb", "crumb_costly"]
    assert said(finished.run("search", "words")[1])["packages"] == ["crumb", "crumb_costly"], "it stays"


@pytest.mark.slow
@ANY
def test_an_extra_stays_that_was_added_when_its_lock_was_in_another_folder(finished: Project, tmp_path: Path) -> None:
    finished.lock(wheel(tmp_path, "crumb_sample"), SAMPLE)
    finished.run("plan")
    finished.stamp.write_text(finished.stamp.read_text().replace(SAMPLE, "requirements-sample.lock"))
    finished.lock(wheel(tmp_path, "crumb", "2.0"))
    assert said(finished.run("why")[1])["packages"] == ["crumb", "crumb_sample"]
