"""The registry of exposure checks: each says what to do, fires where it must and not beside it."""

import random
import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.vcf import ALL_CHECKS, CHECKS, VcfFile, VcfPair, VcfSettings, judge_scan, scan_pair
from core.vcf.donor import judge_donors, measure_donors
from core.vcf.lines import Merge
from tests.vcf_donors import child, donor_file, people
from tests.vcf_files import HEADER, bgzf, masked_header, vcf_file, vcf_text

REPEAT = "ACACACACACACACA"
RARE = "chr1 100 . A G . . AF=0.001"
DELETION = "chr1 100 . ATG A . . AF=0.001"
INSERTION = "chr1 100 . A ACGTTGCA . . AF=0.001"
STR = f"chr1 100 . A {REPEAT} . . AF=0.3"
COMMON = "chr1 900 . A T . . AF=0.4"
BLANK = "chr1 100 . A . . . ."
DELETED = "chr1 100 . A . . . ."
MATE = "chr1 900 . A A[chr1:100[ . . AF=0.4"
N = "chr1 100 . A N . . ."
GT = "GT 0/1 0/0 0/0"
NONE = "GT ./. ./. ./."


class Cases(NamedTuple):
    """Original records, anonymized ones in which the check fires, and ones close by in which it does not."""

    original: list[str]
    fires: list[str]
    near: list[str]
    samples: int = 0
    level: str = "high"
    name: str = "high_anony_x.vcf.gz"


def _site(original: str, fires: str, near: str, samples: int = 0) -> Cases:
    return Cases([original], [fires], [near], samples)


def _samples(fires: str, near: str, original: str = RARE) -> Cases:
    blank = N if original == STR else BLANK
    return _site(f"{original} {GT}", f"{blank} {fires}", f"{blank} {near}", 3)


