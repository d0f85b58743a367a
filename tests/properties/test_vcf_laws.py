"""Laws of the VCF verifier; above all, that the fast reading equals the literal one."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import AuditInputError
from core.vcf import VcfAudit, VcfPair, VcfSettings, judge_scan, scan_pair
from core.vcf.files import VcfFile
from tests.thorough import times
from tests.vcf_files import HEADER, Reference, bgzf, masked_header, read, vcf_text

THRESHOLDS = (0.01, 0.05, 0.5)
SLOW = settings(deadline=None, max_examples=times(60), suppress_health_check=list(HealthCheck))

_numbers = st.sampled_from(
    "0 1 0.0 1.0 0.01 0.05 0.5 0.001 0.009999999 0.99 0.3 0.7 1e-4 5e-1 . nan inf abc 0.3x 1_0 0.0100000001 "
    ".5 5. -0.1 +0.2 0.12345678901234567 1e400 0x1p-3 NaN".split()
)
_counts = st.sampled_from("0 1 5 10 99 100 1000 . -1 3000000000 1.5 x 007".split())
_values = st.lists(_numbers, min_size=1, max_size=3).map(",".join)
_count_values = st.lists(_counts, min_size=1, max_size=3).map(",".join)
_fields = st.one_of(
    st.builds("AF={}".format, _values),
    st.builds("MAF={}".format, _values),
    st.builds("AC={}".format, _count_values),
    st.builds("AN={}".format, _count_values),
    st.sampled_from(["AF", "MAF", "AC", "AN", "DB", "", "AF=", "MAF=", "XAF=0.001", "AF_afr=0.001", "DP=3"]),
)
_infos = st.lists(_fields, min_size=1, max_size=4).map(lambda fields: ";".join(fields) or ".")
_alts = st.sampled_from(
    "G T . N GN *  <NON_REF> <DEL> G,T A,<NON_REF> ACACACACACACACA AAAAAAA AAAAAAN AAAAAAAN <AAAAAAAAA> ANNN "
    "ACACACACACACACA,<NON_REF> aaaaaaaaa G]chr2:321681] . n .,. ACGACGACGACGACGACGACG".split()
)
_types = st.sampled_from(
    [
        tuple(one.split("/"))
        for one in (
            "AF/A/Float AF/A/String AF/A/Integer AF/1/Float AF/R/Float MAF/1/String MAF/./Float "
            "MAF/1/Integer MAF/0/Flag AF/0/Flag AC/0/Flag MAF/A/String AC/1/Integer AC/A/Float AC/A/String "
            "AN/./Integer AN/1/Float AN/1/String"
        ).split()
    ]
)
_sites = st.tuples(st.sampled_from(["chr1", "chr2", "chrU"]), st.integers(0, 12))
_records = st.lists(st.tuples(_sites, _alts, _infos), max_size=14)


def _header(declared: list[tuple[str, str, str]], dropped: set[str]) -> list[str]:
    replaced = {
        key: f'##INFO=<ID={key},Number={number},Type={kind},Description="x">'
        for key, number, kind in declared
    }
    lines = []
    for line in HEADER:
        key = line.partition("ID=")[2].partition(",")[0] if line.startswith("##INFO") else ""
        if key not in dropped:
            lines.append(replaced.get(key, line))
    return lines


def _lines(records: list[tuple[tuple[str, int], str, str]]) -> list[str]:
    return [f"{chrom} {pos} . A {alt or '.'} 50 PASS {info}" for (chrom, pos), alt, info in records]


def _audit(original: bytes, anonymized: bytes, threshold: float, *, level: str = "high") -> VcfAudit:
    pair = VcfPair(
        original=VcfFile(name="x.vcf.gz", content=original),
        anonymized=VcfFile(name="high_anony_x.vcf.gz", content=anonymized),
        level="high" if level == "high" else "low",
    )
    return judge_scan(scan_pair(pair, VcfSettings()), VcfSettings(maf_threshold=threshold))


def _found(audit: VcfAudit) -> tuple[int, set[str]]:
    return audit.n_variant_masked, {f"{contig}:{position}" for contig, position in audit.unmasked()}


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Draw an original and an anonymized file, sorted or not, in step or not."""
    records, replacements = draw(_records), draw(_records)
    chance = draw(st.randoms(use_true_random=False))
    in_order = draw(st.booleans())
    original = sorted(records, key=lambda record: record[0]) if in_order else records
    anonymized = [
        chance.choice(replacements or [record]) if chance.random() < 0.3 else record for record in original
    ]
    if in_order:
        kept = [(old[0], new[1], new[2]) for old, new in zip(original, anonymized, strict=True)]
        anonymized = [record for record in kept if chance.random() < 0.9]
    declared = draw(st.lists(_types, max_size=2))
    dropped = draw(st.sets(st.sampled_from(["AF", "MAF", "AC", "AN"])))
    header = _header(declared, dropped)
    first = vcf_text(_lines(original), header=header)
    return first, vcf_text(_lines(anonymized), header=masked_header(header))


