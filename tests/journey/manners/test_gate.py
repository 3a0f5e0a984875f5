"""The gate: no page before its robots.txt, and never one that it disallows."""

import re
import shlex

import pytest

from tests.journey.conftest import Answer, Folder, Site, html

TEXT = {"Content-Type": "text/plain"}
SHORT = {"INDEX_FOLLOW": 0, "WAIT_SECONDS": 1, "DOWNLOAD_TIMEOUT": 4}
OWNER = {"CONTACT": "you@example.org", "BOT_URL": "https://www.example.org/our-robot.html"}


def test_robots_txt_is_asked_first_and_once_however_many_pages_wait(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, TEXT, b""), "/": html("home", *(f"/{page}" for page in range(20)))}
    site.pages |= {f"/{page}": html(f"page {page}") for page in range(20)}
    folder.crawl(f"{site.url}/", *(f"{site.url}/{page}" for page in range(20)), INDEX_FOLLOW=0, PROBE_AFTER=0)
    assert site.asked()[0] == "/robots.txt"
    assert sorted(site.asked()) == sorted(["/robots.txt", "/", *(f"/{page}" for page in range(20))])


def test_a_disallowed_page_is_never_requested_and_says_which_line_forbids_it(site: Site, folder: Folder) -> None:
    rules = b"User-agent: other\nDisallow: /\n\nUser-agent: breadcrumb\nDisallow: /private\nAllow: /private/but\n"
    site.pages = {
        "/robots.txt": (200, TEXT, rules),
        "/": html("home", "/private/x", "/private/but/this", "/open"),
        "/private/but/this": html("allowed"),
        "/open": html("open"),
    }
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert "/private/x" not in site.asked()
    assert folder.rules() == {
        "/": "fetched",
        "/private/x": "robots",
        "/private/but/this": "fetched",
        "/open": "fetched",
    }
    with folder.database() as database:
        assert database.value("SELECT reason FROM journal WHERE rule = 'robots'") == (
            "robots.txt: disallowed by line 5 (Disallow: /private)"
        )


def test_what_a_person_submitted_is_marked_as_such_and_obeys_robots_txt_all_the_same(
    site: Site, folder: Folder
) -> None:
    site.pages = {"/robots.txt": (200, TEXT, b"User-agent: *\nDisallow: /private\n"), "/private": html("private")}
    folder.run("submit", f"{site.url}/private", f"{site.url}/open")
    site.pages["/open"] = html("open", "/linked")
    site.pages["/linked"] = html("linked")
    folder.crawl(INDEX_FOLLOW=0)
    assert "/private" not in site.asked()
    with folder.database() as database:
        found_by = dict(database.connection.execute("SELECT rule, found_by FROM url WHERE url NOT LIKE '%/linked'"))
        assert found_by == {"robots": "submit", "fetched": "submit"}
        assert database.value("SELECT found_by FROM url WHERE url LIKE '%/linked'") == "link"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_4xx_opens_the_site_and_its_body_is_not_read(site: Site, folder: Folder, status: int) -> None:
    site.pages = {"/robots.txt": (status, TEXT, b"User-agent: *\nDisallow: /\n"), "/": html("home")}
    assert folder.crawl(f"{site.url}/", INDEX_FOLLOW=0).returncode == 0
    assert folder.rules() == {"/": "fetched"}


@pytest.mark.parametrize(
    ("answer", "when"),
    [
        pytest.param((429, TEXT, b""), "after 20", id="429"),
        pytest.param((500, TEXT, b""), "after 20", id="500"),
        pytest.param((503, TEXT | {"Retry-After": "3600"}, b""), "after 20", id="503"),
        # Half an answer is none: like silence, next request by the next run.
        pytest.param(
            (200, TEXT | {"Content-Length": "5000", "Connection": "close"}, b"User-agent: *\n"),
            "to continue",
            id="a body that breaks off",
        ),
    ],
)
def test_a_site_in_trouble_is_closed_and_its_urls_wait_and_hold_up_no_round(
    site: Site, folder: Folder, answer: Answer, when: str
) -> None:
    site.pages = {"/robots.txt": answer, "/": html("home"), "/x": html("x")}
    done = folder.crawl(f"{site.url}/", f"{site.url}/x", INDEX_FOLLOW=0, WAIT_SECONDS=5)
    assert set(site.asked()) == {"/robots.txt"}
    urls = folder.report()["urls"]
    assert (urls["queued"], urls["discovered"]) == (2, 2)
    assert f"2 URLs queued: run the same crawl again {when}" in done.stdout
    assert f"The reason: ./breadcrumb why {site.url}/" in done.stdout, "the report of an empty crawl has no details"
    assert folder.report()["rounds"]["open"] == 0


