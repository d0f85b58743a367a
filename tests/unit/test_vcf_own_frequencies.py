"""Frequencies that are the file's own: of how many alleles, in which files, and which records tell."""

import pytest

from core.vcf import VcfSettings
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import Declaration
from core.vcf.judging import VcfAudit, judge_scan
from core.vcf.measuring import scan_pair
from core.vcf.own_frequencies import MOST_FIRST, OwnFrequencies
from core.vcf.pairing import VcfPair
from core.verdict import Verdict
from tests.vcf_files import masked_header, vcf_file, vcf_text

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


def test_frequencies_own__overall_is_not_assessed_where_all_targets_are_masked():
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


def test_own_frequencies__of_a_file_without_samples_are_none():
    own = OwnFrequencies(FrequencyReader({"AF": Declaration("Float", single=False)}), 0)
    assert [*own.chosen(9)] == []


@pytest.mark.parametrize("total", ["inf", "nan", "-1", "1e400", "0", ".", "9" * 30, "x", "2,2"])
@pytest.mark.parametrize("frequency", ["0.25", "nan", "1e-999999999", ".", "inf", "7" * 4000])
def test_look__takes_any_text(total, frequency):
    declared = {"AN": Declaration("String", single=True), "AF": Declaration("Float", single=False)}
    own = OwnFrequencies(FrequencyReader(declared), 2)
    own.look(f"AC=1;AF={frequency};AN={total}".encode(), b"T", b"\tGT\t0/1\t./.")
    assert own.n_looked_at == 1
    assert not own.alleles
