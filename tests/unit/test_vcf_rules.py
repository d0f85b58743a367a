"""The published rules, on sites countable by hand, and frequencies that are the file's own."""

import math
from types import SimpleNamespace

import pytest

from core.errors import AuditInputError
from core.vcf import (
    VcfAudit,
    VcfFile,
    VcfPair,
    VcfSettings,
    judge_scan,
    level_of,
    original_name,
    pair_files,
    scan_pair,
    split_uploads,
)
from core.vcf.frequencies import FrequencyReader, smallest
from core.vcf.header import Declaration, metadata_of
from core.vcf.other_frequencies import MOST_FIRST, OwnFrequencies
from core.vcf.repeats import RepeatPattern
from core.verdict import Verdict
from tests.cases.table import holds_for_each, says
from tests.vcf_files import HEADER, Reference, bgzf, masked_header, vcf_file, vcf_text

REPEAT = "ACACACACACACACA"


def audit_lines(
    original: list[str], anonymized: list[str], *, settings: VcfSettings | None = None, level: str = "high"
) -> VcfAudit:
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", vcf_text(original)),
        anonymized=vcf_file("high_anony_x.vcf.gz", vcf_text(anonymized, header=masked_header())),
        level="high" if level == "high" else "low",
    )
    chosen = settings or VcfSettings()
    return judge_scan(scan_pair(pair, chosen), chosen)


#: What is left of a repeat and of a rare site, and whether that is masked.
REPEAT_KEPT = [(REPEAT, False), ("N", True), ("GNG", True), ("n", False), (".", False), ("A,<NON_REF>", True)]
RARE_KEPT = [
    ("G . . AF=0.001", False),
    ("N . . AF=0.001", False),
    (". . . AF=0.001", True),
    (".,. . . AF=0.001", True),
    ("G . . .", True),
    ("G . . AF=0.4", True),
    ("G . . AF=.", True),
    ("G . . AF=nan", False),
    ("G . . MAF=nan", True),
]
KEPT = [(f"A {REPEAT} . . AF=0.3", f"chr1 1 . A {alt} . . AF=0.3", masked) for alt, masked in REPEAT_KEPT]
KEPT += [(f"A {REPEAT} . . AF=0.3", "chr1 2 . A N . . AF=0.3", False)]
KEPT += [("A G . . AF=0.001", f"chr1 1 . A {record}", masked) for record, masked in RARE_KEPT]


def test_judge_scan__repeats_need_another_alt_with_an_n_and_rare_sites_no_alt_or_another_frequency() -> None:
    def holds(original: str, kept: str, masked: bool) -> None:
        audit = audit_lines([f"chr1 1 . {original}"], [kept])
        assert (audit.n_variant_targets, audit.n_variant_masked) == (1, int(masked))

    holds_for_each(KEPT, holds)


def test_judge_scan__the_last_target_definition_counts_and_positions_are_in_file_order() -> None:
    original = [f"chr1 1 . A {REPEAT} . . AF=0.3", "chr1 1 . A G . . AF=0.001", "chr1 1 . A T . . AF=0.3"]
    audit = audit_lines(original, [f"chr1 1 . A {REPEAT} . . AF=0.001", "chr1 1 . A . . . AF=0.001"])
    assert audit.targets.is_repeat.tolist() == [False]
    assert audit.n_variant_masked == 1
    original = [f"{contig} {pos} . A G . . AF=0.001" for contig in ("chr2", "chr1") for pos in (10, 9)]
    audit = audit_lines(original, original[:3])
    assert audit.report_row()["unmasked_positions"] == "chr2:10;chr2:9;chr1:10;chr1:9"
    assert len(audit.missing) == 1
    assert audit.verdict is Verdict.FAIL


def test_judge_scan__moves_with_the_threshold_without_reading_again() -> None:
    lines = [f"chr1 {place} . A G . . AF={place / 100}" for place in (1, 2, 5, 30, 49, 50)]
    scan = audit_lines(lines, lines).scan
    counts = [
        judge_scan(scan, VcfSettings(maf_threshold=threshold)).n_variant_targets
        for threshold in (0.01, 0.02, 0.05, 0.5)
    ]
    # As 32-bit floats 0.01, 0.02 and 0.49 are below their thresholds, 0.05 is above and 0.5 exact.
    assert counts == [1, 2, 2, 5]
    # The frequency was raised to 0.03: that satisfies 0.01, but not 0.05.
    scan = audit_lines(["chr1 1 . A G . . AF=0.001"], ["chr1 1 . A G . . AF=0.03"]).scan
    found = [judge_scan(scan, VcfSettings(maf_threshold=t)).n_variant_masked for t in (0.01, 0.05)]
    assert found == [1, 0]