CASES = {
    "masked_in_name_only": _site(STR, "chr1 100 . A G,<NON_REF> . . .", "chr1 100 . A GN . . ."),
    "allele_respelled": _site(INSERTION, "chr1 100 . A TGCA . . .", "chr1 100 . A TG . . ."),
    "alt_rewritten": _site(RARE, "chr1 100 . A C . . .", "chr1 100 . A N . . ."),
    "length_in_alt": _site(INSERTION, "chr1 100 . A NNNNNNNN . . .", "chr1 100 . A N . . ."),
    "frequency_only": _site(RARE, "chr1 100 . A G . . .", "chr1 100 . A T . . ."),
    "unmasked_duplicate": Cases([RARE], [BLANK, RARE], [BLANK, "chr1 100 . A T . . AF=0.4"]),
    "allele_in_ref": _site(RARE, "chr1 100 . G . . . .", "chr1 100 . T . . . ."),
    "quality_rewritten": _site(RARE, "chr1 100 . A . 71 . .", "chr1 100 . A . 0 . ."),
    "position_rewritten": _site(RARE, BLANK.replace("100", "0100"), BLANK),
    "public_id": _site(RARE, "chr1 100 rs12 A . . . .", "chr1 100 r12 A . . . ."),
    "other_id": _site(RARE, "chr1 100 lab_7 A . . . .", "chr1 100 rs7 A . . . ."),
    "filter_rewritten": _site(RARE, "chr1 100 . A . . q7 .", "chr1 100 . A . . MASKED ."),
    "allele_in_info": _site(RARE, "chr1 100 . A . . ALT_G .", "chr1 100 . A . . ALTG ."),
    "told_in_info": _site(RARE, "chr1 100 . A . . . TSTV=ts", "chr1 100 . A . . . MAC=0"),
    "described_in_info": _site(RARE, "chr1 100 . A . . . CADD=27", "chr1 100 . A . . . AC=0"),
    "rare_frequency_in_info": _site(
        RARE, "chr1 100 . A . . . AF_afr=0.0009", "chr1 100 . A . . . AF_afr=0.3"
    ),
    "indel_described": _site(DELETION, "chr1 100 . ATG . . . .", DELETED),
    "other_info": _site(RARE, "chr1 100 . A . . . QD=3", "chr1 100 . A . . . DP=3;QD=."),
    "info_rewritten": _site(f"{RARE};DP=40", f"{BLANK[:-1]}DP=71", f"{BLANK[:-1]}DP=40"),
    "genotype_kept": _samples("GT 0/0 0/1 0/0", "GT 0/0 0/0 0/0"),
    "depth_betrays": _samples("GT:AD ./.:4,5 ./.:9,0 ./.:9,0", "GT:AD ./.:9,0 ./.:9,0 ./.:9,0"),
    "carriers_blanked": _samples("GT .|. ./. ./.", "GT .|. .|. ./."),
    "sample_fields_kept": _samples("GT:DP ./.:3 ./.:4 ./.:5", "GT:DP ./.:. ./.:. ./.:."),
    "allele_in_samples": _samples("GT:TGT ./.:A/G ./.:A/A ./.:A/A", "GT:TGT ./.:A/A ./.:A/A ./.:A/A"),
    "format_rewritten": _samples("GT:G7 ./.:. ./.:. ./.:.", "GT ./. ./. ./."),
    "repeat_in_masked_alt": _site(STR, "chr1 100 . A NACACACAC . . .", "chr1 100 . A NACAC . . ."),
    "repeat_length_kept": _site(STR, f"chr1 100 . A {'N' * 7} . . .", f"chr1 100 . A {'N' * 6} . . ."),
    "repeat_described": _site(STR, "chr1 100 . A N . . RU=AC", "chr1 100 . A N . . DP=3"),
    "phased_neighbour": Cases(
        [f"{RARE} {GT}", f"{COMMON} {GT}"],
        [f"{BLANK} {NONE}", f"{COMMON} GT:PID 0|1:100_A_G 0/0:. 0/0:."],
        [f"{BLANK} {NONE}", f"{COMMON} GT:PID 0|1:100_A_N 0/0:. 0/0:."],
        3,
    ),
    "phase_set_neighbour": Cases(
        [f"{RARE} {GT}", f"{COMMON} {GT}"],
        [f"{BLANK} {NONE}", f"{COMMON} GT:PS 0|1:100 0/0:. 0/0:."],
        [f"{BLANK} {NONE}", f"{COMMON} GT:PS 0|1:900 0/0:. 0/0:."],
        3,
    ),
    "star_neighbour": Cases(
        [DELETION, "chr1 101 . T *,C . . AF=0.3,0.3"],
        [DELETED, "chr1 101 . T *,C . . AF=0.3,0.3"],
        [DELETED, "chr1 101 . T C . . AF=0.3,0.3"],
    ),
    "mate_kept": Cases(
        ["chr1 100 . A A]chr1:900] . . AF=0.001", MATE], [BLANK, MATE], [BLANK, MATE.replace(":100", ":101")]
    ),
    "changed_elsewhere": Cases(
        [RARE, COMMON], [BLANK, COMMON.replace(" . A", " x7 A")], [BLANK, COMMON.replace(" . .", " . PASS")]
    ),
    "thinned_elsewhere": Cases(
        [RARE, f"{COMMON};DP=3", f"{COMMON};DP=3".replace("900", "950")],
        [BLANK, COMMON, f"{COMMON};DP=3".replace("900", "950")],
        [BLANK, COMMON, COMMON.replace("900", "950")],
    ),
    "forms_vary": Cases(
        [RARE, RARE.replace("100", "300")],
        [BLANK, BLANK.replace("100", "300").replace("A .", "A N")],
        [BLANK, BLANK.replace("100", "300")],
    ),
    "extra_columns": _site(RARE, f"{BLANK} GT 0/1", BLANK),
    "repeat_not_named": Cases(
        [RARE, "chr1 900 . A <STR35> . . AF=0.4"],
        [BLANK, "chr1 900 . A <STR35> . . AF=0.4"],
        [BLANK, "chr1 900 . A <STR> . . AF=0.4"],
    ),
    "repeat_neighbour": Cases(
        [STR, f"chr1 130 . A G{REPEAT} . . AF=0.3"],
        [N, f"chr1 130 . A G{REPEAT} . . AF=0.3"],
        [N, "chr1 130 . A N . . ."],
    ),
    "sole_carrier": Cases([f"{RARE} {GT}"], [f"{RARE} {GT}"], [f"{RARE} GT 0/1 0/1 0/0"], 3),
    "records_removed": Cases([RARE, COMMON], [BLANK], [BLANK, COMMON]),
    "records_added": Cases([RARE], [BLANK, COMMON], [BLANK]),
    "repeats_added": Cases(
        [RARE], [BLANK, f"chr1 900 . A {REPEAT} . . AF=0.4"], [BLANK, "chr1 900 . A ACAC . . AF=0.4"]
    ),
    "added_neighbour": Cases(
        [RARE], [BLANK, "chr1 150 . A T . . AF=0.4"], [BLANK, "chr1 151 . A T . . AF=0.4"]
    ),
    "rare_added": Cases([RARE], [BLANK, "chr2 9 . A T . . AF=0.001"], [BLANK, "chr2 9 . A T . . AF=0.1"]),
    "alleles_shown": Cases([COMMON.replace("A T", "A .")], [COMMON], [COMMON.replace("A T", "A N")]),
    "level_assumed": Cases([RARE], [RARE], [RARE], level="low", name="anony_x.vcf.gz"),
    "variants_not_verified": Cases([RARE], [RARE], [BLANK], level="low", name="low_anony_x.vcf.gz"),
    "records_reordered": Cases([RARE, COMMON], [COMMON, BLANK], [BLANK, COMMON]),
    "genotypes_changed": Cases(
        [f"{COMMON} {GT}"], [f"{COMMON} GT 0/1 0/1 0/0"], [f"{COMMON} GT:DP 0/1:3 0/0:3 0/0:3"], 3
    ),
    "reference_changed": Cases([COMMON], [COMMON.replace(" A T", " C T")], [COMMON]),
    "frequency_unknown": Cases(
        [RARE, "chr1 900 . A T . . ."], [BLANK, "chr1 900 . A T . . ."], [BLANK, "chr1 900 . A T . . ."]
    ),
    "no_frequency_at_all": Cases(["chr1 900 . A T . . ."], [COMMON], [COMMON]),
}
# What these ask is asked of the original, or of the name of the file: the near case changes that.
OF_THE_ORIGINAL = {
    "level_assumed": lambda cases: cases._replace(name="low_anony_x.vcf.gz"),
    "frequency_unknown": lambda cases: cases._replace(original=[RARE, COMMON]),
    "no_frequency_at_all": lambda cases: cases._replace(original=[COMMON]),
}
# Header lines of the anonymized file, beside those of a masked header.
HEADER_CASES = {
    "header_command": ("##tool_args=-i a -o b", "##cmdline=."),
    "header_source": ("##source=caller", "##source=."),
    "header_date": ("##fileDate=20240131", "##fileDate=."),
    "header_person": (
        '##FILTER=<ID=q9,Description="of Kim Minjun">',
        '##FILTER=<ID=q9,Description="Low Quality">',
    ),
    "header_file": ("##note=kim.bam", "##note=dbsnp_138.vcf"),
    "header_allele": ("##note=chr1:100:A>G", "##note=chr1:100-200"),
    "header_leftover": ("##note=words", "##masked=yes"),
    "header_path": ("##note=/data/run/in", "##note=https://example.org/data/run/in"),
    "header_host": ("##note=hostname: node7", "##note=a hostname"),
    "header_email": ("##note=ask mina@clinic.example.org", "##note=ask @mina"),
    "header_contig_origin": ("##contig=<ID=chr9,md5=0a>", "##contig=<ID=chr9,length=5>"),
}
# Header lines of the original and the anonymized file, one in which the check fires and one close by.
_INFO = '##INFO=<ID=X{},Number=1,Type=Integer,Description="x">'
_CONTIGS = [f"##contig=<ID=c{number},length=9>" for number in range(3)]
HEADER_CHANGES = {
    "header_order": (
        [_INFO.format(1), _INFO.format(2), '##FILTER=<ID=q1,Description="x">'],
        [_INFO.format(2), _INFO.format(1), '##FILTER=<ID=q1,Description="x">'],
        [_INFO.format(1), '##FILTER=<ID=q1,Description="x">'],
    ),
    "header_declaration": (
        [_INFO.format(1)],
        [_INFO.format(1).replace("Integer", "Float")],
        [_INFO.format(1).replace('"x"', '""')],
    ),
    "header_contigs": (_CONTIGS, _CONTIGS[:2], _CONTIGS),
}
# Samples' names: the original's, those of an anonymized file in which the check fires, and of one close by.
NAME_CASES = {
    "samples_kept": (["HN12345"], ["x_hn12345"], ["x_HN12354"]),
    "samples_identify": (["a"], ["Kim_Minjun"], ["K17"]),
}
CODED_NAMES = [
    "S001\u200b",
    "S\u00ad001",
    "S001\u00a0",
    "S001\u3164",
    "S001\ufe0f",
    "\u0405ample\u0430b",
    "S\uff210A",
]
PLAIN_NAMES = ["S001", "Probe-Ä1", "Проба1", "환자1", "S 01", "Δείγμα1"]
FLAG = '##INFO=<ID=MAF,Number=0,Type=Flag,Description="x">'
# Files as they are stored: the original, an anonymized one in which the check fires, and one close by.
FILE_CASES = {
    "nothing_to_verify": (
        vcf_text([COMMON], header=[HEADER[0], *HEADER[3:]]),
        vcf_text([COMMON], header=[HEADER[0], *HEADER[3:]]),
        None,
    ),
    "declaration_hides_frequency": (
        vcf_text(["chr1 9 . A G . . MAF=0.1"], header=[*HEADER[:-2], FLAG, HEADER[-1]]),
        vcf_text([BLANK]),
        None,
    ),
    "bytes_unread": (
        vcf_text([RARE]),
        bgzf(vcf_text([BLANK], header=masked_header())) + b"more",
        bgzf(vcf_text([BLANK], header=masked_header())),
    ),
    "no_records": (vcf_text([]), vcf_text([], header=masked_header()), vcf_text([BLANK])),
}


