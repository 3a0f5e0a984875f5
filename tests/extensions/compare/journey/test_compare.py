"""A server that treats our robot otherwise is found out, within its robots.txt and its pace."""

import json
from itertools import pairwise

from tests.journey.conftest import Answer, Folder, Site, html

TEXT = {"Content-Type": "text/plain"}


def cloaked(headers: dict[str, str]) -> Answer:
    ours = headers["User-Agent"].startswith("Breadcrumb")
    return (403, TEXT, b"No robots here.") if ours else html("Welcome")


def test_a_server_that_shuts_us_out_by_our_name_is_found_out(site: Site, folder: Folder) -> None:
    site.pages = {"/": cloaked, "/same": html("The same for everybody")}
    done = folder.run("compare", f"{site.url}/", f"{site.url}/same", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    found = json.loads(done.stdout)
    assert [one["verdict"] for one in found["compared"]] == ["different", "same"]
    assert found["compared"][0]["differences"][0] == {"what": "status", "ours": "403", "theirs": "200"}
    assert found["requests"] == len(site.asked()) == 5
    assert not folder.path.exists()  # it keeps nothing, and needs no crawl
    said = folder.run("compare", f"{site.url}/").stdout
    assert "403 for Breadcrumb/0.1, 200 for Mozilla/5.0 (compatible)" in " ".join(said.split())


def test_only_the_one_line_is_another(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Home")}
    identity = ["-s", "CONTACT=me@example.org", "-s", "BOT_URL=https://example.org/bot"]
    assert folder.run("compare", f"{site.url}/", "--agent", "Somebody/1.0", *identity).returncode == 0
    ours, theirs = (headers for path, headers in site.log if path == "/")
    assert ours["User-Agent"] == "Breadcrumb/0.1 (+https://example.org/bot)"
    assert theirs == ours | {"User-Agent": "Somebody/1.0"}
    assert theirs["From"] == "me@example.org"


def test_what_robots_txt_forbids_us_is_asked_for_by_neither(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, TEXT, b"User-agent: Breadcrumb\nDisallow: /x\n"), "/x": html("x")}
    done = folder.run("compare", f"{site.url}/x")
    assert done.returncode == 2
    assert "disallowed by line 2" in done.stdout
    assert site.asked() == ["/robots.txt"]


def test_the_delay_lies_between_any_two_of_its_requests(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, TEXT, b"User-agent: *\nCrawl-delay: 0.9\n"), "/": html("Home")}
    folder.run("compare", f"{site.url}/", "-s", "DOWNLOAD_DELAY=0.6")
    gaps = [later - earlier for earlier, later in pairwise(site.starts)]
    assert len(gaps) == 2
    assert gaps[0] > 0.45  # only the answer tells that more is asked for
    assert gaps[1] > 0.75


def test_what_can_t_be_reached_is_exit_code_2_and_says_so(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Home")}
    done = folder.run("compare", "bakery", "http://bakery.invalid/", f"{site.url}/")
    assert done.returncode == 2
    assert "did you mean http://bakery?" in done.stdout
    assert "no such host" in done.stdout
    assert f"same  {site.url}/" in done.stdout
    assert folder.run("compare", f"{site.url}/", "--agent", "a\nb").returncode == 2


def test_nothing_goes_to_the_internet_before_somebody_answers_for_it(folder: Folder) -> None:
    done = folder.run("compare", "https://93.184.216.34/")
    assert done.returncode == 2
    assert "set CONTACT" in done.stdout