def test_judge_scan__low_level_has_header_targets_only() -> None:
    audit = audit_lines(["chr1 1 . A G . . AF=0.001"], ["chr1 1 . A G . . AF=0.001"], level="low")
    assert audit.report_row() == {
        "filename": "high_anony_x.vcf.gz",
        "anonymization_level": "low",
        "anonymization_rate": "100.00%(2/2)",
        "verification_result": "ok",
        "total_targets": 2,
        "metadata_targets": 2,
        "variant_targets": 0,
        "metadata_masked": 2,
        "variant_masked": 0,
        "unmasked_positions": "-",
    }


@pytest.mark.parametrize(
    ("settings", "n_targets"),
    [
        (VcfSettings(), 1),
        (VcfSettings(min_repeat=9), 0),
        (VcfSettings(min_motif=3), 0),
        (VcfSettings(max_motif=1), 0),
        (VcfSettings(min_motif=2, max_motif=2, min_repeat=7), 1),
    ],
)
def test_scan_pair__repeat_parameters(settings: VcfSettings, n_targets: int) -> None:
    line = f"chr1 1 . A {REPEAT} . . AF=0.3"
    assert audit_lines([line], [line], settings=settings).n_variant_targets == n_targets


def test_repeat_pattern_and_smallest__by_hand() -> None:
    pattern = RepeatPattern.of(VcfSettings())
    assert pattern.motif(b"TTCACACACACACACAG") == b"AC"
    assert pattern.motif(b"AAAAAAA") == b"A"
    assert pattern.motif(b"ACGT") == b""
    assert smallest((0.75,)) == 0.25
    assert smallest((0.5, 0.75)) == 0
    assert smallest((math.nan, 0.3)) == 0


SITES = [
    (b".", math.inf),
    (b"AF=0.5,0.25", 0.25),
    (b"AF=0.6,0.35", 1 - (float.fromhex("0x1.3333340000000p-1") + float.fromhex("0x1.6666660000000p-2"))),
    (b"AF=0x1p-2", 0.25),
    (b"AF=1e400", 0),
    (b"AF=.;AC=1;AN=8", 0.125),
    (b"AC=.,1;AN=8", 0.125),
    (b"AC=1;AN=0", math.inf),
    (b"AC=1;AN=-8", math.inf),
    (b"AC=99999999999999999999999;AN=8", math.inf),
    (b"MAF=.;AF=0.25", 0.25),
    (b"MAF;AF=0.25", 0.25),
    (b"MAF=nan;AF=0.25", math.inf),
    (b"MAF=0.75", 0.75),
    (b"XAF=0.1;AF_afr=0.1", math.inf),
    (b"AF=nan", 0),
]
FLOAT, FLOATS = Declaration("Float", single=True), Declaration("Float", single=False)
INTEGER, INTEGERS = Declaration("Integer", single=True), Declaration("Integer", single=False)
FLAG, STRING = Declaration("Flag", single=False), Declaration("String", single=True)
HINDERED = [
    ({"MAF": FLAG}, b"MAF;AF=0.1", "MAF"),
    ({"MAF": STRING}, b"MAF=abc;AF=0.1", "MAF"),
    ({"MAF": FLOATS}, b"MAF=.,0.1;AF=0.1", "MAF"),
    ({"MAF": FLOATS}, b"MAF;AF=0.1", "MAF"),
    ({"AN": INTEGERS}, b"AC=1;AN=10", "AN"),
    ({}, b"DP=3", ""),
]
FLAGS = [
    ("AF", b"AF", 0),
    ("AF", b"AF=0.4;AC=4;AN=10", 0),
    ("AF", b"AC=4;AN=10", 0.4),
    ("AC", b"AC;AN=8", 0.125),
    ("AC", b"AN=8", math.inf),
]


def test_frequency_reader__reads_sites_and_names_the_declaration_that_hinders() -> None:
    usual = FrequencyReader({"AF": FLOATS, "MAF": FLOAT, "AC": INTEGERS, "AN": INTEGER})
    for info, maf in SITES:
        assert usual.maf(info) == maf, info
    for declared, info, hindered_by in HINDERED:
        site = FrequencyReader(declared).site(info)
        assert (site.maf, site.hindered_by) == (math.inf, hindered_by), info
    for key, info, maf in FLAGS:  # a flag is one where it is present
        assert FrequencyReader({"AN": INTEGER, key: FLAG}).maf(info) == maf, info


