"""What the remaining variants tell of donors, on files countable by hand."""

import math
import re
import time

import numpy as np
import pytest

from core.errors import AuditInputError
from core.reports.model import said_frame
from core.result import Result, Table
from core.vcf import VcfSettings, scan_pair
from core.vcf.donor import judge_donors, measure_donors
from core.vcf.donor.genotypes import (
    CARRIES,
    MISSING,
    allele_counts,
    carriers,
    read_dosages,
    read_site,
    read_sites,
)
from core.vcf.donor.kinship import compare
from core.vcf.donor.measuring import frequencies_of
from core.vcf.donor.remaining import NEVER, evidence_of, match_probability, round_up
from core.vcf.donor.result import donors_result
from core.vcf.files import VcfFile
from core.vcf.measuring import open_lines
from core.vcf.pairing import VcfPair
from core.vcf.running import read_donors
from core.verdict import Verdict
from core.words import say, speaking
from tests.cases.table import says
from tests.kinds import Patch
from tests.vcf_donors import child, donor_file, people
from tests.vcf_files import HEADER, bcf, masked_header, vcf_file, vcf_text


def _file(records: list[str], samples: tuple[str, ...] = ("a", "b", "c"), name: str = "x.vcf.gz") -> VcfFile:
    return vcf_file(name, vcf_text(records, samples=samples))


def test_read_dosages__counts_copies_and_keeps_what_is_missing_apart() -> None:
    calls = ["0/0", "0|1:12,3", "1/1", "./.", "./1", ".", "1", "0", "0/0/1", "1|0:.:PASS", "/0/1", ""]
    found = read_dosages([("\t" + "\t".join(calls)).encode()], len(calls))
    assert found.tolist() == [[0, 1, 2, MISSING, CARRIES, MISSING, 2, 0, CARRIES, 1, 1, MISSING]]
    records = [b"\t0/1\t1/1", b"\t0/0\t0|1\t1/1\t1/1", b"\t1/1\t./.\t0/0"]
    assert read_dosages(records, 3).tolist() == [[1, 2, MISSING], [0, 1, 2], [2, MISSING, 0]]
    assert read_dosages([], 3).shape == (0, 3)
    assert read_dosages([b"\t0/1"], 0).shape == (1, 0)
    samples = b"\t0/2:3\t1|1\t./.\t2"
    assert carriers(samples, 4, 2).tolist() == [True, False, False, True]
    assert carriers(samples, 4, 0).tolist() == [True, False, False, False]
    assert allele_counts(samples, 2) == [1, 2, 2]
    assert read_site(b"chr1\tx\t.\tA\tG\t.\t.\t.") is None
    assert read_site(b"chr1\t1") is None
    site = read_site(b"chrX\t5\t.\ta\tg\t.\t.\t.\tDP:GT\t3:0/1")
    assert site is not None
    assert site.is_snv
    assert not site.is_autosomal
    assert site.samples == b""


def test_remaining__counts_alleles_by_frequency_and_takes_the_originals_where_masking_took_it_out() -> None:
    file = _file(
        [
            "chr1 100 . A G . . AF=0.3 GT 0/1 0/0 1/1",
            "chr1 200 . A G,T . . AF=0.001,0.2 GT 0/1 0/2 0/2",
            "chr1 300 . A G . . AF=0.995 GT 1/1 0/1 1/1",  # the reference is rare
            "chr1 400 . A G . . AF=0.02 GT 0/1 0/0 0/0",  # neither
            "chr1 500 . A G . . . GT 0/1 0/0 0/0",  # no frequency
            "chr1 600 . A N,<NON_REF> . . AF=0.3,0.1 GT ./. ./. ./.",  # names nothing
            "chr1 2000100 . AT A . . AF=0.4 GT 0/1 ./. 0/0",  # not one base
        ]
    )
    found = measure_donors(file).remaining
    rare = found.rare(0.01)
    assert (found.n_named, found.n_common, rare.n, found.n_unknown) == (7, 3, 2, 1)
    assert found.n_independent == 1
    assert found.match_exponent == pytest.approx(-math.log10(0.7**4 + 0.42**2 + 0.3**4))
    assert rare.carriers == ((1, 2),)
    assert rare.singletons.tolist() == [1, 1, 0]
    assert found.rare(0.05).singletons.tolist() == [2, 1, 0]
    assert found.rare(0.001).n == 0
    samples = tuple(f"S{i}" for i in range(20))
    records = [
        f"chr1 100 . A G . . . GT {' '.join(['0/1'] * 10 + ['0/0'] * 10)}",
        f"chr1 200 . A G,T . . . GT {' '.join(['0/1'] * 10 + ['0/2'] * 10)}",
        f"chr1 300 . A G . . . GT {' '.join(['0/1'] * 10 + ['0/0'] * 9)} ./.",
    ]
    found = measure_donors(_file(records, samples)).remaining
    assert (found.n_common, found.n_unknown) == (3, 1)
    original = _file(["chr1 100 . A G . . AF=0.002 GT 0/1 0/0 0/0"])
    masked = vcf_file(
        "high_0.01_anony_x.vcf.gz",
        vcf_text(
            ["chr1 100 . A G . . . GT 0/1 0/0 0/0"], header=masked_header(HEADER), samples=("d", "e", "f")
        ),
    )
    pair = VcfPair(original=original, anonymized=masked, level="high")
    scan = scan_pair(pair, VcfSettings())
    assert measure_donors(masked).remaining.n_unknown == 1
    found = measure_donors(masked, original=scan.candidates).remaining
    assert (found.n_unknown, found.rare(0.01).n_singletons) == (0, 1)


