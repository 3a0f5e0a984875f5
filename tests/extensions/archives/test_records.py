"""Which records does an exchange make? Such as independent readers read, with digests that hold."""

import gzip
import io
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.archives.records import NOT_MODIFIED, SAME_PAYLOAD, ArchivedExchange, Earlier, group, warcinfo
from tests.extensions.archives.archived import read_records

REQUEST = b"GET /rye HTTP/1.1\r\nHost: a.localhost\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>rye"
EXCHANGE = ArchivedExchange("http://a.localhost/rye", 1_800_000_000.25, REQUEST, ANSWER, "127.0.0.1")
EARLIER = Earlier("http://b.localhost/", 1_700_000_000.5, UUID(int=7), bytes(20))


def test_an_exchange_is_a_request_its_response_and_what_was_decided_each_named_by_the_others() -> None:
    made = group(EXCHANGE, [("via", "http://a.localhost/"), ("reason", "two\r\nlines")])
    request, response, metadata = read_records(made.data)
    assert [record.kind for record in (request, response, metadata)] == ["request", "response", "metadata"]
    assert (request.block, response.block, response.payload) == (REQUEST, ANSWER, b"<p>rye")
    assert metadata.block == b"via: http://a.localhost/\r\nreason: two lines\r\n"
    assert response.headers["WARC-Record-ID"] == f"<{made.record.urn}>"
    assert {one.headers["WARC-Concurrent-To"] for one in (request, metadata)} == {f"<{made.record.urn}>"}
    assert {one.headers["WARC-Target-URI"] for one in (request, response, metadata)} == {EXCHANGE.url}
    assert {one.headers["WARC-Date"] for one in (request, response, metadata)} == {"2027-01-15T08:00:00.250000Z"}
    assert response.headers["WARC-IP-Address"] == "127.0.0.1"
    assert (made.kind, made.status) == ("response", 200)


def test_the_answer_stands_at_its_offset_as_a_gzip_member_of_its_own() -> None:
    made = group(EXCHANGE, [("via", "x")])
    member = made.data[made.offset : made.offset + made.length]
    assert gzip.decompress(member).startswith(b"WARC/1.1\r\nWARC-Type: response\r\n")
    assert [record.kind for record in read_records(member)] == ["response"]


def test_the_same_exchange_has_the_same_records_and_another_one_has_others() -> None:
    assert group(EXCHANGE) == group(EXCHANGE)
    assert group(replace(EXCHANGE, at=EXCHANGE.at + 0.001)).record != group(EXCHANGE).record


def test_a_payload_that_is_there_already_is_a_revisit_with_the_head_alone() -> None:
    made = group(EXCHANGE, earlier=EARLIER)
    _, revisit = read_records(made.data)
    assert revisit.kind == "revisit"
    assert revisit.headers["WARC-Profile"] == SAME_PAYLOAD
    assert revisit.headers["WARC-Refers-To"] == f"<{EARLIER.record.urn}>"
    assert revisit.headers["WARC-Refers-To-Target-URI"] == EARLIER.url
    assert revisit.headers["WARC-Refers-To-Date"] == "2023-11-14T22:13:20.500000Z"
    assert revisit.headers["WARC-Truncated"] == "length"
    assert (revisit.head, revisit.payload) == ({"Content-Type": "text/html"}, b"")


def test_a_304_is_a_revisit_of_what_the_server_has_not_modified() -> None:
    answer = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"
    _, revisit = read_records(group(replace(EXCHANGE, answer=answer), earlier=EARLIER).data)
    assert revisit.headers["WARC-Profile"] == NOT_MODIFIED
    assert "WARC-Truncated" not in revisit.headers


def test_of_a_page_that_is_not_to_be_archived_the_head_is_written_and_nobody_refers_to_it() -> None:
    made = group(EXCHANGE, [("left-out", "the body")], EARLIER, without_body=True)
    _, response, _ = read_records(made.data)
    assert (response.kind, response.payload, response.headers["WARC-Truncated"]) == ("response", b"", "unspecified")
    assert b"rye" not in response.block
    assert made.payload is None


@pytest.mark.parametrize("why", ["length", "time", "disconnect"])
def test_what_was_cut_says_why_and_nobody_refers_to_it(why: str) -> None:
    made = group(replace(EXCHANGE, truncated=why))
    assert read_records(made.data)[1].headers["WARC-Truncated"] == why
    assert made.payload is None


def test_a_request_without_an_answer_stands_alone() -> None:
    made = group(replace(EXCHANGE, answer=b""), [("verdict", "timeout")])
    request, metadata = read_records(made.data)
    assert (request.kind, metadata.kind) == ("request", "metadata")
    assert "WARC-Concurrent-To" not in request.headers
    assert metadata.headers["WARC-Concurrent-To"] == request.headers["WARC-Record-ID"]
    assert (made.offset, made.length, made.kind) == (0, 0, "")


def test_an_answer_that_is_no_http_is_told_of_and_not_written() -> None:
    made = group(replace(EXCHANGE, answer=b"SSH-2.0-x\r\n"), [("verdict", "protocol")])
    assert b"left-out: an answer of 11 bytes that is no HTTP" in read_records(made.data)[1].block


def test_what_was_left_out_is_told() -> None:
    answer = ANSWER.replace(b"\r\n\r\n", b"\r\nSet-Cookie: secret\r\n\r\n")
    made = group(replace(EXCHANGE, answer=answer, request=REQUEST[:-2] + b"Cookie: secret\r\n\r\n"), [("via", "x")])
    assert b"secret" not in b"".join(record.block for record in read_records(made.data))
    assert b"left-out: cookie, set-cookie" in read_records(made.data)[2].block


def test_a_file_begins_with_what_wrote_it() -> None:
    data, of = warcinfo("x.warc.gz", 1.0, [("software", "Breadcrumb/0.1"), ("robots", "obey")])
    (record,) = read_records(data)
    assert (record.kind, record.headers["WARC-Filename"]) == ("warcinfo", "x.warc.gz")
    assert record.headers["WARC-Record-ID"] == f"<{of.urn}>"
    assert record.block == b"software: Breadcrumb/0.1\r\nrobots: obey\r\n"


lines = st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=6)


@given(
    lines,
    st.binary(max_size=60),
    st.sampled_from(["", "time"]),
    st.booleans(),
    st.lists(st.tuples(st.just("name"), st.text(max_size=20)), max_size=3),
)
def test_whatever_a_server_sends_the_records_are_read_with_their_digests(
    head: list[bytes], body: bytes, truncated: str, without_body: bool, facts: list[tuple[str, str]]
) -> None:
    answer = b"\r\n".join([b"HTTP/1.1 200 OK", *head, b"", body])
    made = group(replace(EXCHANGE, answer=answer, truncated=truncated), facts, without_body=without_body)
    assert [record.kind for record in read_records(made.data)][:2] == ["request", "response"]
    assert gzip.GzipFile(fileobj=io.BytesIO(made.data)).read().endswith(b"\r\n\r\n")


def test_what_was_left_out_of_a_robots_txt_is_told_too() -> None:
    answer = ANSWER.replace(b"\r\n\r\n", b"\r\nSet-Cookie: secret\r\n\r\n")
    records = read_records(group(replace(EXCHANGE, answer=answer)).data)
    assert [record.kind for record in records] == ["request", "response", "metadata"]
    assert records[2].block == b"left-out: set-cookie\r\n"
