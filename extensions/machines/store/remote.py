"""How does the store reach S3 and HDFS? Through fsspec, an extra; no other file knows it.

Each has a counterpart of a folder's `os.link`. S3 takes `If-None-Match: *` with a PUT and rejects a taken name (412,
https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html). HDFS does not rename onto a taken name.
With any response, or with none, the content of the name then decides. The libraries read endpoints and keys from the
environment (`AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, …).
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from extensions.machines.store.objects import ASIDE, OTHERWISE, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

S3, HDFS = ("s3", "s3a"), ("hdfs", "webhdfs")
EXTRA = "it needs the extra of the cluster: ./breadcrumb cluster --yes adds it"
CURES = {
    FileNotFoundError: "is there such a bucket or folder? Make it first",
    PermissionError: "let this key or user list, read and write there",
}


class RemoteObjects:
    """Objects in storage that fsspec reaches."""

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")
        self._scheme = uri.partition("://")[0]
        if self._scheme not in S3 + HDFS:
            raise StoreError(
                f"the store {uri}: Breadcrumb does not know how {self._scheme}:// gives a name to one writer alone; "
                f"give a folder, or {', '.join(f'{known}://' for known in S3 + HDFS)}"
            )
        try:
            from fsspec.core import url_to_fs

            # No cached listings: the latest writes of other machines must be seen.
            words = {"use_listings_cache": False} if self._scheme in S3 else {}
            self._system, self._root = url_to_fs(self.uri, **words)
        except ImportError as error:
            raise StoreError(f"the store {uri} can't be reached: {error}; {EXTRA}") from error
        except Exception as error:
            raise self._fault("open", "", error) from error

    def read(self, name: str) -> bytes | None:
        """Return an object; None where there is none."""
        with self._told("read", name):
            try:
                return bytes(self._system.cat_file(self._at(name)))
            except FileNotFoundError:
                self._check_bucket()
                return None

    def names(self, folder: str) -> list[str]:
        """Return the names directly in a folder."""
        with self._told("list", folder):
            try:
                paths = self._system.ls(self._at(folder), detail=False)
            except FileNotFoundError:
                self._check_bucket()
                return []
            found = (path.rstrip("/").rpartition("/")[2] for path in paths)
            return sorted(name for name in found if name and not name.startswith(ASIDE))

    def below(self, folder: str) -> list[str]:
        """Return the names of all objects in a folder and below it."""
        with self._told("list", folder):
            try:
                found = self._system.find(self._at(folder))
            except FileNotFoundError:
                return []
            names = (path[len(self._root) :].lstrip("/") for path in found)
            return sorted(name for name in names if not name.rpartition("/")[2].startswith(ASIDE))

    def create(self, name: str, data: bytes) -> bytes:
        """Write an object unless there is one; return what the name holds now."""
        with self._told("write", name):
            with suppress(FileExistsError):
                if self._scheme in S3:
                    self._system.pipe_file(self._at(name), data, mode="create")
                else:
                    self._rename(name, data)
            return bytes(self._system.cat_file(self._at(name)))

    def _rename(self, name: str, data: bytes) -> None:
        aside = f"{name.rpartition('/')[0]}/{ASIDE}{secrets.token_hex(8)}"
        self._system.makedirs(self._at(name.rpartition("/")[0]), exist_ok=True)
        self._system.pipe_file(self._at(aside), data)
        with suppress(OSError):  # some systems raise for a taken name, others don't: its content is read anyway
            self._system.mv(self._at(aside), self._at(name))
        with suppress(OSError):
            self._system.rm_file(self._at(aside))

    def replace(self, name: str, data: bytes) -> None:
        """Write an object, or overwrite it."""
        with self._told("write", name):
            self._system.pipe_file(self._at(name), data)

    def get(self, name: str, path: Path) -> bool:
        """Copy an object into a new file; return False where there is none."""
        with self._told("read", name):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._system.get_file(self._at(name), str(path))
            except FileNotFoundError:
                self._check_bucket()
                return False
            return True

    def put(self, path: Path, name: str) -> None:
        """Copy a file into a new object."""
        with self._told("write", name):
            if self._scheme in HDFS:
                self._system.makedirs(self._at(name.rpartition("/")[0]), exist_ok=True)
            self._system.put_file(str(path), self._at(name))

    def remove(self, name: str) -> None:
        """Remove an object; a missing one is no error."""
        with self._told("remove", name), suppress(FileNotFoundError):
            self._system.rm_file(self._at(name))

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}".rstrip("/")

    def _check_bucket(self) -> None:
        """Raise FileNotFoundError if not only the object but its whole bucket is missing."""
        if self._scheme in S3 and not self._system.exists(self._root.partition("/")[0]):
            raise FileNotFoundError(f"there is no bucket {self._root.partition('/')[0]}")

    @contextmanager
    def _told(self, act: str, name: str) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except Exception as error:  # each library below has errors of its own: botocore, aiohttp, requests, pyarrow
            raise self._fault(act, name, error) from error

    def _fault(self, act: str, name: str, error: Any) -> StoreError:
        cure = next((cure for kind, cure in CURES.items() if isinstance(error, kind)), OTHERWISE)
        said = str(error) or type(error).__name__
        return StoreError(f"the store {self.uri} could not {act} {name or 'anything'}: {said:.300}; {cure}")
