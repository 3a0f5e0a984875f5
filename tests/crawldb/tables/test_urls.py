"""One module writes states in the table `url`, and each transition sets and clears its columns."""

from __future__ import annotations

import re
from operator import methodcaller as call
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.pages import Pages
from crawldb.tables.urls import Kind, NewUrl, State, Urls
from tests.docs.conftest import OWN_ROOMS, ROOT
from tests.samples import a_page
from urls.records import FoundBy
from urls.rules import Rule
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DOOR = ROOT / "crawldb" / "tables" / "urls.py"
BESIDE = {
    ROOT / "crawldb" / "tables" / "priorities.py",  # writes a column of its own
    *(ROOT / "extensions" / "machines").glob("tables.py"),  # lets go of references to what is another part's now
}  # neither writes a state
VERBS = r"(?:UPDATE(?: OR \w+)?|INSERT(?: OR \w+)? INTO|REPLACE INTO|DELETE FROM)"
WRITES = re.compile(VERBS + r" (?:url|explanation)\b[^\"]*")
STATE = re.compile(r"\bstate\s*=|explanation")  # in what a statement sets: the door alone may


def written(text: str) -> list[str]:
    """The statements of a source that write the table, with strings that stand in a row put together."""
    return WRITES.findall(re.sub(r'"\s*\n\s*f?"', "", text))


@pytest.mark.parametrize("room", OWN_ROOMS)
def test_nobody_else_writes_the_states_of_urls(room: str) -> None:
    sources = {path: written(path.read_text("utf-8")) for path in (ROOT / room).rglob("*.py") if path != DOOR}
    assert {path.name: found for path, found in sources.items() if found and path not in BESIDE} == {}
    assert len(written(DOOR.read_text("utf-8"))) > 15, "the test has lost sight of the door"


@pytest.mark.parametrize("beside", sorted(BESIDE), ids=lambda path: path.name)
def test_the_chapters_beside_it_write_no_state(beside: Path) -> None:
    statements = written(beside.read_text("utf-8"))
    assert statements
    assert not [one for one in statements if STATE.search(one.partition(" WHERE ")[0])]


# A page that has been through everything: no column has the value with which it began.
WORN: dict[str, object] = {
    "rule": Rule.DEPTH,
    "ended_in": 3,
    "moved_to": 2,
    "due_at": 50.0,
    "attempts": 2,
    "misses": 2,
    "next_at": 99.0,
    "urgency": 1,
    "kind": Kind.PAGE,
    "depth": 4,
    "hops": 1,
    "seed": 0,
    "lastmod": 9.0,
}
URL, OTHER, ROW = 1, 2, 5
QUEUED, LEASED, DONE, FAILED, SUPPRESSED = State
SITEMAP: dict[str, object] = {"kind": Kind.SITEMAP}
UNMOVED: dict[str, object] = {"moved_to": None}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path) as opened, opened.transaction() as connection:
        connection.execute("INSERT INTO site (id, name) VALUES (7, 'a.example')")
        for identity in (URL, OTHER):
            connection.execute(
                "INSERT INTO url (id, url, site, state, depth, found_by, found_at) VALUES (?, ?, 7, 0, 0, 'link', 0)",
                (identity, f"http://a.example/{identity}"),
            )
        connection.execute(
            "INSERT INTO journal (id, at, rule, reason) VALUES (4, 0, 'depth', ''), (5, 0, 'robots', '')"
        )
        connection.execute("INSERT INTO explanation VALUES (1, 4)")
        connection.execute("INSERT INTO pattern (id, site, pattern) VALUES (6, 7, '/#')")
        connection.execute("INSERT INTO trapped VALUES (1, 6)")
        yield opened


def wear(database: CrawlDatabase, state: State, **but: object) -> dict[str, object]:
    """Bring the URL into a state, with the values of WORN but for some; return its row."""
    row = {**WORN, "state": state, **but}
    setting = ", ".join(f"{column} = :{column}" for column in row)
    database.connection.execute(f"UPDATE url SET {setting} WHERE id = {URL}", row)
    return row


