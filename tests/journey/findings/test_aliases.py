"""Whole crawls of a site that has two names for each page, and of one that a file blocks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journey.conftest import Answer, Folder, Site, html


def two_names_for_each_page(site: Site) -> None:
    """Six folders, each with an index page that says the same."""
    links = []
    for number in range(6):
        page = html(f"quay {number}", text=f"At quay number {number} a ship lies that comes from far away.")
        for path in (f"/{number}/", f"/{number}/index.html"):
            site.pages[path] = page
            links.append(path)
    site.pages["/"] = html("harbour", *links)


def test_a_seeds_file_in_toml_gives_the_options_and_marks_its_seeds(site: Site, folder: Folder, tmp_path: Path) -> None:
    two_names_for_each_page(site)
    seeds = tmp_path / "seeds.toml"
    seeds.write_text(f'[[seed]]\nurl = "{site.url}/"\nkind = "popular"\noptions = {{ index-page = true }}\n')
    assert folder.crawl(str(seeds)).returncode == 0
    assert not [path for path in site.asked() if path.endswith("index.html")]
    assert [(seed["kind"], seed["pages"]) for seed in folder.report()["seeds"]] == [("popular", 7)]


def test_a_blacklist_file_that_changes_during_a_crawl_ends_what_it_names(
    site: Site, folder: Folder, tmp_path: Path
) -> None:
    file = tmp_path / "blacklist.txt"
    file.write_text("# nothing yet\n")

    def blocks(answer: Answer) -> Callable[[dict[str, str]], Answer]:
        def told(_: dict[str, str]) -> Answer:
            file.write_text(f"{site.url}/private/*  # its owner asked\ntwo words\n")
            return answer

        return told

    site.pages["/"] = html("front", "/private/1", "/second")
    site.pages["/second"] = html("second", "/third", "/private/2")
    site.pages["/third"] = blocks(html("third", *[f"/wait/{number}" for number in range(8)]))
    for number in range(8):
        site.pages[f"/wait/{number}"] = html(f"wait {number}", *([f"/wait/{number + 1}"] if number < 7 else ["/last"]))
    site.pages["/last"] = html("last", "/private/3")
    site.pages |= {f"/private/{number}": html(f"secret {number}") for number in (1, 2, 3)}
    done = folder.crawl(f"{site.url}/", BLACKLIST_FILE=file, DOWNLOAD_DELAY=0.15)
    assert f"Blacklist: {file}, line 2 is left out: " in done.stdout
    assert "/private/3" not in site.asked()
    assert folder.rules()["/private/1"] == "blocked"
    assert not [path for path in folder.search("secret") if path.startswith("/private")]


@pytest.mark.parametrize("named", ["b.localhost", "a.localhost", ""])
def test_of_two_mirrors_the_one_that_robots_txt_names_is_shown(site: Site, folder: Folder, named: str) -> None:
    line = f"Host: http://{named}:{site.port}\n" if named else ""
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, f"User-agent: *\nDisallow: /x\n{line}".encode())
    site.pages["/"] = html("borage")
    first, second = f"http://a.localhost:{site.port}/", f"http://b.localhost:{site.port}/"
    folder.crawl(first)
    folder.crawl(second)
    shown, other = (second, first) if named.startswith("b") else (first, second)
    found = json.loads(folder.run("search", "borage", "--json").stdout)
    assert [hit["url"] for hit in found["hits"]] == [shown]
    assert f"it says the same as {shown}" in " ".join(folder.run("why", other).stdout.split())
