"""Writing the site: the folder holds this site and nothing else, or is left as it was."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

MARK = ".queuecheck-site"


class SiteError(Exception):
    """The folder cannot take the site; the message is one line."""


def write(pages: Mapping[str, str], folder: Path) -> None:
    """Puts the pages in the place of an earlier site, or of nothing. Raises SiteError, OSError."""
    if folder.exists() and not _is_ours(folder):
        raise SiteError(
            f"{folder} holds something else than a site of ours; name a folder that is empty or new"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        (fresh / MARK).touch()
        for name, text in pages.items():
            (fresh / name).write_text(text, encoding="utf-8")
        fresh.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        fresh.replace(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    return folder.is_dir() and ((folder / MARK).exists() or not any(folder.iterdir()))
