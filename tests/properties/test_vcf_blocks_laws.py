"""Laws of what is read of whole blocks of VCF lines at once: it equals the literal reading line by line."""

import io
import threading
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.vcf import carriers, columns, cutting
from core.vcf.alignment import Matched, align
from core.vcf.blanked import is_blanked, mark_blanked
from core.vcf.blocks import Block
from core.vcf.carriers import find_carriers
from core.vcf.columns import count_between, leading_tabs, offsets_of, packed, places
from core.vcf.cutting import read_blocks
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import parse_header
from core.vcf.leaks import info_marks, numeric_info
from core.vcf.rarity import site_rarity
from core.vcf.read_ahead import read_ahead
from core.vcf.records import Record
from core.vcf.repeats import RepeatPattern
from core.vcf.settings import VcfSettings
from core.vcf.sites import KeptRecord, SiteRules, mark_site, sole_carrier
from tests.vcf_files import vcf_text

CHUNK = 64  # bytes, so that small texts have several pieces


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "CHUNK", CHUNK)


@given(mask=st.lists(st.booleans(), max_size=60))
def test_offsets_of__are_where_a_mask_is_true(mask: list[bool]) -> None:
    assert offsets_of(np.array(mask, dtype=bool)).tolist() == [at for at, true in enumerate(mask) if true]


@settings(deadline=None)
@given(text=st.binary(min_size=1, max_size=400), spans=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1))))
def test_packed_and_places__equal_the_test_at_every_byte(
    text: bytes, spans: list[tuple[float, float]]
) -> None:
    """The test asks whether a byte is smaller than the second after it; after the end there are zeros."""
    cells = np.frombuffer(text, dtype=np.uint8)
    padded = text + b"\0\0"
    expected = [padded[at] < padded[at + 2] for at in range(len(text))]

    def test(_at: int, piece: columns.Text) -> columns.Mask:
        return piece[:-2] < piece[2:]

    assert places(cells, test, 2).tolist() == [at for at, found in enumerate(expected) if found]
    ordered = [sorted(int(share * (len(text) - 1)) for share in span) for span in spans]
    starts, ends = (np.array([span[side] for span in ordered], dtype=np.int64) for side in (0, 1))
    counts = count_between(packed(cells, test, 2), starts, ends)
    assert counts.tolist() == [sum(expected[start:end]) for start, end in ordered]


@settings(deadline=None)
@given(
    n_columns=st.sampled_from([8, 10, 11, 80, 200]),
    widths=st.lists(st.integers(0, 40), min_size=1, max_size=6),
    broken=st.none() | st.tuples(st.integers(0, 5), st.sampled_from([-1, 1])),
)
def test_leading_tabs__are_those_of_each_line_or_none_for_a_wrong_number(
    n_columns: int, widths: list[int], broken: tuple[int, int] | None
) -> None:
    lines = [
        ["x" * (width if column == 7 else column % 3) for column in range(n_columns)] for width in widths
    ]
    if broken is not None:
        line, by = broken[0] % len(lines), broken[1]
        lines[line] = lines[line][:-1] if by < 0 else [*lines[line], "x"]
    texts = ["\t".join(line).encode() for line in lines]
    text = np.frombuffer(b"".join(line + b"\n" for line in texts), dtype=np.uint8)
    ends = np.cumsum([len(line) + 1 for line in texts]) - 1
    starts = np.append(0, ends[:-1] + 1)
    found = leading_tabs(text, starts, ends, n_columns)
    if broken is not None:
        assert found is None
        return
    assert found is not None
    for line, start in enumerate(starts.tolist()):
        tabs = [at + start for at, byte in enumerate(texts[line]) if byte == columns.TAB]
        assert found[:, line].tolist() == (tabs if n_columns <= columns.MANY_COLUMNS else tabs[:9])