def test_membership__counts_questions_from_the_rarest_on() -> None:
    # With three samples a "yes" about a share of 0.01 has probability 1 − 0.99⁶ = 0.0585 for an outsider: two
    # of them are enough; one of 0.001 (0.00599) alone is.
    file = _file(
        [
            "chr1 100 . A G . . AF=0.01 GT 0/1 0/0 0/0",
            "chr1 200 . A G . . AF=0.01 GT 0/1 0/0 0/0",
            "chr1 300 . A G . . AF=0.4 GT 0/1 0/1 0/1",
            "chr1 400 . A G . . AF=0.001 GT 0/0 0/0 0/1",
        ]
    )
    assert evidence_of(0.01, 3) == pytest.approx(-math.log(1 - 0.99**6))
    found = measure_donors(file).remaining
    assert found.queries.tolist() == [2, NEVER, 1]
    assert (found.queries != NEVER).sum() == 2
    assert evidence_of(1.0, 3) == 0
    assert evidence_of(0.0, 3) == math.inf


def test_round_up_and_match_probability__by_hand() -> None:
    rounded = {0.0: 1e-6, 1e-7: 1e-6, 0.00121: 0.0013, 0.0012: 0.0012, 0.999: 1.0, 1.0: 1.0}
    assert {value: round_up(value) for value in rounded} == rounded
    assert match_probability(0.5) == pytest.approx(0.375)
    assert match_probability(0.0) == 1


def test_compare__kinship_by_hand() -> None:
    # Both heterozygous twice, opposite homozygotes once, heterozygous 3 and 2 times; where one lacks is left
    # out: (2 − 2·1) / (2·2) + 1/2 − (3 + 2) / (4·2) = −0.125.
    left = np.array([[1, 1, 0, 1, 0, MISSING, 1]], dtype=np.int8).T
    right = np.array([[1, 1, 2, 0, 0, 1, CARRIES]], dtype=np.int8).T
    found = compare(left, right)
    assert found.kinship[0, 0] == pytest.approx(-0.125)
    assert found.n_sites[0, 0] == 5
    assert compare(left, left).kinship[0, 0] == pytest.approx(0.5)
    none = np.zeros((3, 1), dtype=np.int8)
    assert math.isnan(compare(none, none).kinship[0, 0])


def _measured(**ways: object):
    rng = np.random.default_rng(3)
    frequencies = rng.uniform(0.1, 0.5, 3_000)
    father, mother, donor, *others = people(9, frequencies, rng)
    kid, sibling = child(father, mother, rng), child(father, mother, rng)
    grandchild = child(kid, others[0], rng)
    file = donor_file("high_anony_x.vcf.gz", [kid, donor, others[1]], frequencies)
    panel = donor_file("panel.vcf.gz", [*others[2:], donor, sibling, grandchild], frequencies, **ways)
    return measure_donors(file, panel=panel)


