"""How is a cluster asked, and what becomes of its faults? Sentences that say what was asked, and what would work.

Only this file knows the client (opensearch-py, an extra). Where a node is away, the client asks the next one, also what
that node may have done already: so whatever is asked here must do no harm when it is done twice.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from indexer.faults import IndexFault, IndexRefuses, IndexUnreachable
from indexer.opensearch.address import AUTHORITIES, PASSWORD, USER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.opensearch.address import IndexAddress

SECONDS = 30.0  # for one request; a search has its own limit
BLOCKED = "cluster_block_exception"  # a disk is full, or somebody made the index read-only
BLOCKS = {BLOCKED, "index_create_block_exception"}  # the second where all disks are full: no index may be made


class Cluster:
    """The cluster at an address. Threads may share it. Raises IndexFault where the client is not installed."""

    def __init__(self, address: IndexAddress, seconds: float = SECONDS) -> None:
        client = client_for(address)
        self.address = address
        authorities = os.environ.get(AUTHORITIES) or None
        self._client = client(
            hosts=[{"host": host.strip("[]"), "port": port} for host, port in address.hosts],
            http_auth=(address.user, address.password) if address.user else None,
            use_ssl=address.encrypted,
            verify_certs=address.encrypted,
            ca_certs=authorities if address.encrypted else None,
            timeout=seconds,
            max_retries=len(address.hosts) - 1,  # a node that is away: the next one answers for all
            retry_on_status=(),
        )

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """Ask for a path below the cluster's root, and return its answer. Raises IndexFault and KeyError (404)."""
        with as_index_faults(self.address):
            timeout = options.pop("seconds", None)
            params = {name: str(value).lower() if isinstance(value, bool) else value for name, value in options.items()}
            if timeout:
                params["request_timeout"] = timeout
            return self._client.transport.perform_request(method, path, params=params, body=body)

    def ask_all(self, lines: Iterable[dict[str, Any]], index: str = "", **options: Any) -> list[Any]:
        """Return the answers to searches that are asked at once, some of which may be errors.

        `lines` has for each where to search, if that is not `index`, and what for.
        """
        body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        path = f"/{index}/_msearch" if index else "/_msearch"
        answers: list[Any] = self.ask("POST", path, body, **options)["responses"]
        return answers

    def has(self, path: str) -> bool:
        """Return whether there is something at a path."""
        try:
            return bool(self.ask("HEAD", path))
        except KeyError:
            return False

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()


def client_for(address: IndexAddress) -> Any:
    """Return the class of the client. Raises IndexFault where it is not installed."""
    try:
        from opensearchpy import OpenSearch  # noqa: PLC0415 - an extra: the index in the data folder needs none
    except ImportError:
        raise IndexFault(
            f"INDEX={address} needs the package opensearch-py: ./breadcrumb cluster --yes --help adds it"
        ) from None
    return OpenSearch


@contextmanager
def as_index_faults(address: IndexAddress) -> Iterator[None]:
    """Turn the client's errors into sentences; what is not there is a KeyError, whoever asks knows what that means."""
    from opensearchpy import exceptions  # noqa: PLC0415 - see above

    try:
        yield
    except exceptions.NotFoundError as error:
        raise KeyError(str(error.error)) from None
    except (exceptions.AuthenticationException, exceptions.AuthorizationException) as error:
        if _kind(error) in BLOCKS:
            raise IndexRefuses(address, _reason(error)) from None
        raise IndexFault(
            f"{address}: the cluster does not let us do this ({_reason(error)}). "
            f"Give a user who may, in the environment: {USER} and {PASSWORD}"
        ) from None
    except exceptions.ConnectionError as error:
        raise IndexUnreachable(address, _plain(str(error.info or error))) from None
    except exceptions.TransportError as error:
        if _kind(error) in BLOCKS:
            raise IndexRefuses(address, _reason(error)) from None
        if error.status_code in {429, 502, 503, 504}:
            raise IndexUnreachable(address, f"it answers {error.status_code}: {_reason(error)}") from None
        raise IndexFault(f"{address}: the cluster refuses a request ({error.status_code}: {_reason(error)})") from None


def _kind(error: Any) -> str:
    cause = error.info.get("error") if isinstance(error.info, dict) else None
    return str(cause.get("type", "")) if isinstance(cause, dict) else str(error.error)


def _reason(error: Any) -> str:
    cause = error.info.get("error") if isinstance(error.info, dict) else None
    return _plain(str(cause.get("reason", cause)) if isinstance(cause, dict) else str(cause or error.error))


def _plain(text: str) -> str:
    """Return the first 300 characters of what somebody else has written, on one line."""
    return " ".join(text.split())[:300]
