"""`index`: as a command, and as the process that a crawl runs next to it."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from commands.index import how_to_complete_index
from indexer import open_index, open_writer
from indexer.segments.generation import CURRENT_FILE, FORMAT, index_folder
from tests.child import PATIENCE, wait_until

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb


def wait_for_index(crawled: Breadcrumb, process: subprocess.Popen[str]) -> None:
    wait_until((crawled.data / "index" / "current.json").exists, process)


def test_it_says_what_it_did(crawled: Breadcrumb) -> None:
    done = crawled.run("index")
    assert (done.code, done.err) == (0, "")
    assert "the index holds 6 documents" in done.out
    assert crawled.run("index").out.startswith("No changes")


def test_an_index_of_an_earlier_version_is_refused_by_a_search_and_made_anew_by_index(crawled: Breadcrumb) -> None:
    assert crawled.run("index").code == 0
    current = index_folder(crawled.data) / CURRENT_FILE
    current.write_text(json.dumps(json.loads(current.read_text()) | {"format": FORMAT - 1}))
    refused = crawled.run("search", "rye")
    assert refused.code
    assert f"it has format {FORMAT - 1}, and this version reads format {FORMAT}" in refused.err
    assert "./breadcrumb index --rebuild" in refused.err
    made = crawled.run("index")
    assert made.err == f"index: {current.parent} has an earlier format and is rebuilt\n"
    assert "the index holds 6 documents" in made.out
    assert crawled.run("search", "rye").code == 0


def test_json_has_the_numbers(crawled: Breadcrumb) -> None:
    done = json.loads(crawled.run("index", "--rebuild", "--json").out)
    assert (done["put"], done["documents"], done["complete"]) == (6, 6, True)


def test_beside_a_crawl_it_ends_when_its_input_closes_with_the_index_complete(crawled: Breadcrumb) -> None:
    with crawled.start("index", "--until-closed") as process:
        out, err = process.communicate(timeout=PATIENCE)  # closes its standard input
    assert (process.returncode, out, err) == (0, "", "")
    assert open_index(crawled.data).documents == 6


def test_beside_a_crawl_it_leaves_ctrl_c_to_the_crawl(crawled: Breadcrumb) -> None:
    with crawled.start("index", "--until-closed") as process:
        wait_for_index(crawled, process)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("ending", "heard"),
    [(signal.SIGINT, "index: stopping, after a last commit; Ctrl-C again stops at once\n"), (signal.SIGTERM, "")],
)
def test_following_ends_cleanly_when_asked(crawled: Breadcrumb, ending: signal.Signals, heard: str) -> None:
    with crawled.start("index", "--follow") as process:
        wait_for_index(crawled, process)
        process.send_signal(ending)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, heard)
    assert "the index holds 6 documents" in out


def test_a_second_writer_is_told_who_the_first_one_is(crawled: Breadcrumb) -> None:
    writer = open_writer(crawled.data)
    try:
        done = crawled.run("index")
    finally:
        writer.close()
    assert done.code == 2
    assert "one writer at a time" in done.err


def test_without_a_crawl_nothing_is_made(empty: Breadcrumb) -> None:
    done = empty.run("index")
    assert (done.code, done.out) == (2, "")
    assert "no crawl yet" in done.err
    assert not empty.data.exists()


def test_what_is_told_of_an_incomplete_index_completes_it(crawled: Breadcrumb) -> None:
    crawled.run("index")
    data = crawled.data
    assert how_to_complete_index(data) == "To complete it: ./breadcrumb index"
    (segment,) = index_folder(data).glob("build-*/*.seg")
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 1
    segment.write_bytes(content)
    assert crawled.run("index").code == 2
    assert how_to_complete_index(data).endswith("Rebuild it with: ./breadcrumb index --rebuild")
    assert crawled.run("index", "--rebuild").code == 0
    assert how_to_complete_index(data) == "To complete it: ./breadcrumb index"
