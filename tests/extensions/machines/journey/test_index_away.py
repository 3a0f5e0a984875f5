"""How does a crawl run if the cluster of its index is away, or its client is not installed?"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from commands.frame.data_folder import folder_option
from tests.child import PATIENCE
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def nobody() -> Iterator[str]:
    """The address of a port that is held, and where nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"


def words(site: Site, index: str, *others: str) -> list[str]:
    site.pages["/"] = html("home")
    return ["crawl", "site", "-a", f"seeds={site.url}/", "-s", f"INDEX=opensearch://{index}/x", *others]


def test_a_crawl_ends_with_what_catches_up_where_the_cluster_does_not_answer(
    folder: Folder, site: Site, nobody: str
) -> None:
    pytest.importorskip("opensearchpy", reason="OpenSearch needs its client here")
    with folder.start(*words(site, f"me:secret@{nobody}")) as crawl:
        said, complaints = crawl.communicate(timeout=PATIENCE)
    again = f"./breadcrumb index{folder_option(folder.path)} -s INDEX=opensearch://{nobody}/x"
    assert crawl.returncode == 1
    assert "1 stored, 1 for the index" in said
    assert said.endswith("The round is complete, but its index is not.\n")
    assert "the cluster does not respond" in complaints
    assert complaints.endswith(f"crawl: the index is not complete. To complete it: {again}\n")
    assert not {"Traceback", "secret"} & set(complaints.replace(":", " ").split())


@pytest.mark.slow
@pytest.mark.parametrize("follow", [True, False])
def test_a_crawl_whose_index_needs_a_client_that_is_not_installed_does_not_begin(
    folder: Folder, site: Site, nobody: str, tmp_path: Path, *, follow: bool
) -> None:
    (tmp_path / "opensearchpy.py").write_text("raise ImportError('as where the extra is not installed')\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    with folder.start_anew(*words(site, nobody, "-s", f"INDEX_FOLLOW={follow}"), env=environment) as crawl:
        said, complaints = crawl.communicate(timeout=PATIENCE)
    if follow:
        assert (crawl.returncode, said) == (2, "")
        told = f"crawl: INDEX=opensearch://{nobody}/x needs the package opensearch-py: ./breadcrumb cluster --yes"
        assert complaints.startswith(told)
        assert complaints.count("\n") == 1
        assert not folder.path.exists()
    else:
        assert (crawl.returncode, "1 stored" in said) == (0, True), complaints
