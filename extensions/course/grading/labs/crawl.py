"""Lab 1: is the bakery crawled twice to its end, and does the student know why a page is there and another is not?"""

from __future__ import annotations

from crawldb.figures.totals import request_counts, round_counts, urls_by_state
from crawldb.tables.urls import State
from extensions.course.grading.grade import HandIn, sentences
from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong
from extensions.course.grading.predictions import Measured, Prediction
from urls.wording import counted

WINDOW = "kitchen/window/"
COMPARED = ("robots", "state")  # rows of `why` that say why a page was fetched or not


def _requests_of_run(run: int) -> Prediction:
    def measure(folder: LabFolder) -> Measured:
        with folder.database() as database:
            count = request_counts(database, run)["requests"]
        if not count:
            raise Missing(f"your crawl has no run {run}")
        return Measured((float(count),), f"the requests of run {run} in your crawl")

    return Prediction("requests", measure)


def _deciding_line(folder: LabFolder) -> Measured:
    from reports.why.site_files import robots_status

    with folder.database() as database:
        status = robots_status(database, f"{_bakery(folder)}{WINDOW}", "Breadcrumb")
    return Measured((float(status.line),), f"{status.rule} ({status.reason}), in the robots.txt that your crawl keeps")


def _sent_again(folder: LabFolder) -> Measured:
    with folder.database() as database:
        run = _last_run(folder)
        status = request_counts(database, run)["status"]
    return Measured(
        (float(status.get("200", 0)),),
        f"pages with a body in run {run}; {status.get('304', 0)} responses were 304, not modified",
    )


def _last_run(folder: LabFolder) -> int:
    from crawldb.tables.runs import runs_counted

    with folder.database() as database:
        return runs_counted(database)


def _bakery(folder: LabFolder) -> str:
    from crawldb.figures.totals import pages_by_site

    with folder.database() as database:
        sites = pages_by_site(database)
    found = next((site for site in sites if site.startswith("bakery.")), None)
    if found is None:
        raise Missing(f"your crawl has no page of the bakery, but of {', '.join(sites) or 'no site'}")
    return f"http://{found}/"


def _crawl(folder: LabFolder) -> str:
    _bakery(folder)
    with folder.database() as database:
        states, rounds = urls_by_state(database), round_counts(database)
        run = _last_run(folder)
        status = request_counts(database, run)["status"]
    queued = states.get(State.QUEUED, 0) + states.get(State.LEASED, 0)
    if queued or rounds.open:
        left = counted(queued, "URL is", "URLs are")
        raise Wrong(f"{left} still queued: crawl without -a pages until the round is complete")
    if rounds.begun < 2:  # noqa: PLR2004 - the second one is the point of the lab
        raise Missing("your crawl has one round: crawl once more, to see what is sent again")
    if not status.get("304"):
        raise Wrong(f"no response of run {run} was 304, not modified: crawl once more")
    unchanged = counted(status["304"], "response")
    return f"{rounds.begun} rounds are complete, and {unchanged} of the last run said 304, not modified"


def _why(name: str, *, fetched: bool) -> HandIn:
    def check(folder: LabFolder) -> str:
        from reports.why.gather import url_record
        from reports.why.rows import why_rows

        lines = folder.lines(name)
        url = lines[0]
        with folder.database() as database:
            record = url_record(database, url)
            rows = {row.label: row.text for row in why_rows(record) if row.label in COMPARED}
        if not record.discovered:
            raise Wrong(f"your crawl does not know {url[:80]}, the first line of {name}: give the whole output of why")
        if (record.page is not None) != fetched:
            raise Wrong(f"{url} was {'not fetched' if fetched else 'fetched'} by your crawl: choose another page")
        said = "".join("".join(lines).split())
        for label, text in rows.items():
            if "".join(text.split()) not in said:
                raise Wrong(f"the row “{label}” is not what your crawl says of {url}: {text}")
        return f"{url}: {rows.get('state', '')} {rows.get('robots', '')}"

    return HandIn(name, check)


PREDICTIONS = {
    2: _requests_of_run(1),
    4: _requests_of_run(2),
    5: Prediction("the line", _deciding_line),
    6: Prediction("pages that are sent again", _sent_again),
}
HAND_INS = (
    HandIn("data", _crawl),
    _why("fetched.txt", fetched=True),
    _why("not-fetched.txt", fetched=False),
    sentences("sentences.txt"),
)