@pytest.mark.parametrize("name", CHECKS)
def test_checks__say_what_to_do(name: str) -> None:
    check = CHECKS[name]
    assert check.label
    assert check.message.endswith((".", "?"))
    assert check.remedy.endswith(".")
    assert not check.remedy.endswith("….")
    assert check.remedy[0].isupper()


def test_checks__each_has_a_case_that_fires_and_a_near_one() -> None:
    assert set(CHECKS) == {*CASES, *HEADER_CASES, *HEADER_CHANGES, *NAME_CASES, *FILE_CASES}
    assert set(ALL_CHECKS) - set(CHECKS) == set(DONOR_CASES)


Judged = dict[str, tuple[int, list[str], str]]


def _judged(original: bytes, kept: bytes, level: str = "high", name: str = "high_anony_x.vcf.gz") -> Judged:
    """Return what the checks find, read quickly; reading site by site must find the same."""
    pair = VcfPair(
        original=VcfFile(name="x.vcf.gz", content=original),
        anonymized=VcfFile(name=name, content=kept),
        level="high" if level == "high" else "low",
    )
    found = []
    for is_literal in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            for limit in ("FIRST_BATCH", "MAX_BATCH"):  # so that each line is known to the next
                patch.setattr(f"core.vcf.runs.{limit}", 1)
            if is_literal:
                patch.setattr(Merge, "_run", lambda _merge: None)
            audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
        found.append({one.check: (one.n_affected, list(one.places), one.message) for one in audit.exposure})
    assert found[0] == found[1]
    return found[0]


