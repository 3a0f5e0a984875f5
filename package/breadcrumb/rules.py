"""May a robot fetch it, and which URL is it? Answers of one engine process, which all callers share."""

from __future__ import annotations

import os
from threading import Lock

from breadcrumb.client import EngineProcess
from breadcrumb.errors import InvalidValue
from breadcrumb.records import Verdict

_lock = Lock()
_shared: list[EngineProcess] = []


def _engine() -> EngineProcess:
    with _lock:
        if not _shared or not _shared[0].is_open:
            _shared[:] = [EngineProcess()]
        return _shared[0]


os.register_at_fork(after_in_child=_shared.clear)


class RobotsFile:
    """A robots.txt as one robot reads it (RFC 9309)."""

    def __init__(self, text: str | bytes, agent: str) -> None:
        if not isinstance(text, (str, bytes)):
            raise InvalidValue(f"text={text!r:.60}: give the content of a robots.txt")
        if not isinstance(agent, str) or not agent.strip():
            raise InvalidValue(f"agent={agent!r:.60}: give the name of a robot, such as Breadcrumb")
        self._body = text if isinstance(text, bytes) else text.encode()
        self.agent = agent

    def allowed(self, url: str) -> Verdict:
        """Return the verdict on a URL or a path; as a condition, whether the robot may fetch it."""
        if not isinstance(url, str):
            raise InvalidValue(f"url={url!r:.60}: give a URL or a path")
        return Verdict(**_engine().call("robots", body=self._body.hex(), agent=self.agent, url=url))


def robots(text: str | bytes, agent: str) -> RobotsFile:
    """Read a robots.txt for the robot `agent`. No request is sent. Raises InvalidValue."""
    return RobotsFile(text, agent)


def canonicalize(url: str) -> str:
    """Return the canonical form of a URL, by which the crawl knows it. Raises InvalidValue."""
    if not isinstance(url, str):
        raise InvalidValue(f"url={url!r:.60}: give a URL")
    return str(_engine().call("canonicalize", url=url))
