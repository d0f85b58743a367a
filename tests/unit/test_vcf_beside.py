"""What is told by names computed from others, by who carries what stands beside, and by other releases."""

import base64
import hashlib
import random
import zlib
from collections.abc import Callable, Sequence

from core.vcf import VcfAudit, VcfFile, VcfPair, VcfSettings, beside_each_other
from core.vcf.carriers import is_shifted, tail
from core.vcf.computed_names import computed_names
from core.vcf.outcomes import judge_outcome, run_scan
from core.verdict import Verdict
from tests.cases.table import holds_for_each
from tests.unit.test_vcf_cases import BLANK, RARE, judged
from tests.vcf_files import HEADER, masked_header, vcf_text

PEOPLE = (
    "Oblak_Zala_19771203 Rozman_Jan_19900415 Kovac_Ema_20010930 Zajc_Gal_19580222 Bevk_Lana_19691117 "
    "Erjavec_Nik_19830806 Mlakar_Tia_19950628 Cerar_Val_19740309 Lah_Brina_19881019 Sever_Oskar_19620525"
).split()
NUMBERS = [f"{number}" for number in (8120447, 8391023, 8007765, 8663310, 8254981)]


def _random(n: int) -> list[str]:
    source = random.Random(5)  # noqa: S311 - no secret
    return [source.randbytes(10).hex() for _ in range(n)]


def _initials(name: str) -> str:
    one, two, born = name.split("_")
    return f"{two[0]}{one[0]}-{born[6:]}{born[4:6]}{born[2:4]}"


def _digest(name: str) -> str:
    return hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()[:12]


NAMES: list[tuple[Sequence[str], Sequence[str], bool]] = [
    (NUMBERS, [hashlib.sha256(one.encode()).hexdigest() for one in NUMBERS], True),
    (NUMBERS[:1], [hashlib.md5(NUMBERS[0].encode(), usedforsecurity=False).hexdigest()], True),
    (NUMBERS, [f"ID-{_digest(one)}" for one in NUMBERS[::-1]], True),
    ([f"lab_{one}" for one in NUMBERS], [f"{zlib.crc32(one.encode()):08x}" for one in NUMBERS], True),
    (PEOPLE, [base64.b32encode(hashlib.sha3_224(one.encode()).digest()).decode() for one in PEOPLE], True),
    (PEOPLE, [*map(_initials, PEOPLE)], True),
    (PEOPLE[:1], [_initials(PEOPLE[0])], True),
    (PEOPLE, [f"{one[:4].upper()}{at:02}" for at, one in enumerate(PEOPLE)], True),
    (PEOPLE, [f"P{one[-4:]}x" for one in PEOPLE], True),
    (PEOPLE, [f"d{sorted(PEOPLE).index(one) + 1}" for one in PEOPLE], True),
    (NUMBERS, [hashlib.sha256(f"7f3kq-{one}".encode()).hexdigest() for one in NUMBERS], False),
    (PEOPLE, _random(len(PEOPLE)), False),
    (PEOPLE, [f"donor{at:02}" for at in range(1, 11)], False),
    (sorted(PEOPLE), [f"donor{at:02}" for at in range(1, 11)], False),
    (PEOPLE, [_initials(one) for one in PEOPLE[1:] + PEOPLE[:1]], False),
    ([f"KOR_{at:04}" for at in range(1, 60)], [f"sample_{at:04}" for at in range(1, 60)], False),
    ([f"HG{at:05}" for at in range(2000, 4000)], _random(2000), False),
]


def test_computed_names__of_digests_parts_and_order_and_of_nothing_else() -> None:
    def holds(originals: Sequence[str], names: Sequence[str], is_told: bool) -> None:
        columns = computed_names(originals, names).columns
        assert columns == (tuple(range(1, len(names) + 1)) if is_told else ())

    holds_for_each(NAMES, holds)
    assert computed_names([], []).columns == computed_names(PEOPLE, []).columns == ()


def test_sample_names__which_are_computed_is_said_of_the_file() -> None:
    names = [hashlib.md5(one.encode(), usedforsecurity=False).hexdigest() for one in NUMBERS]
    calls = " ".join(["0/1", *["0/0"] * 4])
    audit = judged(
        vcf_text([f"{RARE} GT {calls}"], samples=NUMBERS),
        vcf_text([f"{BLANK} GT {'./. ' * 4}./."], samples=[*names[:4], "x9"], header=masked_header()),
    )
    (found,) = [one for one in audit.exposure if one.check == "samples_computed"]
    assert (found.n_affected, found.verdict, found.examples[0]) == (4, Verdict.FAIL, "sample 1")
    assert "an unsalted MD5 hash" in found.message


