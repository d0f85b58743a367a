"""What gives a masked allele or the donor away, beyond the table of cases: files, names, levels and laws.

`tests/unit/test_vcf_cases.py` holds the table: what each check finds, and what it leaves alone.
"""

import random
import re
import time
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import AuditInputError
from core.vcf import ALL_CHECKS, CHECKS, VcfAudit, VcfFile, VcfPair, VcfSettings, judge_scan, scan_pair
from core.vcf.donor import judge_donors, measure_donors
from core.vcf.files import EOF_MARKER
from core.vcf.memoized import forgetting
from core.vcf.readings import READINGS, _keys_of
from core.vcf.sample_names import looks_personal, name_finder
from core.verdict import Verdict
from tests.cases.table import Case, holds_for_each, read_cases
from tests.unit.test_vcf_cases import BLANK, PID, RARE, judged
from tests.vcf_donors import child, donor_file, people
from tests.vcf_files import HEADER, bgzf, masked_header, vcf_file, vcf_text

REPEAT = "ACACACACACACACA"
COMMON = "chr1 900 . A T . . AF=0.4"
STR = f"chr1 200 . A {REPEAT} . . AF=0.3"
CLEAN = [BLANK, "chr1 200 . A N . . .", COMMON]
SAMPLES = ("S1", "S2", "S3")
GT = "GT 0/1 0/0 0/0"
PHASED = [*HEADER, PID]
CASES = read_cases("vcf.txt")


def _audit(
    original: Sequence[str],
    anonymized: Sequence[str],
    *,
    samples: Sequence[str] = (),
    names: Sequence[str] = (),
    header: Sequence[str] = (),
    original_header: Sequence[str] = HEADER,
    level: str = "high",
) -> VcfAudit:
    first = vcf_text(original, samples=samples, header=original_header)
    second = vcf_text(anonymized, samples=names or samples, header=header or masked_header())
    return judged(first, second, level)


def _found(audit: VcfAudit) -> dict[str, int]:
    return {exposure.check: exposure.n_affected for exposure in audit.exposure}


def test_checks__say_what_to_do() -> None:
    def holds(name: str) -> None:
        check = CHECKS[name]
        assert check.name == name
        assert check.label
        assert check.message.endswith((".", "?"))
        assert check.remedy.endswith(".")
        assert not check.remedy.endswith("….")
        assert check.remedy[0].isupper()

    assert len(CHECKS) >= 52
    holds_for_each(CHECKS, holds)


def test_checks__each_has_a_case_that_fires_and_a_near_one() -> None:
    told = {
        check.partition("=")[0].partition(":")[0]
        for part in ("masked sites", "records", "header lines", "header", "sample names")
        for case in CASES[part]
        for check in case.columns[0].lstrip("=").split(",")
    }
    fires = {check for check in told if check[:1] not in ("!", "-", "")}
    near = {check[1:] for check in told if check[:1] == "!"}
    near |= {check for check in fires if check.startswith("header_")}  # all other lines are near ones
    elsewhere = {*FILE_CASES, "level_assumed", "variants_not_verified"}
    # in test_vcf_beside.py
    elsewhere |= {"samples_computed", "odd_neighbour", "masked_in_another_release", "contig_of_some"}
    assert set(CHECKS) == fires | elsewhere
    assert set(CHECKS) - elsewhere - near == set()
    assert set(ALL_CHECKS) - set(CHECKS) == set(DONOR_CASES)


def test_scan_pair__remembers_nothing_of_a_file_afterwards() -> None:
    _audit([f"{RARE};SECRETKEY=1 GT 0/1"], ["chr1 100 . A . . . SECRETKEY=1 GT ./."], samples=("S1",))
    assert _keys_of.cache_info().currsize == 0
    with forgetting():
        assert _keys_of((b"SECRETKEY",)).keys == (b"SECRETKEY",)
        assert _keys_of.cache_info().currsize == 1
    assert _keys_of.cache_info().currsize == 0


