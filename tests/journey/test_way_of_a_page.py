"""Through how many of our files does one page pass on its way from bytes to the index, and a query? A test counts them.

A reader who follows one page has to open each of these files. So the numbers are bounds, and docs/reading.md lists the
files: this test fails if a file is added. The counted page is in the middle of a small site. It is new, has a menu,
links, a canonical URL and a stylesheet, and nothing else happens with it. The settings are the default ones.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType

from frontier.session import Session
from indexer import open_index
from indexer.following import catch_up
from pages import FetchedBody, parse_page
from pipelines.filters import FilterSettings, PageFilters
from spiders.settings import PROBE_AFTER

ROOT = Path(__file__).resolve().parents[2]
READING = (ROOT / "docs" / "reading.md").read_text("utf-8")
PAGES = 30
COUNTED = 13
MOST_FILES = 80  # from the bytes to a committed index
MOST_FILES_UNTIL_STORED = 56  # from the bytes to the end of the transaction
MOST_FILES_OF_STORING = 34
MOST_FILES_OF_INDEXING = 35
MOST_FILES_OF_A_QUERY = 39  # with snippets
MOST_ENTRIES = 161  # while it is stored: how often a file is entered, for the first time or once more


class Way:
    """The files of ours that were entered, in their order; a file that calls itself is entered once."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    @property
    def files(self) -> set[str]:
        return set(self.steps)

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Write down the way of what runs within the block."""
        sys.setprofile(self._entered)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _entered(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_name == "<module>" or not code.co_filename.startswith(str(ROOT)):
            return
        name = Path(code.co_filename).relative_to(ROOT).as_posix()
        is_ours = not name.startswith((".venv", "tests/"))
        if is_ours and self.steps[-1:] != [name]:
            self.steps.append(name)


def a_body(url: str, number: int) -> bytes:
    words = " ".join(f"grain{number}of{word}" for word in range(80))
    links = "".join(f'<li><a href="/page{other}.html">Page {other}</a>' for other in range(number, number + 5))
    return (
        f'<html lang=en><head><title>Loaf {number} - Acme Bakery</title><link rel=canonical href="{url}">'
        f'<link rel=stylesheet href="/style.css"><meta name=description content="How loaf {number} is baked."></head>'
        f'<body><nav><a href="/">Home</a> <a href="/about.html">About</a></nav><main><h1>Loaf {number}</h1>'
        f"<p>{words}</p><ul>{links}</ul></main><footer>Open from 6 to 11.</footer></body></html>"
    ).encode()


def test_the_way_of_a_page_leads_through_few_files_and_the_documentation_lists_them(
    open_session: Callable[..., Session], data_dir: Path
) -> None:
    session = open_session(probe_after=PROBE_AFTER)
    filters = PageFilters(session.database, FilterSettings())
    reading, storing, indexing = Way(), Way(), Way()
    for number in range(PAGES):
        (lease,) = session.frontier.lease(1, lambda _: 1)
        headers = (("content-type", "text/html; charset=utf-8"), ("etag", '"1"'))
        fetched = FetchedBody(a_body(lease.url, number), lease.url, headers, 200, 1000.0 + number, 0.1)
        is_counted = number == COUNTED
        with reading.followed() if is_counted else nullcontext():
            page = filters.apply(parse_page(fetched))
        with storing.followed() if is_counted else nullcontext():
            session.store.page(page)
    assert len(storing.files) <= MOST_FILES_OF_STORING, sorted(storing.files)
    assert len(reading.files | storing.files) <= MOST_FILES_UNTIL_STORED, sorted(reading.files | storing.files)
    assert len(storing.steps) <= MOST_ENTRIES
    with indexing.followed():
        catch_up(data_dir)
    assert len(indexing.files) <= MOST_FILES_OF_INDEXING, sorted(indexing.files)
    entered = reading.files | storing.files | indexing.files
    assert len(entered) <= MOST_FILES, sorted(entered)
    searcher, searching = open_index(data_dir), Way()
    with searching.followed():
        assert all(hit.snippet for hit in searcher.search(f"loaf grain{COUNTED}of5").hits)
    assert len(searching.files) <= MOST_FILES_OF_A_QUERY, sorted(searching.files)
    listed = set(re.findall(r"^- `([\w/]+\.py)`", READING.partition("## Every file on the way")[2], re.MULTILINE))
    assert not [name for name in listed if not (ROOT / name).is_file()]
    assert entered - listed == set()