def test_a_redirected_robots_txt_rules_the_origin_that_was_asked(site: Site, folder: Folder) -> None:
    site.pages = {
        "/robots.txt": (301, {"Location": "/rules.txt"}, b""),
        "/rules.txt": (200, TEXT, b"User-agent: *\nDisallow: /x\n"),
        "/": html("home", "/x"),
    }
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert site.asked() == ["/robots.txt", "/rules.txt", "/"]


@pytest.mark.parametrize("status", [200, 203])
def test_a_robots_txt_is_read_to_500_kib_and_no_further(site: Site, folder: Folder, status: int) -> None:
    padding = b"# pad\n" * 100_000
    site.pages = {
        "/robots.txt": (status, TEXT, b"User-agent: *\nDisallow: /x\n" + padding + b"Disallow: /\n"),
        "/": html("home", "/x"),
    }
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert folder.rules() == {"/": "fetched", "/x": "robots"}


def test_what_a_robots_txt_said_is_remembered_by_the_next_run(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, TEXT, b"User-agent: *\nDisallow: /x\n"), "/": html("home", "/x")}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    folder.crawl(INDEX_FOLLOW=0)
    assert site.asked().count("/robots.txt") == 1
    assert "/x" not in site.asked()


def test_two_ports_of_one_host_have_a_robots_txt_each(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, TEXT, b""), "/": html("home")}
    folder.crawl(f"{site.url}/", f"http://localhost:{site.port}/", INDEX_FOLLOW=0)
    hosts = [headers["Host"] for path, headers in site.log if path == "/robots.txt"]
    assert sorted(hosts) == [f"127.0.0.1:{site.port}", f"localhost:{site.port}"]


def test_a_host_that_did_not_answer_is_asked_again_by_the_next_run(silent: str, folder: Folder) -> None:
    first = folder.crawl(silent, INDEX_FOLLOW=0, WAIT_SECONDS=1, pages=20)
    assert first.returncode == 1
    assert "1 URL queued: run the same crawl again to continue. The reason" in first.stdout, "no trial took place"
    [waiting] = folder.report()["waiting"]
    assert "no server answers at its port" in waiting["reason"]
    assert waiting["until"] == 0  # the next run requests it at once
    assert f"Waiting: {silent}: {waiting['reason']}" in first.stdout
    why = " ".join(folder.run("why", silent).stdout.split())
    assert "the next run requests it. " in why
    assert "due in" not in why
    requests = folder.report()["requests"]
    folder.crawl(INDEX_FOLLOW=0, WAIT_SECONDS=1)
    assert folder.report()["requests"] == requests + 1


def test_the_rest_of_a_silent_host_ends_with_the_next_run_and_a_url_waits_its_time(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home"), "/x": html("x"), "/y": html("y")}
    site.hold("/", "/x")
    done = folder.crawl(f"{site.url}/", f"{site.url}/x", **SHORT, RETRY_DELAY=60)
    assert "Resting, 2 URLs waiting: 127.0.0.1 gave no answer" in done.stdout
    assert "Waiting until 20" in done.stdout
    assert "2 URLs queued: run the same crawl again after 20" in done.stdout
    folder.crawl(f"{site.url}/y", **SHORT, RETRY_DELAY=60)
    first, *two, last = site.asked()
    assert (first, sorted(two), last) == ("/robots.txt", ["/", "/x"], "/y"), "the two are requested at once"


def test_a_blocked_seed_needs_no_owner_of_the_robot(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home")}
    folder.crawl("http://misspelt.invalid/", INDEX_FOLLOW=0, WAIT_SECONDS=1, **OWNER)
    said = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0).stderr
    assert "misspelt.invalid/ has a host without an IP" in said
    [words] = re.findall(r"To crawl without its site: ./breadcrumb (.*) --data ", said)
    assert folder.run(*shlex.split(words)).returncode == 0
    assert folder.crawl(INDEX_FOLLOW=0).returncode == 0
    assert site.asked() == ["/robots.txt", "/"]


def test_the_robots_command_asks_a_localhost_name_as_a_crawl_does(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, TEXT, b"User-agent: *\nDisallow: /x\n")}
    shop = f"http://shop.localhost:{site.port}"
    done = folder.run("robots", f"{shop}/", "--agent", "Breadcrumb", f"{shop}/x")
    assert (done.returncode, done.stderr) == (1, "")
    assert site.log[0][1]["Host"] == f"shop.localhost:{site.port}"


def test_a_host_that_never_answers_does_not_keep_the_others_from_their_next_round(
    site: Site, silent: str, folder: Folder
) -> None:
    site.pages = {"/": html("home")}
    folder.crawl(f"{site.url}/", silent, INDEX_FOLLOW=0, WAIT_SECONDS=1)
    done = folder.crawl(INDEX_FOLLOW=0, WAIT_SECONDS=1)
    assert site.asked().count("/") == 2
    assert done.returncode == 0
    assert folder.report()["urls"]["queued"] == 1
