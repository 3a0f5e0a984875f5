"""Does the study of robots.txt files show its numbers, with a way to the files that each counts?"""

from __future__ import annotations

import html
import re
import shutil
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from crawldb.database import CrawlDatabase
from tests.gateway.conftest import EVIL, gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

ADDRESS = "/inside/robots-study"


def test_numbers_are_shown_and_lead_to_their_files(client: FlaskClient) -> None:
    page = client.get(ADDRESS).text
    assert "<dt>files</dt><dd>3</dd>" in page
    assert "<dt>that shut out all others</dt><dd>1</dd>" in page
    for question in (
        "agent%3Agptbot+disallow%3A%2F",
        "crawl-delay%3A10",
        "lint%3A",
        "-sitemap%3Ahttp",
        "size%3A1..99",
    ):
        assert f"/search?in=robots&amp;q={question}" in page
    rows = [" ".join(re.sub("<.*?>", " ", row).split()) for row in re.findall(r"<tr><th scope=.row.>.*?</tr>", page)]
    assert any(row.startswith("googlebot 1 1 0 0 1 file , 10 s in the middle, 10 s at most") for row in rows)
    assert "1 file has changed, 1 time in all, with 1.0 days in the middle" in " ".join(page.split())
    assert EVIL not in page


APPROXIMATE = ("Favoured", "Disfavoured", "Shut out", "Newly named")  # docs/gateway.md says what stands behind them


def test_a_bar_leads_to_as_many_files_as_it_counts(client: FlaskClient) -> None:
    plots = client.get(ADDRESS).text.split("<figcaption>")[1:]
    followed = 0
    for plot in plots:
        for name, number, address in bars(plot):
            page = re.sub("<.*?>", "", client.get(address).text)
            if not plot.startswith(APPROXIMATE):
                assert f"{number} file{'s' if number != 1 else ''} of 3" in page, name
            followed += 1
    assert followed >= 12


def bars(plot: str) -> list[tuple[str, int, str]]:
    """What a plot says of each of its bars that leads somewhere."""
    tree = LexborHTMLParser(f"<main>{plot}")
    told = [(bar.css("title")[0].text(), bar.attributes["href"]) for bar in tree.css("a.bar")]
    return [(name, int(name.rpartition(": ")[2].split()[0]), str(address)) for name, address in told]


def test_each_plot_stands_beside_its_numbers(client: FlaskClient) -> None:
    page = client.get(ADDRESS).text
    assert page.count("<figure ") == 13
    plots = page.count("<svg") - 1  # the brand
    assert plots == page.count("<summary>Show the numbers</summary>")
    assert "No server was asked: all files are imported." in page


def test_without_a_file_it_says_where_they_come_from(tmp_path: Path) -> None:
    CrawlDatabase(tmp_path).close()
    page = html.unescape(gateway(tmp_path).get(ADDRESS).text)
    assert "There is no robots.txt yet" in page
    assert "./breadcrumb robots --import FILES" in page


def test_a_damaged_file_is_told_and_the_others_are_studied(bakery: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(bakery, tmp_path / "copy")
    with CrawlDatabase(copy) as database:
        database.connection.execute("UPDATE robots_body SET data = x'00' WHERE id = 1")
    page = gateway(copy).get(ADDRESS).text
    assert "1 version is not in these numbers: it is damaged." in page
    assert "<dt>files</dt><dd>3</dd>" in page


def test_without_a_crawl_that_is_told(tmp_path: Path) -> None:
    answer = gateway(tmp_path / "nothing").get(ADDRESS)
    assert answer.status_code == 503
