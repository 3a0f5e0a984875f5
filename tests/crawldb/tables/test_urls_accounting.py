"""After any random operations, each URL is in one state, with the reason if it has to wait: the accounting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.tables.journal import Journal
from crawldb.tables.urls import Kind, NewUrl, State, Urls
from reports.numbers import url_counts
from urls.records import FoundBy
from urls.rules import Rule
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

ROUND = 7


class Walk:
    """A machine that does to URLs what the crawl does, and knows what must have become of each."""

    def __init__(self, database: CrawlDatabase) -> None:
        self.database = database
        self.urls = Urls(database)
        self.journal = Journal(database)
        self.site = int(database.connection.execute("INSERT INTO site (name) VALUES ('a.example')").lastrowid or 0)
        self.expected: dict[int, State] = {}

    def row(self, rule: Rule) -> int:
        return self.journal.write(None, rule, "because")

    def enter(self, number: int, refused: bool) -> None:
        url = f"http://a.example/{len(self.expected)}"
        new = NewUrl(url, self.site, FoundBy.LINK, depth=number, kind=Kind(number % 2))
        if refused:
            identity = self.urls.refuse(new, Rule.DEPTH)
            self.urls.explain([identity], self.row(Rule.DEPTH))
        else:
            identity = self.urls.enqueue(new)
        self.expected[identity] = State.SUPPRESSED if refused else State.QUEUED

    def lease(self, url: int) -> None:
        leased = self.urls.lease(url, now=1.0) is not None
        assert leased == (self.expected[url] is State.QUEUED)
        if leased:
            self.expected[url] = State.LEASED

    def end(self, url: int, state: State) -> None:
        because = self.row(Rule.ROBOTS) if state is State.SUPPRESSED else None
        rule = Rule.ROBOTS if state is State.SUPPRESSED else Rule.FETCHED
        self.urls.end(url, state, rule, ROUND, because=because)
        self.expected[url] = state
        assert self.of(url, "ended_in, rule") == (ROUND, rule)

    def suppress(self, url: int) -> None:
        before = self.of(url, "ended_in")
        self.urls.suppress([url], Rule.BLOCKED, self.row(Rule.BLOCKED))
        self.expected[url] = State.SUPPRESSED
        assert self.of(url, "ended_in, rule, moved_to") == (*before, Rule.BLOCKED, None)

    def requeue(self, url: int, *, explained: bool) -> None:
        was = self.expected[url]
        rule = self.of(url, "rule")
        self.urls.requeue([url], because=self.row(Rule.RELEASED_TRAP) if explained else None)
        self.expected[url] = State.QUEUED
        assert self.of(url, "due_at, attempts, rule") == (0, 0, *((None,) if was is State.SUPPRESSED else rule))
        assert self.is_explained(url) == explained

    def defer(self, url: int) -> None:
        if self.expected[url] is State.LEASED:
            (attempts,) = self.of(url, "attempts")
            self.urls.defer(url, 0.5, counts=True)
            self.expected[url] = State.QUEUED
            assert self.of(url, "due_at >= 0.5, attempts") == (1, int(str(attempts)) + 1)

    def give_back_leases(self) -> None:
        self.urls.give_back_leases()
        self.expected = {url: State.QUEUED if state is State.LEASED else state for url, state in self.expected.items()}

    def reopen_round(self, stale_after: int) -> None:
        misses = {url: self.of(url, "misses, kind, rule") for url in self.expected}
        self.urls.reopen_round(Mode.ALL, stale_after, now=1.0)
        for url, state in self.expected.items():
            missed, kind, rule = misses[url]
            ended = state in {State.DONE, State.FAILED} and int(str(missed)) < stale_after
            if kind == Kind.PAGE and (ended or (state is State.SUPPRESSED and rule == Rule.ROBOTS)):
                self.expected[url] = State.QUEUED  # nobody names the sitemaps here: they wait until somebody does

    def step(self, step: str, number: int, url: int) -> None:
        """Take a step of the walk; what needs a URL is left out while there is none."""
        alone: dict[str, Callable[[], object]] = {
            "enter": lambda: self.enter(number, refused=False),
            "refuse": lambda: self.enter(number, refused=True),
            "give back": self.give_back_leases,
            "reopen": lambda: self.reopen_round(stale_after=number),
        }
        with_url: dict[str, Callable[[], object]] = {
            "done": lambda: self.end(url, State.DONE),
            "failed": lambda: self.end(url, State.FAILED),
            "refused": lambda: self.end(url, State.SUPPRESSED),
            "requeue": lambda: self.requeue(url, explained=False),
            "release": lambda: self.requeue(url, explained=True),
            "lease": lambda: self.lease(url),
            "suppress": lambda: self.suppress(url),
            "defer": lambda: self.defer(url),
            "miss": lambda: self.urls.miss(url),
        }
        act = alone.get(step) or (with_url[step] if url else None)
        if act is not None:
            act()

    def of(self, url: int, columns: str) -> tuple[object, ...]:
        row: tuple[object, ...] = self.database.connection.execute(
            f"SELECT {columns} FROM url WHERE id = ?", (url,)
        ).fetchone()
        return row

    def is_explained(self, url: int) -> bool:
        return self.database.value("SELECT 1 FROM explanation WHERE url = ?", url) is not None

    def check(self) -> None:
        """The accounting after every step."""
        numbers = url_counts(self.database)
        assert numbers["discovered"] == sum(number for name, number in numbers.items() if name != "discovered")
        assert {url: State(int(str(self.of(url, "state")[0]))) for url in self.expected} == self.expected
        for url, state in self.expected.items():
            if state is State.SUPPRESSED:
                assert self.of(url, "rule")[0]
                assert self.is_explained(url)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "enter",
                "refuse",
                "lease",
                "done",
                "failed",
                "refused",
                "suppress",
                "requeue",
                "release",
                "defer",
                "miss",
                "give back",
                "reopen",
            ]
        ),
        st.integers(0, 5),
    ),
    max_size=40,
)


@given(STEPS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_happens_to_urls_the_accounting_holds_after_every_step(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("walk")
    with CrawlDatabase(folder) as database, database.transaction():
        walk = Walk(database)
        for step, number in steps:
            known = sorted(walk.expected)
            url = known[number % len(known)] if known else 0
            walk.step(step, number, url)
            walk.check()
