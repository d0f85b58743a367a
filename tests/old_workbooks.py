"""Workbooks of the old kind (.xls) for tests, made by hand."""

import struct

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def record(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def old_workbook(
    *rows: list[str | float | bool],
) -> bytes:
    """Return an .xls workbook: BIFF8 records in an OLE file."""

    def cell(row: int, column: int, value: str | float | bool) -> bytes:
        place = struct.pack("<HHH", row, column, 0)
        if isinstance(value, bool):
            return record(0x0205, place + bytes([value, 0]))
        if isinstance(value, str):
            return record(0x0204, place + struct.pack("<HB", len(value), 1) + value.encode("utf-16-le"))
        return record(0x0203, place + struct.pack("<d", value))

    def begin(kind: int) -> bytes:
        return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 1996, 0, 6))

    end = record(0x000A, b"")
    name = b"S"
    size = len(begin(5)) + 4 + 8 + len(name) + len(end)
    stream = begin(5) + record(0x0085, struct.pack("<IBBBB", size, 0, 0, len(name), 0) + name) + end
    cells = [cell(i, j, value) for i, row in enumerate(rows) for j, value in enumerate(row)]
    stream += begin(0x10) + b"".join(cells) + end
    padded = {"Workbook": sectors(stream, least=4096)}
    entries, sector = [entry("Root Entry", 5, 1, -2, 0)], 1 + -(-(len(padded) + 1) // 4)
    chains = [-3, *range(2, sector), -2]
    for number, (label, data) in enumerate(padded.items(), 1):
        right = number + 1 if number < len(padded) else -1
        entries.append(entry(label, 2, -1, sector, len(data), right=right))
        chains += [*range(sector + 1, sector + len(data) // 512), -2]
        sector += len(data) // 512
    fat = struct.pack("<128i", *(chains + [-1] * 128)[:128])
    header = OLE + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIiIiI", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, -2, 0, -2, 0)
    header += struct.pack("<109i", 0, *[-1] * 108)
    return header + fat + sectors(b"".join(entries)) + b"".join(padded.values())


def sectors(data: bytes, *, least: int = 0) -> bytes:
    """Fill the last sector up."""
    return data.ljust(max(least, -(-len(data) // 512) * 512), b"\0")


def entry(label: str, kind: int, child: int, start: int, length: int, *, right: int = -1) -> bytes:
    encoded = label.encode("utf-16-le")
    text = encoded.ljust(64, b"\0") + struct.pack("<H", len(encoded) + 2)
    links = struct.pack("<BBiii", kind, 1, -1, right, child)
    return text + links + bytes(36) + struct.pack("<iQ", start, length)
