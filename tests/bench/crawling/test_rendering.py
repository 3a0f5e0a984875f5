"""Does `bench/crawl rendering` find the same text with scripts and as HTML, and no request to a forbidden path?"""

import json
import shutil
from importlib.util import find_spec

import pytest

from tests.forks import Bench

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("playwright") is None or not any(map(shutil.which, NAMES)), reason="no Chromium on the PATH: install it"
)
def test_rendered_pages_say_the_same_and_no_forbidden_path_is_reached(bench: Bench) -> None:
    done = bench("crawl", "rendering", "--pages", "2", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["pages"], told["rendered"], told["same_text"], told["forbidden"]) == (2, 2, 2, 0)
    assert told["browser_cpu"] > 0
