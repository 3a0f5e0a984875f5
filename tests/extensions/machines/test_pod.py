"""Does a pod run what Kubernetes asks of it, and what a person asks of it?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from extensions.machines.pod import BACKEND, EXECUTOR, MEMORY, OPTIONS, command_of
from spiders.own_folders import ROOT

TOLD = dict.fromkeys(OPTIONS.values(), "x") | {MEMORY: "512m", "SPARK_EXECUTOR_ID": "7"}


def test_an_executor_is_started_as_spark_has_told_by_variables() -> None:
    options = {"SPARK_JAVA_OPT_10": "-Da=b c", "SPARK_JAVA_OPT_2": "-Xss4m", "SPARK_JAVA_OPT_S": "no option"}
    command = command_of([EXECUTOR], TOLD | options, "jars")
    assert command[:7] == ["java", "-Xss4m", "-Da=b c", "-Xms512m", "-Xmx512m", "-cp", "jars/*"]
    assert command[7] == BACKEND
    assert command[command.index("--executor-id") + 1] == "7"


def test_whatever_else_is_asked_is_a_command_of_breadcrumb() -> None:
    assert command_of(["cluster", "--help"], {}, "jars") == [str(ROOT / "breadcrumb"), "cluster", "--help"]


def test_an_executor_that_nobody_told_says_what_is_missing() -> None:
    told = {name: value for name, value in TOLD.items() if name != "SPARK_DRIVER_URL"}
    with pytest.raises(ValueError, match="SPARK_DRIVER_URL is not set; Spark on Kubernetes starts executors"):
        command_of([EXECUTOR], told, "jars")


def test_the_image_of_a_cluster_begins_with_that_program_and_is_made_from_the_other_image() -> None:
    lines = (ROOT / "Containerfile.cluster").read_text("utf-8")
    tag = re.search(r"podman build --tag (\S+) \.", lines)
    assert tag is not None
    assert f"\nFROM {tag[1]}\n" in lines
    place = re.search(r"^WORKDIR (\S+)$", (ROOT / "Containerfile").read_text("utf-8"), re.MULTILINE)
    assert place is not None
    program = re.search(r'^ENTRYPOINT \["(\S+)", "-P", "(\S+)"\]$', lines, re.MULTILINE)
    assert program is not None
    assert (ROOT / Path(program[2]).relative_to(place[1])).exists()
    assert f"PYTHONPATH={place[1]}\n" in lines
