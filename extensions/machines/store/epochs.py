"""Who owns a part now? The holder of its newest epoch; and each machine knows by its own clock until when.

An epoch is a number that one claimant gets (Gray and Cheriton, *Leases*, SOSP 1989). Kleppmann, *How to do distributed
locking*, 2016, calls such a number a fencing token. An epoch ends with one object, its outcome; only then can the next
one begin. The outcome holds what the owner committed, or says that the epoch was abandoned. Both can't be written,
since the storage gives a name to one writer only. So no clock is needed to rule out a double commit.

Clocks are needed so two owners never *work* at once. The holder's lease begins before it writes the claim or a beat. A
beat counts if it was written before the lease ran out. A waiter reads the beat. If it stays the same for a lease, from
the end of one read to the start of another, the waiter abandons the epoch. By then the holder's lease has run out,
whenever its beat arrived. Both use clocks that count from the start of their machine, sleep included. Wall clocks are
never compared.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawldb.clock import boot_clock
from extensions.machines.store.objects import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from extensions.machines.store.objects import Objects

DRIFT = 1.01  # how much longer a waiter waits than the lease: clocks of machines differ in speed, by far less than this
BEATS = 3  # in a lease
LOOKS = 10  # reads by a waiter in a lease
CLAIM, BEAT, OUTCOME = ".claim", ".beat", ".outcome"
COMMITTED, ABANDONED = "committed", "abandoned"


class EpochHeld(Exception):
    """Another owner holds the newest epoch and shows signs of life; the message names it."""


class EpochOver(Exception):
    """The epoch is over: its lease has run out, or another process abandoned it; a commit would not count."""


@dataclass(frozen=True, slots=True)
class EpochClaim:
    """A claim as written: `lease` is in seconds, `nonce` is unique."""

    holder: str
    lease: float
    nonce: str


class EpochSequence:
    """The epochs of one part, or of the driver: objects in one folder of the store."""

    def __init__(
        self,
        objects: Objects,
        folder: str,
        clock: Callable[[], float] = boot_clock,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.objects = objects
        self.folder = folder
        self.clock = clock
        self._sleep = sleep

    def newest(self) -> int:
        """Return the number of the newest epoch; 0 if there was none."""
        return max(self._numbers(CLAIM), default=0)

    def ended(self) -> list[int]:
        """Return the numbers of the epochs that have an outcome, newest first."""
        return sorted(self._numbers(OUTCOME), reverse=True)

    def _numbers(self, ending: str) -> list[int]:
        names = [name.removesuffix(ending) for name in self.objects.names(self.folder) if name.endswith(ending)]
        return [int(name) for name in names if name.isascii() and name.isdecimal()]

    def outcome(self, number: int) -> dict[str, Any] | None:
        """Return the outcome of an epoch; None if it has not ended."""
        data = self.objects.read(self.name(number, OUTCOME))
        return None if data is None else self._read(number, OUTCOME, data)

    def unended(self) -> EpochClaim | None:
        """Return the claim of the newest epoch; None if it has ended, or there was none."""
        number = self.newest()
        return None if not number or self.outcome(number) is not None else self._claim(number)

    def claim(self, holder: str, lease: float, patience: float = 0.0) -> OwnedEpoch:
        """Claim the next epoch, once the newest has ended or showed no sign of life for its lease.

        Raises `EpochHeld` if its holder is still at work after `patience` seconds.
        """
        until = self.clock() + patience
        while True:
            number = self.newest()
            if number and self.outcome(number) is None:
                self._wait_out(number, until)
                continue
            begun = self.clock()
            claim = EpochClaim(holder, lease, secrets.token_hex(8))
            data = _json({"holder": holder, "lease": lease, "nonce": claim.nonce})
            if self.objects.create(self.name(number + 1, CLAIM), data) == data:
                return OwnedEpoch(self, number + 1, claim, begun + lease)

    def _wait_out(self, number: int, until: float) -> None:
        """Return when an epoch has ended; without a sign of life, abandon it here."""
        claim = self._claim(number)
        beat = self.objects.read(self.name(number, BEAT))
        seen = self.clock()  # after the read: the holder's lease began before it
        while True:
            self._sleep(claim.lease / LOOKS)
            if self.outcome(number) is not None:
                return
            asked = self.clock()  # before the next read: a beat that counts is there by now
            now = self.objects.read(self.name(number, BEAT))
            if now != beat:
                beat, seen = now, self.clock()
                if seen >= until:
                    raise EpochHeld(f"{claim.holder} is at work on it (term {number})")
            elif asked - seen >= claim.lease * DRIFT:
                break
        self.abandon(number, f"{claim.holder} gave no sign for {claim.lease:g} s")

    def abandon(self, number: int, reason: str) -> None:
        """End an epoch whose holder may be gone; an earlier outcome stays."""
        self.objects.create(self.name(number, OUTCOME), _json({"kind": ABANDONED, "reason": reason}))

    def name(self, number: int, ending: str) -> str:
        """Return the name of an object of an epoch."""
        return f"{self.folder}/{number:06}{ending}"

    def _claim(self, number: int) -> EpochClaim:
        found = self._read(number, CLAIM, self.objects.read(self.name(number, CLAIM)) or b"")
        try:
            return EpochClaim(str(found["holder"]), float(found["lease"]), str(found["nonce"]))
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged(number, CLAIM) from error

    def _read(self, number: int, ending: str, data: bytes) -> dict[str, Any]:
        try:
            found = json.loads(data)
        except ValueError as error:
            raise self._damaged(number, ending) from error
        if not isinstance(found, dict):
            raise self._damaged(number, ending)
        return found

    def _damaged(self, number: int, ending: str) -> StoreError:
        what = f"the store {self.objects.uri} is damaged: {self.name(number, ending)} is not as it was written"
        return StoreError(f"{what}; put back a backup")


class OwnedEpoch:
    """An epoch that this process holds, until `deadline` on the clock since the start of this machine."""

    def __init__(self, terms: EpochSequence, number: int, claim: EpochClaim, deadline: float) -> None:
        self.number = number
        self.deadline = deadline
        self.nonce = claim.nonce
        self._terms = terms
        self._claim = claim
        self._beats = 0

    @property
    def lease(self) -> float:
        """Seconds for which a claim or a beat holds."""
        return self._claim.lease

    def lasts(self) -> bool:
        """Return whether no other owner can have begun yet."""
        return self._terms.clock() < self.deadline

    def renew(self) -> float:
        """Write a beat and return the new deadline. Raises `EpochOver` if it came too late, and `StoreError`."""
        begun = self._terms.clock()
        self._beats += 1
        self._terms.objects.replace(
            self._terms.name(self.number, BEAT), _json({"nonce": self.nonce, "beat": self._beats})
        )
        if not self.lasts():
            raise EpochOver(f"term {self.number} is over: its lease of {self.lease:g} s ran out before it was renewed")
        self.deadline = begun + self.lease
        return self.deadline

    def commit(self, outcome: dict[str, Any]) -> None:
        """End the epoch with its result. Raises `EpochOver` if it was abandoned before; then nothing counts."""
        self._end(outcome | {"kind": COMMITTED, "nonce": self.nonce})

    def give_up(self, reason: str) -> None:
        """End the epoch without a result, so the next need not wait; an earlier outcome stays."""
        self._terms.abandon(self.number, f"{self._claim.holder}: {reason}")

    def _end(self, outcome: dict[str, Any]) -> None:
        data = _json(outcome)
        held = self._terms.objects.create(self._terms.name(self.number, OUTCOME), data)
        if held != data:
            reason = self._terms.outcome(self.number) or {}
            raise EpochOver(f"term {self.number} was abandoned: {reason.get('reason', 'it has ended')}")


@contextmanager
def kept(term: OwnedEpoch, prolong: Callable[[float], object] = float) -> Iterator[threading.Event]:
    """Renew an epoch from a thread while the block runs; `prolong` gets each deadline; the event means it is over.

    A beat that the store rejects is tried again, as long as the lease lasts.
    """
    done, over = threading.Event(), threading.Event()

    def beat() -> None:
        while not done.wait(term.lease / BEATS):
            try:
                prolong(term.renew())
            except (EpochOver, StoreError, OSError):
                if not term.lasts():
                    over.set()
                    return

    thread = threading.Thread(target=beat, name="term", daemon=True)
    thread.start()
    try:
        yield over
    finally:
        done.set()
        thread.join()


@contextmanager
def kept_or_given_up(term: OwnedEpoch, prolong: Callable[[float], object] = float) -> Iterator[None]:
    """Keep an epoch as `kept` does. An exception within gives it up, so that nobody waits for its lease."""
    try:
        with kept(term, prolong):
            yield
    except BaseException as failure:
        with suppress(StoreError):
            term.give_up(str(failure) or type(failure).__name__)
        raise


def _json(found: dict[str, Any]) -> bytes:
    return json.dumps(found, indent=1).encode()
