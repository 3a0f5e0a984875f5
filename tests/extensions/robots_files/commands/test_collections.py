"""Collections of robots.txt files: each file is read, and one that can't be read is reported and skipped."""

from __future__ import annotations

import base64
import gzip
import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawldb.tables.robots_files import MAX_STORED, ImportedFile, site_of_version
from extensions.robots_files import importing
from extensions.robots_files.importing import MAX_LINE, NotTaken, files_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BODY = b"User-agent: *\nDisallow: /\n"


def read(path: Path) -> tuple[list[ImportedFile], list[str]]:
    found = list(files_in(path))
    files = [one for one in found if isinstance(one, ImportedFile)]
    return files, [f"{one.where}: {one.reason}" for one in found if isinstance(one, NotTaken)]


def test_a_folder_has_files_that_are_named_after_their_hosts(tmp_path: Path) -> None:
    (tmp_path / "a.example").write_bytes(BODY)
    (tmp_path / "b.example.txt").write_bytes("﻿User-agent: *".encode("utf-16"))
    (tmp_path / "c.example.robots.txt.gz").write_bytes(gzip.compress(BODY))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "robots.txt").write_bytes(BODY)
    files, told = read(tmp_path)
    assert [(file.name, file.origin) for file in files] == [("a.example", ""), ("b.example", ""), ("c.example", "")]
    assert files[1].body.endswith(b"User-agent: *")
    assert told == [
        "empty: the file is empty",
        "inner: a folder within a folder is not looked into; give it by itself",
        "picture.png: this is no text, and so no robots.txt",
    ]
    [alone], _ = read(tmp_path / "inner" / "robots.txt")
    assert alone.name == "inner", "a robots.txt is that of the folder in which it is"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_of_a_collection_name_their_files_in_several_ways(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    lines = [
        {"origin": "https://A.example", "body": BODY.decode(), "fetched_at": "2026-03-01T00:00:00"},
        {"host": "b.example", "body_base64": base64.b64encode(BODY).decode(), "date": 86_400},
        {"id": 7, "text": ""},
        {"robots": "x"},
        {"id": "no body"},
        {"body_base64": "%"},
        {"body": "x", "date": "yesterday"},
        {"body": "x", "origin": "ftp://a.example"},
        {"body": "x", "origin": "http://bad host!!/"},
        [],
    ]
    path = tmp_path / "files.jsonl"
    path.write_bytes(pack("\n".join([*map(json.dumps, lines), "{"]).encode()))
    files, told = read(path)
    assert [(file.name, file.origin, file.body) for file in files] == [
        ("", "https://a.example:443", BODY),
        ("b.example", "", BODY),
        ("7", "", b""),
        ("line 4", "", b"x"),
    ]
    assert [file.at for file in files[:2]] == [1_772_323_200.0, 86_400.0]
    assert [line.partition(": ")[2] for line in told] == [
        *["it has no body, text, robots or body_base64 that can be read"] * 2,
        "its date is neither ISO 8601 nor seconds since the epoch",
        *["its origin is no http or https address of a host"] * 2,
        *["this is no JSON object"] * 2,
    ]
    assert told[0].startswith("files.jsonl, line 5: ")


def test_a_date_to_come_is_told_and_the_file_is_of_now(tmp_path: Path) -> None:
    path = tmp_path / "files.jsonl"
    path.write_text('{"body": "x", "host": "../../etc", "date": "2999-01-01"}')
    [file], told = read(path)
    assert file.at <= time.time()
    assert told == ["files.jsonl, line 1: its date is to come: it is taken as of now"]
    assert not site_of_version(file.origin, file.name), "a name that is no host is of no site"


def test_a_line_without_end_is_passed_over_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MAX_LINE", 50)
    path = tmp_path / "files.jsonl"
    path.write_bytes(b'{"body": "a"}\n{"body": "' + b"x" * 1000 + b'"}\n{"body": "b"}\n')
    files, told = read(path)
    assert [file.body for file in files] == [b"a", b"b"]
    assert told == ["files.jsonl, line 2: longer than 50 bytes"]
    assert MAX_LINE > 6 * MAX_STORED, "the longest file, with each octet escaped, fits"


def test_blank_lines_and_a_byte_order_mark_are_passed_over_and_an_array_is_told(tmp_path: Path) -> None:
    path = tmp_path / "files.json"
    path.write_bytes(b'\xef\xbb\xbf\n\n{"body": "a"}\n\n{"body": "b"}')
    assert [file.name for file in read(path)[0]] == ["line 3", "line 5"]
    path.write_bytes(b'[{"body": "a"}]')
    assert read(path) == ([], ["files.json: one JSON array is not read; write its objects a line each"])


def test_a_damaged_gzip_gives_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "files.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"body": "a"}\n') + gzip.compress(b'{"body": "b"}\n' * 99)[:-9])
    files, told = read(path)
    assert files[0].body == b"a"
    assert "the gzip file is damaged here" in told[0]


def test_a_file_that_is_too_long_is_cut_and_that_is_told(tmp_path: Path) -> None:
    path = tmp_path / "long.example"
    path.write_bytes(b"#\n" * MAX_STORED)
    [file], [told] = read(path)
    assert len(file.body) == MAX_STORED
    assert "longer than 512,000 bytes" in told


def test_what_may_not_be_read_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "b.example").write_bytes(BODY)
    (tmp_path / "a.example").symlink_to(tmp_path / "nowhere")
    files, told = read(tmp_path)
    assert [file.name for file in files] == ["b.example"]
    assert told == ["a.example: No such file or directory"]
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nowhere")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=100),
        st.binary(max_size=50).map(gzip.compress),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
            lambda inner: st.dictionaries(
                st.sampled_from(["body", "origin", "id", "date", "host", "body_base64"]), inner, max_size=4
            ),
            max_leaves=5,
        ).map(
            lambda value: json.dumps({"body": "x", "said": value} | (value if isinstance(value, dict) else {})).encode()
        ),
    )
)
def test_any_octets_are_a_collection_or_are_told(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "given"
    path.write_bytes(body)
    for one in files_in(path):
        assert one.reason if isinstance(one, NotTaken) else len(one.body) <= MAX_STORED