def test_judge_scan__frequency_declared_a_flag_makes_its_records_rare() -> None:
    header = [line.replace("ID=AF,Number=A,Type=Float", "ID=AF,Number=0,Type=Flag") for line in HEADER]
    original = vcf_text(["chr1 1 . A G . . AF", "chr1 2 . A G . . AF", "chr1 3 . A G . . ."], header=header)
    kept = vcf_text(
        ["chr1 1 . A . . . .", "chr1 2 . A G . . AF", "chr1 3 . A G . . ."], header=masked_header(header)
    )
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", original),
        anonymized=vcf_file("high_anony_x.vcf.gz", kept),
        level="high",
    )
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    assert (audit.n_variant_targets, list(audit.unmasked())) == (2, [("chr1", 2)])
    assert Reference(0.01).verify(bgzf(original), bgzf(kept)) == (1, {"chr1:2"})


@pytest.mark.parametrize(("alt", "masked"), [("", True), (".", True), ("G", False)])
def test_judge_scan__an_empty_alt_masks_a_site_and_is_none_itself(alt: str, masked: bool) -> None:
    for original, n_targets in (("", 0), ("G", 1)):
        before = [f"chr1 1 . A {original} . . AF=0.001"]
        after = [f"chr1 1 . A {alt} . . AF=0.001"]
        audit = audit_lines(before, after)
        assert (audit.n_variant_targets, audit.n_variant_masked) == (n_targets, n_targets * int(masked))
        literal = Reference(0.01).verify(
            bgzf(vcf_text(before)), bgzf(vcf_text(after, header=masked_header()))
        )
        assert literal[0] == n_targets * int(masked)


METADATA = [
    ((), (), (0, 0)),
    ((b"##cmdline=x",), (b"##cmdline=.",), (1, 1)),
    ((b"##cmdline=x",), (), (1, 0)),
    ((b"##cmdline=",), (b"##cmdline=",), (1, 0)),
    ((b"##Cmdline=x",), (), (0, 0)),
    ((b"##reference=a/b",), (b"##reference=b",), (1, 1)),
    ((b"##reference=a/b",), (b"##reference=a/b",), (1, 0)),
    ((b"##reference=b",), (), (1, 0)),
]


def test_metadata_of() -> None:
    for original, anonymized, counts in METADATA:
        headers = (SimpleNamespace(lines=lines) for lines in (original, anonymized))
        assert metadata_of(*headers) == counts, (original, anonymized)


REFUSED = [
    ({"maf_threshold": 0.0}, "maf_threshold…above 0 and at most 0.5, received 0."),
    ({"maf_threshold": math.nan}, "maf_threshold…above 0 and at most 0.5, received nan."),
    ({"min_motif": 4, "max_motif": 3}, "min_motif must be at most max_motif, received 4 and 3."),
    ({"min_repeat": 1}, "min_repeat must be from 2 to 100, received 1."),
]


def test_vcf_settings__refuses() -> None:
    def holds(values: dict[str, float], pieces: str) -> None:
        with pytest.raises(AuditInputError) as caught:
            VcfSettings(**values)
        assert says(caught.value, pieces)

    holds_for_each(REFUSED, holds)


def test_pair_files__by_the_part_after_the_first_separator_low_before_high() -> None:
    assert original_name("high_0.01_anony_sample2.vcf.gz") == "sample2.vcf.gz"
    assert original_name("anony_anony_x.vcf.gz") == "anony_x.vcf.gz"
    assert original_name("x.vcf.gz") is None
    levels = [level_of(f"{prefix}anony_x") for prefix in ("high_", "strong_", "low_", "weak_", "", "mid_")]
    assert levels == ["high", "high", "low", "low", "low", "low"]
    names = ["b.vcf.gz", "high_anony_a.vcf.gz", "a.vcf.gz", "weak_anony_a.vcf.gz", "low_anony_c.vcf.gz"]
    originals, anonymized = split_uploads([VcfFile(name=name, content=b"") for name in names])
    pairing = pair_files(originals, anonymized)
    assert [pair.anonymized.name for pair in pairing.pairs] == ["weak_anony_a.vcf.gz", "high_anony_a.vcf.gz"]
    assert pairing.unmatched == ("low_anony_c.vcf.gz", "b.vcf.gz")
    originals = [vcf_file("a.vcf.gz", vcf_text([])), vcf_file("a.vcf.gz", vcf_text([]))]
    pairing = pair_files(originals, [vcf_file("low_anony_a.vcf.gz", vcf_text([]))])
    assert pairing.pairs == ()
    assert pairing.unmatched == ("low_anony_a.vcf.gz", "a.vcf.gz")


# --- frequencies that are the file's own: of how many alleles, in which files, and which records tell

CHECKS = ("frequencies_own", "some_frequencies_own")


def audited(records: list[str], *, n_samples: int, threshold: float = 0.01) -> VcfAudit:
    """Verify a file beside itself."""
    samples = [f"s{number}" for number in range(n_samples)]
    file = vcf_file("high_0.01_anony_x.vcf.gz", vcf_text(records, samples=samples))
    settings = VcfSettings(maf_threshold=threshold)
    return judge_scan(scan_pair(VcfPair(original=file, anonymized=file, level="high"), settings), settings)


