"""Bytes that htslib reads as a file although they never become one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def memory_file(content: bytes) -> Iterator[BinaryIO]:
    """Yield an open file with this content and no name; in memory where the system can (Linux).

    Elsewhere it is a temporary file without a name, gone when it is closed.
    """
    with _nameless() as file:
        file.write(content)
        file.flush()
        file.seek(0)
        yield file


def _nameless() -> BinaryIO:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("anonaudit"), "w+b")
    return tempfile.TemporaryFile("w+b")