def _found(cases: Cases, kept: list[str]) -> Judged:
    def samples(name: str) -> list[str]:
        return [f"{name}{number}" for number in range(cases.samples)]

    header = [*HEADER, '##FORMAT=<ID=PID,Number=1,Type=String,Description="x">']
    original = vcf_text(cases.original, samples=samples("a"), header=header)
    return _judged(
        original, vcf_text(kept, samples=samples("b"), header=masked_header()), cases.level, cases.name
    )


@pytest.mark.parametrize("name", CASES)
def test_check__fires_and_not_close_by(name: str) -> None:
    assert name in _found(CASES[name], CASES[name].fires)
    near = OF_THE_ORIGINAL.get(name, lambda cases: cases)(CASES[name])
    assert name not in _found(near, near.near)


@pytest.mark.parametrize(
    ("lost", "left", "name"),
    [
        ("chr1 900 . A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4", "chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4", "ID"),
        ("chr1 900 x A T . q1 DP=3 GT:DP 0/1:3 0/0:4", "chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4", "QUAL"),
        ("chr1 900 x A T 7 . DP=3 GT:DP 0/1:3 0/0:4", "chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4", "FILTER"),
        (
            "chr1 900 x A T 7 q1 DP=. GT:DP 0/1:3 0/0:4",
            "chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4",
            "INFO/DP",
        ),
        ("chr1 900 x A T 7 q1 DP=3 GT 0/1 0/0", "chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4", "FORMAT/DP"),
        (
            "chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:. 0/0:4",
            "chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4",
            "FORMAT/DP",
        ),
    ],
)
def test_thinned_elsewhere__names_what_some_records_lost(lost: str, left: str, name: str) -> None:
    """Every second record lost it; where all lost it, or masked ones alone, nothing is told."""
    places = range(900, 1700, 100)
    original = [left.replace("900", str(place)) for place in places]
    some = [(lost if place % 200 else left).replace("900", str(place)) for place in places]
    every = [lost.replace("900", str(place)) for place in places]
    names, header = ["s1", "s2"], masked_header()
    found, close = (
        _judged(vcf_text(original, samples=names), vcf_text(kept, samples=names, header=header))
        for kept in (some, every)
    )
    assert found["thinned_elsewhere"][0] == 4
    assert name in found["thinned_elsewhere"][2]
    in_samples = "0/1:." in lost  # the other sample still has it
    assert ("thinned_elsewhere" in close) == in_samples


@pytest.mark.parametrize("name", HEADER_CASES)
def test_header_check__fires_and_not_close_by(name: str) -> None:
    fires, near = (
        _judged(vcf_text([RARE]), vcf_text([BLANK], header=[*masked_header(), line]))
        for line in HEADER_CASES[name]
    )
    assert name in fires
    assert name not in near


def _changed_header(original: list[str], kept: list[str]) -> Judged:
    return _judged(
        vcf_text([RARE], header=[*HEADER, *original]),
        vcf_text([BLANK], header=[kept[0], *masked_header()[1:], *kept[1:]]),
    )


@pytest.mark.parametrize("name", HEADER_CHANGES)
def test_header_change__fires_and_not_close_by(name: str) -> None:
    original, *kept = HEADER_CHANGES[name]
    fires, near = (_changed_header(original, [HEADER[0], *lines]) for lines in kept)
    assert name in fires
    assert name not in near


@pytest.mark.parametrize(
    ("original", "kept", "name", "n"),
    [
        ([], [HEADER[0].replace("2", "1")], "header_declaration", 1),
        ([], [HEADER[0].replace("2", "3")], "header_declaration", 0),
        ([_INFO.format(1)], [HEADER[0], *[_INFO.format(1)] * 3], "header_order", 2),
        (["##note=a", "##note=b"], [HEADER[0], "##note=.", "##note=."], "header_order", 0),
        (["##note=a"], [HEADER[0], "##note=.", "##note=."], "header_order", 1),
        ([_INFO.format(1)], [HEADER[0], _INFO.format(1).replace("=1,", "=.,")], "header_declaration", 1),
        ([_INFO.format(1)], [HEADER[0], _INFO.format(1)[:-1] + ",Version=7>"], "header_declaration", 1),
        (_CONTIGS, [HEADER[0]], "header_contigs", 3),
    ],
)
def test_header_change__counts_lines(original: list[str], kept: list[str], name: str, n: int) -> None:
    found = _changed_header(original, kept)
    assert found[name][0] == n if n else name not in found


def test_header_change__an_order_that_programs_write_tells_nothing() -> None:
    """Sorted lines, and contigs of which those with records are left, carry no code."""
    lines = [*HEADER, _INFO.format(2), _INFO.format(1)]
    kept = [HEADER[0], *sorted(line for line in masked_header(lines)[1:] if "chr2" not in line)]
    found = _judged(vcf_text([RARE], header=lines), vcf_text([BLANK], header=kept))
    assert not {"header_order", "header_contigs"} & set(found)


