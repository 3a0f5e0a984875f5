"""`export --jsonl` and `--markdown` write the text that a search may show, and count what they leave out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.assistants.page_files import file_name, file_text
from tests.commands.conftest import HOST
from urls.canonical import canonicalize
from urls.records import Page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty folder."""
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def rows_of(crawl: Breadcrumb, *words: str) -> list[dict[str, object]]:
    path = crawl.folder / "pages.jsonl"
    done = crawl.run("export", "--jsonl", str(path), *words)
    assert done.code == 0, done.err
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_each_page_of_the_index_is_a_line_with_its_text_and_hidden_ones_are_not(bakery: Breadcrumb) -> None:
    rows = {row["url"]: row for row in rows_of(bakery)}
    assert set(rows) == {f"{HOST}{path}" for path in ("/", "/sourdough.html", "/rye.html", "/brot.html", "/pan.html")}
    rye = rows[f"{HOST}/rye.html"]
    assert (rye["title"], rye["language"], rye["published"]) == ("Rye bread", "en", None)
    assert rye["markdown"] == "Rye bread keeps for a week. Its crust is dark and its crumb is dense."
    assert "パン" in str(rows[f"{HOST}/pan.html"]["markdown"])


def test_a_section_is_a_line_where_that_is_asked_for(bakery: Breadcrumb) -> None:
    rows = rows_of(bakery, "--sections")
    assert {(row["section"], row["level"]) for row in rows} >= {(f"{HOST}/rye.html", 0)}


def test_what_was_forgotten_or_blocked_is_in_no_file_from_then_on(bakery: Breadcrumb) -> None:
    assert bakery.run("forget", f"{HOST}/rye.html").code == 0
    assert bakery.run("block", f"{HOST}/brot.html").code == 0
    assert {row["url"] for row in rows_of(bakery)} == {
        f"{HOST}{path}" for path in ("/", "/sourdough.html", "/pan.html")
    }


def test_markdown_is_a_file_a_page_with_front_matter(bakery: Breadcrumb) -> None:
    target = bakery.folder / "notes"
    done = bakery.run("export", "--markdown", str(target), "--json")
    assert json.loads(done.out)["pages"] == len(list(target.iterdir())) == 5
    (rye,) = target.glob("*-rye-html.md")
    head, _, text = rye.read_text("utf-8").removeprefix("---\n").partition("\n---\n\n")
    values = {name: json.loads(value) for name, value in (line.split(": ", 1) for line in head.splitlines())}
    assert (values["url"], values["title"], values["language"]) == (f"{HOST}/rye.html", "Rye bread", "en")
    assert text == "Rye bread keeps for a week. Its crust is dark and its crumb is dense.\n"
    again = bakery.run("export", "--markdown", str(target))
    assert again.code == 2
    assert "there is something already" in again.err


def test_without_a_crawl_no_file_is_left(folder: Path, empty: Breadcrumb) -> None:
    done = empty.run("export", "--jsonl", str(folder / "none.jsonl"))
    assert done.code == 2
    assert "./breadcrumb crawl site" in done.err
    assert list(folder.iterdir()) == []


@given(st.text(max_size=40))
def test_front_matter_stays_front_matter_whatever_the_title(title: str) -> None:
    page = Page(canonicalize("http://a.example/x"), title.encode("utf-8", "replace").decode(), "")
    first, url, named, *_ = file_text(page, ()).split("\n")
    assert (first, url) == ("---", 'url: "http://a.example/x"')
    assert json.loads(named.removeprefix("title: ")) == page.title


@given(st.text(min_size=1, max_size=80))
def test_the_name_of_a_file_has_no_sign_that_a_file_system_refuses(path: str) -> None:
    try:
        url = canonicalize(f"http://a.example/{path}")
    except ValueError:
        return
    assert set(file_name(7, Page(url, "", ""))) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
