"""Can a foreign index run code, or make a search end in a traceback? Neither, wherever it is hostile.

The planted data has right checksums and a right seal: those protect against a disk, and an attacker can compute them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import pickle
import shutil
import zlib
from array import array
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import indexer
from gateway.app import make_app
from gateway.settings import GatewaySettings
from indexer.following import catch_up
from indexer.segments.dictionary import HEAD, TAIL, DictionaryBlock
from indexer.segments.directory import BLOCK_BYTES, FOOTER, MAGIC, CompoundFile, checksum, write_compound_file
from indexer.segments.generation import CURRENT_FILE, Generation, index_folder, read_generation
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WORDS = "alpha beta gamma delta"
ASKED = f'{WORDS} "alpha beta"'
PARTS = ("terms", "record", "postings", "positions", "forms", "body_length", "expires", "signals")


class Evil:
    """Unpickled, it makes a folder."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def evil(tmp_path: Path) -> bytes:
    return pickle.dumps(Evil(tmp_path / "evil"), 2)


def make_index(folder: Path) -> None:
    with indexer.open_writer(folder) as writer:
        for number in range(6):
            writer.put(Page(CanonicalUrl(f"http://site.test/{number}"), WORDS, f"{WORDS} {WORDS * number}"))


def segment_of(folder: Path) -> Path:
    (found,) = index_folder(folder).glob("build-*/*.seg")
    return found


def parts_of(segment: Path) -> dict[str, bytes]:
    file = CompoundFile(segment)
    names = json.loads(file.read(*_directory_extent(segment)))
    return {name: file.part(name).read() for name in names}


def _directory_extent(segment: Path) -> tuple[int, int]:
    _, _, end, listed, _ = FOOTER.unpack(segment.read_bytes()[-FOOTER.size :])
    return end, listed


def packed(parts: dict[str, bytes], folder: Path) -> bytes:
    written, files = io.BytesIO(), {}
    for name, content in parts.items():
        files[name] = folder / f"part.{name}"
        files[name].write_bytes(content)
    write_compound_file(written, files)
    for path in files.values():
        path.unlink()
    return written.getvalue()


def with_directory(content: bytes, listed: bytes) -> bytes:
    """Return a segment of this content with this directory and the right checksums."""
    all_of_it = content + listed
    sums = array("I", [zlib.crc32(all_of_it[at : at + BLOCK_BYTES]) for at in range(0, len(all_of_it), BLOCK_BYTES)])
    head = MAGIC, BLOCK_BYTES, len(content), len(listed)
    root = zlib.crc32(FOOTER.pack(*head, 0), zlib.crc32(sums.tobytes()))
    return all_of_it + sums.tobytes() + FOOTER.pack(*head, root)


def put(folder: Path, segment: bytes) -> None:
    """Put this in the place of the only segment, and make all above it agree."""
    path = segment_of(folder)
    path.write_bytes(segment)
    seal(folder)


def seal(folder: Path) -> None:
    """Make current.json agree with the files that it names."""
    current = index_folder(folder) / CURRENT_FILE
    state = Generation(**json.loads(current.read_bytes()))
    build = index_folder(folder) / state.build
    ends = {name: (build / name).read_bytes()[-4:] for name in state.files}
    sealed = dataclasses.replace(
        state,
        files={name: (build / name).stat().st_size for name in state.files},
        sums={name: int.from_bytes(end, "little") for name, end in ends.items()},
        contents={name: checksum(build / name) for name in state.contents},
    )
    current.write_bytes(sealed.dump())


