"""The report as JSON inside its page: the page alone can be read again, repeated and signed off."""

import base64
import binascii
import re
import zlib

_BEGINS = (b"<!doctype html", b"<!DOCTYPE html")
_CARRIED = re.compile(rb'<meta name="anonaudit-report" content="([A-Za-z0-9+/=]+)">')
_WITHIN = 1 << 26  # bytes of a page that are looked at


def carry(document: bytes) -> str:
    """Return a report as JSON as a page holds it: deflated, in Base64."""
    return base64.b64encode(zlib.compress(document, 9)).decode("ascii")


def carried_in(data: bytes, *, most: int) -> bytes | None:
    """Return the report as JSON that a page of ours holds.

    None of another file, of one that was cut short, and of more than `most` bytes.

    >>> page = f'<!doctype html><meta name="anonaudit-report" content="{carry(b"{}")}">'
    >>> carried_in(page.encode(), most=9)
    b'{}'
    """
    if not data.startswith(_BEGINS) or (found := _CARRIED.search(data, 0, _WITHIN)) is None:
        return None
    try:
        unpack = zlib.decompressobj()
        document = unpack.decompress(base64.b64decode(found[1], validate=True), most + 1)
    except (binascii.Error, zlib.error):
        return None
    return document if unpack.eof and len(document) <= most else None
