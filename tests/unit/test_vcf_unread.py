"""Bytes that no reader shows: in BGZF blocks, after the end, and in BCF."""

import io
import struct

import pytest

from core.vcf import VcfFile, VcfPair, VcfSettings, judge_scan, scan_pair
from core.vcf.files import EOF_MARKER, read_pieces
from core.vcf.unread import unread_bytes
from core.verdict import Verdict
from tests.vcf_files import bcf, bgzf, masked_header, vcf_file, vcf_text

LINES = ["chr1 100 . A G . . AF=0.3 GT 0/1 0/0", "chr1 200 . A C . . AF=0.2 GT 1/1 ./."]
TEXT = vcf_text(LINES, samples=("a", "b"), header=masked_header())
WHOLE = bgzf(TEXT, block=200)


def _with_extra_field(content: bytes) -> bytes:
    size = int.from_bytes(content[16:18], "little") + 1
    extra = b"XX\x04\x00evil"
    head = (
        content[:10]
        + (6 + len(extra)).to_bytes(2, "little")
        + content[12:16]
        + (size + len(extra) - 1).to_bytes(2, "little")
        + extra
    )
    return head + content[18:]


def _first_size(content: bytes) -> int:
    return int.from_bytes(content[16:18], "little") + 1


def _empty_block(payload: bytes) -> bytes:
    size = 18 + len(payload) + 8
    return EOF_MARKER[:16] + (size - 1).to_bytes(2, "little") + payload + bytes(8)


