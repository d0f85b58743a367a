"""Pairs as they come in bad moments, each with what has to be said of it: a rate, or an error."""

import gzip
from collections.abc import Mapping
from typing import NamedTuple

from core.vcf.files import EOF_MARKER
from tests.vcf_files import bcf, bgzf, masked_header, vcf_text

LINES = [
    "chr1 100 . A G . . AF=0.001",
    "chr1 200 . A ACACACACACACACA . . AF=0.3",
    "chr1 300 . A T . . AF=0.03",
    "chr2 50 . C T . . AF=0.2",
]
MASKED = ["chr1 100 . A . . . .", "chr1 200 . A N . . .", *LINES[2:]]
GOOD, CLEAN = vcf_text(LINES), vcf_text(MASKED, header=masked_header())


class BadPair(NamedTuple):
    """An original, its anonymized file, and the rate or the error's text after the file's name."""

    original: bytes
    anonymized: bytes
    expected: str


def _with(line: str, expected: str, *, at: int = 2) -> BadPair:
    """Put one more line into both files."""
    first, second = ([*lines[:at], line, *lines[at:]] for lines in (LINES, MASKED))
    return BadPair(bgzf(vcf_text(first)), bgzf(vcf_text(second, header=masked_header())), expected)


def _of(original: bytes, expected: str) -> BadPair:
    return BadPair(original, bgzf(CLEAN), expected)


CUT = "the file is cut short in the middle of a compressed block"
NO_VCF = "not a VCF file; its first line must begin with “##fileformat=VCF”"
ALL, ONE_LEFT, LEVEL_ONLY = "100.00%(4/4)", "80.00%(4/5)", "100.00%(2/2)"
BAD_INPUT: Mapping[str, BadPair] = {
    "truncated": _of(bgzf(GOOD, block=200)[:-100], CUT),
    "no_end_marker": _of(bgzf(GOOD)[: -len(EOF_MARKER)], "the BGZF end marker is missing"),
    "plain_gzip": _of(gzip.compress(GOOD), "compressed with plain gzip, but VCF files need block gzip"),
    "garbage_after_end": _of(bgzf(GOOD) + b"garbage", "7 bytes stand behind the end marker"),
    "text": _of(GOOD, ALL),
    "empty": _of(b"", "the file is empty (0 bytes)"),
    "no_header": _of(bgzf(GOOD[GOOD.index(b"chr1\t100") :]), NO_VCF),
    "short_line": _with("chr1 250 . A", "record 3 has 4 of the 8 columns"),
    "blank_line": _with("", "record 3 is a blank line"),
    "not_utf_8": _of(bgzf(GOOD.replace(b"##contig", b"##note=\xff\n##contig", 1)), ALL),
    "crlf": BadPair(*(bgzf(text.replace(b"\n", b"\r\n")) for text in (GOOD, CLEAN)), ALL),
    "undeclared": _with("chrU 1 . A G . foo XX=1;AF=0.001", ONE_LEFT, at=4),
    "af_nan": _with("chr1 250 . A G . . AF=nan", ONE_LEFT),
    "af_inf": _with("chr1 250 . A G . . AF=inf", ONE_LEFT),
    "af_text": _with("chr1 250 . A G . . AF=abc", ALL),
    "af_missing": _with("chr1 250 . A G . . AF=.", ALL),
    "an_zero": _with("chr1 250 . A G . . AC=1;AN=0", ALL),
    "symbolic": _with("chr1 250 . A <DEL> . . AF=0.001", ONE_LEFT),
    "breakend": _with("chr1 250 . A G]chr2:5] . . AF=0.001", ONE_LEFT),
    "star": _with("chr1 250 . A * . . AF=0.001", ONE_LEFT),
    "lower_case": _with("chr1 250 . a acacacacacacacac . . AF=0.3", ALL),
    "duplicate": _with("chr1 200 . A G . . AF=0.001", ALL),
    "interleaved": BadPair(
        bgzf(vcf_text([LINES[0], LINES[3], *LINES[1:3]])),
        bgzf(vcf_text([MASKED[0], MASKED[3], *MASKED[1:3]], header=masked_header())),
        ALL,
    ),
    "position_zero": _with("chr1 0 . A G . . AF=0.001", ONE_LEFT, at=0),
    "position_large": _with("chr1 3000000000 . A G . . AF=0.001", ONE_LEFT, at=3),
    "position_negative": _with("chr1 -1 . A G . . AF=0.001", "record 3 has a POS that is not a whole number"),
    "header_alone": BadPair(bgzf(vcf_text([])), bgzf(vcf_text([], header=masked_header())), LEVEL_ONLY),
    "megabase": _with(f"chr1 250 . A {'ACGT' * 262_144} . . AF=0.3", ONE_LEFT),
    "other_contigs": BadPair(
        bgzf(GOOD), bgzf(CLEAN.replace(b"chr1", b"chr7").replace(b"chr2", b"chr8")), "50.00%(2/4)"
    ),
    "bcf": _of(bcf(GOOD), ALL),
    "good": _of(bgzf(GOOD), ALL),
}