def row_of(database: CrawlDatabase) -> dict[str, object]:
    cursor = database.connection.execute(f"SELECT * FROM url WHERE id = {URL}")
    return dict(zip([column for column, *_ in cursor.description], cursor.fetchone(), strict=True))


def explained_by(database: CrawlDatabase) -> object:
    return database.value("SELECT journal FROM explanation WHERE url = ?", URL)


def waits_for_its_pattern(database: CrawlDatabase) -> bool:
    return database.value("SELECT 1 FROM trapped WHERE url = ?", URL) is not None


TURN: dict[str, object] = {"due_at": 0, "attempts": 0, "state": QUEUED}  # what each way back into the queue sets
FREED: dict[str, object] = {**TURN, "rule": None, "moved_to": None}  # … of what a rule had held back


def reopened(**but: object) -> Callable[[Urls], object]:
    return call("reopen_round", **{"mode": Mode.ALL, "stale_after": 3, "now": 50.0, **but})


ENDED: dict[str, object] = {"ended_in": 7, "moved_to": None, "urgency": 0}
TRANSITIONS: dict[str, tuple[State, dict[str, object], Callable[[Urls], object], dict[str, object]]] = {
    "lease": (QUEUED, {}, call("lease", URL, 50.0), {"state": LEASED}),
    "lease: not before it is due": (QUEUED, {}, call("lease", URL, 49.0), {}),
    "lease: only what is queued": (DONE, {}, call("lease", URL, 50.0), {}),
    "give_back_leases": (LEASED, {}, call("give_back_leases"), {"state": QUEUED}),
    "give_back_leases: only what is leased": (FAILED, {}, call("give_back_leases"), {}),
    "defer": (LEASED, {}, call("defer", URL, 70.0, counts=True), {"state": QUEUED, "due_at": 70.0, "attempts": 3}),
    "defer: never nearer, and not as an attempt": (
        LEASED,
        {},
        call("defer", URL, 20.0, counts=False),
        {"state": QUEUED},
    ),
    "end: done": (
        *(LEASED, {}, call("end", URL, DONE, Rule.FETCHED, 7)),
        {**ENDED, "state": DONE, "rule": Rule.FETCHED, "misses": 0},
    ),
    "end: failed": (
        *(LEASED, {}, call("end", URL, FAILED, Rule.GONE, 7)),
        {**ENDED, "state": FAILED, "rule": Rule.GONE, "next_at": 0},
    ),
    "end: a sitemap goes first again, and a target is kept": (
        *(LEASED, SITEMAP, call("end", URL, FAILED, Rule.MOVED, 7, moved_to=OTHER)),
        {**ENDED, "state": FAILED, "rule": Rule.MOVED, "next_at": 0, "moved_to": OTHER, "urgency": 2},
    ),
    "suppress": (
        *(QUEUED, {}, call("suppress", [URL], Rule.BLOCKED, ROW)),
        {"state": SUPPRESSED, "rule": Rule.BLOCKED, "moved_to": None},
    ),
    "suppress: an alias": (
        *(DONE, UNMOVED, call("suppress", [URL], Rule.ALIAS, ROW, moved_to={URL: OTHER})),
        {"state": SUPPRESSED, "rule": Rule.ALIAS, "moved_to": OTHER},
    ),
    "requeue: what was held back": (SUPPRESSED, {}, call("requeue", [URL]), FREED),
    "requeue: with another depth": (SUPPRESSED, {}, call("requeue", [URL], depth=1), {**FREED, "depth": 1}),
    "requeue: how it ended is still true": (DONE, {}, call("requeue", [URL]), TURN),
    "requeue_gone": (FAILED, {}, call("requeue_gone", [URL]), {**TURN, "misses": 1}),
    "reopen_round: done": (DONE, {}, reopened(), TURN),
    "reopen_round: what was put off goes first": (QUEUED, {"urgency": 0}, reopened(), {"urgency": 1}),
    "reopen_round: failed": (FAILED, {}, reopened(), TURN),
    "reopen_round: gone for long": (FAILED, {}, reopened(stale_after=2), {}),
    "reopen_round: a robots.txt is asked again": (SUPPRESSED, {"rule": Rule.ROBOTS}, reopened(), FREED),
    "reopen_round: other rules are not": (SUPPRESSED, {}, reopened(), {}),
    "reopen_round: due, since no page is stored": (DONE, {}, reopened(mode=Mode.DUE), TURN),
    "reopen_round: discover asks for no page": (DONE, {}, reopened(mode=Mode.DISCOVER), {}),
    "reopen_round: a sitemap that nobody names": (DONE, SITEMAP, reopened(), {}),
    "reopen_round: what is under way stays so": (LEASED, {}, reopened(), {}),
    "leave_not_due: not what is not stored": (QUEUED, {}, call("leave_not_due", 50.0), {}),
    "correct_end": (DONE, {}, call("correct_end", URL, Rule.MOVED, OTHER), {"rule": Rule.MOVED}),
    "correct_end: gone": (DONE, {}, call("correct_end", URL, Rule.GONE), UNMOVED | {"rule": Rule.GONE}),
    "correct_end: only what is done": (FAILED, {}, call("correct_end", URL, Rule.FORGOTTEN), {}),
    "correct_end: only what ended so": (DONE, {}, call("correct_end", URL, Rule.MOVED, than=Rule.FRAMES), {}),
    "join_root_set": (DONE, {}, call("join_root_set", [URL]), {"seed": 1, "depth": 0, "misses": 0}),
    "join_root_set: unforgiven": (DONE, {}, call("join_root_set", [URL], forgive=False), {"seed": 1, "depth": 0}),
    "turn_into a sitemap": (DONE, {}, call("turn_into", URL, Kind.SITEMAP), {"kind": Kind.SITEMAP, "urgency": 2}),
    "turn_into a page": (DONE, SITEMAP, call("turn_into", URL, Kind.PAGE), {"kind": Kind.PAGE, "urgency": 0}),
    "miss": (FAILED, {}, call("miss", URL), {"misses": 3}),
    "revisit_at": (DONE, {}, call("revisit_at", URL, 8.0), {"next_at": 8.0}),
    "date": (DONE, {}, call("date", {URL: 8.0}), {"lastmod": 8.0}),
    "hurry": (QUEUED, {"urgency": 0}, call("hurry", [URL]), {"urgency": 1}),
    "hurry: only what is queued": (DONE, {"urgency": 0}, call("hurry", [URL]), {}),
    "defer_origin": (QUEUED, {}, call("defer_origin", OTHER, "http", 70.0), {"due_at": 70.0}),
    "defer_origin: never nearer": (QUEUED, {}, call("defer_origin", OTHER, "http", 20.0), {}),
    "defer_origin: another scheme": (QUEUED, {}, call("defer_origin", OTHER, "https", 70.0), {}),
    "defer_origin: only what is queued": (DONE, {}, call("defer_origin", OTHER, "http", 70.0), {}),
    "bound_waits": (QUEUED, {}, call("bound_waits", 40.0), {"due_at": 40.0}),
    "bound_waits: never further": (QUEUED, {}, call("bound_waits", 60.0), {}),
    "end_waits": (QUEUED, {"attempts": 0}, call("end_waits", "a.example"), {"due_at": 0}),
    "end_waits: not what was asked for in this round": (QUEUED, {}, call("end_waits", "a.example"), {}),
}