def test_judge_scan__names_fields_and_nothing_of_a_clean_file() -> None:
    audit = _audit([RARE], ["chr1 100 . A . . . ZZ=1;EE=2;QD=3"])
    (found,) = [one.message for one in audit.exposure if one.check == "other_info"]
    assert found.endswith("EE (1), QD (1), ZZ (1).")
    audit = _audit([RARE], ["chr1 100 . A . . . CADD=1", "chr1 100 rs7 A . . . GERP=2"])
    remedies = {one.check: one.remedy for one in audit.exposure}
    assert "-x INFO/CADD." in remedies["described_in_info"]
    assert "-x ID." in remedies["public_id"]
    audit = _audit([RARE, STR, COMMON], CLEAN)
    assert (audit.exposure, audit.verdict, audit.exposure_verdict) == ((), Verdict.PASS, Verdict.PASS)
    assert audit.overall is Verdict.PASS
    original = vcf_text([f"{COMMON} GT 0/0 0/1 0/0"], samples=SAMPLES)
    assert "genotypes_changed" not in _found(judged(original, vcf_text([COMMON], header=masked_header())))


@pytest.mark.parametrize("piece", [200, 1 << 21])
def test_judge_scan__finds_a_phasing_identifier_blocks_later_and_in_any_order(piece: int) -> None:
    lines = [
        f"{RARE} GT:PID 0|1:100_A_G",
        *(f"chr1 {pos} . A T . . AF=0.4 GT:PID 0|1:100_A_G" for pos in range(200, 260)),
    ]
    masked = ["chr1 100 . A . . . . GT:PID ./.:.", *lines[1:]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.vcf.lines.PIECE", piece)
        for kept in (masked, masked[::-1]):
            header = masked_header(PHASED)
            audit = _audit(
                lines, kept, samples=("S1",), names=("sample_1",), header=header, original_header=PHASED
            )
            assert _found(audit)["phased_neighbour"] == 1


def test_judge_scan__nothing_to_verify_or_hidden_frequencies_are_not_assessed() -> None:
    bare = [line for line in HEADER if "cmdline" not in line and "reference" not in line]
    audit = _audit([COMMON], [COMMON], header=bare, original_header=bare)
    assert audit.report_row()["anonymization_rate"] == "100.00%(0/0)"
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.NOT_ASSESSED)
    assert audit.exposure[0].check == "nothing_to_verify"
    header = [line.replace("ID=MAF,Number=1,Type=Float", "ID=MAF,Number=0,Type=Flag") for line in HEADER]
    audit = _audit([f"{COMMON};MAF", RARE], [f"{COMMON};MAF", BLANK], original_header=header)
    exposure = {one.check: one for one in audit.exposure}["declaration_hides_frequency"]
    assert exposure.message.startswith("1 of 2 original records with an ALT ")
    assert exposure.examples == ("chr1:900",)
    assert audit.overall is Verdict.NOT_ASSESSED


DOCUMENTS = (
    '##INFO=<ID=Z1,Number=1,Type=Float,Description="Depth in the test.bam, see call of 2019-03-01">',
    '##INFO=<ID=Z2,Number=1,Type=Float,Description="such as c.76A>T or rs334; support@tool.example.org">',
    '##INFO=<ID=Z3,Number=1,Type=String,Description="documented at ftp://ftp.example.org/pub/a/b.pdf">',
    '##FORMAT=<ID=Z4,Number=1,Type=String,Description="sex: male or female, Fisher Exact by Wright">',
)


def test_header_exposures__documentation_of_the_original_is_no_leak_and_takes_linear_time() -> None:
    """Neither in the original's words, nor written anew with the same description."""
    line = f"{COMMON} GT 0/1 0/1"
    samples = ("test", "call")
    first = [*HEADER, *DOCUMENTS]
    second = [*masked_header(), *(f"{one[:-1]},IDX=7>" for one in DOCUMENTS)]
    audit = _audit([line], [line], samples=samples, names=("a", "b"), header=second, original_header=first)
    assert _found(audit) == {}
    text = "0123456789abcdef" * 5_000
    started = time.process_time()
    lines = [*masked_header(), f"##note={text}", f'##INFO=<ID=Z,Number=1,Type=String,Description="{text}">']
    line = f"{COMMON} GT 0/1"
    _audit([line], [line], samples=(text,), names=(text[::-1],), header=lines)
    assert time.process_time() - started < 2


