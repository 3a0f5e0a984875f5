"""A crawl of a public and a private site on loopback, and its twin: a crawl of the same public site alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.forks import forked
from tests.journey.conftest import html, served_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer

PLANTED = ("zeppelinist", "Quarzmond", "feldspatgrube", "obsidiankonto")
SECRETS = {"WIKI_TOKEN": "w" * 20, "STAFF_TOKEN": "staff-token-1234567", "SALES_TOKEN": "sales-token-1234567"}
SHARED = " ".join(f"Loaf {n} is baked of rye, water and salt in the old oven." for n in range(12))
STEPS = [f"step{n}" for n in range(40)]
SETTINGS = """
[[site]]
url = "{private}/"
bearer = "env:WIKI_TOKEN"
read = ["staff"]

[[reader]]
token = "env:STAFF_TOKEN"
groups = ["staff"]

[[reader]]
token = "env:SALES_TOKEN"
groups = ["sales"]
"""


@dataclass(frozen=True, slots=True)
class Crawled:
    """The folder of a crawl, that of its twin, and the settings under which both are served."""

    data: Path
    twin: Path
    public: str  # the URL of the public site, without a slash at its end
    private: str
    settings: Path  # the settings file


def public_pages(private: str) -> dict[str, object]:
    return {
        "/": html("Bakery", "/rye", "/oven", "/loaf", f"{private}/", text="The bakery by the river sells rye bread."),
        "/rye": html("Rye", "/", text="Rye bread keeps for a week, and tastes of the oven."),
        "/oven": html("Oven", "/rye", text="The oven was built of bricks. A quarry sold them."),
        "/loaf": html("Loaf", "/", text=f"{SHARED} The public ending tells of seeds."),
        # No two have the same score: their order would be that of the crawl.
        **{f"/cake{n}": html(f"Cake {n}", "/", text=f"Cake of flour {' '.join(STEPS[: 3 * n])}.") for n in range(12)},
        "/cakes": html("Cakes", *(f"/cake{n}" for n in range(12)), text="All cakes of the bakery, sorted by hand."),
        "/unlinked": html("Feldspatgrube", "/", text="Nobody but the wiki links to this page."),
    }


def private_pages(public: str) -> dict[str, object]:
    out = f'<a href="{public}/rye">obsidiankonto</a> <a href="{public}/unlinked">an obsidiankonto</a>'
    return {
        "/": html("Quarzmond", "/plan", "/loaf", "/cake", text=f"The zeppelinist bakes rye bread and cake. {out}"),
        "/plan": html("Plan of the zeppelinist", "/", text="Each zeppelinist needs an oven, rye and a quarry."),
        "/loaf": html("Loaf of the Quarzmond", "/", text=f"{SHARED} The private ending tells of a zeppelinist."),
        "/cake": html("Cake of the Quarzmond", "/", text="Cake 7 of flour, butter and a zeppelinist."),
    }


@pytest.fixture(scope="package")
def crawls(forks: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Two crawls, once for all tests of this folder."""
    data, twin = (tmp_path_factory.mktemp("private") / name for name in ("data", "twin"))
    with served_site() as public, served_site() as private:
        public.pages.update(public_pages(private.url))  # type: ignore[arg-type]
        private.pages.update(private_pages(public.url))  # type: ignore[arg-type]
        settings = data.parent / "breadcrumb.toml"
        settings.write_text(SETTINGS.format(private=private.url))
        given = SECRETS | {"BREADCRUMB_SETTINGS": str(settings)}
        for folder, seeds in ((twin, [public]), (data, [public, private])):
            starts = ",".join([f"{public.url}/cakes", *(f"{site.url}/" for site in seeds)])
            words = ("crawl", "site", "-a", f"seeds={starts}", "-s", f"DATA_DIR={folder}")
            done = forked(forks, *words, "-s", "DOWNLOAD_DELAY=0", environment=given)
            assert done.returncode == 0, done.stderr
            # Pages with equal scores keep the order of indexing, and that of a crawl under way is a matter of time.
            done = forked(forks, "index", "--rebuild", "-s", f"DATA_DIR={folder}", environment=given)
            assert done.returncode == 0, done.stderr
        assert "/plan" in private.asked()
        assert "/unlinked" not in public.asked()
        yield Crawled(data, twin, public.url, private.url, settings)