@pytest.mark.parametrize("transition", TRANSITIONS)
def test_a_transition_sets_and_clears_what_the_diagram_says_and_nothing_else(
    database: CrawlDatabase, transition: str
) -> None:
    state, but, act, changes = TRANSITIONS[transition]
    wear(database, state, **but)
    before = row_of(database)
    act(Urls(database))
    assert row_of(database) == before | changes


def test_a_host_at_rest_gives_no_lease(database: CrawlDatabase) -> None:
    wear(database, QUEUED)
    database.connection.execute("UPDATE site SET rests_until = 60")
    assert not Urls(database).lease(URL, 59.0)
    assert Urls(database).lease(URL, 60.0)


@pytest.mark.parametrize(
    ("act", "row", "waits"),
    [
        pytest.param(call("suppress", [URL], Rule.BLOCKED, ROW), ROW, True, id="suppress"),
        pytest.param(
            lambda urls: urls.end(URL, SUPPRESSED, Rule.ROBOTS, 7, because=ROW), ROW, True, id="end, explained"
        ),
        pytest.param(call("end", URL, DONE, Rule.FETCHED, 7), 4, True, id="end"),
        pytest.param(call("requeue", [URL]), None, False, id="requeue"),
        pytest.param(call("requeue", [URL], because=ROW), ROW, False, id="requeue, explained"),
    ],
)
def test_what_explains_a_url_goes_or_changes_with_its_state(
    database: CrawlDatabase, act: Callable[[Urls], object], row: int | None, waits: bool
) -> None:
    wear(database, SUPPRESSED)
    act(Urls(database))
    assert (explained_by(database), waits_for_its_pattern(database)) == (row, waits)