def cohort(n: int, *, frequency: str = "AF") -> list[str]:
    """Return records of `n` samples, of which one carries each variant."""
    genotypes = " ".join(["0/1", *["0/0"] * (n - 1)])
    info = {"AF": f"AF={1 / (2 * n):.3g}", "AC": f"AC=1;AN={2 * n}", "gnomAD": f"AF=0.3;AC=1;AN={2 * n}"}
    return [f"chr1 {at} . A T . . {info[frequency]} GT {genotypes}" for at in (500, 600, 700)]


@pytest.mark.parametrize("frequency", ["AF", "AC"])
@pytest.mark.parametrize(
    ("n", "threshold", "verdict"),
    [
        (1, 0.01, Verdict.NOT_ASSESSED),
        (40, 0.01, Verdict.NOT_ASSESSED),  # a singleton is 0.0125
        (50, 0.01, Verdict.NOT_ASSESSED),  # 0.01, which is not below it
        (51, 0.01, Verdict.PASS),
        (51, 0.005, Verdict.NOT_ASSESSED),
        (40, 0.05, Verdict.PASS),
    ],
)
def test_frequencies_own__depends_on_alleles_and_threshold(n, threshold, verdict, frequency):
    audit = audited(cohort(n, frequency=frequency), n_samples=n, threshold=threshold)
    found = {one.check: one for one in audit.exposure if one.check in CHECKS}
    assert ("frequencies_own" in found) == (verdict is Verdict.NOT_ASSESSED)
    if found:
        one = found["frequencies_own"]
        assert (one.n_affected, one.message.values["of"], one.message.values["alleles"]) == (3, 3, 2 * n)
        assert one.verdict is Verdict.NOT_ASSESSED
        assert "fill-tags" not in one.remedy


@pytest.mark.parametrize("n", [1, 40])
def test_frequencies_own__takes_a_populations_for_what_they_are(n):
    audit = audited(cohort(n, frequency="gnomAD"), n_samples=n)
    assert not {one.check for one in audit.exposure} & {*CHECKS}


def test_frequencies_own__overall_is_not_assessed_where_all_targets_are_masked_and_none_without_samples() -> (
    None
):
    """The published rule's figures stay as they are beside it."""
    original = ["chr1 500 . A T . . AC=2;AF=1;AN=2 GT 1/1", "chr1 600 . A T . . AC=1;AF=0.5;AN=2 GT 0/1"]
    masked = ["chr1 500 . A . . . . GT ./.", original[1]]
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", vcf_text(original, samples=["s"])),
        anonymized=vcf_file(
            "high_0.01_anony_x.vcf.gz", vcf_text(masked, samples=["t"], header=masked_header())
        ),
        level="high",
    )
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    assert (audit.verdict, audit.n_variant_targets, audit.n_variant_masked) == (Verdict.PASS, 1, 1)
    assert (audit.exposure_verdict, audit.overall) == (Verdict.NOT_ASSESSED,) * 2
    own = OwnFrequencies(FrequencyReader({"AF": Declaration("Float", single=False)}), 0)
    assert [*own.chosen(9)] == []


@pytest.mark.parametrize("n_samples", [1, 300, 3000])
@pytest.mark.parametrize("parts", [[5000], [1] * 5000, [0, 999, 1, 3, 0, 3997]])
def test_chosen__is_the_same_however_records_come(n_samples, parts):
    def chosen(lengths):
        own, at, found = OwnFrequencies(FrequencyReader({}), n_samples), 0, []
        for length in lengths:
            found += [at + place for place in own.chosen(length)]
            at += length
        return found

    found = chosen(parts)
    assert found == chosen([5000])
    assert len(found) == len({*found})
    n_first = min(MOST_FIRST, max(20, 200_000 // n_samples))
    assert found[:n_first] == [*range(n_first)]
    assert 0 < len(found[n_first:]) <= 5000 // 100


@pytest.mark.parametrize("total", ["inf", "nan", "-1", "1e400", "0", ".", "9" * 30, "x", "2,2"])
@pytest.mark.parametrize("frequency", ["0.25", "nan", "1e-999999999", ".", "inf", "7" * 4000])
def test_look__takes_any_text(total, frequency):
    declared = {"AN": Declaration("String", single=True), "AF": Declaration("Float", single=False)}
    own = OwnFrequencies(FrequencyReader(declared), 2)
    own.look(f"AC=1;AF={frequency};AN={total}".encode(), b"T", b"\tGT\t0/1\t./.")
    assert own.n_looked_at == 1
    assert not own.alleles
