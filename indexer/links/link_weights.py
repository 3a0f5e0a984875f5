"""How much does a link count? Whole, unless there is a reason why it says less.

A link that says nofollow is not among them: its author vouches for nothing. The others weigh 1, but for

    TEMPLATE    what a site repeats on many of its pages (menus, footers) was decided once, and says what the site has
    NEAR_COPY   pages that say nearly the same are one page at several addresses, and nobody vouches for himself
    OWN_SITE    a link within a site is how one moves there, too; one from another site is a recommendation (Kleinberg,
                "Authoritative Sources in a Hyperlinked Environment", 1999, section 2: intrinsic and transverse links)

A link with several of these has their product. The file stands alone: who shows a weight need not wait for numpy.
"""

TEMPLATE, NEAR_COPY, OWN_SITE = 0.1, 0.1, 0.5
