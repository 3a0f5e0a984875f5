"""The command `mcp` as assistants meet it: the SDK's own client, and a second one that writes the protocol itself."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import Callable
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest

from commands.frame.command import COMMANDS
from tests.child import PATIENCE
from tests.docs.conftest import ROOT
from tests.gateway.conftest import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer

mcp = pytest.importorskip("mcp", reason="the SDK of MCP is not installed: ./breadcrumb mcp adds it")

TOOLS = ["search", "read", "why", "robots"]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}


Words = Callable[..., list[str]]


@pytest.fixture
def words(forks: ForkServer, crawled: Path) -> Words:
    """What starts the command on the crawl, with more words."""
    return lambda *more: [*map(str, forks.calling(COMMANDS)), "mcp", "--data", str(crawled), *more]


@contextmanager
def started(line: list[str]) -> Iterator[subprocess.Popen[str]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(line, cwd=ROOT, text=True, **pipes) as process:  # type: ignore[call-overload]  # three pipes in a dict
        try:
            yield process
        finally:
            process.kill()


def ask(process: subprocess.Popen[str], number: int, method: str, **parameters: object) -> dict[str, Any]:
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n")
    process.stdin.flush()
    told: dict[str, Any] = json.loads(process.stdout.readline())
    assert told["id"] == number
    return told


@pytest.mark.slow
def test_a_client_of_another_make_is_answered_on_standard_output_and_ctrl_c_ends_it(words: Words) -> None:
    with started(words()) as process:
        assert ask(process, 1, "initialize", **HELLO)["result"]["serverInfo"]["name"] == "breadcrumb"
        listed = ask(process, 2, "tools/list")["result"]["tools"]
        assert [tool["name"] for tool in listed] == TOOLS
        assert all(tool["annotations"]["readOnlyHint"] for tool in listed)
        found = ask(process, 3, "tools/call", name="search", arguments={"query": "rye", "results": 10**6})["result"]
        assert found["structuredContent"]["results"][0]["source"]["url"] == f"{SITE}/rye.html"
        kept = ask(process, 4, "tools/call", name="read", arguments={"url": f"{SITE}/secret-recipe.html"})["result"]
        assert kept["isError"]
        assert "noarchive" in kept["content"][0]["text"]
        assert "marzipan" not in json.dumps(kept)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_the_client_of_the_sdk_reads_what_it_has_found(words: Words, tmp_path: Path) -> None:
    first, *others = words()
    server = mcp.StdioServerParameters(command=first, args=others, cwd=str(ROOT))

    async def asked() -> tuple[list[str], Any, Any]:
        # The default is what standard error was when the SDK was imported, which pytest may have closed.
        async with mcp.Client(mcp.stdio_client(server, errlog=log)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("search", {"query": "rye sourdough"})
            assert found.structured_content
            url = found.structured_content["results"][0]["source"]["url"]
            return tools, await client.call_tool("read", {"url": url}), await client.call_tool("why", {"url": url})

    with (tmp_path / "log").open("w") as log:
        tools, text, why = asyncio.run(asked())
    assert tools == TOOLS
    assert "Rye needs a sourdough, and patience." in text.structured_content["markdown"]
    assert why.structured_content["answer"].startswith("Yes, it is in the index")


def post(port: int, message: object, **headers: str) -> tuple[int, str]:
    told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"} | headers
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("POST", "/mcp", body=json.dumps(message), headers=told)
        response = connection.getresponse()
        return response.status, response.read().decode()


@pytest.mark.slow
def test_over_http_it_answers_on_loopback_alone_and_no_page_of_another_origin(words: Words) -> None:
    with started(words("--port", "0")) as process:
        assert process.stdout
        port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        call = {"name": "search", "arguments": {"query": "rye"}}
        status, told = post(port, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        assert status == 200
        assert f"{SITE}/rye.html" in told
        assert post(port, {}, Host="evil.example")[0] == 421
        assert post(port, {}, Origin="https://evil.example")[0] == 403
        assert post(port, "a" * 70_000)[0] == 413
        assert "in use by another program" in refusal(words("--port", str(port)))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


def refusal(line: list[str]) -> str:
    done = subprocess.run(line, cwd=ROOT, text=True, capture_output=True, check=False, input="")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.slow
def test_an_address_of_the_search_page_that_is_none_is_refused(words: Words) -> None:
    assert "--gateway search.example: give the address" in refusal(words("--gateway", "search.example"))
