"""The index finds what the parser reads: combined conditions hold in one of its groups."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from extensions.robots_files.index.collection import RobotsCollection
from extensions.robots_files.index.tables import open_index_file, put_file
from robots import parse

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES, PATHS = ["a", "b", "*"], ["/", "/x", ""]
LINES = st.one_of(
    st.sampled_from(NAMES).map("User-agent: {}".format),
    st.sampled_from(PATHS).map("Disallow: {}".format),
    st.sampled_from(PATHS).map("Allow: {}".format),
    st.sampled_from(["", "# x", "Sitemap: http://s.example/", "Crawl-delay: 1", "nonsense"]),
)
FILES = st.lists(LINES, max_size=12).map(lambda lines: "\n".join(lines).encode())


def collection_of(files: list[bytes]) -> RobotsCollection:
    index = open_index_file("")
    for number, body in enumerate(files):
        file = put_file(index, b"%d" % number, body)
        index.execute(
            "INSERT INTO version (source, number, origin, name, collection, site, first_seen, last_seen, newest, file) "
            "VALUES ('', ?, '', ?, 'c', '', 0, 0, 1, ?)",
            (number, str(number), file),
        )
    return RobotsCollection(index, Path())


def groups(body: bytes) -> list[tuple[set[str], set[tuple[bool, str]]]]:
    return [
        (
            {name.decode() for block in group.blocks for name in block.names},
            {(allow, path.decode()) for _, allow, path in group.rules},
        )
        for group in parse(body).groups
    ]


@given(
    st.lists(FILES, min_size=1, max_size=4),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.sampled_from(PATHS),
    st.sampled_from(PATHS),
)
def test_conditions_hold_in_one_group(files: list[bytes], name: str, second: str, path: str, other: str) -> None:
    quoted, other_quoted = f'disallow:"{path}"', f'allow:"{other}"'
    questions: dict[str, Callable[[set[str], set[tuple[bool, str]]], bool]] = {
        f'agent:"{name}" {quoted}': lambda names, rules: name in names and (False, path) in rules,
        f"agent:{name} {quoted} {other_quoted}": lambda names, rules: (
            name in names and (False, path) in rules and (True, other) in rules
        ),
        f"agent:{name} ({quoted} OR agent:{second})": lambda names, rules: (
            name in names and ((False, path) in rules or second in names)
        ),
    }
    with collection_of(files) as collection:
        for question, holds in questions.items():
            fit = {str(at) for at, body in enumerate(files) if any(holds(*group) for group in groups(body))}
            assert {hit.version.name for hit in collection.search(question).hits} == fit, question
            without = collection.search(f"-({question})").hits
            assert {hit.version.name for hit in without} == set(map(str, range(len(files)))) - fit, question
