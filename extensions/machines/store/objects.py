"""Which operations must shared storage have? It keeps whole objects by name, and gives a new name to one writer only.

A folder can (`os.link` fails for a name that is taken), also over NFS. S3 and HDFS can too (remote.py). All guarantees
of the store rest on that one operation, `create`. The storage compares no clocks and holds no locks. Some S3 servers
silently ignore conditional writes, so `create` is tested first.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from crawldb.folders import make_folder, sync_to_disk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ASIDE = ".aside-"  # begins the name of an object that is not whole yet
REMEDIES = {
    errno.ENOSPC: "make room there and run the same command again",
    errno.EDQUOT: "its quota is used up: make room there and run the same command again",
    errno.EACCES: "let the user of this process read and write there",
    errno.EPERM: "let the user of this process read and write there; it must be a file system with hard links",
    errno.EROFS: "it is mounted read-only: mount it for writing",
    errno.ENOTSUP: "that file system has no hard links: take another one, or s3://",
    errno.ENOTDIR: "a file stands there: give a folder, or a name that is free",
    errno.ESTALE: "mount it again",
}
OTHERWISE = "see whether the storage can be reached, and run the same command again"


class StoreError(Exception):
    """The store can't be used; the message says which operation failed, why, and what would work."""


class Objects(Protocol):
    """Whole objects under names such as `parts/0001/terms/000001.claim`; every fault is a `StoreError`."""

    uri: str

    def read(self, name: str) -> bytes | None:
        """Return an object; None where there is none."""

    def names(self, folder: str) -> list[str]:
        """Return the last names of the objects directly in a folder, sorted; [] if there is no such folder."""

    def below(self, folder: str) -> list[str]:
        """Return the names of all objects in a folder and below it, sorted."""

    def create(self, name: str, data: bytes) -> bytes:
        """Write an object unless there is one; return what the name holds now: `data`, or another writer's."""

    def replace(self, name: str, data: bytes) -> None:
        """Write an object, or overwrite it. A reader may find half of it: keep it small."""

    def get(self, name: str, path: Path) -> bool:
        """Copy an object into a new file; return False where there is none."""

    def put(self, path: Path, name: str) -> None:
        """Copy a file into a new object."""

    def remove(self, name: str) -> None:
        """Remove an object; a missing one is no error."""


def check_one_writer(objects: Objects) -> None:
    """Raise `StoreError` if the storage gives a taken name to a second writer: two would then own one part."""
    name = f"{ASIDE}{secrets.token_hex(8)}"
    try:
        held = [objects.create(name, word) for word in (b"first", b"second")]
    finally:
        with suppress(StoreError):
            objects.remove(name)
    if held != [b"first", b"first"]:
        raise StoreError(
            f"the store {objects.uri}: this storage let a second writer overwrite a new object, so two machines would "
            "crawl one part. Give S3 with conditional writes (If-None-Match), as Amazon's has them, or a shared folder"
        )


class FolderObjects:
    """Objects as files in a folder, of this machine or shared by NFS."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.uri = str(folder)

    def read(self, name: str) -> bytes | None:
        """Return an object; None where there is none."""
        with self._told("read", name), suppress(FileNotFoundError, NotADirectoryError):
            return (self._folder / name).read_bytes()
        return None

    def names(self, folder: str) -> list[str]:
        """Return the names directly in a folder."""
        with self._told("list", folder), suppress(FileNotFoundError):
            return sorted(p.name for p in (self._folder / folder).iterdir() if not p.name.startswith(ASIDE))
        return []

    def below(self, folder: str) -> list[str]:
        """Return the names of all objects in a folder and below it."""
        with self._told("list", folder):
            found = (path for path in (self._folder / folder).rglob("*") if path.is_file())
            return sorted(str(path.relative_to(self._folder)) for path in found if not path.name.startswith(ASIDE))

    def create(self, name: str, data: bytes) -> bytes:
        """Write aside, then link: the system gives a name to one writer only, and the object is then whole."""
        path = self._folder / name
        aside = path.with_name(f"{ASIDE}{secrets.token_hex(8)}")
        with self._told("write", name):
            make_folder(path.parent)
            try:
                with aside.open("xb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                with suppress(FileExistsError):
                    os.link(aside, path)
            finally:
                aside.unlink(missing_ok=True)
            sync_to_disk(path.parent)
            # NFS may report a taken name after it made the link and its response was lost: the content decides.
            return path.read_bytes()

    def replace(self, name: str, data: bytes) -> None:
        """Write in place: a new reader on NFS then sees the earlier writes, which a renamed file does not ensure."""
        path = self._folder / name
        with self._told("write", name):
            make_folder(path.parent)
            with path.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())

    def get(self, name: str, path: Path) -> bool:
        """Copy an object into a new file; return False where there is none."""
        path.parent.mkdir(parents=True, exist_ok=True)  # outside: a local write error is no fault of the store
        stored = None
        with self._told("read", name), suppress(FileNotFoundError):
            stored = (self._folder / name).open("rb")
        if stored is None:
            return False
        with stored, path.open("wb") as here:
            shutil.copyfileobj(stored, here, 1 << 20)
        return True

    def put(self, path: Path, name: str) -> None:
        """Copy a file into a new object."""
        to = self._folder / name
        with self._told("write", name):
            make_folder(to.parent)
            with path.open("rb") as read, to.open("xb") as written:
                shutil.copyfileobj(read, written, 1 << 20)
                written.flush()
                os.fsync(written.fileno())
            sync_to_disk(to.parent)

    def remove(self, name: str) -> None:
        """Remove an object, and its folder if that is then empty."""
        path = self._folder / name
        with self._told("remove", name):
            path.unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()

    @contextmanager
    def _told(self, act: str, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            cure, what = REMEDIES.get(error.errno or 0, OTHERWISE), name or "what it holds"
            raise StoreError(f"the store {self.uri} could not {act} {what}: {error.strerror}; {cure}") from error