def test_header_exposures__what_documentation_and_other_lines_must_not_hold() -> None:
    lines = (
        '##INFO=<ID=Z1,Number=1,Type=Float,Description="Depth in S17_2024.bam">',
        '##INFO=<ID=Z2,Number=1,Type=Float,Description="ask min.kim@hospital.example">',
        '##INFO=<ID=Z3,Number=1,Type=Float,Description="Depth of HN00017">',
        '##INFO=<ID=Z4,Number=1,Type=Float,Description="see /data/u/kim/readme.txt">',
    )
    line = f"{COMMON} GT 0/1"
    audit = _audit(
        [line],
        [line],
        samples=("HN00017",),
        names=("a",),
        header=[*masked_header(), *lines],
        original_header=[*HEADER, *lines],
    )
    assert set(_found(audit)) == {"header_file", "header_email", "header_person", "header_path"}
    line = f"{COMMON} GT 0/1 0/1 0/1"
    header = masked_header()
    names = ("HG1x", "kimmin", "S3")
    for text, n in (("kimmin", 1), ("x.kimmin_2", 1), ("kimmins", 0), ("S3", 0)):
        audit = _audit([line], [line], samples=names, names=SAMPLES, header=[*header, f"##note={text}"])
        assert _found(audit).get("header_person", 0) == n
    own = [*HEADER, "##note=anything", "##other=.", "##phasing=partial"]
    audit = _audit([RARE], [CLEAN[0]], original_header=own, header=[*masked_header(own), "##new=words"])
    exposure = {one.check: one for one in audit.exposure}["header_leftover"]
    assert (exposure.n_affected, exposure.examples) == (2, ("##note", "##new"))


def test_samples__names_that_were_kept_are_identifiers_and_pseudonyms_are_none() -> None:
    line = f"{COMMON} GT 0/1 0/1 0/1"
    audit = _audit([line], [line], samples=("S1", "HG00096", "x2"), names=("S1", "Minji Kim", "id_3"))
    found = {one.check: one.examples for one in audit.exposure}
    assert found == {"samples_identify": ("sample 2",), "samples_kept": ("sample 1",)}
    line = f"{COMMON} GT 0/1 0/1 0/1"
    samples = ("HN12345", "XQZ19P77", "S1")
    kept = _found(_audit([line], [line], samples=samples))
    assert kept == {"samples_kept": 3, "samples_identify": 2}
    assert _found(_audit([line], [line], samples=samples, names=("S000123", "k3j9x2q7", "AB12CD34"))) == {}


GENERIC = (
    "sample_1, S01, donor-7, 17, anon_3, patient 12, tumor, control, 9f31c07be2a4, 0C1F2E3D4B5A6978, "
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301, Han_Chinese, Park_score, S000123, k3j9x2q7, AB12CD34, XQZ19P, "
    "test, call, 0047119, Sample_Blood"
).split(", ")
PERSONAL = (
    "Choi_Jiwoo, Seo-yeon Kang, Minji Kim, 김민지, john.doe, NA12878, 8501011234567, MRN-004711, alice, "
    "Ana_Novak_2, 김 민지, kim@example.org, 850101-1234567, P_1985-01-31, runs/kim.bam"
).split(", ")


def test_looks_personal__for_names_and_identifiers_and_not_for_generic_names() -> None:
    assert [name for name in GENERIC if looks_personal(name)] == []
    assert [name for name in PERSONAL if not looks_personal(name)] == []


def test_name_finder__finds_original_names_in_any_dress_of_any_number_of_samples() -> None:
    """Originals in a Korean encoding, released names in UTF-8."""
    found = name_finder([b"HN12345", "김민지".encode("cp949"), "kovač7".encode(), b"sample"])
    dressed = "HN12345 hn12345 54321NH anon_HN12345 12345 484e3132333435 SE4xMjM0NQ== HN%312345"
    assert [
        name for name in [*dressed.split(), "x김민지", "김민지_2", "KOVAČ7"] if not found(name.encode())
    ] == []
    assert [name for name in "S0001 HN1234 HN54321 zz 김영희 4".split() if found(name.encode())] == []
    found = name_finder(b"HN%06d" % i for i in range(30_000))
    started = time.process_time()
    assert sum(found(b"x_HN%06d_y" % i) for i in range(30_000)) == 30_000
    assert time.process_time() - started < 10


