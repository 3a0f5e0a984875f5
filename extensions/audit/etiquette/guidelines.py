"""Which guidelines should the operator of a robot keep, and does a crawl show that they were kept?

They are those of Martijn Koster ("Guidelines for Robot Writers", 1993) as *HTTP: The Definitive Guide*, 9.5, has them,
in our words. Each is a function from the evidence to a finding. It says "kept" or "not kept" only by numbers of the
crawl. What a crawl can't show, such as whether somebody watched it, is "not shown".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from extensions.audit.claims import Proof
from extensions.audit.etiquette.evidence import UNREAD
from reports.wording import counted, size
from urls.rules import Rule
from urls.traps import TRAP_RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from extensions.audit.etiquette.evidence import CrawlEvidence
    from extensions.audit.etiquette.tables import RunRequests


class GuidelineVerdict(Enum):
    """Whether a crawl shows that a guideline was kept."""

    KEPT = "kept"
    BROKEN = "not kept"
    SILENT = "nothing in this crawl shows it"


@dataclass(frozen=True, slots=True)
class GuidelineFinding:
    """The verdict, a sentence with the numbers of the crawl, and the view that shows more; "": none does."""

    verdict: GuidelineVerdict
    evidence: str
    view: str = ""


@dataclass(frozen=True, slots=True)
class Guideline:
    """A guideline in our words, with the function that holds a crawl against it."""

    name: str
    asks: str
    finding: Callable[[CrawlEvidence], GuidelineFinding]


def _of(kept: bool | None, evidence: str, view: str = "") -> GuidelineFinding:
    verdict = GuidelineVerdict.SILENT if kept is None else GuidelineVerdict.KEPT if kept else GuidelineVerdict.BROKEN
    return GuidelineFinding(verdict, evidence, view)


NO_REQUEST = "The crawl has sent no request."


def _of_all(crawl: CrawlEvidence, holds: Callable[[RunRequests], object], what: str) -> tuple[bool | None, str]:
    """Return whether something holds for the requests of all runs, and for how many."""
    if not crawl.requests:
        return None, NO_REQUEST
    number = sum(run.requests for run in crawl.runs if holds(run))
    return number == crawl.requests, f"{counted(number, 'request')} of {crawl.requests:,} {what}."


def robot_is_named(crawl: CrawlEvidence) -> GuidelineFinding:
    """Name the robot: the User-Agent of each run."""
    agents = dict.fromkeys(run.product for run in crawl.runs if run.product and run.requests)
    listed = ", ".join(map(str, agents)) or "no name"
    named, sentence = _of_all(crawl, lambda run: run.product, f"had a User-Agent that begins with {listed}")
    return _of(named or None, sentence, "/bot")


def machine_is_named(_: CrawlEvidence) -> GuidelineFinding:
    """Let the machine be looked up: no crawl shows that."""
    return _of(None, "The crawl does not look up its own IP address. ./breadcrumb plan URL does.")


def contact_is_given(crawl: CrawlEvidence) -> GuidelineFinding:
    """Give a contact: the header From of each run."""
    what = "had the header From with an e-mail address (setting CONTACT)"
    return _of(*_of_all(crawl, lambda run: run.contact, what), "/bot")


def somebody_watches(crawl: CrawlEvidence) -> GuidelineFinding:
    """Watch the robot: the crawl shows its alarms, not who reads them."""
    alarms = counted(len(crawl.report["alarms"]), "alarm")
    return _of(None, f"The latest round has {alarms}. Nobody can see here who watched.", "/inside/crawl")


def organisation_is_told(crawl: CrawlEvidence) -> GuidelineFinding:
    """Inform the organisation: the crawl shows its plan, not who got it."""
    plan = "An estimate was made" if crawl.report["plan"] else "No estimate was made"
    return _of(None, f"{plan} (./breadcrumb plan). Nobody can see here who got it.", "/stats")


def requests_are_logged(crawl: CrawlEvidence) -> GuidelineFinding:
    """Monitor and log: every request has a row, every decision a reason."""
    if not crawl.requests:
        return _of(None, NO_REQUEST)
    rows = counted(crawl.counts.decisions, "row")
    sentence = f"The fetch log has {counted(crawl.requests, 'request')}, the journal {rows}"
    if crawl.doubts:
        return _of(None, f"{sentence}; but {'; '.join(crawl.doubts)}.", "/inside/crawl")
    return _of(True, f"{sentence}.", "/inside/crawl")


def operator_adapts(crawl: CrawlEvidence) -> GuidelineFinding:
    """Learn and adapt: changed limits, site options, blocks."""
    pairs = zip(crawl.runs, crawl.runs[1:], strict=False) if crawl.parts == 1 else ()
    changes = sum(later.policy != earlier.policy for earlier, later in pairs)
    options, blocked = crawl.counts.options, crawl.counts.blocked
    sentence = (
        f"{counted(changes, 'run')} with another scope or other limits than the run before, "
        f"{counted(options, 'site option')} applied, {counted(blocked, 'entry', 'entries')} on the blacklist."
    )
    return _of(True if changes or options or blocked else None, sentence, "/inside/traps")


def files_are_skipped(crawl: CrawlEvidence) -> GuidelineFinding:
    """Filter URLs: those whose ending names a file without text."""
    skipped = crawl.report["suppressed"].get(Rule.TYPE, 0)
    sentence = f"{counted(skipped, 'URL')} skipped, as the name of the file says that it has no text."
    return _of(True if skipped else None, sentence, "/inside/crawl")


def queries_are_skipped(crawl: CrawlEvidence) -> GuidelineFinding:
    """Filter dynamic URLs: those with a query."""
    skipped, asked = crawl.report["suppressed"].get(Rule.DYNAMIC, 0), crawl.counts.with_query
    sentence = f"{counted(asked, 'URL')} with a query requested, {skipped:,} skipped (setting SKIP_QUERIES)."
    return _of(not asked if asked or skipped else None, sentence, "/inside/traps")


def types_are_limited(_: CrawlEvidence) -> GuidelineFinding:
    """Limit the types with Accept: the fetch log does not keep headers."""
    return _of(None, "The fetch log does not keep the header Accept. An archive of the crawl (WARC=yes) does.")


_PROOF = {Proof.PROVED: True, Proof.VIOLATED: False, Proof.NOT_PROVABLE: None, Proof.NOT_ASKED: None}


def _claimed(crawl: CrawlEvidence, *names: str) -> tuple[bool | None, str]:
    """Return the common verdict of claims of the audit, and their evidence."""
    if not crawl.requests:
        return None, NO_REQUEST
    if not crawl.claims:
        return None, f"Not read: {UNREAD}."
    claims = [crawl.claims[name] for name in names]
    verdicts = [_PROOF[claim.proof] for claim in claims]
    kept = False if False in verdicts else None if None in verdicts else True
    reasons = [
        f"{'; '.join(claim.reasons)}" + (f", such as {claim.samples[0]}" if claim.samples else "") for claim in claims
    ]
    return kept, ". ".join(reason[:1].upper() + reason[1:] for reason in reasons) + "."


def robots_txt_is_obeyed(crawl: CrawlEvidence) -> GuidelineFinding:
    """Obey robots.txt: read first, and no disallowed URL requested."""
    return _of(*_claimed(crawl, "robots-first", "allowed"), "/inside/owner")


def pace_is_slow(crawl: CrawlEvidence) -> GuidelineFinding:
    """Restrain yourself: seconds between two requests, and few a minute."""
    kept, measured = _claimed(crawl, "delay", "ceiling")
    if not crawl.claims:
        return _of(kept, measured)
    limits = f"Held against {crawl.delay:g} s between two requests to a host, and 60 a minute. "
    return _of(kept, limits + measured, "/inside/crawl")


def every_status_is_handled(crawl: CrawlEvidence) -> GuidelineFinding:
    """Handle all status codes: each response has an outcome."""
    status = crawl.report["status"]
    others = {code: number for code, number in status.items() if code != "200"}
    listed = ", ".join(f"{code}: {number:,}" for code, number in status.items())
    sentence = f"Each request ended with a rule. Responses by status: {listed or 'none'}."
    return _of(True if others else None, sentence, "/stats")


def one_form_of_a_url(crawl: CrawlEvidence) -> GuidelineFinding:
    """Canonical URLs: none is requested twice a round."""
    kept, evidence = _claimed(crawl, "once")
    duplicates = counted(crawl.report["pages"]["duplicates"], "stored page is a copy", "stored pages are copies")
    return _of(kept, f"{evidence} {duplicates} at another URL.", "/inside/duplicates")


def cycles_are_avoided(crawl: CrawlEvidence) -> GuidelineFinding:
    """Avoid cycles: URLs suppressed for their shape."""
    rules = (Rule.REPEATED_PATH, Rule.URL_LENGTH, Rule.DEPTH, Rule.FAR_DATE)
    found = sum(crawl.report["suppressed"].get(rule, 0) for rule in rules)
    sentence = f"{counted(found, 'URL')} suppressed for repeated path parts, length, depth or a far date."
    return _of(True if found else None, sentence, "/inside/traps")


def traps_are_watched(crawl: CrawlEvidence) -> GuidelineFinding:
    """Watch for traps: URLs of patterns without new content."""
    found = sum(crawl.report["suppressed"].get(rule, 0) for rule in TRAP_RULES)
    sentence = f"{counted(found, 'URL')} suppressed by rules on traps, each with its reason."
    return _of(True if found else None, sentence, "/inside/traps")


def blacklist_is_kept(crawl: CrawlEvidence) -> GuidelineFinding:
    """Keep a blacklist: nothing on it is requested."""
    blocked, asked = crawl.counts.blocked, crawl.counts.blocked_requests
    entries = counted(blocked, "entry", "entries")
    sentence = f"The blacklist has {entries}; {counted(asked, 'request')} to it since its newest one."
    return _of(not asked if blocked else None, sentence, "/inside/crawl")


def _planned(crawl: CrawlEvidence, figure: str, unit: Callable[[float], str], what: str) -> GuidelineFinding:
    plan = crawl.report["plan"]
    if plan is None:
        return _of(None, f"No estimate was made before the crawl; {what}.", "/stats")
    planned, actual = plan["estimate"][figure], plan["actual"][figure]
    span = f"{unit(planned['lower'])} to {unit(planned['upper'])}"
    return _of(True, f"Estimated {span}, so far {unit(actual)}.", "/stats")


def space_is_planned(crawl: CrawlEvidence) -> GuidelineFinding:
    """Understand space: memory, by the plan and as measured."""
    return _planned(crawl, "memory", size, "./breadcrumb plan makes one")


def bandwidth_is_planned(crawl: CrawlEvidence) -> GuidelineFinding:
    """Understand bandwidth: bytes, by the plan and as measured."""
    return _planned(crawl, "bytes", size, f"{size(crawl.report['bytes'])} of bodies came")


def time_is_planned(crawl: CrawlEvidence) -> GuidelineFinding:
    """Understand time: seconds, by the plan and as measured."""
    return _planned(crawl, "seconds", lambda value: f"{value:,.0f} s", f"it took {crawl.report['seconds']:,.0f} s")


def work_is_divided(crawl: CrawlEvidence) -> GuidelineFinding:
    """Divide the work: parts."""
    if crawl.parts == 1:
        return _of(None, "One process crawled all hosts.")
    return _of(True, f"{crawl.parts} parts share the hosts, so each host is crawled by one of them.", "/inside/crawl")


def trial_came_first(crawl: CrawlEvidence) -> GuidelineFinding:
    """Test first: the first run was a small part of all requests."""
    with_requests = [run.requests for run in crawl.runs if run.requests]
    if crawl.parts > 1 or len(with_requests) < 2:  # noqa: PLR2004 - a trial, and a run after it
        return _of(None, "There was one run." if with_requests else NO_REQUEST)
    first, rest = with_requests[0], sum(with_requests[1:])
    sentence = f"The first run sent {counted(first, 'request')}, all later ones {rest:,}."
    return _of(True if first * 2 < rest else None, sentence, "/stats")


def crawl_continues(crawl: CrawlEvidence) -> GuidelineFinding:
    """Checkpoints: a run continued what another had begun, and nothing was requested twice."""
    resumed = crawl.counts.resumed
    if not resumed:
        return _of(None, "No run continued an earlier one.")
    kept, evidence = _claimed(crawl, "once")
    return _of(kept, f"{counted(resumed, 'run')} continued an earlier one. {evidence}", "/stats")


def failures_end_nothing(crawl: CrawlEvidence) -> GuidelineFinding:
    """Failures: the crawl went on after them."""
    failures, after = crawl.counts.failures, crawl.counts.after_failure
    failed = f"{counted(failures, 'request')} failed (no response, or a status of 500 or more)"
    sentence = f"{failed}; {after:,} came after the first."
    return _of((True if after else None) if failures else None, sentence, "/stats")


def policy_page_is_named(crawl: CrawlEvidence) -> GuidelineFinding:
    """Be prepared: the User-Agent names a page with the policy."""
    what = "named a policy page (setting BOT_URL)"
    return _of(*_of_all(crawl, lambda run: run.bot_url, what), "/bot")


def owners_are_understood(crawl: CrawlEvidence) -> GuidelineFinding:
    """Be understanding: block requests that were decided."""
    return _complaints(crawl, "The policy page explains robots.txt to owners. ")


def owners_get_an_answer(crawl: CrawlEvidence) -> GuidelineFinding:
    """Respond: no block request waits."""
    return _complaints(crawl, "")


def _complaints(crawl: CrawlEvidence, before: str) -> GuidelineFinding:
    every, waiting = crawl.counts.proposals, len(crawl.report["complaints"])
    sentence = f"{before}{counted(every, 'block request')} came; {waiting:,} without a decision."
    return _of(not waiting if every else None, sentence, "/bot")


GUIDELINES: dict[str, tuple[Guideline, ...]] = {
    "Say who you are": (
        Guideline("Name the robot", "Each request names it in the User-Agent.", robot_is_named),
        Guideline("Name the machine", "Its IP address leads to a host name.", machine_is_named),
        Guideline("Give a contact", "Each request has an e-mail address in From.", contact_is_given),
    ),
    "Run it with care": (
        Guideline("Be alert", "A person watches the robot.", somebody_watches),
        Guideline("Be prepared", "The organisation knows of it before it runs.", organisation_is_told),
        Guideline("Monitor and log", "Each request and each decision is logged.", requests_are_logged),
        Guideline("Learn and adapt", "After each crawl, settings follow what it showed.", operator_adapts),
    ),
    "Limit yourself": (
        Guideline("Filter on URL", "Files without text are not requested.", files_are_skipped),
        Guideline("Filter dynamic URLs", "URLs with a query are not requested.", queries_are_skipped),
        Guideline("Filter with Accept", "Servers know which types are understood.", types_are_limited),
        Guideline("Obey robots.txt", "It is read first, and what it disallows is not requested.", robots_txt_is_obeyed),
        Guideline("Restrain yourself", "Requests to a host are seconds apart, and few a minute.", pace_is_slow),
    ),
    "Tolerate loops and duplicates": (
        Guideline("Handle all return codes", "Each status has an outcome, which is logged.", every_status_is_handled),
        Guideline("Canonicalize URLs", "Two spellings of a URL are one.", one_form_of_a_url),
        Guideline("Avoid cycles", "URLs that look like a cycle are not requested.", cycles_are_avoided),
        Guideline("Watch for traps", "Endless pages are found and left.", traps_are_watched),
        Guideline("Keep a blacklist", "Nothing on it is requested.", blacklist_is_kept),
    ),
    "Plan for the size": (
        Guideline("Understand space", "Memory is estimated, and compared.", space_is_planned),
        Guideline("Understand bandwidth", "Bytes are estimated, and compared.", bandwidth_is_planned),
        Guideline("Understand time", "Seconds are estimated, and compared.", time_is_planned),
        Guideline("Divide and conquer", "Several processes share a large crawl.", work_is_divided),
    ),
    "Be reliable": (
        Guideline("Test thoroughly", "Small runs come first.", trial_came_first),
        Guideline("Set checkpoints", "A stopped crawl continues where it was.", crawl_continues),
        Guideline("Survive faults", "A failure does not end the crawl.", failures_end_nothing),
    ),
    "Talk to people": (
        Guideline("Publish a policy", "The User-Agent names a page with the policy.", policy_page_is_named),
        Guideline("Be understanding", "Owners learn how to exclude the robot, or are blocked.", owners_are_understood),
        Guideline("Be responsive", "Complaints get a decision soon.", owners_get_an_answer),
    ),
}