@pytest.mark.parametrize("name", NAME_CASES)
def test_name_check__fires_and_not_close_by(name: str) -> None:
    original, *kept = NAME_CASES[name]
    fires, near = (
        _judged(
            vcf_text([f"{RARE} GT 0/1"], samples=original),
            vcf_text([f"{BLANK} GT ."], samples=names, header=masked_header()),
        )
        for names in kept
    )
    assert name in fires
    assert name not in near


@pytest.mark.parametrize("name", FILE_CASES)
def test_file_check__fires_and_not_close_by(name: str) -> None:
    original, fires, near = FILE_CASES[name]
    assert name in _judged(original, fires)
    assert name not in (_judged(original, near) if near else _judged(vcf_text([RARE]), fires))


def test_thinned_elsewhere__what_stands_before_the_loss_is_not_kept_after_it() -> None:
    lost = [
        RARE,
        "chr1 900 . A T . . AF=0.4;DP=3",
        "chr1 950 . A T . . AF=0.4;DP=3",
        "chr1 990 . A T . . AF=0.4",
    ]
    kept = ["chr1 100 . A . . . .", "chr1 900 . A T . . AF=0.4", lost[2], "chr1 990 . A T . PASS AF=0.4"]
    found = _judged(vcf_text(lost), vcf_text(kept, header=masked_header()))
    assert found["thinned_elsewhere"][1] == ["chr1:900"]


@settings(deadline=None, max_examples=60)
@given(
    chosen=st.lists(st.tuples(st.sampled_from(sorted(CASES)), st.booleans()), min_size=1, max_size=8),
    draw=st.randoms(),
)
def test_checks__quick_and_literal_readings_agree_on_any_mixture(
    chosen: list[tuple[str, bool]], draw: random.Random
) -> None:
    """Cases one after the other, each on contigs of its own, some in disorder."""
    original, kept = [], []
    for number, (name, does_fire) in enumerate(chosen):
        cases = CASES[name]
        original += [_moved(record, number) for record in cases.original]
        kept += [_moved(record, number) for record in (cases.fires if does_fire else cases.near)]
    if draw.random() < 0.3:
        draw.shuffle(kept)
    names = ["s1", "s2", "s3"]
    _judged(vcf_text(original, samples=names), vcf_text(kept, samples=names, header=masked_header()))


_BARE = st.sampled_from([". . . . GT ./. ./.", ". . PASS . GT .|. .|.", ". . . . GT . ."])
_OTHERS = st.sampled_from(
    [
        *(". 7 . . GT ./. ./.", ". . q7 . GT ./. ./.", ". . . DP=3 GT ./. ./.", "x . . . GT ./. ./."),
        *(". . . . GT ./. .|.", ". . . . GT:AD ./. ./.", ". . . . GT:AD ./.:. ./.:.", ". . . . AD . ."),
        *(". . . . GT 0/1 ./.", ". . . . GT 0/0 0/0", ". . . . GT:PS ./.:9 ./.:9", ". . . ."),
    ]
)
_sites = st.tuples(
    st.sampled_from(["A", "AT", "N", "a", f"G{REPEAT}"]),
    st.sampled_from(
        ["G", "T", "N", "n", "<N>", "G,T", "G,N", "<.>", "<DEL>", "<STR7>", "*", ".", "AACGT", REPEAT, "C,."]
    ),
    st.sampled_from(
        [". . AF=0.001", "50 PASS AF=0.001;DP=3", "1e2 q10 AF=0.3", ". . .", ". . AF=nan", ". . AF=-0.1"]
    ),
    st.sampled_from(["GT 0/1 0/0", "GT:AD 0|1:3,4 0|0:5", "GT ./. ./.", "GT . .", "AD 1,2 3", "GT:AD 1 ."]),
    st.sampled_from([".", ".", ".", "N", "N", "T", "n", "same", "same"]),
    st.booleans(),
)


@settings(deadline=None, max_examples=150)
@given(sites=st.lists(st.tuples(_sites, _OTHERS), min_size=1, max_size=30), bare=_BARE, changes=st.data())
def test_checks__records_that_are_bare_are_judged_as_any(
    sites: list[tuple[tuple[str, str, str, str, str, bool], str]], bare: str, changes: st.DataObject
) -> None:
    """Most records are masked in one way, some in others; the literal reading looks at each as a whole."""
    original, kept = [], []
    for place, ((ref, alt, middle, samples, masked, is_bare), other) in enumerate(sites, 1):
        identifier = "rs7" if place % 3 else "."
        original.append(f"chr1 {place * 100} {identifier} {ref} {alt} {middle} {samples}")
        rest = bare if is_bare else other
        new_ref = ref if place % 7 else "C"
        new = alt if masked == "same" else masked
        kept_id, rest = rest.split(" ", 1)
        kept.append(f"chr1 {place * 100} {kept_id} {new_ref} {new} {rest}")
    both = ["s1", "s2"]
    names = changes.draw(st.sampled_from([both, both, []]))
    if not names:
        kept = [" ".join(record.split(" ")[:8]) for record in kept]
    _judged(vcf_text(original, samples=both), vcf_text(kept, samples=names, header=masked_header()))


