"""Which page comes for which host and path? Names, encodings, declared lies, and copies for people."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.virtual_hosts import VirtualHosts, plain_path, site_names

if TYPE_CHECKING:
    from demo.messages import Response

SITES = VirtualHosts(8400)
FIRST_TIME = "/lost-property.html"


def page(host: str, path: str, *, sites: VirtualHosts = SITES, times: int = 1) -> Response:
    return sites.respond(host, path, lambda _: times)


@pytest.mark.parametrize(
    ("host", "path", "declared_by", "encoding", "words"),
    [
        pytest.param("teahouse", "/letter.html", "header", "euc-kr", "강물은 두 번 얼었고", id="Korean"),
        pytest.param("dacha", "/old-letter.html", "meta http-equiv", "windows-1251", "Дорогая Варенька", id="Russian"),
        pytest.param("bunko", "/old-page.html", "meta charset", "shift_jis", "旅人は橋の上で", id="Japanese"),
    ],
)
def test_a_page_in_an_old_encoding_is_declared_in_one_place_only(
    host: str, path: str, declared_by: str, encoding: str, words: str
) -> None:
    response = page(f"{host}.localhost", path)
    in_header = f"charset={encoding}" in response.type
    in_page = encoding.encode() in response.body
    assert (in_header, in_page) == (declared_by == "header", declared_by != "header")
    assert words in response.body.decode(encoding)
    with pytest.raises(UnicodeDecodeError):
        response.body.decode("utf-8")


@pytest.mark.parametrize("name", site_names())
def test_a_home_page_says_what_a_robot_learns(name: str) -> None:
    text = page(f"{name}.localhost", "/").body.decode()
    assert "<aside>\n<h2>" in text
    assert '<meta name="viewport"' in text


@pytest.mark.parametrize(
    "spelling",
    ["/letters.html", "/%6Cetters.html", "/sorting/../letters.html", "/./letters.html", "/../letters.html"],
)
def test_the_server_itself_does_not_mind_how_a_path_is_spelt(spelling: str) -> None:
    assert b"Letters nobody called for" in page("post.localhost", spelling).body


def test_readme_is_the_same_file_in_capitals() -> None:
    quiet, loud = page("post.localhost", "/readme.htm"), page("post.localhost", "/README.HTM")
    assert quiet == loud
    assert quiet.type.startswith("text/html")


def test_the_tower_has_one_room_however_high_one_climbs() -> None:
    assert page("lighthouse.localhost", "/tower/" + "up/" * 50) == page("lighthouse.localhost", "/tower/")


def test_both_addresses_of_the_museum_are_the_same_byte_for_byte() -> None:
    for path in ("/", "/visit.html", "/collection/", "/robots.txt"):
        assert page("museum.localhost", path) == page("mirror.localhost", path)


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        pytest.param("/timetable", 301, "/timetable/", id="a folder without its slash"),
        pytest.param("/1998.html", 301, "/2004.html", id="a chain, first"),
        pytest.param("/2004.html", 302, "/2011.html", id="a chain, second"),
        pytest.param("/2011.html", 308, "/timetable/branch.html", id="a chain, last"),
        pytest.param("/circle/inner", 302, "/circle/outer", id="a loop"),
        pytest.param("/circle/outer", 302, "/circle/inner", id="and back"),
        pytest.param("/over-the-hills", 307, "http://hills.localhost:8400/", id="off site"),
        pytest.param("/robots.txt", 301, "/rules.txt", id="even robots.txt"),
    ],
)
def test_redirects(path: str, status: int, location: str) -> None:
    response = page("station.localhost", path)
    assert (response.status, dict(response.headers)["Location"]) == (status, location)


@pytest.mark.parametrize(
    ("host", "path", "status"),
    [
        ("station.localhost", "/refreshments.html", 404),
        ("station.localhost", "/steam.html", 410),
        ("gazette.localhost", "/refreshments.html", 200),
        ("gazette.localhost", "/robots.txt", 200),
        ("almanac.localhost", "/robots.txt", 404),
        ("library.localhost", "/bindery.html", 200),
        ("127.0.0.1:8400", "/nowhere", 404),
        ("nobody.localhost", "/", 421),
    ],
)
def test_statuses(host: str, path: str, status: int) -> None:
    assert page(host, path).status == status


def test_the_lost_property_falls_over_once() -> None:
    assert [page("station.localhost", FIRST_TIME, times=times).status for times in (0, 1, 2)] == [500, 200, 200]


def test_another_port_is_put_into_pages_and_redirects() -> None:
    other = VirtualHosts(9)
    text = page("post.localhost", "/spellings.html", sites=other).body
    assert b"localhost:8400" not in text
    assert b"localhost:08400" not in text
    assert b"post.localhost:09/letters" in text
    assert (
        dict(page("station.localhost", "/over-the-hills", sites=other).headers)["Location"]
        == "http://hills.localhost:9/"
    )
    assert b"localhost:8400" not in page("127.0.0.1", "/", sites=other).body


def test_the_directory_leads_to_every_site_by_name_and_by_copy() -> None:
    text = page("localhost:8400", "/").body.decode()
    for name in site_names():
        assert f'href="http://{name}.localhost:8400/"' in text
        assert f'href="/~{name}/"' in text


@pytest.mark.parametrize("name", site_names())
def test_a_reading_copy_works_without_names_and_is_closed_to_robots(name: str) -> None:
    copy = page("127.0.0.1:8400", f"/~{name}/")
    assert copy.status == 200
    assert ("X-Robots-Tag", "noindex") in copy.headers
    base = f"http://127.0.0.1:8400/~{name}/"
    for href in re.findall(r'(?:href|src)="([^"]*)"', copy.body.decode()):
        parts = urlsplit(urljoin(base, href))
        if parts.netloc == "127.0.0.1:8400":
            assert page(parts.netloc, parts.path + (f"?{parts.query}" if parts.query else "")).status in {
                200,
                301,
                302,
                307,
                404,
                410,
            }
        assert not any(parts.netloc == f"{other}.localhost:8400" for other in site_names())


def test_a_reading_copy_of_a_redirect_stays_a_copy() -> None:
    inside = page("127.0.0.1:8400", "/~station/old-timetable.html")
    away = page("127.0.0.1:8400", "/~station/over-the-hills")
    assert dict(inside.headers)["Location"] == "/~station/timetable/"
    assert dict(away.headers)["Location"] == "/~hills/"


def test_the_robots_file_of_the_directory_closes_the_copies() -> None:
    assert b"User-agent: *\nDisallow: /~\n" in page("127.0.0.1:8400", "/robots.txt").body


@given(st.text(alphabet=string.printable, max_size=80), st.sampled_from([*site_names(), "nobody"]))
def test_no_target_is_a_mistake_of_ours(target: str, name: str) -> None:
    for host in (f"{name}.localhost", "127.0.0.1"):
        assert page(host, "/" + target).status < 500
        assert page("127.0.0.1", f"/~{name}/{target}").status < 500


@given(st.text(alphabet="/.a%", max_size=30))
def test_a_plain_path_has_no_dots_left_to_walk(path: str) -> None:
    walked = plain_path(path)
    assert walked.startswith("/")
    assert not {".", ".."} & set(walked.split("/"))
    assert plain_path(walked) == walked
