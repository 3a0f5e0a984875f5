"""Is every file one that a reader can hold in mind, and one that is at home on any machine?"""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING

import pytest

from tests.docs.conftest import DOCS, ROOMS, ROOT, constants, name_of, pages, project_files, python_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_LINES = 500  # of one file: a chapter with one subject, read from top to bottom
ROLE_NOUNS = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core", "manager", "managers"}
# The absolute paths of a machine on which somebody worked; a path in a URL has a name before its slash.
MACHINE = re.compile(r"(?<![\w.:/<>*-])/(?:work|root)(?:/\w|(?=[\"'`\s]))")
OUTSIDE = re.compile(r"\.\./" + "shared")
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)")
MODULE = re.compile(r"(?<![\w/.<{-])(?:\w+/)*\w+\.py\b")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def texts() -> list[tuple[str, str]]:
    found = []
    for path in project_files():
        try:
            found.append((name_of(path), path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue  # a picture, or a page of the practice web in another encoding
    return found


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the forges make them."""
    heads = re.findall(r"^#+ +(.+?) *$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_no_file_of_code_is_longer_than_a_reader_can_hold() -> None:
    lengths = {name_of(path): len(path.read_bytes().splitlines()) for path in python_files()}
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_LINES}


def test_no_file_is_named_after_a_role() -> None:
    assert not [name_of(path) for path in python_files() if path.stem in ROLE_NOUNS]


def words_about(path: Path) -> Iterator[str]:
    """Yield the comments of a module and its strings in three quotes."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.endswith('"""')):
            yield token.string


def test_each_module_that_a_comment_or_a_docstring_names_is_there() -> None:
    known = "".join(f"/{name_of(path)}\n" for path in python_files())
    rooms = [path for path in python_files() if name_of(path).startswith(tuple(f"{room}/" for room in ROOMS))]
    named = {(name_of(path), module) for path in rooms for text in words_about(path) for module in MODULE.findall(text)}
    assert sorted((path, module) for path, module in named if f"/{module}\n" not in known) == []


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    assert not {name: found.group() for name, text in texts() if (found := MACHINE.search(text))}


def test_only_the_check_before_landing_looks_outside_the_repository() -> None:
    assert {name for name, text in texts() if OUTSIDE.search(text)} <= {".ci/run"}


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_inside_the_documentation_leads_somewhere(page: Path) -> None:
    lost = []
    for link in LINK.finditer(FENCE.sub("", page.read_text())):
        file, _, anchor = link["target"].partition("#")
        if "://" in file or file.startswith("mailto:"):
            continue
        target = (page.parent / file) if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link["target"])
    assert not lost


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_file_and_folder_of_the_rooms_that_a_page_names_is_there(page: Path) -> None:
    rooms = "|".join((*ROOMS, "tests", "bench"))
    named = set(re.findall(rf"`((?:{rooms})/[\w./-]*?)/?(?:::[^`]+)?`", page.read_text()))
    assert sorted(path for path in named if not (ROOT / path).exists() and not list(ROOT.glob(f"{path}*"))) == []


def test_decision_records_are_numbered_without_gaps_and_listed() -> None:
    folder = DOCS / "decisions"
    records = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [int(name[:4]) for name in records] == list(range(1, len(records) + 1))
    listed = re.findall(r"\]\((\d{4}-[^)]+\.md)\)", (folder / "README.md").read_text())
    assert listed == records


def test_the_changelog_begins_with_the_version_at_hand() -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    first = re.search(r"^## \[?v?([0-9][^\]\s]*)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first is not None
    assert first[1] == version[1]


def test_the_search_for_constants_sees_both_forms(tmp_path: Path) -> None:
    (tmp_path / "settings.py").write_text(
        "SCOPE = 'host'\nPORTS: list[int] = []\nlower = 1\n\ndef f():\n    INNER = 2\n"
    )
    assert constants(tmp_path / "settings.py") == {"SCOPE", "PORTS"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see " + "/ro" + "ot/notes.txt", True),
        ('"' + "/wo" + 'rk"', True),
        ("https://example.com/work/index.html", False),
        ("href=docs/root/x", False),
        ("Disallow: " + "/workshop/", False),
    ],
)
def test_the_search_for_machine_paths_knows_them_from_urls(text: str, *, found: bool) -> None:
    assert bool(MACHINE.search(text)) is found
