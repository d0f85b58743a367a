"""Files are there whole or not at all."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

_PRIVATE = 0o600
_USUAL = 0o666  # less what the process takes away


def write_file(path: Path, data: bytes, *, replace: bool = False, private: bool = False) -> None:
    """Write a file under another name first; it gets its own once the disk has all of it.

    A full disk, a crash or a power cut leaves nothing under the file's name, or what was there. `replace`: a
    file of this name may be replaced, else FileExistsError. `private`: only the owner may read it, as lists
    of people and their pseudonyms.
    """
    unfinished = path.with_name(f".anonaudit-{secrets.token_hex(8)}.part")
    try:
        rights = _PRIVATE if private else _USUAL
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _give_name(unfinished, path, replace=replace)
    finally:
        unfinished.unlink(missing_ok=True)


def _give_name(unfinished: Path, path: Path, *, replace: bool) -> None:
    if replace:
        unfinished.replace(path)
    else:
        try:
            path.hardlink_to(unfinished)  # never replaces a file, as renaming would
        except FileExistsError:
            raise
        except OSError:  # a disk without links
            if path.exists() or path.is_symlink():
                raise FileExistsError(path) from None
            unfinished.replace(path)
    with suppress(OSError):  # a system where folders cannot be flushed
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