def test_checks__places_are_in_the_order_of_the_file() -> None:
    """An unchanged repeat counts when all lines of a run were judged, and stands before a later one."""
    repeat = "G" + 7 * "AC" + "A"
    rare = [f"chr1 {place}00 . A G . . AF=0.001 GT 0/1 0/0" for place in range(1, 6)]
    original = [
        *rare,
        f"chr1 600 rs7 {repeat} G . . . GT ./. ./.",
        *(one.replace("chr1 ", "chr1 8") for one in rare),
    ]
    original += [f"chr1 9000 rs7 {repeat} G . . AF=0.001 GT 0/1 0/0"]
    kept = [f"{' '.join(one.split(' ')[:2])} . A . . . . GT ./. ./." for one in original]
    kept[5] = original[5]
    kept[-1] = f"chr1 9000 . {repeat} G . . . GT ./. ./."
    _judged(
        vcf_text(original, samples=["s1", "s2"]), vcf_text(kept, samples=["s1", "s2"], header=masked_header())
    )


_NUMBERS = ("0", "0,0", "3", "71", "0.5", "0,2", "1e-3", "-0.7", "0.0", "10", "1,.", "007")
_KEYS = ("AC", "MAC", "AC_HOM", "DP", "SOR", "AF_KR", "RU", "A1", "A2")
_FIELDS = {
    "GT": ("0/1", "1/1", "0/0", "./.", "0|1", "0", "1"),
    "AD": ("3,4", "0,7", "10,0", ".", "5", "0,0", "2,1"),
    "DP": ("7", "30", ".", "0"),
    "PL": ("9,0,20", "0,1,2", ".", "0,0,0"),
    "GP": ("0.1,0.9,0", "1,0,0", "0,0.6,0.4"),
    "CN": ("2", "3", "12", "0", "1"),
    "PS": ("100", "9", "200"),
    "OGT": ("0/1", "0/0", "12", "0"),
    "ZZ": ("5", "x", ".", "0"),
    "DS": ("0", "1", "0.4"),
}
_FORMATS = ("GT:AD:DP:PL", "GT:GP", "GT:CN", "GT:PS", "GT:OGT", "AD:ZZ", "GT", "GT:DS:AD")


@settings(deadline=None, max_examples=150)
@given(seed=st.integers(0, 1 << 32))
def test_checks__records_of_one_shape_are_judged_as_any(seed: int) -> None:
    """Records differ in few of their numbers, ALT alone is masked; the literal reading looks at each."""
    chance = random.Random(seed)  # noqa: S311
    names = chance.choice((["s1"], ["s1"], []))
    format_ = chance.choice(_FORMATS)
    info = {key: chance.choice(_NUMBERS) for key in chance.sample(_KEYS, chance.randint(0, 3))}
    cell = {key: chance.choice(_FIELDS[key]) for key in format_.split(":")}
    original, kept = [], []
    for place in range(1, 25):
        values = [
            f"{key}={chance.choice(_NUMBERS) if chance.random() < 0.3 else one}" for key, one in info.items()
        ]
        fields = [chance.choice(_FIELDS[key]) if chance.random() < 0.3 else one for key, one in cell.items()]
        frequency = f"AF={chance.choice(('0.001', '0.002', '0.003', '0.3', '0.7', '3'))}"
        rest = f"{chance.choice(('.', '50', '51', '1e2'))} {chance.choice(('PASS', 'PASS', '.', 'q10'))} "
        rest += ";".join([*values, frequency]) + (f" {format_} {':'.join(fields)}" if names else "")
        site = f"chr1 {place * 100} . {chance.choice(('A G', 'A G', 'A T,C', 'AT A', f'A {REPEAT}'))}"
        masked = chance.choice((".", ".", ".", "N", site.split(" ")[4]))
        original.append(f"{site} {rest}")
        kept.append(f"{' '.join(site.split(' ')[:4])} {masked} {rest}")
    _judged(vcf_text(original, samples=names), vcf_text(kept, samples=names, header=masked_header()))


_WORDS = (
    *(
        "G|ENSG0123",
        "x|ENSG01,y|ENSG0123456",
        "intron|A5G",
        "c.12A>G",
        "p.Ala7Gly",
        "rs1",
        "rs12",
        "CA7",
        "0|0",
    ),
    *(
        "GA4GH:VA",
        "AC7",
        "chr1_5_A_G",
        "%41",
        "%47",
        "0/0",
        "1:7",
        "T|A",
        "(AC)7",
        "<5",
        "q|12:33",
        "1e5",
        "0",
    ),
)
_WORD_KEYS = ("CSQ", "X", "MAC", "GT_COUNT", "AT", "GENE", "AF_kr", "Q", "DP4", "MQ0", "AD", "ANN", "HET")


