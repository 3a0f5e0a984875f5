"""Can the core path be read as docs/reading.md promises? Its files exist, each once, and together they are short."""

from __future__ import annotations

import re

from tests.docs.conftest import DOCS, OWN_ROOMS, ROOT

MAX_FILES = 40
MAX_LINES = 5000
ROW = re.compile(r"^\| `(?P<file>[\w/]+\.py)` \| (?P<question>[^|]+\?) \| (?P<look>[^|]+) \|$", re.MULTILINE)
TEXT = (DOCS / "reading.md").read_text()
WORDS = (
    "URL",
    "Canonical",
    "Site",
    "Round",
    "Lease",
    "Item",
    "outcome",
    "journal",
    "Feed",
    "Segment",
    "Posting",
    "Generation",
)


def test_every_file_of_the_core_path_exists_once_with_its_question() -> None:
    files = [row["file"] for row in ROW.finditer(TEXT)]
    assert not [file for file in files if not (ROOT / file).is_file()]
    assert len(files) == len(set(files)) == len(re.findall(r"^\| `", TEXT, re.MULTILINE))
    assert {file.partition("/")[0] for file in files} >= {*OWN_ROOMS} - {"commands", "extensions", "reports"}


def test_the_textbook_engine_is_read_first_and_each_section_says_what_it_replaces() -> None:
    first, _, core = TEXT.partition("## The core path")
    assert [row["file"] for row in ROW.finditer(first)] == [
        f"textbook/{name}.py" for name in ("__init__", "spider", "reader", "filters", "index", "crawl")
    ]
    sections = core.split("\n### ")[1:]
    assert sections
    assert [section.partition("\n")[0] for section in sections if "\nReplaces " not in section] == []
    for section in sections:
        told = section.partition("\n| file")[0]
        files = re.findall(r"`(textbook/\w+[.]py)`", told)
        assert files, section.partition("\n")[0]
        sources = "".join((ROOT / file).read_text() for file in files)
        for name in re.findall(r"`([A-Za-z_]+)`", told):
            assert re.search(rf"\b{name}\b", sources), name


def test_the_core_path_is_short_enough_to_be_read() -> None:
    files = [row["file"] for row in ROW.finditer(TEXT)]
    lines = {file: len((ROOT / file).read_text().splitlines()) for file in files}
    assert len(files) <= MAX_FILES
    assert sum(lines.values()) <= MAX_LINES


def test_what_a_file_is_said_to_show_is_there() -> None:
    for row in ROW.finditer(TEXT):
        source = (ROOT / row["file"]).read_text()
        for name in re.findall(r"`([\w.]+)`", row["look"]):
            assert re.search(rf"\b{name.rpartition('.')[2]}\b", source), f"{row['file']}: {name}"


def test_the_vocabulary_comes_first() -> None:
    words = TEXT.partition("## The core path")[0]
    assert [word for word in WORDS if f"**{word}**" not in words] == []
