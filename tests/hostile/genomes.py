"""Pairs of genome files, changed by a seeded hand: bytes, blocks, cuts, fields, lines and headers."""

import functools
import random
import struct
from collections.abc import Callable

from core.vcf.files import VcfFile, read_pieces
from tests.hostile.corpus import PIECES, PLANTED, Hostile, packed_changes
from tests.vcf_files import HEADER, bcf, bgzf, masked_header, vcf_text

DECLARED = (
    *HEADER,
    "##contig=<ID=chrU>",
    '##FILTER=<ID=q10,Description="x">',
    '##INFO=<ID=DP,Number=1,Type=Integer,Description="x">',
    '##INFO=<ID=CSQ,Number=.,Type=String,Description="Allele|Gene">',
    '##INFO=<ID=DB,Number=0,Type=Flag,Description="x">',
    '##INFO=<ID=END,Number=1,Type=Integer,Description="x">',
    '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="x">',
    '##FORMAT=<ID=GQ,Number=1,Type=Float,Description="x">',
    '##FORMAT=<ID=PID,Number=1,Type=String,Description="x">',
    '##FORMAT=<ID=PS,Number=1,Type=Integer,Description="x">',
    f'##SAMPLE=<ID={PLANTED}1,Description="x">',
)
SAMPLES = [f"{PLANTED}{i}" for i in range(3)]
CALLS = "GT:AD:GQ 0/1:4,5:30 0/0:9,0:31.5 ./.:.:."
RECORDS = [
    f"chr1 100 rs1 A G 50 PASS AF=0.001;DP=3;CSQ=G|BRCA {CALLS}",
    f"chr1 100 . A T 50 PASS AF=0.2 {CALLS}",
    f"chr1 150 . ATG A . q10 MAF=0.004;DB {CALLS}",
    "chr1 151 . T *,C . . AC=1,2;AN=600 GT:PID:PS 0|1:150_ATG_A:150 0|2:.:. 0/0:.:.",
    f"chr1 200 . A ACACACACACACACAC . . AF=0.3 {CALLS}",
    f"chr1 240 . C <DEL> nan PASS END=400;AF=0.4 {CALLS}",
    f"chr1 500 x;y N A[chr2:7[ 1e3 PASS . {CALLS}",
    f"chr1 700 . G A,C,T . PASS AF=0.1,0.2,0.3 {CALLS}",
    f"chr2 7 . N ]chr1:500]A . . . {CALLS}",
    "chr2 90 . A G . . AF=0.4 GT 1 0 .",
    "chr2 91 . A G . . AF=inf GT 0/1 0|1 1/1",
    "chrU 5 . A . . . . GT . . .",
]
CELLS = [
    *("", ".", "*", "<NON_REF>", "<>", "N", "NNNN", "nan", "-1", "0", "9" * 30, "1e999", "A" * 3000, "a b"),
    *("=;=;=", ";;", "AF=nan;AF=inf", "AF=1e999,.,-1", "MAF=0x1p-3", "MAF", "AC=.;AN=0", "X=" + "," * 500),
    *("GT", "GT:GT", "AD:GT", "DB", "0/1/2/3", "1000000000/1", "|||", ":::", "0/1:1,2,3,4:x:y", "[chr1:5["),
    *("]]", *"chr1 chr9 4294967296 q10;PASS q10,x 150_ATG_A <STR35>".split(), "AC" * 40, "\x00", "é"),
]


def _text(number: int) -> tuple[bytes, bytes]:
    """Return an original and its masking, which one depends on the number."""
    masked = [
        " ".join([*line.split()[:2], ".", line.split()[3], *"N...", *line.split()[8:]])
        if i % 3 == number % 3
        else line
        for i, line in enumerate(RECORDS)
    ]
    names = [f"S{i}" for i in range(len(SAMPLES))]
    return (
        vcf_text(RECORDS, header=DECLARED, samples=SAMPLES),
        vcf_text(masked, header=masked_header(DECLARED[:-1]), samples=names),
    )


Lines = list[bytes]
Edit = Callable[[Lines, random.Random], str]


def _split(text: bytes) -> tuple[Lines, Lines]:
    lines = text.rstrip(b"\n").split(b"\n")
    first = next((i for i, line in enumerate(lines) if not line.startswith(b"#")), len(lines))
    return lines[:first], lines[first:]


def _field(records: Lines, draw: random.Random) -> str:
    which = draw.randrange(len(records))
    columns = records[which].split(b"\t")
    place = draw.randrange(len(columns))
    columns[place] = draw.choice(CELLS).encode(draw.choice(("utf-8", "latin-1")))
    records[which] = b"\t".join(columns)
    return f"column {place + 1} changed"


def _columns(records: Lines, draw: random.Random) -> str:
    which = draw.randrange(len(records))
    columns = records[which].split(b"\t")
    n_columns = draw.choice((0, 1, 5, 7, 8, 9, 10, 13, 40))
    records[which] = b"\t".join((columns * 4)[:n_columns])
    return f"{n_columns} columns"