@settings(deadline=None, max_examples=300)
@given(seed=st.integers(0, 1 << 32))
def test_checks__records_of_the_same_words_are_judged_as_any(seed: int) -> None:
    """Records without samples differ in digits of INFO, and in how many there are; ALT alone is masked."""
    chance = random.Random(seed)  # noqa: S311
    keys = chance.sample(_WORD_KEYS, chance.choice((1, 1, 2)))
    info = [f"{key}={chance.choice(_WORDS)}" for key in keys]
    sites = chance.sample(("A G", "A T,C", "AT A", f"A {REPEAT}"), chance.choice((1, 1, 2)))

    def written(text: str) -> str:
        digits = chance.choice(("0", "4", "5", "30", "47", "123456789"))
        return re.sub("[0-9]+", lambda match: chance.choice((match[0], digits)), text)

    original, kept = [], []
    for place in range(1, 25):
        fields = [written(field) if chance.random() < 0.7 else field for field in info]
        fields += ["GENE=BRCA", f"AF={chance.choice(('0.001', '0.002'))}"]
        rest = (
            f"{chance.choice(('.', '50', '50'))} {chance.choice(('PASS', 'PASS', 'q10'))} {';'.join(fields)}"
        )
        site = f"chr1 {place * 100} . {chance.choice(sites)}"
        masked = chance.choice((".", ".", ".", "N", site.split(" ")[4]))
        original.append(f"{site} {rest}")
        kept.append(f"{' '.join(site.split(' ')[:4])} {masked} {rest}")
    _judged(vcf_text(original), vcf_text(kept, header=masked_header()))


_CALLS = "GT:DP:GQ 0/1:7:30 0/0:9:40 0/0:8:."
_COMMON = f"A G 50 PASS AF=0.3;DP=7;MQ=60 {_CALLS}"
#: How unmasked records are written: what a code writes here and there, and what may stand everywhere.
CODES_ELSEWHERE = {
    "FILTER says masked, and a number": ("PASS AF", "masked17 AF"),
    "FILTER missing": ("PASS AF", ". AF"),
    "a number is zero": ("DP=7", "DP=0"),
    "FORMAT in another order": (_CALLS, "GT:GQ:DP 0/1:30:7 0/0:40:9 0/0:.:8"),
    "a value changed under a shorter FORMAT": (_CALLS, "GT:DP 0/1:71 0/0:9 0/0:8"),
    "missing values at the end left out": ("0/0:8:.", "0/0:8"),
}
NEW = {
    "FILTER says masked, and a number",
    "FORMAT in another order",
    "a value changed under a shorter FORMAT",
}


@pytest.mark.parametrize("code", CODES_ELSEWHERE)
def test_codes_elsewhere__are_found_and_what_is_done_everywhere_is_not(code: str) -> None:
    records = [f"chr1 {place} . {_COMMON}" for place in range(100, 500, 100)]
    old, new = CODES_ELSEWHERE[code]

    def found(*places: int) -> set[str]:
        kept = [record.replace(old, new) if at in places else record for at, record in enumerate(records)]
        names = ["a", "b", "c"]
        return set(
            _judged(vcf_text(records, samples=names), vcf_text(kept, header=masked_header(), samples=names))
        )

    checks = {"changed_elsewhere", "thinned_elsewhere"}
    assert found(0, 2) & checks
    assert bool(found(0, 1, 2, 3) & checks) == (code in NEW)
    assert not found() & checks


#: Original records, how they are masked, and how some of them are masked instead.
FORMS = {
    "INFO/DP": ("A G . . AF=0.001;DP=7 GT 0/1 0/0", ". A . . . DP=7 GT ./. ./.", "DP=7", "."),
    "INFO/MQ": ("A G . . AF=0.001;MQ=60 GT 0/1 0/0", ". A . . . MQ=. GT ./. ./.", "MQ=.", "MQ=0"),
    "FORMAT": (
        "A G . . AF=0.001 GT:DP 0/1:7 0/0:8",
        ". A . . . . GT:DP ./.:. ./.:.",
        "GT:DP ./.:. ./.:.",
        "GT ./. ./.",
    ),
    "ALT/number": (
        "A G,T . . AF=0.001,0.002 GT 0/1 0/0",
        ". A . . . . GT ./. ./.",
        "A . .",
        "A .,. .",
    ),
    "genotypes": ("A G . . AF=0.001 GT 0/1 0/1", ". A . . . . GT ./. ./.", "./. ./.", "./. .|."),
}


@pytest.mark.parametrize("column", FORMS)
@pytest.mark.parametrize("n_samples", [2, 1])
def test_forms_vary__is_told_of_what_masking_leaves_here_and_takes_there(column: str, n_samples: int) -> None:
    if n_samples == 1 and column == "genotypes":
        return
    original, masked, old, new = FORMS[column]
    header = [*HEADER, *(f'##INFO=<ID={key},Number=1,Type=Float,Description="x">' for key in ("DP", "MQ"))]
    names = ["a", "b"][:n_samples]

    def found(*places: int) -> dict[str, tuple[int, tuple[str, ...], str]]:
        kept = [masked.replace(old, new, 1) if at in places else masked for at in range(9)]
        pair = [
            vcf_text(
                [
                    " ".join(f"chr1 {100 * at + 9} {line}".split(" ")[: 9 + n_samples])
                    for at, line in enumerate(lines)
                ],
                header=lines_of,
                samples=names,
            )
            for lines, lines_of in (([f". {original}"] * 9, header), (kept, masked_header(header)))
        ]
        return _judged(*pair)

    assert column in found(5, 7)["forms_vary"][2]
    assert column in found(0, 1, 2, 3)["forms_vary"][2]
    assert "forms_vary" not in found()
    assert "forms_vary" not in found(*range(9)) or column == "genotypes"