@settings(deadline=None)
@given(
    sites=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 60)), min_size=1, max_size=30),
    block=st.integers(20, 200),
    newline=st.sampled_from(["\n", "\r\n"]),
    ended=st.booleans(),
    held=st.integers(0, 30),
)
def test_read_blocks__gives_every_line_once_and_overwrites_none_that_is_held(
    sites: list[tuple[int, int]], block: int, newline: str, ended: bool, held: int
) -> None:
    lines = [f"1\t{position}\t.\tA\tG\t.\t.\t{'x' * length}" for position, length in sites]
    content = (newline.join(lines) + newline * ended).encode()
    header = parse_header("x", vcf_text([]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "BLOCK", block)
        kept: list[Block] = []
        cuts: list[tuple[bytes, bytes]] = []
        found: list[str] = []
        for made in read_blocks("x", header, content[:block], io.BytesIO(content[block:])):
            texts = [made.line(line).decode() for line in range(len(made.ends))]
            assert made.first_line == len(found) + 1
            found += texts
            cuts.append((made.site_text(0), made.site_text(len(texts) - 1)))
            kept = [*kept, made][-held:] if held else []
            for old in kept:  # their text must still be what it was when they came
                assert [old.line(line).decode() for line in range(len(old.ends))] == lines[
                    old.first_line - 1 : old.first_line - 1 + len(old.ends)
                ]
    assert found == lines
    assert all(last[1] != first[0] for last, first in pairwise(cuts))


def test_read_blocks__uses_memory_again_that_nobody_looks_at() -> None:
    content = b"".join(b"1\t%d\t.\tA\tG\t.\t.\t.\n" % position for position in range(1_000))
    header = parse_header("x", vcf_text([]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "BLOCK", 100)
        places = {id(made.data) for made in read_blocks("x", header, b"", io.BytesIO(content))}
    assert len(places) <= 3


_numbers = st.one_of(
    st.decimals(0, 1, places=3).map(str),
    st.integers(0, 10**14).map(lambda digits: f"0.{digits}"),
    st.sampled_from(["1", "0", "1.", ".5", "1e-3", "nan", "12", "0.5,0.1", ".", "", "-0.1", "0.1234567"]),
)
_counts = st.one_of(st.integers(0, 10**10).map(str), st.sampled_from(["3,1", ".", "", "x"]))


@settings(deadline=None, max_examples=300)
@given(
    infos=st.lists(
        st.one_of(
            _numbers.map("AF={}".format),
            _numbers.map("DP=7;AF={};AN=5".format),
            _numbers.map("MAF={};AF=0.2".format),
            st.tuples(_counts, _counts).map(lambda pair: f"AC={pair[0]};AN={pair[1]}"),
            st.sampled_from([".", "AF", "MAF", "XAF=0.1", "AFX=0.1;AF=0.3"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_site_rarity__equals_the_frequency_of_each_line_by_itself(infos: list[str]) -> None:
    block = _block([f"chr1 {at} . A G . . {info}" for at, info in enumerate(infos, 5)], [])
    reader = _rules().original_reader
    found = site_rarity(block, reader, np.ones(len(infos), dtype=bool))
    expected = [reader.site(info.encode()).maf for info in infos]
    np.testing.assert_array_equal(found.mafs, expected)


_genotypes = st.sampled_from("0/0 0|0 0/1 1|0 1/1 ./. 1 0 . ./1 1/. 0/0/1 1|1|1".split())
_alts = st.sampled_from(["G", "G,T", "*", "<NON_REF>", "GT"])
_frequencies = st.sampled_from(["0.001", "0.3", "0.7", "0.999", "0.2,0.1"])


@settings(deadline=None, max_examples=200)
@given(
    rows=st.lists(
        st.tuples(_alts, _frequencies, st.lists(_genotypes, min_size=3, max_size=3)), min_size=1, max_size=12
    ),
    depth=st.sampled_from(["", ":7", ":1|1", ":1,1"]),
    long_lines=st.booleans(),
    many_columns=st.sampled_from([0, 64]),
)
def test_find_carriers__equals_the_reading_line_by_line(
    rows: list[tuple[str, str, list[str]]], depth: str, long_lines: bool, many_columns: int
) -> None:
    note = ";NOTE=" + "x" * 700 if long_lines else ""
    records = [
        f"chr1 {100 + at} . A {alt} . . AF={frequency}{note} GT{':XX' if depth else ''} "
        + " ".join(genotype + depth for genotype in genotypes)
        for at, (alt, frequency, genotypes) in enumerate(rows)
    ]
    text = vcf_text(records, samples=["a", "b", "c"])
    at = text.index(b"#CHROM")
    at = text.index(b"\n", at) + 1
    header = parse_header("x", text[:at])
    block = Block("x", header.n_columns, text[at:], len(text) - at, 1)
    reader = FrequencyReader(header.declarations)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "MANY_COLUMNS", many_columns)
        patch.setattr(carriers, "MANY_COLUMNS", many_columns)
        patch.setattr(carriers, "N_LOOKED_AT", 2)
        rarity = site_rarity(block, reader, np.ones(len(records), dtype=bool))
        found = find_carriers(block, reader, rarity.mafs < 0.5, rarity)
    for line, (_, _, genotypes) in enumerate(rows):
        ploidies = [genotype.replace("|", "/").count("/") for genotype in genotypes]
        if rarity.mafs[line] >= 0.5 or (depth and max(ploidies) > 1 >= ploidies[0]):
            continue  # before other fields the first sample tells whether there are more than two alleles
        record = Record(block.line(line))
        expected = sole_carrier(record, [record], reader)
        assert (line in found.sole) == expected
        first = found.first(block, np.array([line]))[0]
        if first < 0:
            assert not len(found.bare) or not found.bare[line] or not record.has_carriers
        else:
            assert record.samples[first : first + 1] == b"\t"
            assert b"1" in record.samples[first + 1 :].partition(b"\t")[0].partition(b":")[0]


_samples = st.sampled_from(["0/1:3,4:9,0,9", "0/0:7,0:0,9,9", "1:0,2:.", "./.:.:.", "0/0:7,1:0,3,9"])
_infos = st.sampled_from(
    [
        "AF=0.001",
        "AF=0.001;CSQ=G|missense",
        "AF=0.001;ALLELE=G",
        "AF=0.001;G=1",
        "AF=0.001;NOTE=AG,G.",
        "AC=1;AN=2000;AF_afr=0.0001",
        "AF=0.001;HGVS=c.1A>G",
    ]
)


@settings(deadline=None, max_examples=300)
@given(
    alleles=st.lists(st.sampled_from(["G", "g", "GT", "*"]), min_size=1, max_size=6),
    words=st.tuples(
        st.sampled_from([".", "rs12", "1:5:A:G", "x"]), st.sampled_from([".", "PASS", "q10", "G"]), _infos
    ),
    cells=st.lists(_samples, max_size=3),
    ref=st.sampled_from(["A", "AT"]),
    other_change=st.sampled_from(["", "info", "pos", "samples"]),
)
def test_mark_blanked__equals_mark_site(
    alleles: list[str], words: tuple[str, str, str], cells: list[str], ref: str, other_change: str
) -> None:
    identifier, filtered, info = words
    other_change = "" if other_change == "samples" and not cells else other_change
    names = [f"s{number}" for number in range(len(cells))]
    samples = f" GT:AD:PL {' '.join(cells)}" if cells else ""

    def lines(masked: bool) -> list[str]:
        changed = other_change if masked else ""
        return [
            f"chr1 {at + (changed == 'pos')} {identifier} {ref} {'.' if masked else allele} . {filtered} "
            f"{info}{';X' * (changed == 'info')}{samples[: -1 if changed == 'samples' else None]}"
            for at, allele in enumerate(alleles, 5)
        ]

    blocks_of = [_block(lines(masked), names) for masked in (False, True)]
    pairings = align(iter(blocks_of[:1]), iter(blocks_of[1:]), {})
    block, rules = blocks_of[0], _rules()
    rarity = site_rarity(block, rules.original_reader, np.ones(len(alleles), dtype=bool))
    found_carriers = find_carriers(block, rules.original_reader, rarity.mafs < 0.5, rarity)
    for matched in pairings:
        if not isinstance(matched, Matched):
            continue
        blanked = matched.original[matched.changed][is_blanked(matched)]
        assert other_change == "" or not len(blanked)
        if other_change == "":
            single = [at for at, allele in enumerate(alleles) if allele in "Gg" and ref == "A"]
            assert blanked.tolist() == single
        marks = mark_blanked(block, blanked, found_carriers, rules)
        for line, mark in zip(blanked.tolist(), marks, strict=True):
            original = Record(block.line(line))
            kept = KeptRecord(Record(matched.anonymized_block.line(line)), float(rarity.mafs[line]))
            expected = mark_site(original, float(rarity.mafs[line]), [kept], rules)
            assert (mark, np.inf) == expected


def _block(lines: list[str], samples: list[str]) -> Block:
    text = vcf_text(lines, samples=samples)
    at = text.index(b"\n", text.index(b"#CHROM")) + 1
    return Block("x", parse_header("x", text[:at]).n_columns, text[at:], len(text) - at, 1)


def _rules() -> SiteRules:
    reader = FrequencyReader(parse_header("x", vcf_text([])).declarations)
    pattern = RepeatPattern.of(VcfSettings())
    return SiteRules(pattern=pattern, original_reader=reader, anonymized_reader=reader)


def test_read_ahead__yields_all_in_order_and_raises_in_its_place() -> None:
    def numbers() -> Iterator[int]:
        yield from range(20)
        raise KeyError("end")

    taken: list[int] = []
    with read_ahead(numbers(), iter(range(100))) as (failing, whole):
        with pytest.raises(KeyError, match="end"):
            taken.extend(failing)
        assert list(whole) == list(range(100))
    assert taken == list(range(20))


@settings(deadline=None)
@given(lengths=st.tuples(st.integers(0, 12), st.integers(0, 12)), turns=st.lists(st.booleans(), max_size=40))
def test_read_ahead__gives_both_in_whatever_order_they_are_asked(
    lengths: tuple[int, int], turns: list[bool]
) -> None:
    before = threading.active_count()
    with read_ahead(*map(iter, map(range, lengths))) as streams:
        found: list[list[int]] = [[], []]
        for side in turns:
            found[side] += [one for one in (next(streams[side], None),) if one is not None]
    for side in (0, 1):
        assert found[side] == list(range(min(lengths[side], turns.count(bool(side)))))
    assert threading.active_count() == before


def test_read_ahead__ends_its_thread_when_closed() -> None:
    before = threading.active_count()
    with read_ahead(iter(int, 1), iter(int, 1)) as (endless, _):
        assert next(endless) == 0
    assert threading.active_count() == before


def test_carriers__look_no_further_than_a_genotype_reaches() -> None:
    assert len(b"\t0/1") == carriers.REACH + 1


_keys = st.sampled_from("AC AF AN DP MLEAC SIFT RS ANN CATTAGA A1G DB G AC_afr ab_TO_c end".split())
_values = st.sampled_from(["1", "0", "0.5,-3", "1e-5", "", ".", "G", "rs12", "%47", "c.1A>G", "10"])
_fields = st.one_of(_keys, st.tuples(_keys, _values).map("=".join))


@settings(deadline=None, max_examples=300)
@given(
    infos=st.lists(st.lists(_fields, min_size=1, max_size=4).map(";".join), min_size=1, max_size=6),
    allele=st.sampled_from([b"G", b"g", b"GATTACA", b"C", b"<DEL>", b"*"]),
)
def test_info_marks__are_the_same_with_what_was_learned_before(infos: list[str], allele: bytes) -> None:
    learned = numeric_info()
    for info in infos * 2:
        kept = Record(f"chr1\t5\t.\tA\t.\t.\tPASS\t{info}".encode())
        alone = info_marks([allele], b"A", kept, None, numeric_info())
        assert info_marks([allele], b"A", kept, None, learned) == alone


@pytest.mark.parametrize(
    ("first", "second", "described"),
    [
        (b"AC=1;MQ0=0;AF=0.1", b"AC=3;MQ0=5;AF=0.2", True),
        (b"AC=0;MQ0=0;AF=0.1", b"AC=0;MQ0=5;AF=0.2", False),
        (b"AC=0;AF=0.1", b"AC=1;AF=0.1", None),
    ],
)
def test_numeric_info__knows_a_shape_again_whatever_its_numbers_are(
    first: bytes, second: bytes, described: bool | None
) -> None:
    """Only a count is told apart: of nobody it describes nothing."""
    numeric = numeric_info()
    numeric.learn(first)
    assert numeric.describes([b"G"], second) is described
