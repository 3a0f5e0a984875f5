"""How is one page rendered? In Chromium, a process of its own without a network, within limits.

Chromium has no way to a network: its proxy is a port at which nobody listens, and no name resolves. All its requests go
through `RequestGate`. Each page has a fresh context: nothing of it outlives the page. There are no windows, downloads,
service workers, WebSockets, permissions or devices.

The page's clock is a virtual one (Chromium's `Emulation.setVirtualTimePolicy`). It stands still while a request is
under way; else it runs to the next timer at once. So PAGE_SECONDS of the page's own time take no longer than its work,
and a page that calls a timer for ever comes to an end as well.

After RENDER_SECONDS a page is read as it is. If it goes beyond another limit, or the browser dies, the browser is
killed. This page then stays as it was, and the next one gets a new browser.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from extensions.rendering.gate import ScriptRequest
from spiders.setting_values import SettingError, more_than_none
from urls.wording import counted

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Route, WebSocketRoute
    from playwright.async_api import Page as BrowserPage

    from extensions.rendering.gate import RequestGate
    from pages import FetchedBody
    from spiders.setting_values import ReadableSettings

PAGE_SECONDS = 5.0  # of the page's own clock
MAX_REQUESTS = 1000  # that a page may try, sent or refused
MAX_CPU_SECONDS = 10.0  # of the whole browser for one page
MAX_MEMORY = 1024  # MB of the process that runs the page
MAX_HEAP = 256  # MB of its scripts
MAX_ELEMENTS = 100_000  # of a document
MAX_CHARS = 5_000_000  # of its markup
START_SECONDS = 60.0  # for the browser to start
ANSWER_SECONDS = 10.0  # for the browser to answer one question
POLL_SECONDS = 0.05
LOOK_EVERY = 10  # polls between two looks at CPU and memory

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
# What Chromium itself does not start. First what Playwright has in the same argument, of which Chromium reads only the
# last; then two pages of the address bar, which nobody sees and each new page would pay with a second of CPU.
WITHOUT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,"
    "msForceBrowserSignIn,msEdgeUpdateLaunchServicesPreferredVersion,WebUIOmniboxPopup,WebUIOmniboxAimPopup"
)
ARGUMENTS = (
    f"--disable-features={WITHOUT}",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name has an address
    "--block-new-web-contents",  # window.open fails
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its former name
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # a container has little of it
    f"--js-flags=--max-old-space-size={MAX_HEAP}",
)
THROUGH_THE_PROXY_TOO = "<-loopback>"  # in Chromium's list of exceptions: this machine is none

# Runs beside the scripts of the page, in a world of its own: they can't change what it calls.
READ = """
(url => {
  const root = document.documentElement, elements = document.getElementsByTagName("*").length;
  if (!root || elements > MAX_ELEMENTS) return {elements, html: "", chars: 0};
  document.querySelectorAll("noscript").forEach(each => each.remove());  // a browser with scripts does not show it
  const base = document.baseURI.split("#")[0];
  if (base !== url && document.head && !document.querySelector("base[href]")) {
    const added = document.createElement("base");
    added.setAttribute("href", base);
    document.head.prepend(added);
  }
  const html = (document.doctype ? "<!DOCTYPE html>" : "") + root.outerHTML;
  return {elements, html: html.slice(0, MAX_CHARS), chars: html.length};
})
""".replace("MAX_ELEMENTS", str(MAX_ELEMENTS)).replace("MAX_CHARS", str(MAX_CHARS))


class BrowserError(Exception):
    """A page was not rendered; the message is a clause that says why."""


class NoBrowserError(BrowserError):
    """The browser does not start."""


@dataclass(frozen=True, slots=True)
class RenderingLimits:
    """The path of the browser, and the settings: seconds for a page, and whether a sandbox is needed."""

    path: str
    seconds: float
    sandbox: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows: its markup after the scripts, and what that took."""

    html: str
    unsettled: str  # why it was read before it had come to rest; "": it had
    seconds: float
    cpu: float  # seconds of all processes of the browser


def read_limits(settings: ReadableSettings) -> RenderingLimits:
    """Read the settings and find the browser; raise SettingError where pages can't be rendered."""
    seconds = more_than_none(
        settings.getfloat, "RENDER_SECONDS", "no page could be rendered; RENDER=never renders none"
    )
    sandbox = settings.getbool("RENDER_SANDBOX")
    given = f"RENDER={settings['RENDER']}"
    if find_spec("playwright") is None:
        raise SettingError(f"{given} needs the package playwright: ./breadcrumb crawl site -s {given} adds it")
    path = next(filter(None, map(shutil.which, (*NAMES, ON_MACOS))), None)
    if path is None:
        raise SettingError(f"{given} needs Chromium, and none of {', '.join(NAMES)} is on the PATH: install chromium")
    if sandbox and os.geteuid() == 0:
        raise SettingError(
            f"{given}: Chromium has no sandbox when root runs it. Crawl as another user; or give RENDER_SANDBOX=no "
            "where a container keeps this process apart"
        )
    return RenderingLimits(path, seconds, sandbox)


