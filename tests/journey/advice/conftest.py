"""One crawl whose URLs end in every way that a person can change, and a copy of it for each test."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from commands import LIGHT
from tests.advice import State, state_of
from tests.commands.conftest import Breadcrumb
from tests.forks import forked
from tests.journey.conftest import Folder, Site, html, served_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.forks import ForkServer

LONG = "/" + "long" * 300
PLAIN = {"Content-Type": "text/plain"}
RYE = " ".join(f"{grain} {number}" for number in range(80) for grain in ("rye", "caraway", "malt"))
NARROW = {  # settings of the first crawl, most of which stop a URL
    "PROBE_AFTER": 0,
    "MAX_DEPTH": 1,
    "DOWNLOAD_MAXSIZE": 8_000,
    "DOWNLOAD_TIMEOUT": 6,  # on a busy machine, others of its pages take a second
    "SKIP_QUERIES": "yes",
    "SITE_PAGES": 20,
    "RETRY_ATTEMPTS": 1,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,  # of two copies the first to arrive is kept
}


@dataclass
class Crawled(Folder):
    """A crawl, on which commands are carried out as they are printed."""

    def state(self) -> State:
        return state_of(self.path)

    def carry_out(self, words: list[str], given: str = "") -> subprocess.CompletedProcess[str]:
        """Carry out a command that was printed, with none but its own words."""
        if words[0] in LIGHT:
            done = Breadcrumb(self.path, self.path.parent).run_as_it_stands(*words, given=given)
            return subprocess.CompletedProcess(words, done.code, done.out, done.err)
        return forked(self.forks, *words)

    def carried_out(self, words: list[str]) -> str:
        """Carry out a command that succeeds, and return what it prints."""
        done = self.carry_out(words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def why(self, url: str) -> str:
        """Return the last part of an explanation: what to do next."""
        return self.carry_out(["why", "-s", f"DATA_DIR={self.path}", url]).stdout.rpartition("\nnext ")[2]

    def crawl_with(
        self, settings: Mapping[str, str] = MappingProxyType({}), command: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Carry out a crawl that was printed, with the settings of the first one, and others."""
        given = [f"{name}={value}" for name, value in (NARROW | {"DOWNLOAD_TIMEOUT": 60} | dict(settings)).items()]
        words = [*(command or ("crawl", "site", "-s", f"DATA_DIR={self.path}"))]
        done = self.carry_out(words + [word for each in given for word in ("-s", each)])
        assert done.returncode == 0, done.stderr
        return done


@dataclass
class World:
    """Sites to crawl: `site` has every fate, `other` is on another port, `large` has too many pages."""

    site: Site
    other: Site
    large: Site


def fill(world: World) -> None:
    names = ("/rye", "/copy", "/moved", "/broken", "/gone", "/a/a/a/a", LONG, "/cake.zip", "/big", "/slow", "/form?x=1")
    links = (*names, "/private/x", "/deep", "/folder/", "/folder/one", "/folder/two")
    elsewhere = (f"{world.other.url}/bread", f"http://elsewhere.localhost:{world.site.port}/elsewhere")
    world.site.pages = {
        "/robots.txt": (200, PLAIN, b"User-agent: *\nDisallow: /private/\n"),
        "/": html("Bakery", *links, *elsewhere),
        "/rye": html("Rye", text=RYE),
        "/copy": html("Rye", text=RYE),
        "/moved": (302, {"Location": "/rye"}, b""),
        "/broken": (500, PLAIN, b"an error"),
        "/big": html("Big", text=" ".join(f"grain number {number}" for number in range(900))),
        "/slow": html("Slow", text="This oven takes its time to become hot."),
        "/form?x=1": html("Form", text="A program has made this page about yeast."),
        "/deep": html("Deep", "/deeper", "/lower", text="Deep down the stairs stands the oven."),
        **{
            path: html(f"A page of {path}", text=f"Only {path} says {path[1:] * 3}.")
            for path in (
                *("/a/a/a/a", LONG, "/cake.zip", "/deeper", "/lower", "/unknown", "/elsewhere"),
                *("/folder/", "/folder/one", "/folder/two"),
            )
        },
    }
    world.other.pages = {"/bread": html("Other", text="Another port has other bread.")}
    halls = [f"/hall-{one}{two}" for one in "abc" for two in "efghijk"]
    world.large.pages = {hall: html(hall, text=f"Hall {hall} has {hall * 3}.") for hall in halls}
    world.large.pages["/"] = html("Large", *halls, text="A mill of many halls.")


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    with served_site() as site, served_site() as other, served_site() as large:
        made = World(site, other, large)
        fill(made)
        yield made


@pytest.fixture(scope="session")
def first_crawl(world: World, forks: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    Folder.forks = forks
    folder = Folder(tmp_path_factory.mktemp("advice") / "data")
    quick = world.site.pages["/slow"]
    free = world.site.hold("/slow")
    done = folder.crawl(f"{world.site.url}/", f"{world.large.url}/", **NARROW)
    assert done.returncode == 0, done.stderr
    free.set()
    world.site.pages["/slow"] = quick
    (folder.path.parent / "printed").write_text(done.stdout)
    return folder.path


@pytest.fixture
def crawled(world: World, first_crawl: Path, tmp_path: Path) -> Iterator[Crawled]:
    """A copy of the first crawl; what a test changes on a site, it gets back."""
    shutil.copytree(first_crawl, tmp_path / "data")
    pages = dict(world.site.pages)
    yield Crawled(tmp_path / "data")
    world.site.pages = pages
