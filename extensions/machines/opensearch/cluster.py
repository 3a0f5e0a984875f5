"""How is a request sent to a cluster, and what becomes of its faults? Some pass; the others become a message.

Only this file knows the client (opensearch-py, an extra). A request is repeated while its fault is one that passes
(retries.py). If a node is away, the client sends the request to the next one, even if the first may have done it
already. So every request must be harmless when it is done twice.
"""

from __future__ import annotations

import json
import logging
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from extensions.machines.opensearch.address import AUTHORITIES, PASSWORD, USER
from extensions.machines.opensearch.retries import READ_PATIENCE, TELLING_WAIT, StatusMeaning, meaning_of_status, waits
from indexer.faults import IndexFault, IndexRefuses, IndexUnreachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extensions.machines.opensearch.address import IndexAddress

SECONDS = 30.0  # for one request; a search has its own limit
SHORTEST = 1.0  # second that a request has at least: the caller then leaves out late responses
STRANGE = "what answers there is not OpenSearch"


class _NoNodeResponds(IndexUnreachable):
    """No connection was made, or it broke before a response."""


class _Response(dict[str, Any]):
    """A response of OpenSearch. If a field that every response has is missing, it is not from OpenSearch."""

    def __init__(self, address: IndexAddress, content: dict[str, Any]) -> None:
        super().__init__(content)
        self._address = address

    def __missing__(self, name: str) -> Any:
        raise IndexUnreachable(self._address, f"{STRANGE}: its response has no {name!r}")


class Cluster:
    """The cluster at a URL. Threads may share it. Raises IndexFault if the client is not installed.

    A request whose fault passes is repeated for `patience` seconds, unless no node has responded yet.
    """

    def __init__(self, address: IndexAddress, seconds: float = SECONDS, patience: float = READ_PATIENCE) -> None:
        client = client_for(address)
        self.address = address
        self._patience = patience
        self._is_there = False  # it has responded, and was not given up since
        authorities = os.environ.get(AUTHORITIES) or None
        self._client = client(
            hosts=[{"host": host.strip("[]"), "port": port} for host, port in address.hosts],
            http_auth=(address.user, address.password) if address.user else None,
            use_ssl=address.encrypted,
            verify_certs=address.encrypted,
            ca_certs=authorities if address.encrypted else None,
            timeout=seconds,
            max_retries=len(address.hosts) - 1,  # if a node is away, the next one serves the whole cluster
            retry_on_status=(),
        )

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        seconds: float | None = None,
        patience: float | None = None,
        **options: Any,
    ) -> Any:
        """Send a request to a path below the cluster's root; return the response. Raises IndexFault, KeyError (404).

        `seconds` is the limit for all tries together; `patience` overrides the cluster's own.
        """
        params = {name: str(value).lower() if isinstance(value, bool) else value for name, value in options.items()}
        since, most = time.monotonic(), self._patience if patience is None else patience
        for wait in waits():
            if seconds:
                params["request_timeout"] = max(seconds - (time.monotonic() - since), SHORTEST)
            try:
                return self._ask_once(method, path, body, params)
            except IndexUnreachable as fault:
                self._is_there |= not isinstance(fault, _NoNodeResponds)
                is_over = time.monotonic() - since + wait > min(most, seconds or most)
                if is_over or not self._is_there:
                    self._is_there &= not most  # given up: until it responds, no request waits for it again
                    raise
                if wait == TELLING_WAIT:
                    logging.getLogger(__name__).warning("index: it is tried again for %.0f s: %s", most, fault)
            time.sleep(wait)
        raise AssertionError  # there is always another wait

    def _ask_once(self, method: str, path: str, body: Any, params: dict[str, Any]) -> Any:
        with as_index_faults(self.address):
            # The client removes what it needs from the parameters.
            content = self._client.transport.perform_request(method, path, params=dict(params), body=body)
        if not isinstance(content, dict):
            raise IndexUnreachable(self.address, f"{STRANGE}: {_plain(str(content))}")
        self._is_there = True
        return _Response(self.address, content)

    def ask_all(
        self, searches: Iterable[tuple[dict[str, Any], dict[str, Any]]], index: str = "", **options: Any
    ) -> list[Any]:
        """Return the responses to searches sent in one request, some of which may be errors.

        `searches` holds for each where to search, if that is not `index`, and the search. Those whose fault passes are
        repeated.
        """
        path = f"/{index}/_msearch" if index else "/_msearch"
        lines = [b"".join(json.dumps(part).encode() + b"\n" for part in search) for search in searches]
        responses: list[Any] = [None] * len(lines)
        open_ones, since = list(range(len(lines))), time.monotonic()
        for wait in waits():
            found = self.ask("POST", path, b"".join(lines[number] for number in open_ones), **options)["responses"]
            for number, one in zip(open_ones, found, strict=True):
                responses[number] = one
            open_ones = [number for number in open_ones if _passes(responses[number])]
            if not open_ones or time.monotonic() - since + wait > min(self._patience, options.get("seconds", SECONDS)):
                return responses
            time.sleep(wait)
        raise AssertionError  # there is always another wait

    def indexes(self, *names: str) -> dict[str, dict[str, Any]]:
        """Return the indexes with these names or aliases, each with aliases, _meta and UUID.

        A name without an index is no error. So the request also waits for a manager that has not read its state yet; a
        request for a required name would get 404 first.
        """
        wanted = "*.aliases,*.mappings._meta,*.settings.index.uuid"
        path = f"/{','.join(names)}"
        try:
            found = self.ask("GET", path, filter_path=wanted, ignore_unavailable=True, allow_no_indices=True)
        except KeyError as error:
            raise IndexUnreachable(self.address, f"{STRANGE}: it answers 404: {_plain(str(error))}") from None
        if not all(map(_is_index, found.values())):
            raise IndexUnreachable(self.address, f"{STRANGE}: {_plain(str(found))}")
        return dict(found)

    def has(self, *names: str) -> bool:
        """Return whether each of these names is an index or an alias."""
        found = self.indexes(*names)
        known = {name for index, one in found.items() for name in (index, *one.get("aliases", ()))}
        return known.issuperset(names)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _is_index(one: Any) -> bool:
    parts = ("settings", "aliases", "mappings")
    return isinstance(one, dict) and "settings" in one and all(isinstance(one.get(name, {}), dict) for name in parts)


