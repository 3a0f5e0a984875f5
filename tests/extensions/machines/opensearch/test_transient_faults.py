"""Which faults of a cluster pass, and what if something else answers? A search repeats its request, or says so."""

from __future__ import annotations

import random
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from extensions.machines.opensearch.retries import StatusMeaning, meaning_of_status
from extensions.machines.opensearch.retrieval.searcher import ClusterSearcher
from indexer.faults import IndexFault
from tests.extensions.machines.opensearch.cluster_engine import ClusterEngine
from tests.extensions.machines.opensearch.flaky_line import FlakyLine, flaky_line
from tests.indexer.library import PAGES, QUESTIONS, Engine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.mark.parametrize(
    ("status", "kind", "outcome"),
    [
        (200, "", StatusMeaning.DONE),
        (201, "", StatusMeaning.DONE),
        (429, "rejected_execution_exception", StatusMeaning.PASSES),
        (429, "circuit_breaking_exception", StatusMeaning.PASSES),
        (500, "node_not_connected_exception", StatusMeaning.PASSES),
        (503, "search_phase_execution_exception", StatusMeaning.PASSES),
        (503, "cluster_manager_not_discovered_exception", StatusMeaning.PASSES),
        pytest.param(
            503, "cluster_block_exception", StatusMeaning.PASSES, id="the state of the cluster is not yet read"
        ),
        (502, "", StatusMeaning.PASSES),
        (504, "", StatusMeaning.PASSES),
        pytest.param(429, "cluster_block_exception", StatusMeaning.BLOCKED, id="a disk is full"),
        pytest.param(403, "cluster_block_exception", StatusMeaning.BLOCKED, id="an index is read-only"),
        pytest.param(403, "index_create_block_exception", StatusMeaning.BLOCKED, id="all disks are full"),
        (403, "security_exception", StatusMeaning.FORBIDDEN),
        (401, "", StatusMeaning.FORBIDDEN),
        (404, "index_not_found_exception", StatusMeaning.MISSING),
        (409, "version_conflict_engine_exception", StatusMeaning.STALE),
        (400, "mapper_parsing_exception", StatusMeaning.REFUSED),
        (413, "", StatusMeaning.REFUSED),
    ],
)
def test_a_status_means_the_same_for_every_request(status: int, kind: str, outcome: StatusMeaning) -> None:
    assert meaning_of_status(status, kind) is outcome


@pytest.fixture
def line(host: str) -> Iterator[FlakyLine]:
    with flaky_line(host) as line:
        yield line


@pytest.fixture
def there(host: str, line: FlakyLine, tmp_path: Path) -> Iterator[Engine]:
    """A collection in OpenSearch that is searched over a line."""
    engine = ClusterEngine(tmp_path, host)
    engine.write(*PAGES)
    engine.address = engine.address.replace(host, line.host)
    yield engine
    engine.address = engine.address.replace(line.host, host)
    engine.drop()


FAULTS = (
    (429, b'{"error": {"type": "rejected_execution_exception", "reason": "full"}, "status": 429}'),
    (503, b'{"error": {"type": "search_phase_execution_exception", "reason": "all shards failed"}, "status": 503}'),
    (500, b'{"error": {"type": "node_not_connected_exception", "reason": "not connected"}, "status": 500}'),
    (200, b'{"took": 3, "hits": {"tot'),
)


def test_a_question_is_answered_though_many_requests_fail(there: Engine, line: FlakyLine) -> None:
    questions = QUESTIONS[:6]
    searcher = there.searcher()
    wanted = [[hit.url for hit in searcher.search(question).hits] for question in questions]
    chance = random.Random(37)
    line.instead = lambda *_: chance.choice(FAULTS) if chance.random() < 0.3 else None
    searcher = there.searcher()
    assert [[hit.url for hit in searcher.search(question).hits] for question in questions] == wanted


def test_one_of_several_searches_that_fails_is_repeated_alone(there: Engine, line: FlakyLine) -> None:
    """A response to several searches is 200, and one of them may have met a full queue."""
    full = b'{"responses": [{"error": {"type": "rejected_execution_exception", "reason": "full"}, "status": 429}]}'
    searcher = there.searcher()
    before = searcher.search("rye").total
    failures = iter([(200, full)])
    assert isinstance(searcher, ClusterSearcher)
    collection = searcher.corpus.collection()
    query = {"size": 0, "track_total_hits": True, "query": {"term": {"said": "rye"}}}
    line.instead = lambda _, path: next(failures, None) if "_msearch" in path else None
    [answer] = collection.ask_all([query])
    assert answer["hits"]["total"]["value"] > 0
    assert next(failures, None) is None
    assert searcher.search("rye").total == before


@contextmanager
def something_else(status: int, kind: str, content: bytes) -> Iterator[str]:
    """Run a server that answers everything alike; yield its host and port."""

    class Answer(BaseHTTPRequestHandler):
        def _do(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _do  # noqa: N815 - names of http.server

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "kind", "content", "told"),
    [
        (200, "application/json", b"{}", "no index here yet"),
        (200, "application/json", b'{"status": "ok"}', "not OpenSearch"),
        (200, "application/json", b"[]", "not OpenSearch"),
        (200, "application/json", b'{"hits": {"total', "can't be read"),
        (200, "text/html", b"<p>Log in first", "can't be read"),
        (200, "text/plain", b"hello", "not OpenSearch"),
        (404, "text/html", b"<p>Not found", "not OpenSearch"),
        (404, "application/json", b'{"error": "Not found"}', "not OpenSearch"),
        (404, "application/json", b"[1]", "can't be read"),
        (404, "application/json", b'{"error": {"type": "gone"}}', "not OpenSearch"),
        (200, "application/json", b"[" * 100_000, "can't be read"),
        (200, "application/json", b'{"x": {"settings": {}, "mappings": []}}', "not OpenSearch"),
        (200, "application/json", b'{"x": {"settings": {}, "aliases": 1}}', "not OpenSearch"),
        (501, "text/html", b"<p>Unsupported method", "501"),
    ],
)
def test_what_no_opensearch_answers_is_a_sentence_for_readers_and_writers(
    tmp_path: Path, status: int, kind: str, content: bytes, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opensearchpy", reason="OpenSearch needs its client here")
    monkeypatch.setattr("extensions.machines.opensearch.writer.WRITE_PATIENCE", 0.1)
    with something_else(status, kind, content) as host:
        engine = ClusterEngine(tmp_path, host)
        with pytest.raises(IndexFault, match=told):
            engine.searcher()
        with pytest.raises(IndexFault):
            engine.writer()