def test_judge_scan__severities_are_the_persons_choice() -> None:
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", vcf_text([RARE])),
        anonymized=vcf_file(
            "high_anony_x.vcf.gz", vcf_text(["chr1 100 rs1 A . . . ."], header=masked_header())
        ),
        level="high",
    )
    scan = scan_pair(pair, VcfSettings())
    chosen = VcfSettings(severities={"public_id": Verdict.WARN})
    assert judge_scan(scan, chosen).exposure_verdict is Verdict.WARN
    with pytest.raises(AuditInputError, match=r"name no_such\. The checks are: masked_in"):
        judge_scan(scan, VcfSettings(severities={"no_such": Verdict.WARN}))


def test_judge_scan__low_level_says_which_variants_it_leaves() -> None:
    line = f"{RARE} GT 0/1 0/0 0/0"
    audit = _audit([line], [line], samples=SAMPLES, names=("a1", "b2", "c3"), level="low")
    assert set(_found(audit)) == {"sole_carrier", "variants_not_verified"}
    audit = _audit([RARE, STR, COMMON], [RARE, CLEAN[1], COMMON], level="low")
    exposure = {one.check: one for one in audit.exposure}["variants_not_verified"]
    assert (exposure.n_affected, exposure.examples) == (1, ("chr1:100",))
    assert exposure.message.startswith("1 of 2 rare or repeat sites still names its allele. ")
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.WARN)
    assert _audit([RARE, STR, COMMON], CLEAN, level="low").overall is Verdict.PASS


LEVELS = [
    ("HIGH_anony_x.vcf.gz", "low", 1),
    ("high-0.01_anony_x.vcf.gz", "low", 1),
    ("anony_x.vcf.gz", "low", 1),
    ("low_anony_x.vcf.gz", "low", 0),
    ("weak_anony_x.vcf.gz", "low", 0),
    ("paired_by_hand.vcf.gz", "low", 0),
    ("HIGH_anony_x.vcf.gz", "high", 0),
]


def test_judge_scan__names_a_level_assumed_and_files_exchanged() -> None:
    def holds(name: str, level: str, n: int) -> None:
        audit = judged(vcf_text([RARE]), vcf_text([BLANK], header=masked_header()), level, name)
        assert _found(audit).get("level_assumed", 0) == n
        assert audit.overall is (Verdict.NOT_ASSESSED if n else Verdict.PASS)

    holds_for_each(LEVELS, holds)
    exposed = {one.check: one for one in _audit([*CLEAN[:2], COMMON], [RARE, STR, COMMON]).exposure}
    assert exposed["alleles_shown"].examples == ("chr1:100", "chr1:200")
    assert exposed["alleles_shown"].verdict is Verdict.FAIL


# --- files, headers and names


CODED_NAMES = [f"S{sign}001" for sign in "\u200b\u00ad"] + [f"S001{sign}" for sign in "\u00a0\u3164\ufe0f"]
CODED_NAMES += ["\u0405ample\u0430b", "S\uff210A"]
PLAIN_NAMES = ["S001", "Probe-Ä1", "Проба1", "환자1", "S 01", "Δείγμα1"]


def test_sample_names__signs_that_nobody_sees_are_a_code() -> None:
    def holds(name: str) -> None:
        masked = vcf_text([f"{BLANK} GT ."], samples=[name], header=masked_header())
        found = _found(judged(vcf_text([f"{RARE} GT 0/1"], samples=["a"]), masked))
        assert ("samples_identify" in found) == (name in CODED_NAMES)
        assert "samples_kept" in _found(judged(vcf_text([f"{RARE} GT 0/1"], samples=[name]), masked))

    holds_for_each([*CODED_NAMES, *PLAIN_NAMES], holds)


def test_header__an_order_that_programs_write_tells_nothing() -> None:
    """Sorted lines, and contigs of which those with records are left, carry no code."""
    lines = [*HEADER, *(f'##INFO=<ID=X{number},Number=1,Type=Integer,Description="x">' for number in (2, 1))]
    kept = [HEADER[0], *sorted(line for line in masked_header(lines)[1:] if "chr2" not in line)]
    assert _found(judged(vcf_text([RARE], header=lines), vcf_text([BLANK], header=kept))) == {}


