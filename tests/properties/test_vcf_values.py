"""Laws of values and of donors in VCF files."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.errors import AuditInputError
from core.vcf.donor.genotypes import CARRIES, MISSING, Site, read_dosage
from core.vcf.donor.kinship import SiteSample, compare
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import parse_header
from core.vcf.records import Record
from core.vcf.values import ValueChecker
from tests.thorough import tried
from tests.vcf_donors import child, people
from tests.vcf_files import COLUMNS, HEADER, read, site_maf, vcf_text

DECLARED = [
    *HEADER,
    '##FILTER=<ID=q10,Description="x">',
    '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="x">',
    '##FORMAT=<ID=GQ,Number=1,Type=Float,Description="x">',
    '##FORMAT=<ID=PID,Number=1,Type=String,Description="x">',
    '##FORMAT=<ID=CH,Number=1,Type=Character,Description="x">',
    '##FORMAT=<ID=FL,Number=0,Type=Flag,Description="x">',
]
HEAD = ("\n".join([*DECLARED, f"{COLUMNS}\tFORMAT\tS1\tS2"]) + "\n").encode()
CHECKER = ValueChecker(parse_header("x", HEAD))
MANY = tried(400)

_names = st.text("aB1_.,<>=:;\"[('- ", min_size=1, max_size=5)
_values = {
    "GT": st.one_of(st.just("0/1"), st.text("0123/|.-+", max_size=5)),
    "AD": st.one_of(st.just("1,2"), st.text("0129,.-+x", max_size=5)),
    "GQ": st.one_of(st.just("3.5"), st.text("019 ,.-+eExXinfa()", max_size=5)),
}
_words = st.text("ab:,1. ", max_size=4)


@st.composite
def _samples(draw: st.DrawFn) -> tuple[str, str, str]:
    keys = draw(
        st.lists(st.sampled_from(["GT", "AD", "GQ", "PID", "CH", "ZZ", "FL"]), min_size=1, max_size=4)
    )
    cells = []
    for _ in range(2):
        shown = keys[: draw(st.integers(1, len(keys)))]
        fields = [draw(_values.get(key, _words)) for key in shown]
        cells.append(":".join([*fields, *draw(st.lists(st.just("1"), max_size=1))]))
    return ":".join(keys), *cells


def _line(**columns: str) -> bytes:
    given_columns = {
        "CHROM": "chr1", "POS": "100", "ID": ".", "REF": "A", "ALT": "G", "QUAL": "50", "FILTER": ".",
        "INFO": "AF=0.1", "FORMAT": "GT", "S1": "0/1", "S2": "0/0",
    } | columns  # fmt: skip
    return "\t".join(given_columns.values()).encode()


def _htslib_reads(line: bytes) -> bool:
    try:
        return len(read(HEAD + line + b"\n")) == 1
    except (OSError, ValueError):
        return False


def _problem(line: bytes) -> str:
    record = Record(line, 11)
    try:
        CHECKER.check("x", [1], [record])
    except AuditInputError as error:
        return str(error)
    return ""


@MANY
@given(st.sampled_from(["CHROM", "FILTER", "INFO"]), _names)
@example("CHROM", "c,1")
@example("CHROM", "<A,B>")
@example("CHROM", "chr<1")
@example("FILTER", "a,b")
@example("INFO", "X,Y=1")
@example("INFO", "X=1,2")
def test_value_checker__takes_the_names_that_htslib_takes(column: str, name: str) -> None:
    line = _line(**{column: name})
    assert (_problem(line) == "") == _htslib_reads(line)


@MANY
@given(_samples())
@example(("GT:AD", "0/1:x", "0/0:1,2"))
@example(("GT:AD", "0/1:1.5", "0/0:1,2"))
@example(("GT:GQ", "0/1:nan", "0/0:.5"))
@example(("GT", "0/1:3", "0/0"))
@example(("GT:AD", "0/1", "0/0:"))
@example(("GT", "1073741823", "0/0"))
@example(("GT", "1073741821/9999999999", "0/0"))
@example(("GT:AD:AD", "0/1:1:2", "0/0:1:2"))
@example(("GT:Z,Z", "0/1:a", "0/0:1"))
@example(("GT:FL", "0/1:1", "0/0"))
@example(("GT:.", "0/1:.", "0/0:."))
@example((".", "0/1", "."))
@example(("GT", "0/1", ""))
@example(("GT", "", "0/0"))
@example(("AD:GT", "1:0/1", "2:"))
@example(("AD:GT", "1:", "2:0/1"))
def test_value_checker__takes_the_samples_that_htslib_takes(samples: tuple[str, str, str]) -> None:
    line = _line(FORMAT=samples[0], S1=samples[1], S2=samples[2])
    assert (_problem(line) == "") == _htslib_reads(line)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"CHROM": "c,1"}, "a CHROM that the header does not declare and that htslib cannot take up"),
        ({"FILTER": "q10;a,b"}, "a FILTER that the header does not declare and that htslib cannot take up"),
        ({"INFO": "DP=3;X,Y=1"}, "a key in INFO that the header does not declare and that htslib cannot"),
        ({"FORMAT": "GT:A,B"}, "a FORMAT that htslib cannot read; its keys must differ, hold no comma"),
        ({"S2": "0/0:7"}, "more fields in sample 2 than FORMAT names."),
        ({"S2": ""}, "no text in its last sample."),
        (
            {"FORMAT": "GT:AD", "S1": "0/1:x"},
            "a value in sample 1 that is not what FORMAT AD holds by its declaration.",
        ),
    ],
)
def test_value_checker__says_what_is_wrong_and_shows_no_value(columns: dict[str, str], problem: str) -> None:
    assert _problem(_line(**columns)).startswith(f"x: record 1 has {problem}")


@MANY
@given(_samples(), st.integers(1, 300))
@example(("GT:AD", "0/1:x", "0/0:1,2"), 7)
@example(("GT", "0/1", ""), 299)
def test_value_checker__says_the_same_of_a_record_among_many(
    samples: tuple[str, str, str], number: int
) -> None:
    odd = Record(_line(FORMAT=samples[0], S1=samples[1], S2=samples[2]), 11)
    records = [Record(_line(FORMAT="GT:AD", S1=f"0/1:{place},7"), 11) for place in range(300)]
    records[number - 1] = odd
    problem = ""
    try:
        CHECKER.check("x", range(1, 301), records)
    except AuditInputError as error:
        problem = str(error)
    assert problem == _problem(odd.line).replace("record 1 ", f"record {number} ")


def test_value_checker__has_nothing_to_check_without_samples() -> None:
    CHECKER.check("x", [1], [Record(b"chr1\t1\t.\tA\tC\t.\t.\t.", 11)])


_TYPES = [("Float", "A"), ("Float", "1"), ("Integer", "1"), ("String", "1"), ("String", "A"), ("Float", ".")]
_fields = st.builds(
    "{}{}".format,
    st.sampled_from(["MAF", "AF", "AC", "AN", "DB"]),
    st.sampled_from(["", "=", "=0.1", "=0.2,0.3", "=.", "=abc", "=5", "=nan"]),
)


@MANY
@given(
    st.lists(st.sampled_from(_TYPES), min_size=4, max_size=4),
    st.lists(_fields, min_size=2, max_size=5).map(";".join),
)
@example([_TYPES[0]] * 4, "AF;AF=0.2")
@example([_TYPES[0]] * 4, "AF=;AF=0.2")
@example([_TYPES[1]] * 4, "MAF;MAF=0.2;AF=0.1")
def test_frequency_reader__of_a_key_written_twice_the_first_counts(
    types: list[tuple[str, str]], info: str
) -> None:
    """As htslib does, whatever the first one holds."""
    declared = [
        f'##INFO=<ID={key},Number={number},Type={kind},Description="x">'
        for key, (kind, number) in zip(("MAF", "AF", "AC", "AN"), types, strict=True)
    ]
    text = vcf_text([f"chr1 1 . A G . . {info}"], header=[HEADER[0], HEADER[3], *declared])
    header = parse_header("x", text[: text.index(b"chr1\t1\t")])
    (record,) = read(text)
    expected = site_maf(record)
    found = FrequencyReader(header.declarations).maf(info.encode())
    if expected is None or math.isnan(expected):
        assert not found < math.inf
    else:
        assert found == expected


# --- laws of kinship: the same person, strangers, parent and child, and a literal definition

DOSAGES = arrays(np.int8, (12, 3), elements=st.sampled_from([0, 1, 2, MISSING, CARRIES]))


def _literal(left: list[int], right: list[int]) -> float | None:
    """Manichaikul and others' formula, one variant after the other."""
    both = [(a, b) for a, b in zip(left, right, strict=True) if a in (0, 1, 2) and b in (0, 1, 2)]
    smaller = min(sum(a == 1 for a, _ in both), sum(b == 1 for _, b in both))
    if not smaller:
        return None
    return 0.5 - sum((a - b) ** 2 for a, b in both) / (4 * smaller)