def client_for(address: IndexAddress) -> Any:
    """Return the class of the client. Raises IndexFault if it is not installed."""
    try:
        from opensearchpy import OpenSearch
    except ImportError:
        raise IndexFault(
            f"INDEX={address} needs the package opensearch-py: ./breadcrumb cluster --yes adds it"
        ) from None
    return OpenSearch


@contextmanager
def as_index_faults(address: IndexAddress) -> Iterator[None]:
    """Replace the client's errors by messages; a missing object raises KeyError: the caller knows what that means."""
    from opensearchpy import exceptions

    try:
        yield
    except exceptions.ConnectionError as error:
        raise _NoNodeResponds(address, _plain(str(error.info or error))) from None
    except exceptions.TransportError as error:
        raise _fault(address, error) from None
    # The client expects every JSON to be an object, and Python no more than a thousand of them inside each other.
    except (exceptions.SerializationError, AttributeError, RecursionError) as error:
        raise IndexUnreachable(address, f"its response can't be read: {_plain(str(error))}") from None


def _fault(address: IndexAddress, error: Any) -> Exception:
    """Return the exception for an error of the client."""
    status, reason = int(error.status_code), _reason(error)
    match meaning_of_status(status, _kind(error)):
        case StatusMeaning.PASSES:
            return IndexUnreachable(address, f"it answers {status}: {reason}")
        case StatusMeaning.BLOCKED:
            return IndexRefuses(address, reason)
        case StatusMeaning.MISSING if _is_of_opensearch(error.info):
            return KeyError(str(error.error))
        case StatusMeaning.MISSING:
            return IndexUnreachable(address, f"{STRANGE}: it answers {status}: {reason}")
        case StatusMeaning.FORBIDDEN:
            return IndexFault(
                f"{address}: the cluster does not let us do this ({reason}). "
                f"Give a user who may, in the environment: {USER} and {PASSWORD}"
            )
        case _:
            return IndexFault(f"{address}: the cluster refuses a request ({status}: {reason})")


def _is_of_opensearch(info: Any) -> bool:
    """Return whether a 404 is from OpenSearch itself, and not from a proxy or another server.

    It has the type of the error, or reports that a document was not found.
    """
    return isinstance(info, dict) and (isinstance(info.get("error"), dict) or "_index" in info)


def _passes(response: Any) -> bool:
    """Return whether one of several searches failed for a reason that passes."""
    return "error" in response and meaning_of_status(response.get("status", 0)) is StatusMeaning.PASSES


def _kind(error: Any) -> str:
    cause = error.info.get("error") if isinstance(error.info, dict) else None
    return str(cause.get("type", "")) if isinstance(cause, dict) else str(error.error)


def _reason(error: Any) -> str:
    cause = error.info.get("error") if isinstance(error.info, dict) else None
    return _plain(str(cause.get("reason", cause)) if isinstance(cause, dict) else str(cause or error.error))


def _plain(text: str) -> str:
    """Return the first 300 characters of a foreign text, on one line."""
    return " ".join(text.split())[:300]
