"""A folder that Whoosh wrote: is it searched as Whoosh would, explained to the last digit, and opened only if safe?"""

from __future__ import annotations

import math
import os
import pickle
import re
import shutil
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whoosh.fields import ID, KEYWORD, STORED, TEXT, Schema
from whoosh.index import create_in, open_dir
from whoosh.qparser import MultifieldParser  # type: ignore[attr-defined]  # exported by a star
from whoosh.scoring import BM25F
from whoosh.util.varints import varint

import indexer
from commands.serve import nothing_to_search
from extensions.whoosh.folders.folder import (
    FIELDS_VARIABLE,
    MARK,
    TRUST_VARIABLE,
    UnreadableWhoosh,
    mark_as_ours,
    use_whoosh_settings,
)
from extensions.whoosh.folders.searcher import FURTHER_PAGES, WhooshSearcher
from indexer.faults import IndexFault, NotInForeignIndex
from indexer.query.deadline import Deadline
from indexer.remote import VARIABLE, use_index_setting
from indexer.retrieval.absence import ResultStep
from tests.indexer.library import PAGES
from textbook.index import FOLDER, open_whoosh

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEADER_BYTES = 14  # of Whoosh's table of contents, before the pickled schema
RYE = "http://bakery.test/rye"
# Whoosh does, until it is collected.
leaves_a_damaged_file_open = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
QUERIES = [
    "rye",
    "rye bread",
    "bread OR mill",
    '"rye bread"',
    "rye NOT sourdough",
    "title:rye bread",
    "(rye OR mill) AND bread",
    "bread ANDNOT wheat",
    "bread ANDMAYBE rye",
    "rye REQUIRE bread",
    "mills river",
]


@pytest.fixture(autouse=True)
def no_settings_remain() -> Iterator[None]:
    yield
    for variable in (VARIABLE, FIELDS_VARIABLE, TRUST_VARIABLE):
        os.environ.pop(variable, None)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A textbook's data folder, in three segments."""
    data = tmp_path_factory.mktemp("textbook")
    mark_as_ours(data / FOLDER)
    index = open_whoosh(data / FOLDER)
    for third in range(3):
        writer = index.writer()
        for page in PAGES[third::3]:
            writer.add_document(url=page.url, title=page.title, text=page.text)
        writer.commit(merge=False)
    return data


@pytest.fixture
def searcher(data_dir: Path) -> WhooshSearcher:
    opened = indexer.open_index(data_dir)
    assert isinstance(opened, WhooshSearcher)
    return opened


def plain_search(data_dir: Path, query: str) -> list[tuple[str, float]]:
    """What Whoosh itself answers."""
    index = open_dir(str(data_dir / FOLDER))
    with index.searcher(weighting=BM25F()) as whoosh:
        parsed = MultifieldParser(["title", "text"], index.schema).parse(query)
        return [(hit["url"], hit.score or 0.0) for hit in whoosh.search(parsed, limit=None)]


def check_as_whoosh(searcher: WhooshSearcher, data_dir: Path, query: str) -> int:
    """Compare with Whoosh, and add up each explanation; return how many results there are."""
    found = searcher.search(query, 100)
    wanted = plain_search(data_dir, query)
    assert [hit.url for hit in found.hits] == [url for url, _ in wanted]
    assert found.total == len(wanted)
    for hit, (_, score) in zip(found.hits, wanted, strict=True):
        assert hit.score == pytest.approx(score, abs=0.00006)
        assert sum((Decimal(str(part.value)) for part in hit.explain().parts), Decimal(0)) == hit.explain().value
    return found.total


@pytest.mark.parametrize("query", QUERIES)
def test_results_and_scores_are_whooshs_and_the_parts_add_up(
    searcher: WhooshSearcher, data_dir: Path, query: str
) -> None:
    assert check_as_whoosh(searcher, data_dir, query)


@pytest.mark.slow
@given(
    words=st.lists(
        st.sampled_from(["rye", "bread", "mill", "AND", "OR", "NOT", "(", ")", '"', "zz", "the"]),
        max_size=7,
    )
)
def test_whatever_is_asked_is_answered_as_whoosh_does(data_dir: Path, words: list[str]) -> None:
    check_as_whoosh(WhooshSearcher(data_dir / FOLDER), data_dir, " ".join(words))


def test_the_factors_that_are_shown_make_the_part(searcher: WhooshSearcher) -> None:
    for part in searcher.search("rye bread").hits[0].explain().by_whoosh:
        w, idf, length, mean = map(float, re.findall(r"[\d.]+", part.told))
        assert math.isclose(part.value, idf * w * 2.2 / (w + 1.2 * (0.25 + 0.75 * length / mean)), rel_tol=0.01)


def test_pages_of_results_follow_each_other(searcher: WhooshSearcher) -> None:
    whole = [hit.url for hit in searcher.search("bread", 10).hits]
    paged = [hit for number in (1, 2, 3) for hit in searcher.search("bread", 2, number).hits]
    assert [hit.url for hit in paged] == whole[:6]
    assert [hit.rank for hit in paged] == [1, 2, 3, 4, 5, 6]
    assert searcher.search("bread", 10, 99).hits == ()