@pytest.mark.one_of(4)
@pytest.mark.parametrize("ways", [{}, {"contig": "{}"}, {"exchanged": True}, {"fields": ":12"}])
def test_kinship__finds_the_donor_and_relatives_in_the_panel(ways: dict[str, object]) -> None:
    found = _measured(**ways).kinship
    assert found is not None
    assert (found.n_sites, found.n_windows, found.n_pairs) == (3_000, 3_000, 3 * 7)
    degrees = {(one.sample, one.panel_sample): one.degree for one in found.relatives}
    assert degrees == {
        (2, 5): "same person or identical twin",
        (1, 6): "first degree",
        (1, 7): "first degree",
    }
    assert found.relatives[0].kinship == pytest.approx(0.5)
    assert found.n_related("first degree") == 1


PAIRS = ["AG", "CT", "AT", "CG", "GT", "TA"]  # the third, fourth and last are the same on both strands
TURNED = str.maketrans("ACGT", "TGCA")


@pytest.mark.one_of(4)
@pytest.mark.parametrize(
    "theirs",
    [
        [pair.translate(TURNED) for pair in PAIRS],  # all of the panel on the other strand
        [pair.translate(TURNED) if "A" in pair else pair for pair in PAIRS],  # some of its variants
        [pair.translate(TURNED)[::-1] for pair in PAIRS],  # with the other allele as REF
    ],
)
def test_kinship__finds_the_same_person_on_the_other_strand(theirs: list[str]) -> None:
    rng = np.random.default_rng(8)
    frequencies = rng.uniform(0.1, 0.5, 1_800)
    donor, stranger, other = people(3, frequencies, rng)
    file = donor_file("a.vcf.gz", [donor, other], frequencies, alleles=PAIRS)
    turned = [
        pair[0] not in (pair_of_file[0], pair_of_file[0].translate(TURNED))
        for pair, pair_of_file in zip(theirs, PAIRS, strict=True)
    ]
    exchanged = np.array(turned)[np.arange(1_800) % len(PAIRS)]
    group = [np.where(exchanged[:, None], 1 - one, one) for one in (stranger, donor)]
    found = measure_donors(file, panel=donor_file("p.vcf.gz", group, alleles=theirs)).kinship
    assert found is not None
    assert found.n_sites == 900
    assert [(one.sample, one.panel_sample, one.kinship) for one in found.relatives] == [(1, 2, 0.5)]


@pytest.mark.parametrize("theirs", [PAIRS, [pair[::-1] for pair in PAIRS]])
def test_kinship__on_one_strand_compares_all_variants(theirs: list[str]) -> None:
    rng = np.random.default_rng(8)
    frequencies = rng.uniform(0.1, 0.5, 1_800)
    donor, other = people(2, frequencies, rng)
    theirs_of_donor = donor if theirs == PAIRS else 1 - donor
    file = donor_file("a.vcf.gz", [donor, other], frequencies, alleles=PAIRS)
    found = measure_donors(file, panel=donor_file("p.vcf.gz", [theirs_of_donor], alleles=theirs)).kinship
    assert found is not None
    assert found.n_sites == 1_800
    assert [(one.sample, one.kinship) for one in found.relatives] == [(1, 0.5)]


@pytest.mark.slow
def test_judge_donors__says_what_was_found_and_passes_strangers() -> None:
    audit = judge_donors(_measured(), VcfSettings())
    assert audit.verdict is Verdict.FAIL
    messages = {one.check: one.message for one in audit.exposure}
    pieces = {
        "donor_in_panel": "1 of 3 samples…panel.vcf.gz…0.354…sample 2 and the panel's sample 5 (0.500)",
        "relative_in_panel": "1 of 3 samples…panel.vcf.gz (1 of the first degree). First: sample 1 and ",
        "panel_compared": "panel.vcf.gz share 3,000…in 3,000 windows…in 21 pairs…kinship from 0.0",
        "common_remaining": "3,000 of 3,000 ALT alleles…(5 % to 95 %); windows…303.…probability 10^-1",
    }
    assert [check for check in pieces if not says(messages[check], pieces[check])] == []
    rng = np.random.default_rng(5)
    frequencies = rng.uniform(0.1, 0.5, 3_000)
    first, second = people(20, frequencies, rng), people(20, frequencies, rng)
    measured = measure_donors(
        donor_file("a.vcf.gz", first, frequencies),
        panel=donor_file("b.vcf.gz", second, frequencies),
    )
    audit = judge_donors(measured, VcfSettings())
    assert [one.check for one in audit.exposure] == ["common_remaining", "panel_compared"]
    assert audit.verdict is Verdict.PASS