POPULATION = '##INFO=<ID=gnomAD_AF,Number=A,Type=Float,Description="x">'
DEFINED = '##ALT=<ID=CAG35,Description="x">'
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
        bgzf(vcf_text([BLANK], header=masked_header())) + EOF_MARKER,
        bgzf(vcf_text([BLANK], header=masked_header())),
    ),
    "header_definition": (
        vcf_text(["chr1 100 . A <CAG35> . . AF=0.001", COMMON], header=[*HEADER, DEFINED]),
        vcf_text([BLANK, COMMON], header=masked_header([*HEADER, DEFINED])),
        vcf_text([BLANK, COMMON], header=masked_header()),
    ),
    "rare_by_another_frequency": (
        vcf_text([RARE, f"{COMMON};gnomAD_AF=0.002"], header=[*HEADER, POPULATION]),
        vcf_text([BLANK, f"{COMMON};gnomAD_AF=0.002"], header=masked_header([*HEADER, POPULATION])),
        vcf_text([BLANK, f"{COMMON};gnomAD_AF=0.02"], header=masked_header([*HEADER, POPULATION])),
    ),
    "original_itself": (
        vcf_text([RARE, COMMON]),
        vcf_text([RARE, COMMON]),
        vcf_text([RARE, COMMON], header=masked_header()),
    ),
    "no_records": (vcf_text([]), vcf_text([], header=masked_header()), vcf_text([BLANK])),
}


@pytest.mark.parametrize("name", FILE_CASES)
def test_file_check__fires_and_not_close_by(name: str) -> None:
    original, fires, near = FILE_CASES[name]
    assert name in _found(judged(original, fires))
    assert name not in _found(judged(original, near) if near else judged(vcf_text([RARE]), fires))


SECOND = [
    ("gnomAD_AF=0.002", True),
    ("AF_popmax=0.0003", True),
    ("CAF=0.9998,0.0002", True),
    ("FREQ=1000Genomes:0.9998,0.0002|TOPMED:0.9999,0.0001", True),
    ("POPAF=4.7", True),
    ("AF_PERCENT=0.02%", True),
    ("COMMON=0", True),
    ("CSQ=T|missense_variant|0.002|rs1", True),
    ("CSQ=T|intron_variant|0.3|rs1,C|missense_variant|0.0004|rs1", True),
    ("CSQ=T|missense_variant|0.02|rs1", False),
    ("CSQ=T|missense_variant||0.002", False),
    ("gnomAD_AF=0.02", False),
    ("FREQ=KOREAN:0.8,0.2|TOPMED:0.9999,0.0001", False),
    ("AF_eas=0.0", False),
    ("COMMON=1", False),
]


def test_rare_by_another_frequency__in_whatever_form() -> None:
    def holds(field: str, is_told: bool) -> None:
        columns = "Format: Allele|Consequence|gnomADg_AF|ID" if field.startswith("CSQ") else "x"
        line = f'##INFO=<ID={field.partition("=")[0]},Number=.,Type=String,Description="{columns}">'
        records = [RARE, f"{COMMON};{field}"], [BLANK, f"{COMMON};{field}"]
        first, second = (
            vcf_text(records[0], header=[*HEADER, line]),
            vcf_text(records[1], header=masked_header([*HEADER, line])),
        )
        assert ("rare_by_another_frequency" in _found(judged(first, second))) is is_told
        alone = [records[0][0], records[0][1].replace("AF=0.4;", "")]  # with no frequency that decides
        first = vcf_text(alone, header=[*HEADER, line])
        for kept, is_named in ((alone[1], is_told), (alone[1].replace("A T", "A ."), False)):
            second = vcf_text([BLANK, kept], header=masked_header([*HEADER, line]))
            assert ("rare_by_another_frequency" in _found(judged(first, second))) is is_named

    holds_for_each(SECOND, holds)


def test_allele_elsewhere__on_the_other_name_of_a_contig() -> None:
    contigs = [*HEADER[:-1], "##contig=<ID=1,length=1000>", HEADER[-1]]
    for position, n in ((100, 1), (101, None)):
        other = f"1 {position} . A G . . AF=0.3"
        kept = vcf_text([BLANK, COMMON, other], header=masked_header(contigs))
        found = _found(judged(vcf_text([RARE, COMMON, other], header=contigs), kept))
        assert found.get("allele_elsewhere") == n


