"""The registry of exposure checks: each says what to do, fires where it must and not beside it."""

from typing import NamedTuple

import pytest

from core.vcf import CHECKS, VcfPair, VcfSettings, judge_scan, scan_pair
from core.vcf.checks.header import HEADER_CHECKS
from tests.vcf_files import HEADER, masked_header, vcf_file, vcf_text

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
    "genotype_kept": _samples("GT 0/0 0/1 0/0", "GT 0/0 0/0 0/0"),
    "depth_betrays": _samples("GT:AD ./.:4,5 ./.:9,0 ./.:9,0", "GT:AD ./.:9,0 ./.:9,0 ./.:9,0"),
    "carriers_blanked": _samples("GT .|. ./. ./.", "GT .|. .|. ./."),
    "sample_fields_kept": _samples("GT:DP ./.:3 ./.:4 ./.:5", "GT:DP ./.:. ./.:. ./.:."),
    "allele_in_samples": _samples("GT:TGT ./.:A/G ./.:A/A ./.:A/A", "GT:TGT ./.:A/A ./.:A/A ./.:A/A"),
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
ELSEWHERE = {
    "nothing_to_verify",
    "declaration_hides_frequency",
    "bytes_unread",
    "no_records",
}  # in tests of their own


def _found(cases: Cases, kept: list[str]) -> set[str]:
    def samples(lines: list[str], name: str) -> list[str]:
        return [f"{name}{number}" for number in range(cases.samples)]

    header = [*HEADER, '##FORMAT=<ID=PID,Number=1,Type=String,Description="x">']
    pair = VcfPair(
        original=vcf_file(
            "x.vcf.gz", vcf_text(cases.original, samples=samples(cases.original, "a"), header=header)
        ),
        anonymized=vcf_file(cases.name, vcf_text(kept, samples=samples(kept, "b"), header=masked_header())),
        level="high" if cases.level == "high" else "low",
    )
    return {one.check for one in judge_scan(scan_pair(pair, VcfSettings()), VcfSettings()).exposure}


@pytest.mark.parametrize("name", CHECKS)
def test_checks__say_what_to_do(name: str) -> None:
    check = CHECKS[name]
    assert check.label
    assert check.message.endswith((".", "?"))
    assert check.remedy.endswith((".", "…"))
    assert check.remedy[0].isupper()


def test_checks__each_has_a_case_that_fires_and_a_near_one() -> None:
    assert set(CHECKS) - {check.name for check in HEADER_CHECKS} - ELSEWHERE == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_check__fires(name: str) -> None:
    assert name in _found(CASES[name], CASES[name].fires)


@pytest.mark.parametrize("name", CASES)
def test_check__does_not_fire_close_by(name: str) -> None:
    near = OF_THE_ORIGINAL.get(name, lambda cases: cases)(CASES[name])
    assert name not in _found(near, near.near)