def _records(records: Lines, draw: random.Random) -> str:
    which, other = draw.randrange(len(records)), draw.randrange(len(records))
    match draw.randrange(6):
        case 0:
            records.insert(other, records[which])
        case 1:
            del records[which]
        case 2:
            records[which], records[other] = records[other], records[which]
        case 3:
            records.insert(which, draw.choice((b"", b"##late=1", b"#CHROM", b"\t" * 11)))
        case 4:
            records[which : which + 1] = [records[which]] * 300
        case _:
            records[which] = records[which].replace(b"\t", b" ", 1)
    return "records changed"


def _header(header: Lines, draw: random.Random) -> str:
    which = draw.randrange(len(header))
    line = header[which]
    match draw.randrange(9):
        case 0:
            header.insert(which, line)
        case 1:
            del header[which]
        case 2:
            header[which] = line.replace(b"Type=", b"Type=" + draw.choice((b"Flag,", b"", b"Float", b"x")))
        case 3:
            header[which] = line.replace(b"Number=", draw.choice((b"Number=-", b"N=", b"Number=9999999999")))
        case 4:
            header[which] = line.replace(b"ID=", draw.choice((b"ID=,", b"I=", b"ID=<", b'ID="')))
        case 5:
            header[which] = line.replace(
                b">", draw.choice((b"", b",IDX=7>", b",IDX=999999999>", b'">', b">>"))
            )
        case 6:
            header.insert(which, b"##x=" + draw.choice(PIECES))
        case 7:
            header[which] = line.replace(b"\t", draw.choice((b"\t\t", b" ", b"")), draw.choice((1, 99)))
        case _:
            cut = draw.randrange(len(line) + 1)
            header[which] = (
                line[:cut] + draw.choice(("é".encode("latin-1"), "한".encode("cp949"))) + line[cut:]
            )
    return "header changed"


EDITS: tuple[Edit, ...] = (_field, _field, _field, _columns, _records, _records, _header)


def _edited(text: bytes, draw: random.Random) -> tuple[str, bytes]:
    header, records = _split(text)
    said = []
    for _ in range(draw.choice((1, 1, 2, 4))):
        edit = draw.choice(EDITS)
        part = header if edit is _header else records
        if part:
            said.append(edit(part, draw))
    return ", ".join(said), b"\n".join([*header, *records]) + b"\n"


@functools.cache
def _inflated(number: int, side: int) -> bytes:
    return b"".join(read_pieces(VcfFile(name="x", content=bcf(_text(number)[side]))))


def _changed(number: int, side: int, form: str, draw: random.Random) -> tuple[str, bytes]:
    """Return one side of a pair in a form, after changes of its text, of its bytes, or of both."""
    content = _text(number)[side] if form != "bcf" else _inflated(number, side)
    how = []
    if form != "bcf" and draw.random() < 0.7:
        said, content = _edited(content, draw)
        how.append(said)
    elif form == "bcf" and draw.random() < 0.3:
        said, text = _edited(_text(number)[side], draw)
        try:
            made = bcf(text.replace(b"IDX=999999999", b"IDX=99"))  # htslib makes room for as many
            content = b"".join(read_pieces(VcfFile(name="x", content=made)))
            how.append(said)
        except (OSError, ValueError, RuntimeError, TypeError):  # what htslib does not write
            how.append("")
    if draw.random() < (0.8 if form == "bcf" else 0.15):
        said, content = packed_changes(content, draw)
        how.append(said)
    if form == "bcf" and draw.random() < 0.3:
        at = draw.randrange(len(content) + 1)
        content = (
            content[:at] + struct.pack("<I", draw.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF))) + content[at + 4 :]
        )
        how.append("a length changed")
    if form != "text":
        content = bgzf(content, block=draw.choice((97, 1000, 60_000)))
        if draw.random() < 0.1:
            said, content = packed_changes(content, draw)
            how.append(f"{said} of blocks")
    return " and ".join(filter(None, how)) or "as it was", content


def genome_pair(number: int) -> Hostile:
    """Return a pair of files, one or both changed; the same number gives the same pair."""
    draw = random.Random(f"genomes {number}")  # noqa: S311 - repeatable, not secret
    form = ("text", "bgzf", "bcf")[number % 3]
    touched = draw.choice(((1,), (1,), (0,), (0, 1)))
    sides, how = [], []
    for side in (0, 1):
        if side in touched:
            said, content = _changed(number % 7, side, form, draw)
            how.append(f"{('original', 'anonymized')[side]}: {said}")
        else:
            content = bgzf(_text(number % 7)[side])
        sides.append(content)
    data = struct.pack("<Q", len(sides[0])) + b"".join(sides)
    return Hostile("VCF pairs", f"{form}, {'; '.join(how)} ({number})", data)


def both_sides(data: bytes) -> tuple[bytes, bytes]:
    """Return the original and the anonymized file of a pair."""
    (length,) = struct.unpack_from("<Q", data)
    return data[8 : 8 + length], data[8 + length :]