EMPTY_STORED = b"\x00\x00\x00\xff\xff"  # a deflate block of nothing, to be followed by others
CASES = {
    "extra field": (_with_extra_field(WHOLE), "extra field of block 1, byte 12"),
    "time": (WHOLE[:4] + b"evil" + WHOLE[8:], "time of block 1, byte 4"),
    "after the end": (WHOLE + b"evil", f"after the end marker, from byte {len(WHOLE):,} on"),
    "one byte after the end": (WHOLE + b"\x00", f"after the end marker, from byte {len(WHOLE):,} on"),
    "empty block": (
        WHOLE[: _first_size(WHOLE)]
        + _empty_block(EMPTY_STORED * 3 + b"\x03\x00")
        + WHOLE[_first_size(WHOLE) :],
        f"empty block 2, byte {_first_size(WHOLE) + 18:,}",
    ),
    "a block after an end marker": (
        WHOLE[: _first_size(WHOLE)] + EOF_MARKER + WHOLE[_first_size(WHOLE) :],
        f"block 3 after an end marker, from byte {_first_size(WHOLE) + len(EOF_MARKER):,} on",
    ),
    "two end markers": (
        WHOLE + EOF_MARKER,
        f"after an end marker, from byte {len(WHOLE):,} on",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_unread_bytes__of_blocks_are_found_and_fail(case: str) -> None:
    content, place = CASES[case]
    found = unread_bytes(VcfFile(name="x.vcf.gz", content=content))
    assert len(found) == 1
    assert found[0].endswith(place)
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", vcf_text(LINES, samples=("a", "b"))),
        anonymized=VcfFile(name="high_anony_x.vcf.gz", content=content),
        level="high",
    )
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    exposure = next(one for one in audit.exposure if one.check == "bytes_unread")
    assert exposure.verdict is Verdict.FAIL
    assert exposure.places == found


@pytest.mark.parametrize(
    "content", [WHOLE, bgzf(TEXT), TEXT, bgzf(b"")], ids=["blocks", "one", "text", "nothing"]
)
def test_unread_bytes__none_in_what_bgzip_writes(content: bytes) -> None:
    assert unread_bytes(VcfFile(name="x.vcf.gz", content=content)) == ()


def _binary(lines: list[str] = LINES, header: tuple[str, ...] = ()) -> bytes:
    text = vcf_text(lines, samples=("a", "b"), header=[*masked_header(), *header])
    return b"".join(read_pieces(VcfFile(name="x", content=bcf(text))))


def _found(binary: bytes) -> tuple[str, ...]:
    return unread_bytes(VcfFile(name="x.bcf", content=bgzf(binary)))


RICH = (
    '##INFO=<ID=ZS,Number=.,Type=String,Description="x">',
    '##INFO=<ID=ZI,Number=.,Type=Integer,Description="x">',
    '##INFO=<ID=ZF,Number=0,Type=Flag,Description="x">',
    '##FORMAT=<ID=AD,Number=.,Type=Integer,Description="x">',
    '##FORMAT=<ID=TX,Number=1,Type=String,Description="x">',
    '##FILTER=<ID=q10,Description="x">',
)
RICH_LINES = [
    (
        "chr1 100 rs1;rs2 A G,CCCCCCCCCCCCCCCCCCCCCC 3.5 q10 AF=0.3,0.1;ZS=abc,de;ZI=1,70000,3;ZF GT:AD:TX "
        "0/1:1,2,3:u 0:4:vwx"
    ),
    "chr1 200 . A . . . . GT:AD ./.:. 1/1:7,8",
    "chr2 300 . ACGT <DEL> 10 PASS ZI=.;ZS=. GT 0|1 .",
]


def test_unread_bytes__none_in_what_htslib_writes_as_bcf() -> None:
    assert _found(_binary()) == ()
    assert _found(_binary(RICH_LINES, RICH)) == ()


def test_unread_bytes__behind_the_header_of_bcf() -> None:
    binary = _binary()
    length = int.from_bytes(binary[5:9], "little")
    header = binary[9 : 9 + length] + b"evil\x00"
    changed = binary[:5] + len(header).to_bytes(4, "little") + header + binary[9 + length :]
    assert _found(changed) == (f"behind the header's text, byte {length:,} of it",)


def _records(binary: bytes) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    length = int.from_bytes(binary[5:9], "little")
    stream = io.BytesIO(binary[9 + length :])
    records = []
    while lengths := stream.read(8):
        shared, samples = struct.unpack("<II", lengths)
        records.append((stream.read(shared), stream.read(samples)))
    return binary[: 9 + length], records


def _joined(head: bytes, records: list[tuple[bytes, bytes]]) -> bytes:
    return head + b"".join(struct.pack("<II", len(a), len(b)) + a + b for a, b in records)


def test_unread_bytes__behind_the_fields_of_bcf() -> None:
    head, records = _records(_binary(RICH_LINES, RICH))
    assert _found(_joined(head, records)) == ()
    for place in range(3):
        for part in range(2):
            changed = [list(record) for record in records]
            changed[place][part] += b"evil"
            assert _found(_joined(head, [tuple(one) for one in changed])) == (  # type: ignore[misc]
                f"behind a field of record {place + 1}",
            )


def test_unread_bytes__behind_the_end_of_a_text_or_a_list() -> None:
    head, records = _records(_binary(RICH_LINES, RICH))
    shared, samples = records[0]
    assert b"u\x00\x00\x00vwx\x00" in samples
    hidden = samples.replace(b"u\x00\x00\x00", b"u\x00ev")
    assert _found(_joined(head, [(shared, hidden), *records[1:]])) == ("behind a field of record 1",)
    depths = b"\x01\x02\x03\x04\x81\x81"
    assert depths in samples
    hidden = samples.replace(depths, b"\x01\x02\x03\x04\x81\x07")
    assert _found(_joined(head, [(shared, hidden), *records[1:]])) == ("behind a field of record 1",)


def test_judge__two_files_without_records_are_not_assessed() -> None:
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", vcf_text([])),
        anonymized=vcf_file("high_anony_x.vcf.gz", vcf_text([], header=masked_header())),
        level="high",
    )
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    assert audit.verdict is Verdict.PASS
    assert audit.overall is Verdict.NOT_ASSESSED
    assert [one.check for one in audit.exposure] == ["no_records"]


@pytest.mark.parametrize("n_bytes", [1, 9, 20])
def test_unread_bytes__fields_longer_than_their_record_are_told_too(n_bytes: int) -> None:
    head, records = _records(_binary(RICH_LINES, RICH))
    shared, samples = records[0]
    for cut in ((shared[:-n_bytes], samples), (shared, samples[:-n_bytes])):
        assert _found(_joined(head, [cut, *records[1:]])) == ("behind a field of record 1",)


def test_unread_bytes__behind_a_text_of_info() -> None:
    head, records = _records(_binary(RICH_LINES, RICH))
    shared, samples = records[0]
    assert b"abc,de" in shared
    hidden = shared.replace(b"abc,de", b"abc\x00de")
    assert _found(_joined(head, [(hidden, samples), *records[1:]])) == ("behind a field of record 1",)