# --- what some records lost, and how masking leaves them


_FULL = "chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4"
LOST = [
    ("chr1 900 . A T 7 q1 DP=3 GT:DP 0/1:3 0/0:4", "ID"),
    ("chr1 900 x A T . q1 DP=3 GT:DP 0/1:3 0/0:4", "QUAL"),
    ("chr1 900 x A T 7 . DP=3 GT:DP 0/1:3 0/0:4", "FILTER"),
    ("chr1 900 x A T 7 q1 DP=. GT:DP 0/1:3 0/0:4", "INFO/DP"),
    ("chr1 900 x A T 7 q1 DP=3 GT 0/1 0/0", "FORMAT/DP"),
    ("chr1 900 x A T 7 q1 DP=3 GT:DP 0/1:. 0/0:4", "FORMAT/DP"),
]


def test_blank_in_several_ways__names_what_some_records_lost() -> None:
    """Every second record lost it; where all lost it, or masked ones alone, nothing is told."""

    def holds(lost: str, name: str) -> None:
        places = range(900, 1700, 100)
        original = [_FULL.replace("900", str(place)) for place in places]
        some = [(lost if place % 200 else _FULL).replace("900", str(place)) for place in places]
        every = [lost.replace("900", str(place)) for place in places]
        found, close = (
            {one.check: one for one in _audit(original, kept, samples=["s1", "s2"]).exposure}
            for kept in (some, every)
        )
        assert f"`{name}`" in found["blank_in_several_ways"].message
        in_samples = "0/1:." in lost  # the other sample still has it
        assert ("blank_in_several_ways" in close) == in_samples

    holds_for_each(LOST, holds)


def test_blank_in_several_ways__what_stands_before_the_loss_is_not_kept_after_it() -> None:
    places = ("900 . A T . . AF=0.4;DP=3", "950 . A T . . AF=0.4;DP=3", "990 . A T . . AF=0.4")
    lost = [RARE, *(f"chr1 {place}" for place in places)]
    kept = [BLANK, COMMON, lost[2], "chr1 990 . A T . PASS AF=0.4"]
    (found,) = [one.message for one in _audit(lost, kept).exposure if one.check == "blank_in_several_ways"]
    assert "`INFO/DP`" in found
    assert "FILTER" not in found


_KINDS = ("rs3", "cn7", "rs4", "cn8", "rs5")


def test_blank_in_several_ways__identifiers_of_a_kind_may_all_go() -> None:
    def holds(lost: set[str], is_told: bool) -> None:
        lines = [f"chr1 {at}00 {name} A T . . AF=0.4" for at, name in enumerate(_KINDS, 3)]
        kept = [
            line.replace(f" {name} ", " . ") if name in lost else line
            for line, name in zip(lines, _KINDS, strict=True)
        ]
        assert ("blank_in_several_ways" in _found(_audit([RARE, *lines], [BLANK, *kept]))) is is_told

    cases = (({"cn7", "cn8"}, False), ({"cn7"}, True), ({"rs4"}, True), ({"cn7", "cn8", "rs4"}, True))
    holds_for_each(cases, holds)


def test_something_new__phase_sets_counted_for_each_sample_are_not() -> None:
    line = '##FORMAT=<ID=PS,Number=1,Type=Integer,Description="x">'

    def found(*numbers: str) -> bool:
        sets = ("410", "410", "530", "530", "610")
        records = [f"chr1 {400 + 50 * at} . A T . . AF=0.4 GT:PS 0|1:{one}" for at, one in enumerate(sets)]
        kept = [
            record.replace(f":{one}", f":{new}")
            for record, one, new in zip(records, sets, numbers, strict=True)
        ]
        header = [*HEADER, line]
        audit = _audit(
            [f"{RARE} GT 0/1", *records],
            [f"{BLANK} GT ./.", *kept],
            samples=["HN410"],
            names=["a"],
            header=masked_header(header),
            original_header=header,
        )
        return "something_new" in _found(audit)

    assert not found("1", "1", "2", "2", "3")
    assert not found("1", "1", "2", ".", "3")
    assert found("1", "1", "2", "3", "3")
    assert found("7", "7", "2", "2", "3")
    assert found("1", "1", "3", "3", "2")


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
        return set(_found(_audit(records, kept, samples=["a", "b", "c"])))

    checks = {"something_new", "blank_in_several_ways"}
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
def test_blank_in_several_ways__is_told_of_what_masking_leaves_here_and_takes_there(
    column: str, n_samples: int
) -> None:
    if n_samples == 1 and column == "genotypes":
        return
    original, masked, old, new = FORMS[column]
    header = [*HEADER, *(f'##INFO=<ID={key},Number=1,Type=Float,Description="x">' for key in ("DP", "MQ"))]
    names = ["a", "b"][:n_samples]

    def found(*places: int) -> dict[str, str]:
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
        return {one.check: one.message for one in judged(*pair).exposure}

    assert column in found(5, 7)["blank_in_several_ways"]
    assert column in found(0, 1, 2, 3)["blank_in_several_ways"]
    assert "blank_in_several_ways" not in found()
    assert "blank_in_several_ways" not in found(*range(9)) or column == "genotypes"


