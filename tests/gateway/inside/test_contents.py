"""Does `/inside` list all views, and does each view name its files with their exact opening question?"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING

import urls.wording
from extension_points import call_extensions
from gateway.inside import contents, source_files
from gateway.inside.source_files import source_files_of

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from extension_points import InsideView

ROOT = Path(source_files.__file__).parents[2]


def test_a_file_is_told_with_its_opening_question() -> None:
    counted, own = source_files_of(urls.wording, contents)
    assert (counted.path, counted.question) == (
        "urls/wording.py",
        "How do numbers, lists, commands and stored words read in a sentence?",
    )
    assert (own.path, own.question) == ("gateway/inside/contents.py", "What can be looked into?")


def test_a_package_and_a_claim_are_told_too() -> None:
    import gateway.plots  # noqa: PLC0415 - a module beside those above

    package, _ = source_files_of(gateway.plots, gateway.plots)
    assert (package.path, package.question) == ("gateway/plots.py", "How do numbers become a picture?")
    claim = type(gateway)("claim", "Near copies are indexed and folded.\n\nMore.")
    claim.__file__ = str(ROOT / "claim.py")
    assert source_files_of(claim)[0].question == "Near copies are indexed and folded."


def test_the_list_leads_to_each_view(client: FlaskClient) -> None:
    page = client.get("/inside").text
    assert re.findall(r'<li><a href="(/inside/[\w-]+)">', page) == [view.path for view in contents.listed_views()]


def test_each_view_is_behind_the_one_that_it_follows() -> None:
    paths = [view.path for view in contents.listed_views()]
    assert sorted(paths) == sorted(view.path for view in call_extensions("inside_views"))
    followed = [(view.after, view.path) for view in contents.listed_views() if view.after in paths]
    assert all(paths.index(first) < paths.index(second) for first, second in followed)


def assert_names_its_files(client: FlaskClient, view: InsideView) -> None:
    told = re.findall(r"<li><code>([\w/]+\.py)</code> (.*?)</li>", client.get(view.path).text)
    assert told
    for path, question in told:
        assert html.unescape(question) in (ROOT / path).read_text()