def test_sample_names__roles_are_nobodys_names_and_a_line_may_name_a_new_column() -> None:
    line = "##normal_sample="

    def found(original: str, kept: str, before: str, after: str) -> set[str]:
        first = vcf_text([f"{RARE} GT 0/1"], samples=[original], header=[*HEADER, line + before])
        second = vcf_text([f"{BLANK} GT ./."], samples=[kept], header=[*masked_header(), line + after])
        return {one.check for one in judged(first, second).exposure}

    assert found("TUMOR", "TUMOR", "TUMOR", ".") == set()
    assert "samples_kept" in found("TUMOR_7", "TUMOR_7", "x", ".")
    assert "samples_kept" in found("TUMOR_Kim", "TUMOR_Kim", "x", ".")
    assert found("HN8120447", "n1", "HN8120447", "n1") == set()
    assert "header_person" in found("HN8120447", "n1", "HN8120447", "HN8120447")
    assert "header_person" in found("HN8120447", "n1", "HN8120447", "n1 of Ljubljana")
    assert "header_person" in found("HN8120447", "Kim_Minjun", "HN8120447", "Kim_Minjun")


# --- carriers

N = 8
DIPLOID = ["0/1", "0/0", "1/1", "0/1", "0/0", "0/1", "1/1", "0/0"]


def _calls(*odd: tuple[int, str]) -> str:
    return " ".join(["GT", *(dict(odd).get(at, one) for at, one in enumerate(DIPLOID))])


def _carried(by: int) -> str:
    return " ".join(["GT", *("0/1" if at == by else "0/0" for at in range(N))])


def _masked(record: str) -> str:
    contig, position, _, ref, *_ = record.split()
    return f"{contig} {position} . {ref} . . . . GT{' ./.' * N}"


def _audit(records: Sequence[str], *, is_target: Callable[[str], bool]) -> VcfAudit:
    kept = [_masked(record) if is_target(record) else record for record in records]
    names = [f"u{at}" for at in range(N)]
    originals = [f"HN{at}0" for at in range(N)]
    return judged(vcf_text(records, samples=originals), vcf_text(kept, samples=names, header=masked_header()))


def _found(records: Sequence[str]) -> dict[str, int]:
    audit = _audit(records, is_target=lambda record: "AF=0.001" in record)
    return {one.check: one.n_affected for one in audit.exposure}


def _split_sites(whose: Callable[[int], int], genotype: str, *, n: int = 12) -> list[str]:
    """Return common sites, every fourth of which is followed by a rare allele of the same site."""
    records = []
    for number in range(4 * n):
        at, is_split = f"chr1 {1000 + 100 * number} . A", number % 4 == 0
        calls = _calls((whose(number), genotype)) if is_split else _calls()
        records.append(f"{at} T . . AF=0.4 {calls}")
        if is_split:
            records.append(f"{at} G . . AF=0.001 {_carried(number // 4 % N)}")
    return records


