"""How does Breadcrumb crawl by default? Safely, politely, and with a limit on everything.

Scrapy reads this file, and so do the commands that need no Scrapy. Every setting can be changed for one run with `-s
NAME=VALUE`; docs/settings.md gives the reason of each at more length.
"""

from extension_points import added_settings
from spiders.own_folders import default_data_folder

# -- Where, and who -----------------------------------------------------------------------------------------------
DATA_DIR = default_data_folder()  # "data" in a clone; everything that Breadcrumb learns is kept there
CONTACT = ""  # an e-mail address, sent as From; must be set before a fetch leaves this network
BOT_URL = ""  # the page with the robot's policy, shown in the User-Agent; must be set likewise
PRODUCT = "Breadcrumb"  # the token that a robots.txt or a meta element calls us by

# -- What is fetched ----------------------------------------------------------------------------------------------
SCOPE = "host"  # "host": the seeds' sites; "domain": their registered domains as well
ALLOWED_PORTS: list[int] = []  # in addition to 80, 443 and the ports of the seeds
MAX_DEPTH = 25  # links from a seed: a deeper page is hardly ever meant to be found
TRAP_PATIENCE = 20  # pages of one pattern in a row without new content; then it is closed. 0: never
PATTERN_PAGES = 200  # at first, of URLs that differ only in numbers or values; each new page allows ten more
SITE_PAGES = 50_000  # URLs of one site; of a registered domain with SCOPE = "domain"
SKIPPED_ENDINGS = [  # of file names that never hold text: such URLs are not requested, except …
    "7z", "apk", "avi", "bin", "bmp", "bz2", "css", "deb", "dmg", "doc", "eot", "exe", "gif", "gz", "ico", "iso", "jar",
    "jpeg", "jpg", "js", "m4a", "m4v", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "ods", "ogg", "otf", "png",
    "ppt", "ps", "rar", "rpm", "svg", "swf", "tar", "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp", "wmv", "woff",
    "woff2", "xls", "xlsx", "xz", "zip",
]  # fmt: skip
LOOKED_AT_ENDINGS = [  # of these, documents and pictures: requested for their header lines alone
    "bmp", "doc", "gif", "jpeg", "jpg", "ods", "png", "ppt", "ps", "svg", "tif", "tiff", "webp", "xls", "xlsx",
]  # fmt: skip
ROBOTS_UNREACHABLE = "rfc9309"  # a robots.txt that fails: "rfc9309", or "google" as in Google's document of 2019
ROBOTS_MISSPELT = False  # whether misspelt fields count in a robots.txt without any rule that is understood
ROBOTS_DENIAL = "open"  # a robots.txt answered 401 or 403: "open", RFC 9309; "closed", the texts of 1996 and the book
SKIP_QUERIES = False  # leave out what programs make: URLs with a query, or with /cgi-bin/ in their path
STALE_AFTER = 3  # 404 or 410 responses in a row; then a URL is no longer requested
PRIORITY = "breadth"  # within a host: "breadth" first, or "worth": the highest priority first
MAX_REVISIT = 30 * 24 * 3600.0  # seconds: with mode=due every page is fetched again by then, even if it never changes
BLACKLIST_FILE = ""  # a file of URLs, sites and patterns that are never fetched; read again whenever it changes
TRUST_LASTMOD = False  # whether to skip a page that is older than its stored copy by its sitemap's date
PROBE_AFTER = 20  # pages of a site before the probes: one missing page, and three pages again; 0: never
NEAR_DUPLICATE_THRESHOLD = 0.45  # estimated share of common word triples; 1 looks for none

# -- At which pace ------------------------------------------------------------------------------------------------
DOWNLOAD_DELAY = 1.0  # seconds between two requests to a host; loopback is exempt unless a run gives a delay itself
CONCURRENT_REQUESTS_PER_DOMAIN = 1  # connections to a host; 8 on loopback, unless a run gives this or a delay itself
REQUESTS_PER_MINUTE = 60  # to a host, spread evenly; 0: no ceiling. Loopback is exempt as from the delay
ADAPTIVE_DELAY = 1.0  # seconds of pause for each second that a host worked; 0: off. Loopback: as above
MAX_CRAWL_DELAY = 60.0  # seconds: the most that a robots.txt, or a host's slowness, can put between two requests
CONCURRENT_REQUESTS = 64  # of all hosts that respond together; each host has its own, far lower, limit
CONCURRENT_ITEMS = 1  # a callback yields one item; Scrapy starts this many tasks for each response
DOWNLOAD_DELAY_JITTER = 0.0  # a delay is a promise to a site; jitter would break it half the time
RETRY_ATTEMPTS = 3  # requests for one URL in a round, the first included
RETRY_DELAY = 2.0  # seconds before the second one; each later one waits twice as long
MAX_REQUESTS = 1_000_000  # of one run, robots.txt included: it stops a robot that runs away; 0: no limit
WAIT_SECONDS = 60.0  # a run waits this long for URLs that are not due; then it ends, and the next one continues
STOP_SECONDS = 5.0  # after Ctrl-C, for the responses that are still under way