@pytest.mark.parametrize(
    ("column", "before", "after"),
    [
        ("FILTER", [". . . GT 0|1", ". PASS . GT 0|1"], [". . . GT .|.", ". PASS . GT .|."]),
        ("QUAL", [". . . GT 0|1", "50 . . GT 0|1"], [". . . GT .|.", "50 . . GT .|."]),
        ("genotypes", [". . . GT 0|1", ". . . GT 0/1"], [". . . GT .|.", ". . . GT ./."]),
    ],
)
def test_forms_vary__is_told_by_one_bare_record_among_many(
    column: str, before: list[str], after: list[str]
) -> None:
    """Each of the first two kinds is blank as it was; the last record is blank as the other kind is."""
    chosen = [(0, 0)] * 3 + [(1, 1)] * 3 + [(1, 0)]
    sites = [f"chr1 {place * 100} . A {REPEAT}" for place in range(1, len(chosen) + 1)]
    original = [f"{site} {before[mine]}" for site, (mine, _) in zip(sites, chosen, strict=True)]
    kept = [f"{site} {after[own]}" for site, (_, own) in zip(sites, chosen, strict=True)]
    kept = [record.replace(f" {REPEAT} ", " N ") for record in kept]
    header = masked_header()
    found = [
        _judged(vcf_text(original[:n], samples=["a"]), vcf_text(kept[:n], samples=["a"], header=header))
        for n in (len(chosen) - 1, len(chosen))
    ]
    assert "forms_vary" not in found[0]
    assert column in found[1]["forms_vary"][2]


def _moved(record: str, number: int) -> str:
    """Return a record on another contig, with three samples."""
    columns = record.split()
    samples = ["GT", "./.", "./.", "./."][max(0, len(columns) - 8) :]
    return " ".join([f"{columns[0]}_{number}", *columns[1:], *samples])


RNG = np.random.default_rng(3)
SHARES = RNG.uniform(0.2, 0.8, 1_500)
PEOPLE = people(6, SHARES, RNG)
FILE = donor_file("a.vcf.gz", PEOPLE[:2], SHARES)


def _donors(file: VcfFile, panel: VcfFile | None = None) -> set[str]:
    measured = measure_donors(file, panel=panel)
    return {one.check for one in judge_donors(measured, VcfSettings()).exposure}


def _of_lines(*lines: str) -> VcfFile:
    return vcf_file("a.vcf.gz", vcf_text(list(lines), samples=["a", "b", "c"]))


OTHERS = donor_file("panel.vcf.gz", PEOPLE[3:5], SHARES)
DONOR_CASES: Mapping[str, tuple[tuple[VcfFile, VcfFile | None], tuple[VcfFile, VcfFile | None]]] = {
    "donor_in_panel": ((FILE, donor_file("p", PEOPLE[1:3], SHARES)), (FILE, OTHERS)),
    "relative_in_panel": (
        (FILE, donor_file("p", [child(PEOPLE[0], PEOPLE[5], RNG)], SHARES)),
        (FILE, OTHERS),
    ),
    "panel_membership": ((FILE, donor_file("p", PEOPLE[1:3], SHARES)), (FILE, OTHERS)),
    "panel_not_comparable": ((FILE, donor_file("p", PEOPLE[3:5], SHARES, contig="x{}")), (FILE, OTHERS)),
    "panel_compared": ((FILE, OTHERS), (FILE, donor_file("p", PEOPLE[3:5], SHARES, contig="x{}"))),
    "rare_of_one_donor": (
        (_of_lines(f"{RARE} {GT}"), None),
        (_of_lines(f"{RARE} GT 0/1 0/1 0/0"), None),
    ),
    "membership": ((_of_lines(f"{RARE} {GT}"), None), (_of_lines(f"{RARE} GT 0/0 0/0 0/0"), None)),
    "common_remaining": ((_of_lines(f"{COMMON} {GT}"), None), (_of_lines(f"{RARE} {GT}"), None)),
}


@pytest.mark.parametrize("name", DONOR_CASES)
def test_donor_check__fires_and_not_close_by(name: str) -> None:
    fires, near = DONOR_CASES[name]
    assert name in _donors(*fires)
    assert name not in _donors(*near)


@pytest.mark.parametrize("name", [*CODED_NAMES, *PLAIN_NAMES])
def test_sample_names__signs_that_nobody_sees_are_a_code(name: str) -> None:
    masked = vcf_text([f"{BLANK} GT ."], samples=[name], header=masked_header())
    found = _judged(vcf_text([f"{RARE} GT 0/1"], samples=["a"]), masked)
    assert ("samples_identify" in found) == (name in CODED_NAMES)
    assert "samples_kept" in _judged(vcf_text([f"{RARE} GT 0/1"], samples=[name]), masked)
