"""Files that a command will write: looked at before the work starts."""

from __future__ import annotations

import os
from pathlib import Path

from heteroopt.errors import HeteroOptError


def check_targets(*paths: str | None) -> None:
    """Raise ``HeteroOptError`` (``file``) unless every file that is named can be written where it is to be."""
    for path in paths:
        if path is None:
            continue
        target = Path(path)
        folder = target.parent
        if target.is_dir():
            problem = "it is a folder"
        elif not folder.is_dir():
            problem = f"there is no folder {str(folder)!r}"
        elif not os.access(target if target.exists() else folder, os.W_OK):
            problem = "it may not be written"
        else:
            continue
        raise HeteroOptError(
            "file", f"{path} cannot be written: {problem}.", hint="Name a file in a writable folder.", path=path
        )
