"""Zip archives whose bytes depend on their content alone."""

from __future__ import annotations

import io
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first moment that the format can express


class ReproducibleZip(ZipFile):
    """A zip archive for writing in which every member carries the same date."""

    def writestr(  # type: ignore[override]
        self, name: str, data: bytes | str, compress_type: int | None = None, compresslevel: int | None = None
    ) -> None:
        """Add a member from memory."""
        member = ZipInfo(name, _EARLIEST)
        member.external_attr = 0o644 << 16
        super().writestr(member, data, compress_type or ZIP_DEFLATED, compresslevel)

    def write(  # type: ignore[override]
        self, filename: str | PathLike[str], arcname: str | None = None
    ) -> None:
        """Add a member from a file, under another name."""
        self.writestr(arcname or Path(filename).name, Path(filename).read_bytes())


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """Return files, by name, as one archive."""
    buffer = io.BytesIO()
    with ReproducibleZip(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()
