"""The documentation as a static site: a page for each area and each requirement, without scripts.

``site`` makes all files from values; ``written`` puts them where they belong.
"""

from queuecheck.site.folder import SiteError, write
from queuecheck.site.pages import Judged, site

__all__ = ["Judged", "SiteError", "site", "write"]
