"""How does `reparse` report its results to a person? Counts by kind, examples as a diff, and unreadable pages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from commands.frame.terminal import hanging, printable, terminal_style
from reports.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commands.frame.terminal import Style
    from extensions.reparse.slices import ReparseTally

FAULTS_SHOWN = 10
WITHOUT_BODY = {  # by the reason why a stored page has no body: its text
    "noindex": "said noindex, or its date has passed: nothing of it is kept",
    "noarchive": "said noarchive: no copy is kept",
    "no-text": "is no text, or too large",
    "earlier": "was stored by an earlier Breadcrumb, which let the bodies of refused pages go",
}
KINDS = {"template_text": "template", "snippet_text": "snippet", "controls": "robots metas"}  # where words differ


def reparse_progress(tally: ReparseTally, seconds: float) -> str:
    """Return how many pages were read, in so many seconds."""
    done, pace = tally.before + tally.read, tally.read / seconds
    return f"reparse: {done:,} of {counted(tally.total, 'page')} ({pace:.0f}/s), {tally.changed:,} changed"


def as_json(
    told: Sequence[tuple[ReparseTally, dict[str, int]]], *, seconds: float, applied: bool, index: str
) -> dict[str, Any]:
    """Return the results of all parts together."""
    tallies = [tally for tally, _ in told]
    kinds, without = Counter[str](), Counter[str]()
    for tally, reasons in told:
        kinds.update(tally.kinds)
        without.update(reasons)
    names = ("url", "before", "after")
    return {
        "applied": applied,
        "complete": all(tally.complete for tally in tallies),
        "pages": sum(tally.total for tally in tallies),
        "read_before": sum(tally.before for tally in tallies),
        "read": sum(tally.read for tally in tallies),
        "changed": sum(tally.changed for tally in tallies),
        "others": sum(tally.others for tally in tallies),
        "discovered": sum(tally.discovered for tally in tallies),
        "kinds": dict(kinds.most_common()),
        "examples": {
            kind: [
                dict(zip(names, example, strict=True)) for tally in tallies for example in tally.examples.get(kind, ())
            ]
            for kind, _ in kinds.most_common()
        },
        "faults": [{"url": url, "reason": reason} for tally in tallies for url, reason in tally.faults],
        "without_body": dict(without),
        "seconds": round(seconds, 3),
        "index": index,
    }


def lines(done: dict[str, Any]) -> Iterator[str]:
    """Yield the lines for a person."""
    style = terminal_style()
    would = "changed" if done["applied"] else "would change"
    earlier = f", {done['read_before']:,} of them by an earlier start" if done["read_before"] else ""
    yield f"{counted(done['read_before'] + done['read'], 'page')} read again without a fetch{earlier}: {_changed(done)}"
    for kind, number in done["kinds"].items():
        yield f"  {KINDS.get(kind, kind):<14}{number:>7,}  {would}"
    for kind, examples in done["examples"].items():
        for example in examples:
            yield from _example(KINDS.get(kind, kind), example, style)
    yield from _beside(done, would)
    if not done["complete"]:
        left = done["pages"] - done["read_before"] - done["read"]
        again = "the same command continues with them" if done["applied"] else "nothing was changed"
        yield f"Stopped with {counted(left, 'page')} left to read: {again}."
    elif not done["applied"]:
        yield "Nothing was changed. Without --diff the same command stores it."
    if done["index"]:
        yield done["index"]


def _changed(done: dict[str, Any]) -> str:
    if not done["changed"]:
        return "each says what it said before." if done["complete"] else "each of them says what it said before."
    verb = "changed" if done["applied"] else "would change"
    return f"{done['changed']:,} {verb}."


def _example(kind: str, example: dict[str, str], style: Style) -> Iterator[str]:
    yield ""
    yield f"{kind} of {style.link(printable(example['url']))}"
    for mark, text, colour in (("  - ", example["before"], style.bad), ("  + ", example["after"], style.good)):
        if text:
            yield from map(colour, hanging(mark.rstrip(), printable(text), len(mark)))


def _beside(done: dict[str, Any], would: str) -> Iterator[str]:
    told = []
    if done["others"]:
        why = "copies, pages whose links have other words, or whose site's template or name is known now"
        told.append(f"{counted(done['others'], 'other page')} {would} by that: {why}.")
    if done["discovered"]:
        enters = "entered the frontier" if done["applied"] else "would enter the frontier"
        told.append(f"{counted(done['discovered'], 'URL')} that nothing had led to {enters}.")
    told += [
        f"{counted(number, 'page')} without a body, not read again: {WITHOUT_BODY[reason]}."
        for reason, number in done["without_body"].items()
    ]
    faults = done["faults"]
    told += [f"Not read: {printable(fault['url'])}: {printable(fault['reason'])}" for fault in faults[:FAULTS_SHOWN]]
    if len(faults) > FAULTS_SHOWN:
        told.append(f"… and {counted(len(faults) - FAULTS_SHOWN, 'page')} more; the journal has them under fault.")
    yield from ["", *told] if told and done["kinds"] else told