def test_judge_donors__another_build_is_not_assessed() -> None:
    rng = np.random.default_rng(5)
    frequencies = np.full(50, 0.3)
    (person,) = people(1, frequencies, rng)
    file = donor_file("a.vcf.gz", [person], frequencies)
    panel = donor_file("b.vcf.gz", [person], contig="NW{}")
    audit = judge_donors(measure_donors(file, panel=panel), VcfSettings())
    assert audit.verdict is Verdict.NOT_ASSESSED
    assert audit.exposure[0].check == "panel_not_comparable"
    assert says(audit.exposure[0].message, "b.vcf.gz share 0 common variants in 0 windows…1 and 1 samples")
    settings = VcfSettings(severities={"panel_not_comparable": Verdict.PASS})
    assert judge_donors(audit.measurement, settings).verdict is Verdict.PASS


def test_judge_donors__without_samples_of_one_donor_and_of_few_common_variants() -> None:
    file = vcf_file("a.vcf.gz", vcf_text(["chr1 100 . A G . . AF=0.3", "chr1 200 . A G . . AF=0.003"]))
    panel = _file(["chr1 100 . A G . . AF=0.3 GT 0/1 0/1 0/1"], name="panel.vcf.gz")
    audit = judge_donors(measure_donors(file, panel=panel), VcfSettings())
    assert [one.check for one in audit.exposure] == ["panel_not_comparable", "common_remaining"]
    assert audit.exposure[1].message.endswith("this file has no samples, so they do not tell whose they are.")
    assert audit.rare.n == 1
    file = _file(["chr1 100 . A G . . AF=0.003 GT 0/1 0/0 0/0", "chr1 200 . A G . . AF=0.003 GT 0/1 0/0 0/1"])
    audit = judge_donors(measure_donors(file), VcfSettings())
    assert audit.verdict is Verdict.WARN
    assert says(audit.exposure[0].message, "…1 of 3 samples: 1 of 2 still named, rarer than 0.01, is in…")
    assert audit.exposure[0].examples == ("sample 1",)
    file = _file([f"chr{i} 100 . A G . . AF=0.5 GT 0/1 0/0 0/0" for i in (1, 2, "X")])
    audit = judge_donors(measure_donors(file), VcfSettings())
    assert audit.exposure[0].message.endswith("with probability 0.14.")


def test_measure_donors__of_lines_that_are_none_bcf_and_a_header_longer_than_a_piece() -> None:
    text = vcf_text(["chr1 1 . A G . . ."]) + b"\n#x\nchr1\t2\t.\tA\tG\t.\t.\t.\r\nchr1\t3\t.\tA\tG\t.\t.\t."
    with open_lines(VcfFile(name="x.vcf", content=text), None) as (header, lines):
        assert header.samples == ()
        assert [site.position for site, _ in read_sites(lines, 0)] == [1, 2, 3]
    records = ["chr1 100 . A G . . AF=0.3 GT 0/1 0/0 1/1", "chr2 200 . C T . . AF=0.002 GT 0/1 0/0 0/0"]
    text = vcf_text(records, samples=("a", "b", "c"), header=[*HEADER, f"##note={'x' * (1 << 20)}"])
    plain = vcf_text(records, samples=("a", "b", "c"))
    measured = [
        measure_donors(file).remaining
        for file in (vcf_file("x.vcf.gz", text), VcfFile(name="x.bcf", content=bcf(plain)))
    ]
    for one in measured:
        assert (one.n_named, one.n_common, one.rare(0.01).carriers) == (2, 1, ((1, 1),))
    bare = VcfFile(name="x.vcf", content=vcf_text([]).rstrip(b"\n"))
    assert measure_donors(bare).remaining.n_named == 0
    broken = VcfFile(name="x.vcf", content=vcf_text(["chr1 x . A G . . AF=0.3", "chr1 5 . A G . . AF=0.3"]))
    assert measure_donors(broken).remaining.n_named == 1


@pytest.mark.slow
def test_measure_donors__takes_time_in_proportion_to_the_sites() -> None:
    """Ten times the sites take about ten times as long: the largest of README's shapes takes seconds."""
    rng = np.random.default_rng(1)
    seconds = []
    for n_sites in (300, 3_000):
        frequencies = rng.uniform(0.1, 0.5, n_sites)
        group = people(100, frequencies, rng)
        file = donor_file("a.vcf.gz", group, frequencies)
        started = time.process_time()
        measure_donors(file, panel=file)
        seconds.append(time.process_time() - started)
    assert seconds[1] < 30 * seconds[0]