@pytest.mark.parametrize(("rule", "left"), [(Rule.ROBOTS, None), (Rule.DEPTH, 4)])
def test_a_new_round_takes_the_explanation_of_what_it_asks_for(
    database: CrawlDatabase, rule: Rule, left: int | None
) -> None:
    wear(database, SUPPRESSED, rule=rule)
    reopened()(Urls(database))
    assert explained_by(database) == left


def store(database: CrawlDatabase) -> None:
    Pages(database).put(URL, a_page(f"http://a.example/{URL}"))


@pytest.mark.parametrize(("now", "asked"), [(98.0, False), (99.0, True)])
def test_a_page_that_is_stored_is_asked_for_when_its_time_has_come(
    database: CrawlDatabase, now: float, asked: bool
) -> None:
    store(database)
    wear(database, DONE)
    reopened(mode=Mode.DUE, now=now)(Urls(database))
    assert (row_of(database)["state"] == QUEUED) is asked


@pytest.mark.parametrize(
    ("but", "now", "aside"),
    [
        pytest.param({}, 98.0, 1, id="its time has not come"),
        pytest.param({}, 99.0, 0, id="it is due"),
        pytest.param({"ended_in": None}, 98.0, 0, id="it never had a turn"),
        pytest.param(SITEMAP, 98.0, 0, id="a sitemap"),
    ],
)
def test_a_page_that_is_not_due_is_put_aside(
    database: CrawlDatabase, but: dict[str, object], now: float, aside: int
) -> None:
    store(database)
    wear(database, QUEUED, **but)
    assert Urls(database).leave_not_due(now) == aside
    assert row_of(database)["state"] == (DONE if aside else QUEUED)


def test_a_sitemap_is_asked_for_as_long_as_it_is_named_even_if_it_was_not_there(database: CrawlDatabase) -> None:
    wear(database, FAILED, **SITEMAP, misses=9)
    database.connection.execute("INSERT INTO sitemap_naming VALUES (?, 'http://a.example:80')", (URL,))
    reopened()(Urls(database))
    assert row_of(database)["state"] == QUEUED


@pytest.mark.parametrize(("by", "seed"), [(FoundBy.SEED, 1), (FoundBy.SUBMIT, 1), (FoundBy.LINK, 0)])
def test_what_a_person_named_is_in_the_root_set_even_if_a_rule_refuses_it(
    database: CrawlDatabase, by: FoundBy, seed: int
) -> None:
    new = [NewUrl(f"http://a.example/{by}/{number}", 7, by) for number in range(2)]
    made = (Urls(database).enqueue(new[0]), Urls(database).refuse(new[1], Rule.PORT))
    rows = database.connection.execute("SELECT seed, state, rule FROM url WHERE id IN (?, ?) ORDER BY id", made)
    assert rows.fetchall() == [(seed, QUEUED, None), (seed, SUPPRESSED, Rule.PORT)]


@pytest.mark.parametrize(
    ("state", "rule", "forgotten"),
    [(DONE, Rule.FORGOTTEN, True), (DONE, Rule.FETCHED, False), (FAILED, Rule.FORGOTTEN, False)],
)
def test_forgotten_is_what_is_done_by_a_persons_wish(
    database: CrawlDatabase, state: State, rule: Rule, forgotten: bool
) -> None:
    wear(database, state, rule=rule)
    assert Urls(database).is_forgotten(URL) is forgotten