def test_the_words_are_marked_in_title_and_snippet(searcher: WhooshSearcher) -> None:
    hit = next(hit for hit in searcher.search("breads rye").hits if hit.url == RYE)
    for marked in (hit.marked_title, hit.snippet):
        assert {marked.text[start:end].lower() for start, end in marked.spans} == {"rye", "bread"}


def test_the_snippet_of_a_long_text_is_the_window_with_most_words(tmp_path: Path) -> None:
    mark_as_ours(tmp_path / FOLDER)
    writer = open_whoosh(tmp_path / FOLDER).writer()
    writer.add_document(url=RYE, title="", text="oats and more " * 200 + "here rye bread is baked " + "salt too " * 200)
    writer.commit()
    snippet = indexer.open_index(tmp_path).search("rye bread").hits[0].snippet
    assert "here rye bread is baked" in snippet.text
    assert len(snippet.text) < 250
    assert [snippet.text[start:end] for start, end in snippet.spans] == ["rye", "bread"]


def test_what_whoosh_does_not_do_is_named_with_the_results(searcher: WhooshSearcher) -> None:
    notice = searcher.search("rye", site="a.example", language="").notice
    for lacking in ("not folded", "controls", "facets", "spelling", "PageRank", "Filters ignored: site."):
        assert lacking in notice
    with pytest.raises(NotInForeignIndex, match="its own BM25F"):
        searcher.ranked_by(None)  # type: ignore[arg-type]  # any formula


def test_past_the_deadline_what_was_found_is_answered_and_the_rest_is_named(searcher: WhooshSearcher) -> None:
    found = searcher.search("bread", deadline=Deadline(0))
    assert (found.total, found.left_out) == (0, (FURTHER_PAGES,))


def test_one_page_is_found_with_its_place_or_the_reason(searcher: WhooshSearcher) -> None:
    fields = searcher.page_fields(RYE)
    assert fields is not None
    assert fields["title"] == "Rye bread"
    total, hit = searcher.find_hit(RYE, "rye bread", 100)
    assert hit is not None
    assert searcher.search("rye bread", 100).hits[hit.rank - 1].url == RYE
    assert total == searcher.search("rye bread").total
    assert searcher.find_hit(RYE, "mill", 100)[1] is None
    assert searcher.reason_absent(RYE, "mill").step is ResultStep.WORDS
    assert searcher.reason_absent("http://none.test/", "rye").step is ResultStep.INDEXED
    assert searcher.page_fields("http://none.test/") is None


def test_a_search_sees_the_last_commit_and_never_what_is_being_written(tmp_path: Path) -> None:
    mark_as_ours(tmp_path / FOLDER)
    writer = open_whoosh(tmp_path / FOLDER).writer()
    searcher = indexer.open_index(tmp_path)
    writer.add_document(url=RYE, title="Rye", text="rye")
    assert (searcher.documents, searcher.search("rye").total) == (0, 0)
    writer.commit()
    assert (searcher.documents, searcher.search("rye").total) == (1, 1)


def test_nothing_in_the_folder_changes_by_being_searched(data_dir: Path, searcher: WhooshSearcher) -> None:
    before = {path.name: path.read_bytes() for path in (data_dir / FOLDER).iterdir()}
    searcher.search("rye bread")
    searcher.page_fields(RYE)
    assert {path.name: path.read_bytes() for path in (data_dir / FOLDER).iterdir()} == before


# -- folders of others -------------------------------------------------------------------------------------------------


def foreign(folder: Path, **fields: Any) -> Path:
    """An index as Whoosh's tutorial makes one: title, path and content."""
    folder.mkdir()
    schema = Schema(**(fields or {"title": TEXT(stored=True), "path": ID(stored=True), "content": TEXT}))
    writer = create_in(str(folder), schema).writer()
    values = {"title": "Rye bread", "path": "/rye", "content": "Rye keeps.", "tags": "rye", "address": "/rye"}
    writer.add_document(**{name: value for name, value in values.items() if name in schema})
    writer.commit()
    return folder


def test_the_index_of_the_tutorial_is_served_once_it_is_trusted(tmp_path: Path) -> None:
    use_index_setting(f"whoosh:{foreign(tmp_path / 'theirs')}")
    with pytest.raises(UnreadableWhoosh, match=r"runs any code .* -s TRUST_PICKLES=yes"):
        indexer.open_index(tmp_path)
    use_whoosh_settings([], trusted=True)
    [hit] = indexer.open_index(tmp_path).search("keeps").hits
    assert (hit.url, hit.title, hit.snippet.text) == ("/rye", "Rye bread", ""), "the content is not stored"


