"""What each check of a VCF file finds and what it leaves alone, by the table `tests/cases/vcf.txt`."""

import pytest

from core.vcf import CHECKS, VcfAudit, VcfFile, VcfPair, VcfSettings, judge_scan, scan_pair
from core.vcf.scan import Scanner
from tests.cases.table import holds_for_each, read_cases
from tests.vcf_files import HEADER, masked_header, vcf_text

CASES = read_cases("vcf.txt")
PID = '##FORMAT=<ID=PID,Number=1,Type=String,Description="x">'
LOCUS = [f'##INFO=<ID={key},Number=.,Type=String,Description="x">' for key in ("RU", "PERIOD", "MOTIFS")]
BLANK, RARE = "chr1 100 . A . . . .", "chr1 100 . A G . . AF=0.001"


def judged(original: bytes, kept: bytes, level: str = "high", name: str = "high_anony_x.vcf.gz") -> VcfAudit:
    """Return what is found; judging each record literally must find the same."""
    pair = VcfPair(
        original=VcfFile(name="x.vcf.gz", content=original),
        anonymized=VcfFile(name=name, content=kept),
        level="high" if level == "high" else "low",
    )
    audits = []
    for is_literal in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if is_literal:
                patch.setattr(Scanner, "_keys", lambda *_: {})
            audits.append(judge_scan(scan_pair(pair, VcfSettings()), VcfSettings()))
    told = [
        [(one.check, one.n_affected, list(one.places), one.message) for one in a.exposure] for a in audits
    ]
    assert sorted(told[0]) == sorted(told[1])
    return audits[0]


def _pair(original: str, kept: str, header: list[str]) -> VcfAudit:
    lines = [[] if text == "-" else text.split(" / ") for text in (original, kept)]
    n_samples = max(len(line.split()) for line in lines[0]) - 9
    texts = [
        vcf_text(records, samples=[f"{name}{n}" for n in range(5, 5 + n_samples)], header=above)
        for name, records, above in zip(("HN1234", "b"), lines, ([*HEADER, PID, *LOCUS], header), strict=True)
    ]
    return judged(*texts)


def _expected(expected: str, audit: VcfAudit) -> list[str]:
    """Compare what fires with what is expected of it, and return the checks that fire as expected."""
    found = {one.check: one.n_affected for one in audit.exposure}
    fires = []
    for check, _, n in (one.partition(":") for one in expected.lstrip("=").split(",") if one):
        if check[0] == "!":
            assert check[1:] not in found
        else:
            fires.append(check)
            assert check in found
            assert not n or found[check] == int(n)
    assert expected[0] != "=" or set(found) == set(fires)
    assert all(one.verdict is CHECKS[one.check].default for one in audit.exposure)
    return fires


def _at_masked_site(expected: str, original: str, kept: str) -> None:
    """The site is found alone, once; a phasing identifier need not be declared."""
    for header in (masked_header(), masked_header([*HEADER, PID])):
        audit = _pair(original, kept, header)
        found = {one.check: one for one in audit.exposure}
        for check in _expected(expected, audit):
            assert found[check].n_affected == 1
            assert found[check].examples == (":".join(original.split()[:2]),)
            assert f"1 of {audit.n_variant_masked} " in found[check].message
        if ":PID" not in kept:
            break


@pytest.mark.slow
def test_checks__at_masked_sites() -> None:
    holds_for_each(CASES["masked sites"], _at_masked_site)


@pytest.mark.slow
def test_checks__of_records() -> None:
    def holds(expected: str, original: str, kept: str) -> None:
        _expected(expected, _pair(original, kept, masked_header()))

    holds_for_each(CASES["records"], holds)


def test_checks__of_donors() -> None:
    def holds(expected: str, record: str) -> None:
        for kept in (record, record.replace(" . A", " x A", 1)):
            audit = _pair(record, kept, masked_header())
            _expected(expected, audit)
            assert all(one.n_affected == 1 for one in audit.exposure if one.check == "sole_carrier")

    holds_for_each(CASES["donors"], holds)


def test_remedies__name_the_fields_to_remove_and_no_others() -> None:
    def holds(check: str, kept: str, fields: str) -> None:
        identifier, filtered, info = kept.split()
        names = ["S1_7", "S2_8"]
        masked = f"chr1 100 {identifier} A . . {filtered} {info} GT ./. ./."
        audit = judged(
            vcf_text([f"{RARE} GT 0/1 0/0"], samples=names),
            vcf_text([masked], samples=names, header=masked_header()),
        )
        (remedy,) = [one.remedy for one in audit.exposure if one.check == check]
        assert fields.replace("INFO/", "").replace(",", " (1), ") + " (1)" in remedy
        assert remedy.endswith(f"bcftools annotate -x {fields}.")

    holds_for_each(CASES["fields to remove"], holds)


@pytest.mark.slow
def test_checks__of_header_lines() -> None:
    def holds(expected: str, line: str) -> None:
        line = line.replace("·", " ")
        audit = judged(vcf_text([RARE]), vcf_text([BLANK], header=[*masked_header(), line]))
        assert {one.check for one in audit.exposure} == set(expected.strip("-").split(",")) - {""}
        assert all(one.examples == (line.partition("=")[0],) for one in audit.exposure)

    holds_for_each(CASES["header lines"], holds)


def test_checks__of_header_lines_beside_the_originals() -> None:
    def holds(expected: str, original: str, kept: str) -> None:
        before, after = ([] if text == "-" else text.split(" / ") for text in (original, kept))
        first = [line for line in after if line.startswith("##fileformat")] or [HEADER[0]]
        header = [*first, *masked_header()[1:], *(line for line in after if line not in first)]
        audit = judged(vcf_text([RARE], header=[*HEADER, *before]), vcf_text([BLANK], header=header))
        check, _, n = expected.partition("=")
        found = {one.check: one.n_affected for one in audit.exposure}
        assert found.get(check.lstrip("!")) == (int(n) if n else None)

    holds_for_each(CASES["header"], holds)


def test_checks__of_sample_names() -> None:
    def holds(expected: str, original: str, kept: str) -> None:
        masked = vcf_text([f"{BLANK} GT ."], samples=[kept], header=masked_header())
        _expected(expected, judged(vcf_text([f"{RARE} GT 0/1"], samples=[original]), masked))

    holds_for_each(CASES["sample names"], holds)


def test_checks__of_a_person_in_documentation_of_the_original() -> None:
    def holds(expected: str, description: str) -> None:
        line = f'##INFO=<ID=Z9,Number=1,Type=Float,Description="{description}">'
        texts = [
            vcf_text(["chr1 900 . A T . . AF=0.4 GT 0/1"], samples=[name], header=[*header, line])
            for name, header in (("HN_00017", HEADER), ("a", masked_header()))
        ]
        _expected(expected, judged(*texts))

    holds_for_each(CASES["documentation"], holds)
