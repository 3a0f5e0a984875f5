"""Does the file for a container name what there is? It is built elsewhere; here its words are checked."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from typing import TYPE_CHECKING

from commands import COMMANDS
from commands.frame.command import parse_words
from commands.serve import COMMAND as SERVE
from spiders.own_settings import from_environment
from tests.docs.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

LINES = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", "").splitlines()


def said(instruction: str) -> list[str]:
    return [line.removeprefix(f"{instruction} ") for line in LINES if line.startswith(f"{instruction} ")]


def test_what_it_runs_is_a_command_with_options_that_there_are() -> None:
    [entry], [words] = said("ENTRYPOINT"), said("CMD")
    [program] = json.loads(entry)
    name, *rest = json.loads(words)
    assert (ROOT / program).exists()
    assert name == SERVE.name
    assert parse_words(SERVE, rest).host == "0.0.0.0"
    [run] = said("RUN")
    assert run.split()[:3] == ["./breadcrumb", "report", "--help"]
    shown = re.findall(r"breadcrumb (\w+) ", "\n".join(line for line in LINES if line.startswith("#   podman run")))
    assert set(shown) <= set(COMMANDS)


def test_its_volume_is_where_the_crawls_are() -> None:
    [variable], [volume] = said("ENV"), said("VOLUME")
    name, _, value = variable.partition("=")
    assert from_environment({name: value})["DATA_DIR"].value == volume


def test_who_runs_it_is_made_and_owns_the_volume(tmp_path: Path) -> None:
    [run], [user], [volume] = said("RUN"), said("USER"), said("VOLUME")
    _, added, made = (shlex.split(step) for step in run.split("&&"))
    assert added == ["useradd", "--create-home", user]
    program, *options, owner, folder = made
    assert (program, owner, folder) == ("install", f"--owner={user}", volume)
    subprocess.run([program, *options, f"--owner={os.getuid()}", tmp_path / "data"], check=True)
    assert (tmp_path / "data").is_dir()
    assert LINES.index(f"RUN {run}") < LINES.index(f"USER {user}"), "only root adds a user"


def test_an_image_has_no_crawl_no_environment_and_no_settings_of_this_machine() -> None:
    left_out = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert {".venv", "data", "breadcrumb.toml", ".git"} <= set(left_out)
    kept_from_git = {
        line.rstrip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines() if "#" not in line
    }
    assert {name for name in kept_from_git if not name.startswith((".", "__"))} <= set(left_out)


def test_its_python_is_one_that_the_launcher_takes() -> None:
    [image] = said("FROM")
    version = tuple(map(int, re.findall(r"\d+", image)[:2]))
    assert (3, 11) <= version <= (3, 13)