class RenderingBrowser:
    """Renders pages one after another. The process starts with the first page."""

    def __init__(self, limits: RenderingLimits) -> None:
        self._limits = limits
        self._playwright: Any = None
        self._browser: Browser | None = None
        self._processes: CDPSession | None = None
        self._process = 0  # the id of the browser's own
        self._nobody = socket.socket()
        self._nobody.bind(("127.0.0.1", 0))  # and never listens: who connects is refused

    async def render(self, fetched: FetchedBody, gate: RequestGate, stopping: asyncio.Event) -> Shown:
        """Return what a page shows after its scripts have run. Raises BrowserError."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(START_SECONDS):
                browser = await self._started()
        except (Error, TimeoutError, OSError) as error:
            await self._kill()
            raise NoBrowserError(f"the browser did not start: {_first_line(error)}") from error
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                context = await browser.new_context(accept_downloads=False, service_workers="block")
                await context.grant_permissions([])  # none is asked for or given
                watched = await _WatchedPage.of(context, fetched, gate)
            shown = await self._shown(watched, gate, stopping)
            async with asyncio.timeout(ANSWER_SECONDS):
                await context.unroute_all(behavior="ignoreErrors")
                await context.close()
        except (Error, TimeoutError) as error:
            await self._kill()
            raise BrowserError(f"the browser ended or did not answer: {_first_line(error)}") from error
        except BrowserError:
            await self._kill()
            raise
        return shown

    async def close(self) -> None:
        """End the browser."""
        await self._kill()
        self._nobody.close()

    async def _started(self) -> Browser:
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        if self._playwright is None:
            from playwright.async_api import async_playwright

            logging.getLogger("playwright").setLevel(logging.CRITICAL)  # requests of a killed browser get no answer
            self._playwright = await async_playwright().start()
        self._browser = await self._playwright.chromium.launch(
            executable_path=self._limits.path,
            args=[*ARGUMENTS],
            ignore_default_args=["--disable-popup-blocking"],
            chromium_sandbox=self._limits.sandbox,
            proxy={"server": f"http://127.0.0.1:{self._nobody.getsockname()[1]}", "bypass": THROUGH_THE_PROXY_TOO},
            handle_sigint=False,  # Ctrl-C ends the crawl, which then ends the browser
            handle_sigterm=False,
            handle_sighup=False,
            timeout=START_SECONDS * 1000,
        )
        self._processes = await self._browser.new_browser_cdp_session()
        self._process = next(each["id"] for each in await _process_list(self._processes) if each["type"] == "browser")
        return self._browser

    async def _kill(self) -> None:
        """Kill the browser, as it may not answer any more, and end its driver, which may have thousands of messages."""
        playwright, process = self._playwright, self._process
        self._playwright = self._browser = self._processes = None
        self._process = 0
        if process:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if playwright is not None:
            with suppress(Exception):
                async with asyncio.timeout(ANSWER_SECONDS):
                    await playwright.stop()

    async def _shown(self, watched: _WatchedPage, gate: RequestGate, stopping: asyncio.Event) -> Shown:
        began, cpu_before = time.monotonic(), await self._cpu()
        beginning = asyncio.create_task(watched.begin())
        try:
            unsettled = await self._settle(watched, gate, stopping, cpu_before)
            async with asyncio.timeout(ANSWER_SECONDS):
                found = await watched.read()
        except TimeoutError:
            raise BrowserError("its scripts never came to an end") from None
        finally:
            beginning.cancel()
        if not found["html"]:
            raise BrowserError(f"its document has {counted(found['elements'], 'element')}, more than {MAX_ELEMENTS:,}")
        if found["chars"] > MAX_CHARS:
            unsettled = unsettled or f"its markup was cut to {MAX_CHARS:,} of {counted(found['chars'], 'character')}"
        return Shown(found["html"], unsettled, time.monotonic() - began, await self._cpu() - cpu_before)

    async def _settle(self, watched: _WatchedPage, gate: RequestGate, stopping: asyncio.Event, before: float) -> str:
        """Wait until the page has come to rest; return why it did not. Raises BrowserError beyond a limit."""
        used, polls = 0.0, 0
        while not watched.ended.is_set():
            began = time.monotonic()
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await watched.ended.wait()
            used += 0.0 if gate.waits else time.monotonic() - began
            polls += 1
            if stopping.is_set():
                return "the crawl was stopped"
            if gate.count > MAX_REQUESTS:
                raise BrowserError(f"its scripts made more than {MAX_REQUESTS:,} requests")
            if used >= self._limits.seconds:
                return f"it had not settled after RENDER_SECONDS={self._limits.seconds:g}, and was read as it was"
            if polls % LOOK_EVERY == 0:
                await self._check_limits(before)
        if watched.crashed:
            raise BrowserError(f"its process in the browser ended: {MAX_HEAP} MB of scripts are the most")
        return ""

    async def _check_limits(self, cpu_before: float) -> None:
        processes = await _process_list(self._processes)
        used = sum(each["cpuTime"] for each in processes) - cpu_before
        if used > MAX_CPU_SECONDS:
            raise BrowserError(f"its scripts used {used:.0f} s of CPU, and {MAX_CPU_SECONDS:g} s are the most")
        memory = max((_resident(each["id"]) for each in processes if each["type"] == "renderer"), default=0)
        if memory > MAX_MEMORY:
            raise BrowserError(f"it needs {memory} MB of memory, and {MAX_MEMORY} MB are the most")

    async def _cpu(self) -> float:
        return float(sum(each["cpuTime"] for each in await _process_list(self._processes)))


class _WatchedPage:
    """A page in the browser whose requests go to a gate."""

    def __init__(self, page: BrowserPage, session: CDPSession, fetched: FetchedBody, gate: RequestGate) -> None:
        self._page = page
        self._session = session
        self._fetched = fetched
        self._gate = gate
        self._is_open = False
        self.ended = asyncio.Event()  # it has come to rest, or its process has ended
        self.crashed = False

    @classmethod
    async def of(cls, context: BrowserContext, fetched: FetchedBody, gate: RequestGate) -> _WatchedPage:
        """Open an empty page whose requests go to the gate."""
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        made = cls(page, session, fetched, gate)
        page.on("crash", made._crashed)
        page.on("close", made._crashed)
        await context.route("**/*", made._route)
        await context.route_web_socket("**/*", made._refuse_socket)
        session.on("Page.windowOpen", lambda event: gate.refuse(event["url"], "window", "window", "no window opens"))
        session.on("Emulation.virtualTimeBudgetExpired", lambda _: made.ended.set())
        context.on("error", lambda _: None)  # type: ignore[call-overload]  # of requests whose page has gone
        await session.send("Page.enable")
        return made

    async def begin(self) -> None:
        """Load the body that the crawl has fetched, and start the clock. A script may hold this up for ever."""
        await self._page.goto(self._fetched.url, wait_until="commit", timeout=0)
        budget = {"policy": "pauseIfNetworkFetchesPending", "budget": PAGE_SECONDS * 1000}
        await self._session.send("Emulation.setVirtualTimePolicy", budget)

    async def read(self) -> dict[str, Any]:
        """Return the markup of the document, with the number of its elements and characters."""
        tree = await self._session.send("Page.getFrameTree")
        frame = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": "breadcrumb"}
        world = await self._session.send("Page.createIsolatedWorld", frame)
        call = {
            "functionDeclaration": READ,
            "executionContextId": world["executionContextId"],
            "arguments": [{"value": self._fetched.url}],
            "returnByValue": True,
        }
        answer = await self._session.send("Runtime.callFunctionOn", call)
        found: dict[str, Any] = answer["result"]["value"]
        return found

    def _crashed(self, _: object) -> None:
        self.crashed = True
        self.ended.set()

    async def _route(self, route: Route) -> None:
        request = route.request
        is_page = request.is_navigation_request() and request.frame.parent_frame is None
        if is_page and not self._is_open:
            self._is_open = True
            headers = dict(self._fetched.headers)
            kept = {name: value for name, value in headers.items() if name in {"content-type", *_POLICIES}}
            await route.fulfill(status=200, headers=kept, body=self._fetched.body)
        elif is_page:
            self._gate.leads(request.url)
            await route.fulfill(status=204)  # no content: the browser stays where it is
        else:
            asked = ScriptRequest(request.url, request.resource_type, request.method, request.headers)
            answer = await self._gate.answer(asked)
            if answer is None:
                await route.abort()
            else:
                await route.fulfill(status=answer.status, headers=dict(answer.headers), body=answer.body)

    async def _refuse_socket(self, socket_: WebSocketRoute) -> None:
        self._gate.refuse(socket_.url, "websocket", "websocket", "no connection stays open")
        await socket_.close()


_POLICIES = ("content-security-policy", "content-language", "referrer-policy")  # headers that scripts may depend on


async def _process_list(session: CDPSession | None) -> list[dict[str, Any]]:
    """Return the processes of a browser: `type`, `id` and `cpuTime` in seconds."""
    if session is None:
        return []
    async with asyncio.timeout(ANSWER_SECONDS):
        found: list[dict[str, Any]] = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    return found


def _resident(process: int) -> int:
    """Return the MB of memory of a process, as Linux says it; 0 elsewhere, or if it has ended."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:  # noqa: PTH123 - a file of the system
            pages = int(file.read().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