@pytest.mark.parametrize(
    ("column", "before", "after"),
    [
        ("FILTER", [". . . GT 0|1", ". PASS . GT 0|1"], [". . . GT .|.", ". PASS . GT .|."]),
        ("QUAL", [". . . GT 0|1", "50 . . GT 0|1"], [". . . GT .|.", "50 . . GT .|."]),
        ("genotypes", [". . . GT 0|1", ". . . GT 0/1"], [". . . GT .|.", ". . . GT ./."]),
    ],
)
def test_blank_in_several_ways__is_told_by_one_bare_record_among_many(
    column: str, before: list[str], after: list[str]
) -> None:
    """Each of the first two kinds is blank as it was; the last record is blank as the other kind is."""
    chosen = [(0, 0)] * 3 + [(1, 1)] * 3 + [(1, 0)]
    sites = [f"chr1 {place * 100} . A {REPEAT}" for place in range(1, len(chosen) + 1)]
    original = [f"{site} {before[mine]}" for site, (mine, _) in zip(sites, chosen, strict=True)]
    kept = [f"{site} {after[own]}" for site, (_, own) in zip(sites, chosen, strict=True)]
    kept = [record.replace(f" {REPEAT} ", " N ") for record in kept]
    found = [
        {one.check: one.message for one in _audit(original[:n], kept[:n], samples=["a"]).exposure}
        for n in (len(chosen) - 1, len(chosen))
    ]
    assert "blank_in_several_ways" not in found[0]
    assert column in found[1]["blank_in_several_ways"]


# --- laws: the quick reading and the one site by site agree


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    chosen=st.lists(st.sampled_from([*CASES["masked sites"], *CASES["records"]]), min_size=1, max_size=8),
    draw=st.randoms(),
)
def test_checks__quick_and_literal_readings_agree_on_any_mixture(
    chosen: list[Case], draw: random.Random
) -> None:
    """Cases one after the other, each on contigs of its own, some in disorder."""
    original, kept = [], []
    for number, case in enumerate(chosen):
        for records, texts in zip((original, kept), case.columns[1:], strict=True):
            records += [_moved(record, number) for record in texts.split(" / ") if record != "-"]
    if draw.random() < 0.3:
        draw.shuffle(kept)
    names = ["s1", "s2", "s3"]
    _audit(original, kept, samples=names)


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


@pytest.mark.slow
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
    judged(vcf_text(original, samples=both), vcf_text(kept, samples=names, header=masked_header()))


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
    _audit(original, kept, samples=["s1", "s2"])