@SLOW
@given(_pairs(), st.integers(1, 3))
def test_scan_pair__equals_the_literal_verifier(pair: tuple[bytes, bytes], size: int) -> None:
    """Same counts as one dictionary of sites and one pysam record after the other."""
    first, second = map(bgzf, pair)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.vcf.lines.PIECE", size * 200)
        for threshold in THRESHOLDS:
            assert _found(_audit(first, second, threshold)) == Reference(threshold).verify(first, second)


@SLOW
@given(_pairs())
def test_scan_pair__recompression_changes_nothing_and_a_higher_threshold_never_has_fewer_targets(
    pair: tuple[bytes, bytes],
) -> None:
    first, second = map(bgzf, pair)
    with_returns = bgzf(pair[1].replace(b"\n", b"\r\n"), block=50)
    plain = _audit(first, second, 0.05)
    for other in (with_returns, pair[1]):
        again = _audit(first, other, 0.05)
        assert again.report_row() == plain.report_row()
        assert again.exposure == plain.exposure
    first, second = map(bgzf, pair)
    counts = [_audit(first, second, threshold).n_variant_targets for threshold in THRESHOLDS]
    assert counts == sorted(counts)


_simple = st.lists(
    st.tuples(st.integers(1, 500), st.sampled_from(["G", "GT", "ACACACACACACACA"]), st.integers(0, 1000)),
    unique_by=lambda record: record[0],
    min_size=1,
    max_size=20,
)


@SLOW
@given(_simple, st.sampled_from(THRESHOLDS))
def test_judge_scan__unchanged_file_masks_no_variant(
    records: list[tuple[int, str, int]], threshold: float
) -> None:
    lines = [f"chr1 {pos} . A {alt} . . AF={count / 1000}" for pos, alt, count in sorted(records)]
    content = bgzf(vcf_text(lines))
    audit = _audit(content, content, threshold)
    assert audit.n_variant_masked == 0
    assert len(list(audit.unmasked())) == audit.n_variant_targets


@SLOW
@given(_simple, st.randoms(use_true_random=False))
def test_scan_pair__order_within_a_contig_changes_no_count(
    records: list[tuple[int, str, int]], chance: random.Random
) -> None:
    lines = [f"chr1 {pos} . A {alt} . . AF={count / 1000}" for pos, alt, count in sorted(records)]
    masked = [line.replace(" G ", " . ").replace(" ACACACACACACACA ", " N ") for line in lines]
    shuffled = masked.copy()
    chance.shuffle(shuffled)
    first = bgzf(vcf_text(lines))
    in_order, out_of_order = (bgzf(vcf_text(found)) for found in (masked, shuffled))
    assert _audit(first, in_order, 0.05).report_row() == _audit(first, out_of_order, 0.05).report_row()


# Without commas: an undeclared INFO key or FILTER that holds one is refused by htslib, but not by ours.
_BASE = vcf_text(["chr1 10 . A G . . AF=0.1;DP=3", "chr1 20 rs1 A T 5 PASS AF=0.2", "chr2 5 . A . . . ."])
_edits = st.lists(
    st.tuples(st.integers(0, 200), st.sampled_from([b"", b"\t", b"\n", b"#", b"-", b"7", b"\r\n", b"."])),
    min_size=1,
    max_size=3,
)


@SLOW
@given(_edits)
def test_scan_pair__refuses_what_htslib_refuses(edits: list[tuple[int, bytes]]) -> None:
    start = _BASE.index(b"#CHROM")
    text = _BASE
    for place, piece in edits:
        at = start + place % (len(text) - start)
        text = text[:at] + piece + text[at + 1 :]
    try:
        read(bgzf(text))
    except (ValueError, OSError):
        with pytest.raises(AuditInputError):
            _audit(bgzf(text), bgzf(_BASE), 0.05)
        with pytest.raises(AuditInputError):
            _audit(bgzf(_BASE), bgzf(text), 0.05)


@SLOW
@given(st.binary(max_size=200), st.booleans())
def test_scan_pair__any_bytes_end_in_a_sentence(noise: bytes, compressed: bool) -> None:
    content = bgzf(noise) if compressed else noise
    with pytest.raises(AuditInputError) as caught:
        _audit(content, bgzf(_BASE), 0.05)
    assert str(caught.value).startswith("x.vcf.gz: ")
