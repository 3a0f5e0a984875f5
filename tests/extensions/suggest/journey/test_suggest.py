"""What a crawl shows about the names of pages is proposed, and the next crawl requests each page once."""

import json

from tests.journey.conftest import Folder, Site
from tests.journey.findings.test_aliases import two_names_for_each_page


def test_what_the_crawl_saw_is_proposed_and_applied_and_the_next_crawl_asks_once(site: Site, folder: Folder) -> None:
    two_names_for_each_page(site)
    folder.crawl(f"{site.url}/", PROBE_AFTER=0)
    [found] = [each for each in json.loads(folder.run("suggest", "--json").stdout)["evidence"] if each["proposed"]]
    assert (found["option"], found["agree"], found["differ"]) == ("index-page", 6, 0)
    assert folder.run("suggest", "--apply").returncode == 0
    site.log.clear()
    assert folder.crawl(PROBE_AFTER=0).returncode == 0
    assert not [path for path in site.asked() if path.endswith("index.html")]
    numbers = folder.report()
    assert numbers["suppressed"] == {"alias": 6}
    urls = numbers["urls"]
    assert urls["discovered"] == sum(count for state, count in urls.items() if state != "discovered")