_NUMBERS = tuple("0 0,0 3 71 0.5 0,2 1e-3 -0.7 0.0 10 1,. 007 0|1 2/7 3:0 1e5".split())
# One key of each kind that a check knows, and some of none.
_KEYS = tuple(
    "AC MAC AC_HOM DP MQ0 SOR AF_KR RU REPCN A1 A2 RS SIFT END SVLEN AT GC HIST OLD_X CSQ ANN A_C K:5 "
    "1000G".split()
)
_VALUES = {
    "GT": "0/1 1/1 0/0 ./. 0|1 0 1",
    "AD": "3,4 0,7 10,0 . 5 0,0 2,1 007,1",
    "DP": "7 30 . 0",
    "RD": "5 0",
    "GP": "0.1,0.9,0 1,0,0 0,0.6,0.4 2,0.04,0",
    "GL": "-1,-0.2,0 0,-3,-5 -12,0,-2 .",
    "CN": "2 3 12 0 1",
    "PS": "100 9 200",
    "HP": "100-1 900-2",
    "PID": "100_A_G 900_C_T .",
    "OGT": "0/1 0/0 12 0",
    "ZZ": "5 x . 0 G",
    "FT": "PASS q10 .",
    "DS": "0 1 0.4 0.04",
}
_FIELDS = {
    **dict.fromkeys(
        [
            key
            for one in READINGS
            if one.column == "FORMAT"
            for key in one.keys.decode().split("|")
            if key.isalnum()
        ],
        ("0", "5", "0,0,0", "0,7,0", "12,3,1", "."),
    ),
    **{key: tuple(values.split()) for key, values in _VALUES.items()},
}
_FORMATS = ("GT", "GT", "GT:AD:DP:PL", "AD:ZZ", "GT:RD:AD", *(f"GT:{key}" for key in _FIELDS if key != "GT"))


@pytest.mark.slow
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
    _audit(original, kept, samples=names)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["INFO", "FORMAT"])
def test_checks__each_reading_of_a_value_is_the_literal_one_after_any_other(kind: str) -> None:
    """One record has a value, those after it have each other one: what is known of it tells them apart."""
    fields = dict.fromkeys(_KEYS, _NUMBERS) if kind == "INFO" else _FIELDS
    for key, values in fields.items():
        for first in values:
            order = [first, *(value for value in values if value != first)]
            ends = [f"{key}={value};AF=0.001" for value in order]
            if kind == "FORMAT":
                begin, cell = ("GT", "") if key == "GT" else (f"GT:{key}", "0/1:")
                ends = [f"AF=0.001 {begin} {cell}{value}" for value in order]
            sites = [f"chr1 {place * 100} . A" for place in range(1, len(order) + 1)]
            original = [f"{site} G . . {end}" for site, end in zip(sites, ends, strict=True)]
            kept = [f"{site} . . . {end}" for site, end in zip(sites, ends, strict=True)]
            _audit(original, kept, samples=["s1"] if kind == "FORMAT" else [])


_WORDS = (
    "G|ENSG0123 x|ENSG01,y|ENSG0123456 intron|A5G c.12A>G p.Ala7Gly rs1 rs12 CA7 0|0 GA4GH:VA AC7 chr1_5_A_G "
    "%41 %47 0/0 1:7 T|A (AC)7 <5 q|12:33 1e5 0"
).split()
_WORD_KEYS = ("CSQ", "X", "MAC", "GT_COUNT", "AT", "GENE", "AF_kr", "Q", "DP4", "MQ0", "AD", "ANN", "HET")


@pytest.mark.slow
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
    _audit(original, kept)


def _moved(record: str, number: int) -> str:
    """Return a record on another contig, with three samples."""
    columns = record.split()
    samples = ["GT", "./.", "./.", "./."][max(0, len(columns) - 8) :]
    return " ".join([f"{columns[0]}_{number}", *columns[1:], *samples])


# --- donors


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
    "panel_not_comparable": ((FILE, donor_file("p", PEOPLE[3:5], SHARES, contig="x{}")), (FILE, OTHERS)),
    "panel_compared": ((FILE, OTHERS), (FILE, donor_file("p", PEOPLE[3:5], SHARES, contig="x{}"))),
    "rare_of_one_donor": (
        (_of_lines(f"{RARE} {GT}"), None),
        (_of_lines(f"{RARE} GT 0/1 0/1 0/0"), None),
    ),
    "membership": ((_of_lines(f"{RARE} {GT}"), None), (_of_lines(f"{RARE} GT 0/0 0/0 0/0"), None)),
    "common_remaining": ((_of_lines(f"{COMMON} {GT}"), None), (_of_lines(f"{RARE} {GT}"), None)),
}


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", DONOR_CASES)
def test_donor_check__fires_and_not_close_by(name: str) -> None:
    fires, near = DONOR_CASES[name]
    assert name in _donors(*fires)
    assert name not in _donors(*near)
