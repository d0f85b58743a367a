"""Laws of values and of donors in VCF files."""

import math

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.vcf.donor.genotypes import CARRIES, MISSING, Site, read_dosage
from core.vcf.donor.kinship import SiteSample, compare
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import parse_header
from tests.thorough import tried
from tests.vcf_donors import child, people
from tests.vcf_files import HEADER, read, site_maf, vcf_text

MANY = tried(400)

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
