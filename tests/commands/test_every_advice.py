"""Is every command and setting that the product prints carried out by a test? A scan of the sources finds them.

`CASES` names the test for each, by file. A sentence with a new command, or one more with a known command, makes this
test fail.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

from tests.commands.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_PRINTED = ("tests/", "bench/", "docs/", "demo/", "textbook/", "reports/shown_commands.py")
ADVICE = re.compile(
    r"\./breadcrumb (?:[a-z]+|\{\})(?: ?(?:--?[a-z-]+|[A-Z]+\b|\{\}|site|traps))*|-s [A-Z_]+=|BREADCRUMB_[A-Z_]+"
)
NAME = re.compile("BREADCRUMB_[A-Z_]+")  # alone, it is a name of a variable in the code
WORDS = re.compile(r"breadcrumb |PROGRAM|-s [A-Z]|BREADCRUMB_")
HERE = "tests/commands/test_advice.py"
WHY = "tests/journey/advice/test_why.py"
PAGES = "tests/gateway/operators/test_advice.py"
PASTED = "tests/commands/test_pasted.py"
FORGET_THEN_BLOCK = f"{HERE}::test_what_forget_says_to_prevent_another_fetch_blocks_what_was_forgotten_and_nothing_else"
LIST = f"{HERE}::test_block_lists_the_requests_and_what_is_blocked"
ANYWAY = f"{HERE}::test_block_anyway_blocks_what_the_crawl_does_not_know"
BELOW = f"{HERE}::test_below_takes_the_pages_that_a_home_page_alone_left"
LIFT = f"{HERE}::test_lift_below_lifts_the_folder"
OPTIONS = (
    "tests/extensions/suggest/test_suggest.py::test_each_option_that_suggest_switches_on_can_be_undone_by_its_command"
)
FINISH = f"{HERE}::test_report_names_the_command_that_finishes_a_stopped_one"
WIDER = f"{WHY}::test_a_crawl_with_the_settings_that_why_names_fetches_what_they_stopped_and_nothing_else"
PORTS = f"{WHY}::test_links_lead_to_a_port_with_the_settings_that_why_names_and_to_a_private_address_with_its_seed"
NEXT_CRAWL = f"{WHY}::test_what_why_says_to_submit_or_release_is_fetched_by_the_next_crawl_and_nothing_else"
OPERATOR = f"{PAGES}::test_each_command_of_the_report_and_of_the_pages_does_what_stands_next_to_it"
STOPPED = f"{PAGES}::test_the_report_that_the_admin_page_names_shows_the_command_that_finishes_a_stopped_one"
ADMIN_ANYWAY = f"{PAGES}::test_the_block_that_the_admin_page_advises_for_an_unknown_site_blocks_that_alone"
OPENED = f"{PAGES}::test_what_a_closed_page_says_opens_it_and_no_other"
SEARCHED = f"{HERE}::test_the_commands_that_a_search_prints_show_what_is_known_of_the_url"
RELEASED = f"{HERE}::test_release_names_the_command_that_shows_the_state"
SITE_DOWN = (
    "tests/journey/test_crawl.py::test_a_recrawl_of_a_site_that_is_down_says_so_and_names_the_command_with_the_reason"
)
SUMMARY = f"{WHY}::test_the_summary_of_a_crawl_names_commands_that_search_it_and_show_its_waste"
SHOWN = f"{PASTED}::test_every_command_that_is_shown_means_the_folder_that_it_was_shown_for"
OTHER_FOLDER = (
    "tests/commands/frame/test_data_folder.py::test_in_an_empty_folder_those_with_a_crawl_are_named_to_be_pasted"
)
OLD_SCHEMA = (
    "tests/commands/frame/test_old_folder.py::"
    "test_an_old_folder_that_may_not_be_written_names_a_command_and_who_may_run_it"
)
OLD_INDEX = (
    "tests/commands/test_index.py::test_an_index_of_an_earlier_version_is_refused_by_a_search_and_made_anew_by_index"
)
LATE_INDEX = "tests/journey/faults/test_stopping.py::test_signals_also_end_the_wait_for_the_index"
DAMAGED = (
    "tests/indexer/test_following.py::"
    "test_a_damaged_record_is_told_by_its_url_and_the_index_is_complete_once_it_is_forgotten"
)
PATTERN = "tests/journey/findings/test_traps.py::test_what_was_caught_is_shown_and_can_be_released"
THRESHOLD = (
    "tests/extensions/course/journey/test_threshold.py::"
    "test_a_threshold_is_saved_as_the_view_of_duplicates_says_for_stored_pages_and_for_the_next_crawl"
)
REMOVE = "tests/commands/test_forget.py::test_the_command_that_why_advises_takes_out_that_page_alone"
FIRST = "tests/journey/advice/test_first_crawl.py::test_without_a_crawl_every_message_names_the_command_that_makes_one"
INDEX = "tests/journey/advice/test_first_crawl.py::test_without_an_index_every_message_names_the_command_that_makes_it"
PLAN = (
    "tests/extensions/plan/journey/test_plan.py::"
    "test_a_person_reads_the_plan_and_an_announcement_whose_commands_do_what_it_says"
)
ROBOTS_FILES = (
    "tests/extensions/robots_files/test_advice.py::"
    "test_where_there_is_no_file_each_message_names_the_commands_that_bring_some"
)
WHOOSH = (
    "tests/extensions/whoosh/folders/test_advice.py::"
    "test_a_folder_of_whooshs_is_searched_with_the_settings_that_each_message_names"
)
NOTICE = f"{HERE}::test_what_is_advised_before_the_first_crawl_shows_its_waste_and_stops_it_on_a_site"
AS_JSON = f"{HERE}::test_a_crawl_whose_report_is_not_json_names_the_command_whose_report_is"
LABS = f"{HERE}::test_the_command_that_lists_the_labs_lists_the_one_of_the_number"
OPEN_LAB = "tests/extensions/course/test_lab.py::test_its_shell_knows_the_folder_the_site_and_the_crawl"
FREE_PORT = f"{HERE}::test_the_port_that_is_advised_where_one_is_taken_is_free"
DEMO = "tests/journey/test_demo.py::test_the_crawl_finds_out_what_is_true_and_so_does_the_second"
TEXTBOOK = "tests/extensions/whoosh/journey/test_textbook.py::test_search_why_and_serve_open_what_it_made"
FULL_DISK = (
    "tests/journey/faults/test_full_disk.py::"
    "test_a_summary_that_can_not_be_written_is_told_and_the_crawl_has_done_its_work"
)
ALIAS_LOOP = "tests/extensions/suggest/test_loop.py::test_why_names_the_command_that_switches_the_option_off"
FARM = (
    "tests/extensions/machines/journey/test_advice.py::"
    "test_each_command_that_a_farm_and_its_errors_name_does_what_they_say"
)
ADD_CLUSTER = (
    "tests/extensions/machines/test_advice.py::"
    "test_the_command_that_adds_what_is_not_installed_takes_the_lock_of_the_cluster"
)
SPLIT = "tests/extensions/machines/test_advice.py::test_the_command_of_a_split_that_is_not_done_continues_it"
ROBOT_PAGE = (
    "tests/gateway/test_advice.py::test_the_command_on_the_page_of_the_robot_ends_the_results_and_visits_of_a_site"
)
CHECK = "tests/gateway/test_advice.py::test_the_check_that_an_error_of_the_gateway_names_tells_what_is_damaged"
TOO_MANY_LINKS = "tests/extensions/course/gateway/test_links.py::test_more_links_than_can_be_drawn_are_in_the_report"
TOO_MUCH = (
    "tests/extensions/course/gateway/test_advice.py::test_what_is_too_much_for_a_view_is_in_the_report_that_it_names"
)
TOO_LONG = (
    "tests/extensions/course/gateway/test_advice.py::"
    "test_a_file_that_is_too_long_for_the_view_is_explained_by_the_command_that_it_names"
)
REFUSED_BEFORE = f"{HERE}::test_a_submission_that_was_refused_before_names_the_command_with_the_reason"
WAITING = f"{HERE}::test_the_summary_of_a_crawl_with_waiting_urls_names_the_report_that_counts_them"
TUNED = "tests/extensions/tune/test_tune.py::test_where_titles_mislead_names_are_lowered_and_the_file_does_what_it_says"
CLICKS = "tests/extensions/tune/test_judge_page.py::test_tune_reads_the_marks_by_the_command_of_the_page"
NOT_INDEXED = "tests/extensions/tune/test_judge_page.py::test_why_tells_why_a_judged_page_is_not_in_the_index"
CLUSTER = (
    "tests/extensions/machines/journey/test_advice.py::"
    "test_each_command_that_a_cluster_and_its_errors_name_does_what_they_say"
)
ADVISED = "tests/commands/test_advised_settings.py"
ANOTHER = f"{ADVISED}::test_where_a_folder_can_not_be_used_another_one_can_as_the_error_says"
EXAMPLE = f"{ADVISED}::test_where_no_folder_is_named_the_example_of_the_error_names_one"
DIVISION = f"{ADVISED}::test_what_a_crawl_is_begun_with_where_the_folder_has_another_division_is_what_the_error_says"
OWNER = f"{ADVISED}::test_the_owner_that_a_robot_must_name_is_set_as_the_error_says"
CHAIN = f"{ADVISED}::test_the_end_of_too_long_a_chain_of_redirects_is_fetched_once_it_is_submitted"
IN_USE = "tests/commands/crawling/test_words.py::test_a_second_crawl_is_refused_with_the_number_of_the_first"
READINGS = (
    "tests/extensions/japanese/test_index.py::"
    "test_without_a_reader_readings_that_were_asked_for_are_refused_and_a_setting_is_told"
)
MEANING = (
    "tests/extensions/meaning/test_index.py::"
    "test_without_the_extra_a_reading_by_meaning_that_was_asked_for_is_refused_with_what_installs_it"
)
RENDERED = "tests/extensions/rendering/test_practice_site.py::test_with_scripts_it_is_crawled_as_its_truth_says"
RENDERING = "tests/extensions/rendering/test_settings.py::test_without_the_extra_it_says_which_command_adds_it"
ROOT_SET = (
    "tests/extensions/course/root_set/test_root_set_page.py::"
    "test_of_a_crawl_that_is_too_large_it_names_the_report_that_has_the_seeds"
)
ETIQUETTE = (
    "tests/extensions/audit/etiquette/test_etiquette.py::"
    "test_a_crawl_that_says_who_it_is_and_waits_keeps_what_the_server_saw"
)
PICTURE = (
    "tests/extensions/course/gateway/test_picture.py::test_the_picture_has_the_numbers_of_the_report_and_they_add_up"
)
DOCTOR = "tests/extensions/doctor/test_doctor.py"
CRAWL_API = "tests/extensions/crawl_api/test_crawl_api.py::test_what_a_rejection_advises_works"
ASSISTANTS = "tests/extensions/assistants/test_tools.py::test_without_a_search_page_why_is_a_command_that_says_the_same"
LASTMOD = "tests/journey/findings/test_sitemaps.py::test_trust_lastmod_leaves_alone_what_has_not_changed"
REPARSE = (
    "tests/extensions/reparse/test_reparse.py::"
    "test_what_the_filter_of_an_extension_rejected_is_kept_by_the_command_that_why_names_once_it_is_gone"
)
PRIVATE = (
    "tests/extensions/archives/journey/test_import_private.py::"
    "test_a_crawl_that_reaches_nothing_of_an_import_names_the_seed_that_it_needs"
)
CASES: dict[str, dict[str, str]] = {
    "commands/block.py": {"./breadcrumb block x2": LIST, "./breadcrumb block{} --anyway {}": ANYWAY},
    "commands/crawl.py": {"./breadcrumb report": FULL_DISK},
    "commands/crawling/start.py": {
        "./breadcrumb block --site SITE": NOTICE,
        "./breadcrumb block --site {}": "tests/journey/manners/test_gate.py::"
        "test_a_blocked_seed_needs_no_owner_of_the_robot",
        "./breadcrumb crawl site -a {}": PRIVATE,
        "./breadcrumb report traps": NOTICE,
    },
    "extensions/whoosh/textbook_crawl.py": {"./breadcrumb search WORDS{}": TEXTBOOK},
    "commands/crawling/words.py": {"./breadcrumb crawl site -a {}": FIRST, "./breadcrumb report --json": AS_JSON},
    "commands/demo.py": {"./breadcrumb demo --port {} x4": FREE_PORT, "./breadcrumb search{}": DEMO},
    "commands/forget.py": {"./breadcrumb block {}": FORGET_THEN_BLOCK},
    "commands/frame/command_settings.py": {"-s DATA_DIR=": EXAMPLE},
    "commands/frame/data_folder.py": {"./breadcrumb {}{} {}": OTHER_FOLDER},
    "commands/frame/targets.py": {"./breadcrumb {} --below {}": BELOW},
    "extensions/plan/plan.py": {"./breadcrumb crawl site": PLAN, "./breadcrumb report": PLAN},
    "commands/search.py": {"./breadcrumb report x2": SHOWN, "./breadcrumb why {} x2": SEARCHED},
    "commands/submit.py": {
        "./breadcrumb crawl site": NEXT_CRAWL,
        "./breadcrumb farm": FARM,
        "./breadcrumb why {}": REFUSED_BEFORE,
    },
    "extensions/suggest/suggest.py": {
        "./breadcrumb crawl site": OPTIONS,
        "./breadcrumb suggest --apply": OPTIONS,
        "./breadcrumb suggest --apply SITE OPTION": OPTIONS,
        "./breadcrumb suggest --off {} {}": OPTIONS,
        "./breadcrumb suggest x2": OPTIONS,
    },
    "crawldb/database.py": {"-s DATA_DIR= x4": ANOTHER, "./breadcrumb report": OLD_SCHEMA},
    "crawldb/databases.py": {"-s DATA_DIR=": FARM, "./breadcrumb farm": FARM, "./breadcrumb report": OLD_SCHEMA},
    "crawldb/lock.py": {"-s DATA_DIR=": IN_USE},
    "crawldb/pages/pages.py": {"./breadcrumb forget {}": DAMAGED},
    "crawldb/parts/division.py": {
        "-s DATA_DIR= x5": DIVISION,
        "./breadcrumb crawl site": FIRST,
        "./breadcrumb farm SEEDS": FARM,
    },
    "extensions/audit/etiquette/evidence.py": {"./breadcrumb audit": ETIQUETTE},
    "extensions/audit/etiquette/guidelines.py": {"./breadcrumb plan URL": PLAN, "./breadcrumb plan x2": PLAN},
    "extensions/audit/judge/command.py": {"./breadcrumb demo": DEMO, "./breadcrumb demo --judge --json": DEMO},
    "extensions/audit/templates/inside/owner.html": {"./breadcrumb demo": DEMO},
    "extensions/crawl_api/views.py": dict.fromkeys(
        ("./breadcrumb serve", "./breadcrumb submit {}", "BREADCRUMB_ADMIN_TOKEN"), CRAWL_API
    ),
    "extensions/doctor/data_folder.py": {
        "./breadcrumb check{}": f"{DOCTOR}::test_a_damaged_database_is_a_fault_and_the_others_are_examined",
        "./breadcrumb crawl site{}": f"{DOCTOR}::test_a_crawl_that_did_not_finish_is_continued_by_the_command",
        "./breadcrumb farm SEEDS{}": FARM,
        "./breadcrumb farm{}": FARM,
        "./breadcrumb index{}": f"{DOCTOR}::test_a_missing_index_is_made_by_the_command",
        "./breadcrumb report{}": f"{DOCTOR}::test_a_crawl_of_an_earlier_version_is_upgraded_by_the_command",
        "./breadcrumb why {}{}": f"{DOCTOR}::test_a_fault_is_shown_with_the_command_that_shows_its_reason",
    },
    "extensions/doctor/installation.py": {
        "./breadcrumb check --help": "tests/launcher/test_set_up.py::test_what_doctor_says_of_a_lost_package_brings_it",
        "./breadcrumb {}{} --yes --help": f"{DOCTOR}::test_the_command_for_an_extra_adds_it",
        "./breadcrumb serve --port {}{}": f"{DOCTOR}::test_a_port_in_use_is_named_with_the_option_for_another",
        "./breadcrumb serve --port": f"{DOCTOR}::test_a_port_in_use_is_named_with_the_option_for_another",
    },
    "extensions/course/templates/inside/root_set.html": {"./breadcrumb report --json": ROOT_SET},
    "extensions/assistants/tools.py": {"./breadcrumb why {}{}": ASSISTANTS},
    "extensions/japanese/reader.py": {"./breadcrumb index --readings": READINGS},
    "extensions/course/lab.py": {"./breadcrumb lab": LABS, "./breadcrumb lab {}": OPEN_LAB},
    "extensions/machines/__init__.py": {"./breadcrumb cluster --store {} --fetch FOLDER": CLUSTER},
    "extensions/machines/cluster.py": {
        "./breadcrumb cluster --master {} --store {} {}": CLUSTER,
        "./breadcrumb cluster --store {} --fetch FOLDER": CLUSTER,
    },
    "extensions/course/inside/robots_page.py": {
        "./breadcrumb robots": TOO_LONG,
        "./breadcrumb robots FILE --dialect": TOO_LONG,
    },
    "extensions/course/templates/inside/contents.html": {"./breadcrumb report --json": PICTURE},
    "extensions/course/templates/inside/duplicates.html": {"./breadcrumb reparse": THRESHOLD},
    "extensions/course/templates/inside/links.html": {"./breadcrumb report": TOO_MANY_LINKS},
    "extensions/course/templates/inside/traps.html": {"./breadcrumb report traps --json": TOO_MUCH},
    "extensions/machines/cluster_jobs.py": {"./breadcrumb report{}": CLUSTER},
    "extensions/machines/farm.py": {
        "./breadcrumb crawl site": FIRST,
        "./breadcrumb farm SEEDS -n {}": FARM,
        "./breadcrumb index": FARM,
        "./breadcrumb report": FARM,
        "./breadcrumb search WORDS": FARM,
        "./breadcrumb serve": FARM,
        "./breadcrumb why URL": FARM,
    },
    "extensions/machines/opensearch/cluster.py": {"./breadcrumb cluster --yes": ADD_CLUSTER},
    "extensions/machines/pod.py": {"./breadcrumb cluster --yes": ADD_CLUSTER},
    "extensions/machines/store/remote.py": {"./breadcrumb cluster --yes": ADD_CLUSTER},
    "extensions/machines/store/shared_store.py": {
        "./breadcrumb cluster --master": CLUSTER,
        "./breadcrumb cluster --store {} --job": SPLIT,
    },
    "extensions/meaning/encoder.py": {"./breadcrumb index --meaning": MEANING},
    "extensions/progress/templates/inside/crawl.html": {"./breadcrumb plan SEEDS": PLAN},
    "extensions/robots_files/__init__.py": {"./breadcrumb robots --import FILES": ROBOTS_FILES},
    "extensions/rendering/browser.py": {"./breadcrumb crawl site -s {}": RENDERING},
    "extensions/robots_files/importing.py": {"./breadcrumb search": ROBOTS_FILES},
    "extensions/robots_files/templates/inside/robots_study.html": {"./breadcrumb report": ROBOTS_FILES},
    "extensions/tune/__init__.py": {"./breadcrumb tune --clicks": CLICKS},
    "extensions/tune/templates/operators/judge.html": {"./breadcrumb tune --clicks": CLICKS},
    "extensions/tune/tune.py": {"./breadcrumb why {}": NOT_INDEXED, "./breadcrumb search QUERY -s": TUNED},
    "frontier/budgets.py": {"./breadcrumb report traps": RELEASED, "./breadcrumb why {}": RELEASED},
    "frontier/store.py": {"./breadcrumb block --site {}": OPERATOR},
    "frontier/takedown.py": {"./breadcrumb block --lift --below {}": LIFT},
    "gateway/operators/admin_page.py": {
        "./breadcrumb block --anyway {}": ADMIN_ANYWAY,
        "./breadcrumb serve": OPENED,
        "BREADCRUMB_ADMIN_TOKEN": OPENED,
    },
    "gateway/served_crawl.py": {"./breadcrumb check": CHECK},
    "gateway/templates/bot.html": {"./breadcrumb block --site": ROBOT_PAGE},
    "gateway/templates/empty.html": {"./breadcrumb demo": DEMO},
    "gateway/visitor_forms.py": {"./breadcrumb serve -s": OPENED},
    "indexer/faults.py": {"./breadcrumb index": INDEX, "./breadcrumb index --rebuild": OLD_INDEX},
    "extensions/whoosh/folders/folder.py": {"-s TRUST_PICKLES=": WHOOSH, "-s WHOOSH_FIELDS=": WHOOSH},
    "indexer/retrieval/corpus.py": {"./breadcrumb farm": FARM},
    "package/breadcrumb/console.py": {
        "./breadcrumb test": "tests/launcher/test_set_up.py::"
        "test_test_adds_its_own_lock_and_the_commands_still_find_theirs"
    },
    "reports/health.py": {
        "./breadcrumb block": OPERATOR,
        "./breadcrumb block --below {} {}": OPERATOR,
        "./breadcrumb block --decline {}": OPERATOR,
        "./breadcrumb block --site {}": OPERATOR,
        "./breadcrumb block {} {}": OPERATOR,
        "./breadcrumb crawl site": NEXT_CRAWL,
        "./breadcrumb report x2": STOPPED,
        "./breadcrumb suggest --apply {} {}": OPERATOR,
        "./breadcrumb why {} x3": OPERATOR,
    },
    "extensions/plan/announcement.py": {"./breadcrumb block --site SITE": PLAN},
    "reports/report_rows.py": {"./breadcrumb suggest --apply": OPTIONS, "./breadcrumb {}": FINISH},
    "reports/summary.py": {
        "./breadcrumb report": WAITING,
        "./breadcrumb report traps": SUMMARY,
        "./breadcrumb search WORDS": SUMMARY,
        "./breadcrumb serve": SUMMARY,
        "./breadcrumb why {}": SITE_DOWN,
    },
    "reports/traps.py": {"./breadcrumb release {}": NEXT_CRAWL, "./breadcrumb release {} --site {}": PATTERN},
    "reports/why/record.py": {
        "./breadcrumb block URL": FORGET_THEN_BLOCK,
        "./breadcrumb crawl site -a": FARM,
        "./breadcrumb crawl site x7": NEXT_CRAWL,
        "./breadcrumb farm x2": FARM,
        "./breadcrumb forget URL": REMOVE,
        "./breadcrumb submit URL x2": NEXT_CRAWL,
        "./breadcrumb why {}": SHOWN,
    },
    "urls/rules.py": {
        "-s ALLOWED_PORTS=": PORTS,
        "-s BOT_URL=": OWNER,
        "-s CONTACT=": OWNER,
        "-s DOWNLOAD_MAXSIZE=": WIDER,
        "-s DOWNLOAD_TIMEOUT=": WIDER,
        "-s MAX_DEPTH=": WIDER,
        "-s SCOPE= x2": PORTS,
        "-s SITE_PAGES=": WIDER,
        "-s SKIPPED_ENDINGS=": WIDER,
        "-s SKIP_QUERIES=": WIDER,
        "-s TRUST_LASTMOD=": LASTMOD,
        "./breadcrumb crawl site": NEXT_CRAWL,
        "./breadcrumb crawl site -s RENDER": RENDERED,
        "./breadcrumb crawl site -a": FIRST,
        "./breadcrumb release URL": NEXT_CRAWL,
        "./breadcrumb reparse": REPARSE,
        "./breadcrumb report traps": PATTERN,
        "./breadcrumb submit ADDRESS x2": CHAIN,
        "./breadcrumb submit URL x3": NEXT_CRAWL,
    },
    "extensions/suggest/__init__.py": {"./breadcrumb suggest --off {} {}": ALIAS_LOOP},
}


def texts_of(path: str) -> Iterator[str]:
    """Yield the texts of a file that a person may read, with {} for what is filled in."""
    source = (ROOT / path).read_text("utf-8")
    if path.endswith(".html"):
        yield source
        return
    if not WORDS.search(source):  # three seconds for all files, else
        return
    yield from texts_in(ast.parse(source))


def texts_in(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a piece of code but its docstrings, with {} for what is filled in."""
    left_out = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            left_out.add(id(body[0].value))  # a docstring
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(map(_piece, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _piece(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    named = isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) and part.value.id == "PROGRAM"
    return "./breadcrumb" if named else "{}"


def printed_advice() -> dict[str, set[str]]:
    """Return the commands and settings in the texts of each file; a number marks those that occur again."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.py", "*.html", "breadcrumb"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = {}
    for path in listed.stdout.split():
        if not path.startswith(NOT_PRINTED) and (ROOT / path).exists():
            met = Counter(
                advice for text in texts_of(path) for advice in ADVICE.findall(text) if not NAME.fullmatch(text)
            )
            if met:
                found[path] = {advice if count == 1 else f"{advice} x{count}" for advice, count in met.items()}
    return found


def test_every_command_and_setting_that_is_printed_has_a_test_that_carries_it_out() -> None:
    found = printed_advice()
    expected = {
        path: set(cases)
        for path, cases in CASES.items()
        if (ROOT / path).exists() or not path.startswith("extensions/")
    }
    assert found == expected, "carry out what is new in a test, and name it in CASES"


def test_every_case_is_a_test() -> None:
    for cases in CASES.values():
        for case in cases.values():
            path, _, name = case.partition("::")
            if path.startswith("tests/extensions/") and not (ROOT / path).exists():
                continue  # it left with its extension
            assert f"def {name}(" in (ROOT / path).read_text("utf-8"), case