# -- The search page -----------------------------------------------------------------------------------------------
ALLOWED_HOSTS: list[str] = []  # host names of the search page, in addition to this machine's own and that of BOT_URL
ALLOW_SUBMIT = False  # whether visitors of the search page may hand in URLs of the sites that are crawled
COMPLAINTS_PER_HOUR = 20  # proposals of a block that the policy page takes; 0: it has no form for them
ADMIN_TOKEN = ""  # what opens the admin page: at least 16 characters; "": it is off
ADMIN_OVER_HTTP = False  # whether it opens over plain HTTP from the network, where others on the way read the token
SEARCH_TIMEOUT = 3.0  # seconds for one query; parts that take longer are left out, and named
RANKING: list[str] = []  # weights that differ from those of the ranking, as `anchors=2` (indexer/ranking/weights.py)
SPOOF_SIGNALS = [  # signals of spoofing that lower the score of a page; none with an empty list
    "hidden-text", "stuffing", "doorway", "link-farm", "anchor-bomb", "cloaking",
]  # fmt: skip
SPOOF_PENALTY = 0.99  # share of its score that one signal at full strength takes from a page
LINK_ONLY_RESULTS = True  # whether a page that robots.txt forbids is a result by the words of the links to it

# -- The index ----------------------------------------------------------------------------------------------------
INDEX = ""  # where it is kept: "": in the data folder; else in a cluster, as opensearch://localhost:9200/breadcrumb
INDEX_FOLLOW = True  # a crawl also runs the index writer, and an import at its end
PAGERANK_DAMPING = 0.85  # how likely a reader follows a link, and does not begin again at a seed

# -- Scrapy, where its defaults are wrong for a search engine -------------------------------------------------------
BOT_NAME = "breadcrumb"
SPIDER_MODULES = ["spiders.site"]
NEWSPIDER_MODULE = "own_spiders"  # where `scrapy genspider` writes: the root of the project is no place for spiders
COMMANDS_MODULE = "commands.crawl"
DEFAULT_REQUEST_HEADERS = {  # documents and feeds are taken where there is no page
    "Accept": "text/html,application/xhtml+xml,text/plain;q=0.8,application/*;q=0.5,text/xml;q=0.5"
}
ROBOTSTXT_OBEY = False  # Scrapy's own reading; in a crawl ours is always on (spiders/robots_gate.py)
DOWNLOAD_VERIFY_CERTIFICATES = True
DOWNLOAD_MAXSIZE = 10 * 1024 * 1024  # bytes, before and after decompression
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 30  # seconds for a whole response: a slow drip can't hold a connection
HEADERS_TIMEOUT = 10.0  # seconds from the first byte of a response to the end of its header lines
LARGE_ANSWERS_MAXSIZE = 20 * 1024 * 1024  # bytes under way of bodies over half a MiB; further ones wait, unread
DNS_TIMEOUT = 10
REACTOR_THREADPOOL_MAXSIZE = 40  # look-ups at once: eight names that hang are looked up each three seconds, for ten
DOWNLOAD_HANDLERS = {
    "http": "spiders.downloader.handler.BoundedDownloadHandler",
    "https": "spiders.downloader.handler.BoundedDownloadHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
TWISTED_DNS_RESOLVER = "spiders.downloader.resolver.GuardedResolver"
HTTPERROR_ALLOW_ALL = True
URLLENGTH_LIMIT = 0
# The complete components of a crawl. Scrapy imports everything that its own lists name, also what is switched off. The
# libraries of cookies, proxies and remote control take a sixth of a second.
DOWNLOADER_MIDDLEWARES_BASE = {
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": 350,
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": 400,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": 500,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": 550,  # outside a crawl, like redirects
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": 580,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": 600,
    "scrapy.downloadermiddlewares.stats.DownloaderStats": 850,
}
DOWNLOADER_MIDDLEWARES = {
    "spiders.pace.pace_middleware.PaceMiddleware": 90,
    "spiders.robots_gate.RobotsGateMiddleware": 100,
    "spiders.without_crawl.WithoutCrawlMiddleware": 110,
    "spiders.downloader.handler.ContentCodingMiddleware": 590,
}
SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
    "scrapy.spidermiddlewares.referer.RefererMiddleware": None,  # we send it ourselves, from the frontier
}
ITEM_PIPELINES = {"pipelines.item_pipelines.StoreStage": 900}  # pipelines/filters.py has the filters, in their order
EXTENSIONS_BASE = {
    "scrapy.extensions.corestats.CoreStats": 0,
    "scrapy.extensions.logcount.LogCount": 0,
    "scrapy.extensions.memusage.MemoryUsage": 0,
    "scrapy.extensions.closespider.CloseSpider": 0,
    "scrapy.extensions.feedexport.FeedExporter": 0,
    "scrapy.extensions.logstats.LogStats": 0,
}
EXTENSIONS = {"spiders.progress.Progress": 100, "spiders.sitemap_lines.SitemapLines": 200}
LOG_LEVEL = "ERROR"  # the journal has what is wrong with a page; -L INFO shows what Scrapy says
LOG_VERSIONS: list[str] = []
LOGSTATS_INTERVAL = 0
STATS_DUMP = False
MEMUSAGE_LIMIT_MB = 4096
WARN_ON_GENERATOR_RETURN_VALUE = False

# -- What extensions add: the settings.toml of each has their defaults ----------------------------------------------
globals().update(added_settings())