def plant(folder: Path, place: str, evil: bytes) -> None:
    """Put a pickle where an index is read."""
    segment = segment_of(folder)
    parts = parts_of(segment)
    match place:
        case "current.json":
            (index_folder(folder) / CURRENT_FILE).write_bytes(evil)
        case "contents":
            (contents,) = index_folder(folder).glob("build-*/contents-*.json")
            contents.write_bytes(evil)
            seal(folder)
        case "segment":
            put(folder, evil + b"\0" * 100)
        case "directory":
            put(folder, with_directory(b"".join(parts.values()), evil))
        case "index":  # of the blocks of the dictionary
            end = len(parts["terms"])
            put(folder, packed(parts | {"terms": parts["terms"] + evil + TAIL.pack(end, 1)}, folder))
        case _:
            size = len(parts[place])
            put(folder, packed(parts | {place: (evil * (1 + size // len(evil)))[: max(size, len(evil))]}, folder))


PLACES = (
    "current.json",
    "contents",
    "segment",
    "directory",
    "index",
    *(part for part in PARTS if part != "positions"),
)  # positions are as good as any others


@pytest.mark.parametrize("place", PLACES)
def test_a_pickle_in_an_index_is_never_opened_and_what_helps_is_told(tmp_path: Path, evil: bytes, place: str) -> None:
    make_index(tmp_path)
    plant(tmp_path, place, evil)
    with pytest.raises(indexer.CorruptIndex, match=r"\./breadcrumb index --rebuild"):
        indexer.open_index(tmp_path).search(ASKED).hits[0].snippet  # noqa: B018 - which reads what is shown
    with make_app(tmp_path, GatewaySettings()).test_client() as client:
        answer = client.get("/api/search", query_string={"q": ASKED})
    assert (answer.status_code, "--rebuild" in answer.get_json()["error"]) == (503, True)
    with contextlib.suppress(indexer.CorruptIndex):  # what no checksum tells, a writer meets when it merges
        indexer.open_writer(tmp_path).close()
    assert not (tmp_path / "evil").exists()
    with indexer.open_writer(tmp_path, rebuild=True) as writer:  # what is told to help helps
        writer.put(Page(CanonicalUrl("http://site.test/"), "", "alpha"))
    assert indexer.open_index(tmp_path).search("alpha").total == 1


@pytest.mark.parametrize("place", ["terms", "record", "postings", "positions", "forms", "url_key"])
def test_a_merge_reads_what_is_evil_without_opening_it(tmp_path: Path, evil: bytes, place: str) -> None:
    """Lists are copied as they are packed: what is wrong in them tells whoever asks for them."""
    make_index(tmp_path)
    plant(tmp_path, place, evil)

    def write() -> None:
        with indexer.open_writer(tmp_path) as writer:
            for number in range(40):  # each a segment, until the small ones are merged
                writer.put(Page(CanonicalUrl(f"http://site.test/more{number}"), "", "alpha"))
                writer.commit()

    def write_and_search() -> None:
        write()
        for hit in indexer.open_index(tmp_path).search(WORDS, limit=100).hits:
            hit.explain()
            str(hit.snippet)

    told = pytest.raises(indexer.CorruptIndex, match="--rebuild")
    # Most bytes are numbers, and so may be positions: which these make hangs on the name of the folder.
    with contextlib.suppress(indexer.CorruptIndex) if place == "positions" else told:
        write_and_search()
    assert not (tmp_path / "evil").exists()


def test_an_index_of_pickles_as_earlier_versions_wrote_it_is_not_opened_but_made_anew(
    tmp_path: Path, evil: bytes
) -> None:
    """Where Whoosh had the first two that are read: its table of contents, and the directory of a segment."""
    from crawldb.database import CrawlDatabase  # noqa: PLC0415 - only here

    build = index_folder(tmp_path) / "build-1"
    build.mkdir(parents=True)
    segment = build / "pages_0123456789abcdef.seg"
    segment.write_bytes((12).to_bytes(8, "big") + len(evil).to_bytes(4, "big") + evil)
    table = build / "_pages_1.toc"
    table.write_bytes(evil)
    state: dict[str, Any] = {"number": 1, "build": "build-1", "position": 0, "documents": 1, "committed_at": 1.0}
    state |= {"files": {segment.name: segment.stat().st_size}, "format": 1, "sums": {segment.name: checksum(segment)}}
    state |= {"contents": {table.name: checksum(table)}, "seal": None}
    (index_folder(tmp_path) / CURRENT_FILE).write_text(json.dumps(state))
    for attempt in (indexer.open_index, indexer.open_writer):
        with pytest.raises(indexer.OutdatedIndex, match=r"format 1, .*\./breadcrumb index --rebuild"):
            attempt(tmp_path)
    CrawlDatabase(tmp_path).close()
    assert catch_up(tmp_path).complete
    assert indexer.open_index(tmp_path).documents == 0
    assert not (tmp_path / "evil").exists()
    assert not table.exists()


@pytest.mark.parametrize("build", ["..", "../..", "build-1/../..", "/tmp", "", "build-x"])
def test_a_writer_sweeps_no_folder_but_the_builds_of_its_index(tmp_path: Path, build: str) -> None:
    make_index(tmp_path)
    (tmp_path / "precious").write_text("kept")
    current = index_folder(tmp_path) / CURRENT_FILE
    state = Generation(**json.loads(current.read_bytes()))
    current.write_bytes(dataclasses.replace(state, build=build).dump())
    for attempt in (indexer.open_index, indexer.open_writer):
        with pytest.raises(indexer.CorruptIndex, match="--rebuild"):
            attempt(tmp_path)
    assert (tmp_path / "precious").read_text() == "kept"


def test_a_small_file_that_unpacks_to_more_than_can_be_is_refused() -> None:
    block = HEAD.pack(1, 0, 0) + zlib.compress(b"\0" * 20 + b"key", 1)
    assert DictionaryBlock(block).keys == [b"key"]
    with pytest.raises(ValueError, match=r"cut short"):
        DictionaryBlock(HEAD.pack(2**31, 0, 0) + zlib.compress(b"\0" * 40_000_000))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    make_index(folder)
    return folder


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PARTS), st.floats(0, 1), st.binary(min_size=1, max_size=12))
def test_evil_bytes_under_right_checksums_end_in_an_answer_or_in_what_helps(
    sound: Path, tmp_path: Path, part: str, place: float, evil: bytes
) -> None:
    folder = tmp_path / "evil"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound, folder)
    parts = parts_of(segment_of(folder))
    at = int(place * len(parts[part]))
    put(folder, packed(parts | {part: parts[part][:at] + evil + parts[part][at + len(evil) :]}, tmp_path))
    try:
        searcher = indexer.open_index(folder)
        for query in (WORDS, '"alpha beta"', "site:site.test alpha", "lang:en -delta"):
            for hit in searcher.search(query, 100).hits:
                hit.snippet  # noqa: B018 - it is made when it is asked for
                hit.explain()
        searcher.stored("http://site.test/1")
        read_generation(index_folder(folder))
    except indexer.CorruptIndex:
        pass  # which names what helps