def test_odd_neighbour__half_genotypes_at_the_same_position() -> None:
    assert _found(_split_sites(lambda number: number // 4 % N, "./1"))["odd_neighbour"] == 12
    assert _found(_split_sites(lambda number: number // 4 % N, "1|."))["odd_neighbour"] == 12
    assert "odd_neighbour" not in _found(_split_sites(lambda number: (number // 4 + 1) % N, "./1"))
    assert "odd_neighbour" not in _found(_split_sites(lambda number: number // 4 % N, "./."))
    assert "odd_neighbour" not in _found(_split_sites(lambda number: number // 4 % N, "./1", n=2))


def _deletion(inside: str, outside: str, *, carrier: int = 3) -> list[str]:
    """Return records of which those from 3000 to 5000 are within a deletion that one sample carries."""
    odd = {True: (carrier, inside), False: (carrier, outside)}
    records = [
        f"chr1 {at} . A T . . AF=0.4 {_calls(odd[3000 < at <= 5000])}" for at in range(1000, 7000, 100)
    ]
    records.append(f"chr1 3050 . C <DEL> . . AF=0.001;END=5000 {_carried(3)}")
    return sorted(records, key=lambda record: int(record.split()[1]))


def test_odd_neighbour__copies_within_a_deletion() -> None:
    assert _found(_deletion("1", "0/1"))["odd_neighbour"] == 1
    assert _found(_deletion("0/1/1", "0/1"))["odd_neighbour"] == 1
    assert "odd_neighbour" not in _found(_deletion("1", "1"))  # as on X
    assert "odd_neighbour" not in _found(_deletion("1", "0/1", carrier=5))
    assert "odd_neighbour" not in _found(_deletion("0/1", "1"))


SHIFTS = [
    ((100, b"T", b"TG", 103, b"G", b"GG"), True),
    ((100, b"CAC", b"C", 104, b"CAC", b"C"), True),
    ((100, b"TACG", b"T", 101, b"ACGA", b"A"), True),
    ((103, b"G", b"GG", 100, b"T", b"TG"), True),
    ((100, b"T", b"TG", 103, b"A", b"AG"), False),
    ((100, b"T", b"TGA", 103, b"G", b"GGA"), False),
    ((100, b"T", b"TG", 103, b"GG", b"G"), False),
    ((100, b"T", b"G", 103, b"T", b"G"), False),
]


def test_is_shifted__at_two_ends_of_a_repeat() -> None:
    def holds(case: tuple[int, bytes, bytes, int, bytes, bytes], is_told: bool) -> None:
        one, ref, alt, two, ref_too, alt_too = case
        assert is_shifted(one, (ref, alt), two, (ref_too, alt_too)) is is_told

    holds_for_each(SHIFTS, holds)
    assert tail(3, 3.0) == 1.0
    assert tail(1, 0.0) == 0.0
    assert tail(20, 1.0) < 1e-6 < tail(3, 1.0)


def test_allele_elsewhere__the_same_indel_with_the_same_carriers_nearby() -> None:
    def records(shift: int, *, by: int, ref: str = "A", alt: str = "AC") -> list[str]:
        found = []
        for number in range(12):
            at = 1000 * (number + 1)
            found.append(f"chr1 {at} . A AC . . AF=0.001 {_carried(number % N)}")
            second = ref.replace("A", "C") if shift else ref
            found.append(
                f"chr1 {at + shift} . {second} {second}{alt[1:]} . . AF=0.4 {_carried((number + by) % N)}"
            )
        return found

    assert _found(records(4, by=0))["allele_elsewhere"] == 12
    assert "allele_elsewhere" not in _found(records(4, by=1))
    assert "allele_elsewhere" not in _found(records(4, by=0, alt="AG"))
    assert "allele_elsewhere" not in _found(records(400, by=0))


# --- contigs

CONTIGS = ("HBV", "chrEBV", "HPV16")
NONE = "./."


def _on_contig(contig: str, genotypes: Sequence[str], *, n: int = 6, info: str = "DP=9") -> list[str]:
    ordinary = [f"chr1 {at} . A T . . AF=0.4 {_calls()}" for at in range(1000, 3000, 100)]
    return [
        *ordinary,
        *(f"{contig} {at} . A T . . {info} GT {' '.join(genotypes)}" for at in range(9, 9 + n)),
    ]


def _contigs_found(records: Sequence[str]) -> bool:
    header = [*HEADER, *(f"##contig=<ID={contig},length=9999>" for contig in (*CONTIGS, "chrY"))]
    header += ['##INFO=<ID=DP,Number=1,Type=Integer,Description="x">']
    first = vcf_text(records, samples=[f"HN{at}0" for at in range(N)], header=header)
    second = vcf_text(records, samples=[f"u{at}" for at in range(N)], header=masked_header(header))
    return "contig_of_some" in {one.check for one in judged(first, second).exposure}


def test_contig_of_some__samples_alone_has_genotypes() -> None:
    alone = [NONE] * (N - 1)
    assert _contigs_found(_on_contig("HBV", ["1/1", *alone]))
    assert _contigs_found(_on_contig("chrEBV", [*alone, "1"]))
    assert _contigs_found(_on_contig("HPV16", ["0/1"] * 6 + ["."] * 2))
    assert not _contigs_found(_on_contig("HBV", ["0/1"] * N))
    assert not _contigs_found(_on_contig("chrY", ["1"] * 4 + ["."] * 4))  # of men
    assert not _contigs_found(_on_contig("HBV", ["1/1", *alone], n=2))
    assert not _contigs_found(_on_contig("HBV", ["1/1", *alone], info="AF=0.4"))
    missing = [
        line.replace(_calls(), _calls((1, NONE), (4, NONE))) for line in _on_contig("HBV", ["1", *alone])
    ]
    assert not _contigs_found(missing)  # as where those without a variant have no genotype


# --- releases


def _outcomes(*files: tuple[str, bytes, bytes]) -> list[dict[str, int]]:
    settings = VcfSettings()
    outcomes = []
    for name, original, kept in files:
        pair = VcfPair(
            original=VcfFile(name="x.vcf", content=original),
            anonymized=VcfFile(name=name, content=kept),
            level="high" if name.startswith("high") else "low",
        )
        outcomes.append(judge_outcome(run_scan(pair, settings), settings))
    audits = [one.audit for one in beside_each_other(outcomes, {}) if one.audit]
    return [{found.check: found.n_affected for found in audit.exposure} for audit in audits]


def test_masked_in_another_release__of_the_same_original_alone() -> None:
    records = [f"{RARE} GT 0/1 0/0", "chr1 900 . A T . . AF=0.03 GT 0/0 0/1"]
    first = vcf_text(records, samples=["HN5511", "HN5512"])
    other = vcf_text(records, samples=["HN7711", "HN7712"])
    kept, fewer, more = (
        vcf_text([*lines], samples=["a", "b"], header=masked_header())
        for lines in (
            records,
            [f"{BLANK} GT ./. ./.", records[1]],
            [f"{BLANK} GT ./. ./.", "chr1 900 . A . . . . GT ./. ./."],
        )
    )
    check = "masked_in_another_release"
    told = _outcomes(("high_1.vcf", first, more), ("high_2.vcf", first, fewer), ("low_3.vcf", first, kept))
    assert [one.get(check) for one in told] == [None, 1, 2]
    assert all(check not in one for one in _outcomes(("high_1.vcf", first, more), ("low_3.vcf", other, kept)))
    assert all(
        check not in one for one in _outcomes(("high_1.vcf", first, more), ("high_2.vcf", first, more))
    )
    roles = vcf_text(records, samples=["TUMOR", "NORMAL"])
    assert all(check not in one for one in _outcomes(("high_1.vcf", roles, more), ("low_3.vcf", roles, kept)))