def test_unread_bytes__kinds_of_blocks_that_differ() -> None:
    at = WHOLE.index(b"\x1f\x8b", 1)
    changed = WHOLE[: at + 8] + b"\x07" + WHOLE[at + 9 :]
    assert unread_bytes(VcfFile(name="x.vcf.gz", content=changed)) == (f"kind of block 2, byte {at + 8:,}",)


def test_unread_bytes__what_bcf_leaves_open() -> None:
    """The length of a record, and the phase of a genotype's first allele."""
    bare = _binary(["chr1 100 . A G . . . GT 0/1 0|0"])
    head, ((shared, samples),) = _records(bare)
    assert _found(bare) == ()
    assert _found(_joined(head, [(shared[:8] + b"\x09" + shared[9:], samples)])) == (
        "behind a field of record 1",
    )
    for place, is_told in ((-4, True), (-2, False)):
        changed = bytearray(samples)
        changed[place] |= 1
        assert bool(_found(_joined(head, [(shared, bytes(changed))]))) == is_told


def test_unread_bytes__the_phase_of_an_allele_that_is_alone() -> None:
    """Versions of htslib write it in two forms, each of them alone."""
    head, records = _records(_binary(["chr1 100 . A G . . . GT 1 0", "chr1 200 . A G . . . GT 1 0"]))
    forms = [
        [
            (shared, samples[:-2] + bytes(byte & ~1 | bit for byte in samples[-2:]))
            for shared, samples in records
        ]
        for bit in (0, 1)
    ]
    assert [_found(_joined(head, form)) for form in forms] == [(), ()]
    mixed = [forms[0][0], forms[1][1]]
    assert _found(_joined(head, mixed)) == ("behind a field of record 2",)


WIDER = {
    "a genotype": (1, b"\x21\x02\x04\x03\x03", b"\x22\x02\x00\x04\x00\x03\x00\x03\x00"),
    "a number of INFO": (0, b"\x11\x07", b"\x12\x07\x00"),
    "how many letters there are": (0, b"\x17A", b"\xf7\x11\x01A"),
    "of nothing": (0, b"\x17G\x00", b"\x17G\x50"),
}


@pytest.mark.parametrize("case", WIDER)
def test_unread_bytes__more_bytes_than_are_needed(case: str) -> None:
    head, (record,) = _records(_binary(["chr1 100 . A G . . ZI=7 GT 0/1 0|0"], RICH))
    part, short, wide = WIDER[case]
    changed = list(record)
    assert short in changed[part]
    changed[part] = changed[part].replace(short, wide, 1)
    assert _found(_joined(head, [record])) == ()
    assert _found(_joined(head, [(changed[0], changed[1])])) == ("behind a field of record 1",)


@pytest.mark.parametrize("number", [-121, -120, 127, 128, -32761, -32760, 32767, 32768])
def test_unread_bytes__numbers_as_wide_as_htslib_writes_them(number: int) -> None:
    line = f"chr1 100 . A G . . ZI={number},. GT:AD 0/1:{abs(number)} 0|0:."
    assert _found(_binary([line], RICH)) == ()


def test_unread_bytes__of_bcf_that_is_not_compressed() -> None:
    plain = _binary(["chr1 100 . A G . . . GT 0/1 0|0"])
    assert unread_bytes(VcfFile(name="x.bcf", content=plain)) == ()
    length = int.from_bytes(plain[5:9], "little")
    longer = plain[9 : 9 + length] + b"evil\0"
    changed = plain[:5] + len(longer).to_bytes(4, "little") + longer + plain[9 + length :]
    assert unread_bytes(VcfFile(name="x.bcf", content=changed)) != ()


@pytest.mark.parametrize(
    ("ends", "is_told"), [(("\n", "\n"), False), (("\r\n",) * 2, False), (("\r\n", "\n"), True)]
)
def test_judge_scan__line_ends_of_two_kinds(ends: tuple[str, str], is_told: bool) -> None:
    head = TEXT.decode().rsplit("\nchr1", 2)[0]
    lines = "".join(line.replace(" ", "\t") + end for line, end in zip(LINES, ends, strict=True))
    text = f"{head}\n{lines}"
    file = VcfFile(name="x.vcf", content=text.encode())
    pair = VcfPair(original=file, anonymized=file, level="high")
    assert (scan_pair(pair, VcfSettings()).unread != ()) == is_told