def test_frequencies_of__other_contigs_and_positions_are_not_known() -> None:
    pair = VcfPair(
        original=_file(["chr1 100 . A G . . AF=0.002 GT 0/1 0/0 0/0"]),
        anonymized=_file(["chr1 100 . A . . . . GT ./. ./. ./."], name="high_anony_x.vcf.gz"),
        level="high",
    )
    known = frequencies_of(scan_pair(pair, VcfSettings()).candidates)
    assert known("chr1", 100) == pytest.approx(0.002)
    assert known("chr1", 101) == math.inf
    assert known("chr2", 100) == math.inf


def _tables(result: Result) -> dict[str, Table]:
    """Return the tables by their groups."""
    return {group.key: table for group in result.groups for table in group.tables}


def test_result__of_donors_with_a_panel() -> None:
    audit = judge_donors(_measured(), VcfSettings())
    result = donors_result(audit)
    assert result.headline == "1 of 3 donors are in the panel too."
    figures = {figure.measure: figure for figure in result.group("donors").figures}
    assert figures["kinship"].value == pytest.approx(0.5)
    assert figures["kinship"].verdict is Verdict.FAIL
    tables = _tables(result)
    degrees = [degree for *_, degree, _ in tables["relatives"].cells()]
    assert degrees == ["same person or identical twin", "first degree", "first degree"]
    assert [sample for sample, *_ in tables["samples"].cells()] == [1, 2, 3]
    assert degrees.count("first degree") == 2


@pytest.mark.slow
def test_result__of_donors_say_every_word_in_the_language() -> None:
    result = donors_result(judge_donors(_measured(), VcfSettings()))
    with speaking("brackets"):
        found = [say(result.headline), *(say(one.message) for one in result.findings)]
        found += [say(figure.threshold) for figure in result.group("donors").figures]
        found += [say(group.title) for group in result.groups]
        for table in _tables(result).values():
            shown = said_frame(table)
            found += [say(table.title), *shown, *shown.to_numpy(dtype=object).ravel()]
    texts = [one for one in found if isinstance(one, str)]
    assert any("⟦first degree⟧" in one for one in texts)
    for one in texts:
        while one != (one := re.sub(r"⟦[^⟦⟧]*⟧", "", one)):
            pass
        assert not re.search(r"[^\W\d_]", one)


def test_result__headlines_of_donors_without_a_panel_and_of_relatives_alone() -> None:
    def headline(records: list[str], samples: tuple[str, ...]) -> str:
        file = vcf_file("x.vcf.gz", vcf_text(records, samples=samples))
        return donors_result(judge_donors(measure_donors(file), VcfSettings())).headline

    assert headline(["chr1 100 . A G . . AF=0.3"], ()).startswith("The file has no samples")
    assert headline(["chr1 100 . A G . . AF=0.3 GT 0/1"], ("a",)) == (
        "1 common variant remains, 1 of them independent."
    )
    assert headline(["chr1 100 . A G . . AF=0.003 GT 0/1"], ("a",)) == (
        "Rare alleles mark 1 of 1 samples: 1 of 1 still named, rarer than 0.01, is in one sample alone."
    )
    rng = np.random.default_rng(3)
    frequencies = rng.uniform(0.1, 0.5, 3_000)
    father, mother = people(2, frequencies, rng)
    kid = donor_file("a.vcf.gz", [child(father, mother, rng)], frequencies)
    measured = measure_donors(kid, panel=donor_file("panel.vcf.gz", [father], frequencies))
    audit = judge_donors(measured, VcfSettings())
    assert donors_result(audit).headline == "Relatives of the donors are in panel.vcf.gz."
    assert measured.identity == "a.vcf.gz panel.vcf.gz"


def test_read_donors__an_unforeseen_error_ends_this_look_in_a_sentence(monkeypatch: Patch) -> None:
    def fail(*_arguments: object, **_more: object) -> None:
        raise ZeroDivisionError

    file = _file(["chr1 100 . A G . . AF=0.3 GT 0/1 0/0 0/0"], name="high_anony_x.vcf.gz")
    monkeypatch.setattr("core.vcf.running.measure_donors", fail)
    with pytest.raises(AuditInputError) as caught:
        read_donors(file, None, report=lambda _n_bytes: None)
    assert says(caught.value, "high_anony_x.vcf.gz: …(ZeroDivisionError)")
