"""In what two answers differ, and in what they may."""

import gzip

import pytest

from commands.frame.single_request import Response
from extensions.compare.compare import AgentResponse, compare_responses, read_response
from urls.canonical import canonicalize

URL = canonicalize("http://a.example/page")
HTML = ("Content-Type", "text/html")
LONG = " ".join(f"word{number}" for number in range(100))


def read(body: str, status: int = 200, *headers: tuple[str, str]) -> AgentResponse:
    found = read_response(Response(status, [HTML, *headers], body.encode()), URL, "one", "Breadcrumb", 10_000)
    assert isinstance(found, AgentResponse)
    return found


@pytest.mark.parametrize(
    ("ours", "theirs", "differences"),
    [
        pytest.param(read(LONG), read(LONG), [], id="the same"),
        pytest.param(read(LONG), read(LONG + " and a word"), [], id="hardly another"),
        pytest.param(read("no", 403), read(LONG), ["status", "words"], id="79: refused by its name"),
        pytest.param(read(f"<title>A</title>{LONG}"), read(f"<title>B</title>{LONG}"), ["title"], id="another title"),
        pytest.param(read(LONG), read(LONG[::-1]), ["words"], id="79: cloaked"),
        pytest.param(read("a b"), read("a c"), ["words"], id="too short for a share"),
        pytest.param(
            read("", 302, ("Location", "/a")), read("", 302, ("Location", "/b")), ["redirect"], id="sent elsewhere"
        ),
        pytest.param(read(f"<meta name=robots content=noindex>{LONG}"), read(LONG), ["robots"], id="noindex for us"),
    ],
)
def test_a_difference_is_named(ours: AgentResponse, theirs: AgentResponse, differences: list[str]) -> None:
    found = compare_responses(ours, theirs)
    assert [difference.what for difference in found.differences] == differences
    assert (found.alike >= 0.9) == ("words" not in differences)


def test_a_packed_answer_is_unpacked_and_its_location_made_whole() -> None:
    found = read(LONG)
    headers = [HTML, ("Content-Encoding", "gzip"), ("Location", "other")]
    packed = read_response(Response(200, headers, gzip.compress(LONG.encode())), URL, "one", "Breadcrumb", 10_000)
    assert isinstance(packed, AgentResponse)
    assert (packed.words, packed.size, packed.target) == (found.words, found.size, "http://a.example/other")


def test_what_can_t_be_read_says_why() -> None:
    assert "not known" in str(read_response(Response(200, [("Content-Encoding", "rot13")], b"x"), URL, "a", "b", 100))
