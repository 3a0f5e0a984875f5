"""Is a revisit record read as the record that it refers to, or reported as not read if that is missing?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from extensions.archives.importing.run import ELSEWHERE, NOT_HERE
from tests.extensions.archives.importing.folder import ROBOTS, A, imported, journal, put, rules
from tests.extensions.archives.made_archives import http, packed, page, record, response

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb

B = "http://b.example/"
SAME = {"WARC_Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"}
UNCHANGED = {"WARC_Profile": "http://netpreserve.org/warc/1.1/revisit/server-not-modified"}
EARLIER, LATER = "2024-01-01T00:00:00Z", "2024-07-01T00:00:00Z"
DIGEST = {"WARC_Payload_Digest": "sha1:AAAA"}
TEXT = http(ROBOTS, content_type="text/plain")
FILE = response(f"{B}robots.txt", TEXT, date=EARLIER, **DIGEST)
SECRET = [response(f"{A}secret", http(page("Secret"))), response(A, http(page("Home")))]
BY_RECORD = {"WARC_Refers_To": f"<urn:uuid:response-{B}robots.txt-{EARLIER}>"}
BY_DATE = {"WARC_Refers_To_Target_URI": f"{B}robots.txt", "WARC_Refers_To_Date": EARLIER}
HEAD = http(content_type="text/plain")


@pytest.mark.parametrize(
    ("refers", "head"),
    [
        pytest.param(BY_RECORD, HEAD, id="by the record"),
        pytest.param(BY_DATE, HEAD, id="by address and date"),
        pytest.param(DIGEST, b"", id="by the payload, without a head"),
        pytest.param(UNCHANGED | BY_RECORD, http(status="304 Not Modified"), id="an answer 304"),
    ],
)
@pytest.mark.parametrize("apart", [False, True], ids=["in one file", "in a later file"])
def test_a_robots_txt_that_is_a_revisit_is_obeyed(
    empty: Breadcrumb, tmp_path: Path, refers: dict[str, str], head: bytes, apart: bool
) -> None:
    revisit = record("revisit", head, f"{A}robots.txt", **(SAME | refers))
    files = [[*SECRET, revisit], [FILE]] if apart else [[*SECRET, revisit, FILE]]
    named = [put(tmp_path, packed(each), f"{number}.warc.gz") for number, each in enumerate(files)]
    told = imported(empty, *named)
    assert rules(empty) == {"secret": "robots", "": "fetched"}
    assert sum(each["account"].get("robots.txt", 0) for each in told) == 2
    assert not any(each["without_robots"] for each in told)


def test_a_robots_txt_whose_body_is_not_here_rules_over_nothing_and_is_told(empty: Breadcrumb, tmp_path: Path) -> None:
    other = response(f"{B}robots.txt", TEXT, WARC_Payload_Digest="sha1:BBBB", date=EARLIER)
    revisit = record("revisit", HEAD, f"{A}robots.txt", **(SAME | BY_RECORD | DIGEST))
    moved = response("http://c.example/robots.txt", http("", "301 Moved", "text/html", "Location: /r"))
    file = put(tmp_path, packed([*SECRET, revisit, other, moved]))
    (told,) = imported(empty, file)
    assert told["account"] == {"stored": 2, "robots.txt": 1, NOT_HERE: 1, ELSEWHERE: 1}
    assert told["without_robots"] == 2
    assert "import the archive that holds it" in journal(empty)
    words = empty.run("import", file).out
    assert "not read: revisit, what it refers to is not here" in words
    assert "Import the archive of an earlier run, too" in words


def test_a_404_that_is_a_revisit_needs_no_body_for_a_page_and_for_robots_txt(empty: Breadcrumb, tmp_path: Path) -> None:
    missing = http("", "404 Not Found")
    revisits = [record("revisit", missing, f"{A}{name}", **(SAME | DIGEST)) for name in ("robots.txt", "gone")]
    (told,) = imported(empty, put(tmp_path, packed([*SECRET, *revisits])))
    assert told["account"] == {"stored": 2, "robots.txt": 1, "ended: gone": 1}
    assert told["without_robots"] == 0


@pytest.mark.parametrize("kind", ["revisit", "response"])
def test_a_304_for_a_page_that_is_not_stored_is_not_read(empty: Breadcrumb, tmp_path: Path, kind: str) -> None:
    profile = UNCHANGED if kind == "revisit" else {}
    unmodified = http("", "304 Not Modified")
    archive = [
        response(f"{A}twin", http(page("Home")), **DIGEST),  # the same bytes under another address
        record(kind, unmodified, A, date=LATER, **profile, **DIGEST),
    ]
    (told,) = imported(empty, put(tmp_path, packed(archive), "second.warc.gz"))
    assert told["account"] == {"stored": 1, NOT_HERE: 1}
    assert rules(empty) == {"twin": "fetched"}
    assert "304" not in journal(empty)
    (first,) = imported(empty, put(tmp_path, packed([response(A, http(page("Begin")))]), "first.warc.gz"))
    assert first["account"] == {"stored": 1}