@settings(deadline=None)
@given(DOSAGES, DOSAGES)
def test_compare__equals_the_literal_definition_symmetric_and_blind_to_which_allele_is_counted(
    left: np.ndarray, right: np.ndarray
) -> None:
    found = compare(left, right)
    for i in range(3):
        for j in range(3):
            wanted = _literal(left[:, i].tolist(), right[:, j].tolist())
            if wanted is not None:
                assert abs(found.kinship[i, j] - wanted) < 1e-9

    def other(dosages: np.ndarray) -> np.ndarray:
        return np.where((dosages >= 0) & (dosages <= 2), 2 - dosages, dosages).astype(np.int8)

    found = compare(left, right).kinship
    np.testing.assert_allclose(found, compare(right, left).kinship.T)
    np.testing.assert_allclose(found, compare(other(left), other(right)).kinship)


@tried(20)
@given(st.integers(0, 10_000))
def test_compare__same_person_strangers_parent_and_child(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frequencies = rng.uniform(0.1, 0.5, 4_000)
    mother, father, stranger = people(3, frequencies, rng)
    kid = child(mother, father, rng)
    group = np.stack([one.sum(axis=1) for one in (mother, father, stranger, kid)], axis=1).astype(np.int8)
    found = compare(group, group).kinship
    np.testing.assert_allclose(np.diag(found), 0.5)
    for i, j in ((0, 1), (0, 2), (2, 3)):
        assert abs(found[i, j]) < 0.08
    for i in (0, 1):
        assert abs(found[i, 3] - 0.25) < 0.06


@given(st.lists(st.sampled_from(["0", "1", "."]), min_size=2, max_size=2), st.sampled_from("/|"))
def test_read_dosage__of_two_alleles(alleles: list[str], separator: str) -> None:
    found = read_dosage(separator.join(alleles).encode())
    if "." in alleles:
        assert found == (CARRIES if "1" in alleles else MISSING)
    else:
        assert found == alleles.count("1")


@settings(deadline=None)
@given(st.permutations(range(40)), st.integers(1, 40))
def test_site_sample__keeps_the_same_variants_in_any_order(order: list[int], capacity: int) -> None:
    def kept(places: list[int]) -> set[int]:
        sample = SiteSample(1)
        sample._capacity = capacity
        sites = {place: Site("1", place, "A", ("G",), b".", b"") for place in places}
        for site in sites.values():
            sample.add(site, np.zeros(1, dtype=np.int8))
        assert len(sample) <= capacity
        return {place for place in sites if sample.get(("1", place, "A", "G")) is not None}

    assert kept(order) == kept(sorted(order))
