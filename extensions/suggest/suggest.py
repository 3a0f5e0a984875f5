"""`suggest`: finds pages with several names, and switches options of sites on or off.

No option is switched on automatically: one page on a hundred sites is two on the next (`/Readme` and `/readme`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import Style, hanging, json_line, pasteable, printable, terminal_style
from reports.wording import counted, sentence
from urls.wording import shell_word

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extensions.suggest.evidence import AliasEvidence
    from frontier.aliases import OptionSwitch
    from urls.site_options import Options

INDENT = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="SITE OPTION",
        help="with --apply or --off: one option of one site (default of --apply: all proposed options)",
    )
    parser.add_argument("--apply", action="store_true", help="switch options on; the aliases leave the results at once")
    parser.add_argument("--off", action="store_true", help="switch an option of a site off")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """List the evidence, or switch options on and off."""
    from commands.frame.data_folder import open_to_read

    if arguments.apply and arguments.off:
        raise CommandError("--apply and --off: give only one")
    if len(arguments.words) not in {0, 2} or (arguments.off and not arguments.words):
        given = " ".join(arguments.words)
        raise CommandError(f"{given or '--off'}: give a site and an option, such as bakery.localhost:8400 index-page")
    if arguments.apply or arguments.off:
        return _switch(arguments, settings)
    with open_to_read(settings.data_dir) as databases:
        found, options = _evidence(databases, arguments.words)
    if arguments.json:
        print(json_line({"evidence": [each.as_dict() for each in found], "on": options.sorted_choices()}))
    else:
        print(*_lines(found, options, terminal_style()), sep="\n")
    return DONE if any(each.proposed for each in found) else NO


def _evidence(databases: Sequence[CrawlDatabase], words: Sequence[str]) -> tuple[list[AliasEvidence], Options]:
    from crawldb.tables.sites import options_of
    from extensions.suggest.evidence import find_alias_evidence

    found = [
        each for each in find_alias_evidence(*databases) if not words or [each.site, each.choice.option.value] == words
    ]
    return found, options_of(databases[0])  # the parts of a divided crawl have the same


def _switch(arguments: Namespace, settings: CommandSettings) -> int:
    from commands.frame.data_folder import policy_under
    from crawldb.databases import open_to_write
    from frontier.aliases import switch_options
    from indexer.following import update_indexes
    from urls.site_options import OptionError

    words = arguments.words
    with open_to_write(settings.data_dir) as databases:
        switches = _stopped_before(databases, words, on=arguments.apply)
        if not (words and switches):
            found = _switches_off(databases, words) if arguments.off else _switches_on(databases, words)
            switches = list(dict.fromkeys((*switches, *found)))
        try:
            merged, released = switch_options(databases, switches, policy_under(settings)) if switches else (0, 0)
        except OptionError as error:
            raise CommandError(str(error)) from error
    done = [(each.site, each.choice.option.value) for each in switches]
    index = pasteable(update_indexes(each.path.parent for each in databases if merged)[0])
    if arguments.json:
        counts = {"merged": merged, "released": released, "index": index}
        print(json.dumps({("off" if arguments.off else "on"): done} | counts))
        return DONE if done else NO
    for site, option in done:
        print(f"{printable(site)}: {option} is {'off' if arguments.off else 'on'}.")
    if not done:
        print(pasteable("Nothing is proposed. To list the evidence: ./breadcrumb suggest"))
        return NO
    print(f"{counted(merged, 'URL')} merged into another URL, {released:,} requested by the next crawl.")
    if index:
        print(index)
    if arguments.off:
        print(pasteable("To fetch them: ./breadcrumb crawl site"))
    for site, option in done if arguments.apply else ():
        print(pasteable(f"To undo this: ./breadcrumb suggest --off {shell_word(site)} {option}"))
    return DONE


def _stopped_before(databases: Sequence[CrawlDatabase], words: Sequence[str], *, on: bool) -> list[OptionSwitch]:
    """Return the switches that a kill left unfinished between two parts of a divided crawl."""
    from crawldb.tables.open_work import SUGGEST, stopped_work
    from frontier.aliases import OptionSwitch

    stopped = [OptionSwitch.of_work(work) for work in stopped_work(databases) if work.command == SUGGEST]
    return [each for each in stopped if each.on == on and list(words) in ([], [each.site, each.choice.option])]


def _switches_on(databases: Sequence[CrawlDatabase], words: Sequence[str]) -> list[OptionSwitch]:
    """Return the proposed options, or the one in `words`, unless there is a counter-example."""
    from frontier.aliases import OptionSwitch

    found, _ = _evidence(databases, words)
    if words:
        _check(found, words)
    return [OptionSwitch(each.site, each.choice, on=True) for each in found if each.proposed]


def _check(found: Sequence[AliasEvidence], words: Sequence[str]) -> None:
    from extensions.suggest.evidence import MIN_SAMPLES
    from urls.site_options import SiteOption

    site, option = words
    if option not in {each.value for each in SiteOption}:
        raise CommandError(f"{option}: choose one of {', '.join(each.value for each in SiteOption)}")
    if not found:
        raise CommandError(
            f"{site} {option}: there is no evidence for it, or it is already on. A seeds file in TOML can "
            "switch it on without evidence"
        )
    if not any(each.proposed for each in found):
        raise CommandError(
            f"{site} {option}: the evidence is not enough, as it needs {MIN_SAMPLES} different pages and "
            f"{found[0].exceptions}. So far: {found[0].reason}"
        )


def _switches_off(databases: Sequence[CrawlDatabase], words: Sequence[str]) -> list[OptionSwitch]:
    from crawldb.tables.sites import options_of
    from frontier.aliases import OptionSwitch

    site, option = words
    chosen = [each for database in databases for each in options_of(database).by_site.get(site, ())]
    switches = [OptionSwitch(site, each, on=False) for each in chosen if each.option == option]
    if not switches:
        raise CommandError(f"{site} {option}: it is not on. To list the options that are on: ./breadcrumb suggest")
    return switches[:1]


def _lines(found: Sequence[AliasEvidence], options: Options, style: Style) -> Iterator[str]:
    from extensions.suggest.evidence import MIN_SAMPLES

    for site, option, names in options.sorted_choices():
        shown = f" ({', '.join(names)})" if names else ""
        yield f"{style.good('on')}        {printable(site)}  {option}{printable(shown)}"
    for each in found:
        state = style.bold("proposed") if each.proposed else style.dim("not")
        text = sentence(f"{each.site}  {each.choice}: {each.reason}")
        first, *others = hanging("proposed" if each.proposed else "not", printable(text), INDENT)
        yield state + " " * (INDENT - len("proposed" if each.proposed else "not")) + first[INDENT:]
        yield from others
    if any(each.proposed for each in found):
        yield pasteable(
            "To switch all on: ./breadcrumb suggest --apply. Only one: ./breadcrumb suggest --apply SITE OPTION"
        )
    elif found:
        limits = " or ".join(sorted({each.exceptions for each in found}))
        yield f"Nothing is proposed: an option needs {MIN_SAMPLES} cases of different content, and {limits}."
    else:
        yield "No option would merge any stored pages."


COMMAND = Command(
    name="suggest",
    example="--data demo",
    exits="0 options proposed or switched, 1 none, 2 failed",
    add_arguments=add_arguments,
    run=run,
)