class MakesFolder:
    """What a hostile maker would pickle: reading it makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


@leaves_a_damaged_file_open
def test_no_pickle_of_a_foreign_folder_is_read(tmp_path: Path) -> None:
    """A mark that came along does not count: it has another folder's number."""
    folder, harm = foreign(tmp_path / "theirs"), tmp_path / "harm"
    [contents] = folder.glob("*.toc")
    schema = pickle.dumps(MakesFolder(harm))
    contents.write_bytes(contents.read_bytes()[:HEADER_BYTES] + varint(len(schema)) + schema)
    mark_as_ours(tmp_path / "ours")
    shutil.copy(tmp_path / "ours" / MARK, folder / MARK)
    use_index_setting(f"whoosh:{folder}")
    with pytest.raises(UnreadableWhoosh, match="TRUST_PICKLES"):
        indexer.open_index(tmp_path)
    assert not harm.exists()
    use_whoosh_settings([], trusted=True)
    with pytest.raises(UnreadableWhoosh, match="can't be read"):
        indexer.open_index(tmp_path)
    assert harm.exists(), "so it would have been run"


def test_a_textbook_crawl_never_writes_into_an_index_of_others(tmp_path: Path) -> None:
    use_whoosh_settings([], trusted=True)
    with pytest.raises(UnreadableWhoosh, match="another folder"):
        mark_as_ours(foreign(tmp_path / "theirs"))
    assert not (tmp_path / "theirs" / MARK).exists()


def test_fields_with_other_names_are_mapped_by_the_setting(tmp_path: Path) -> None:
    folder = foreign(tmp_path / "theirs", address=ID(stored=True), tags=KEYWORD(stored=True))
    use_index_setting(f"whoosh:{folder}")
    use_whoosh_settings(["url=address", "text=tags"], trusted=True)
    [hit] = indexer.open_index(tmp_path).search("rye").hits
    assert (hit.url, hit.snippet.text) == ("/rye", "rye")


@pytest.mark.parametrize(
    ("fields", "chosen", "told"),
    [
        pytest.param(
            {},
            ["text=body"],
            r"text=body, but its schema has only content, path, title.*WHOOSH_FIELDS",
            id="no such field",
        ),
        pytest.param({"title": TEXT(stored=True)}, [], "no stored field has the URL", id="no address"),
        pytest.param({"path": ID, "title": TEXT}, [], "no stored field has the URL", id="not stored"),
        pytest.param({"path": ID(stored=True), "title": STORED}, [], "no field has the words", id="no words"),
    ],
)
def test_a_schema_without_the_fields_is_named_with_the_fields_that_it_has(
    tmp_path: Path, fields: dict[str, Any], chosen: list[str], told: str
) -> None:
    use_index_setting(f"whoosh:{foreign(tmp_path / 'theirs', **fields)}")
    use_whoosh_settings(chosen, trusted=True)
    with pytest.raises(UnreadableWhoosh, match=told):
        indexer.open_index(tmp_path)


@pytest.mark.parametrize("given", ["body", "body=", "page=body"])
def test_a_mapping_that_means_nothing_is_told_at_once(given: str) -> None:
    with pytest.raises(UnreadableWhoosh, match="Give url=NAME, title=NAME or text=NAME"):
        use_whoosh_settings([given], trusted=False)


def test_a_folder_without_an_index_says_what_makes_one(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        use_index_setting(f"whoosh:{folder}")
        with pytest.raises(UnreadableWhoosh, match=r"it has no Whoosh index.*crawl textbook"):
            indexer.open_index(tmp_path)
        [line] = nothing_to_search(tmp_path)
        assert re.match(r"serve: .* it has no Whoosh index\. crawl textbook", line)
    with pytest.raises(IndexFault, match=r"it names no folder\. Give an address such as .*whoosh:data/textbook/whoosh"):
        use_index_setting("whoosh:")


@leaves_a_damaged_file_open
def test_damage_is_told_and_nothing_is_deleted(tmp_path: Path) -> None:
    folder = foreign(tmp_path / "theirs")
    use_whoosh_settings([], trusted=True)
    use_index_setting(f"whoosh:{folder}")
    [contents], [segment] = folder.glob("*.toc"), folder.glob("*.seg")
    kept = contents.read_bytes()
    for damaged in (kept[:40], kept[:12] + b"\xff\xff\xff\xf0" + kept[16:], b""):
        contents.write_bytes(damaged)
        with pytest.raises(UnreadableWhoosh, match=r"Write it again|Write the index again"):
            indexer.open_index(tmp_path)
    contents.write_bytes(kept)
    segment.rename(tmp_path / "away")
    with pytest.raises(UnreadableWhoosh, match="a segment can't be read"):
        indexer.open_index(tmp_path)
    assert contents.read_bytes() == kept


def test_nothing_is_written_into_a_whoosh_folder(tmp_path: Path) -> None:
    use_index_setting(f"whoosh:{foreign(tmp_path / 'theirs')}")
    with pytest.raises(IndexFault, match="only search, serve and why can read a Whoosh folder"):
        indexer.open_writer(tmp_path)
    with pytest.raises(IndexFault, match="Leave INDEX empty"):
        indexer.delete_index(tmp_path)
