"""Laws of reading two files side by side; what is ruled out without looking equals the literal way."""

import io
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.vcf import header_leaks
from core.vcf.checks.info import _HGVS_START, _ID_WORD, _holds_id_word, _may_hold_hgvs
from core.vcf.frequencies import NOT_COMPUTABLE, FrequencyReader
from core.vcf.header import Declaration
from core.vcf.lines import Block, Lines
from core.vcf.records import Record, has_sole_carrier, own_records
from core.vcf.repeats import RepeatPattern
from core.vcf.rows import INFO, SAMPLES, Alignment, Columns, SortedLines, UnsortedError
from core.vcf.settings import VcfSettings
from tests.thorough import tried

SITES = st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), st.integers(1, 6)), max_size=25)
PATTERN = RepeatPattern.of(VcfSettings())


def _text(sites: list[tuple[str, int]], info: str = ".") -> list[bytes]:
    return [f"{chrom}\t{pos}\t.\tA\tG\t.\t.\t{info}{at}".encode() for at, (chrom, pos) in enumerate(sites)]


def _lines(text: list[bytes], newline: bytes = b"\n", *, ended: bool = True, begun: int = 0) -> Lines:
    content = newline.join(text) + newline * (ended and bool(text))
    return Lines("x", 8, io.BytesIO(content[begun:]), content[:begun])


@settings(deadline=None)
@given(
    sites=SITES,
    piece=st.integers(1, 90),
    newline=st.sampled_from([b"\n", b"\r\n"]),
    ended=st.booleans(),
    begun=st.integers(0, 50),
)
def test_lines__gives_every_line_once_with_its_number(
    sites: list[tuple[str, int]], piece: int, newline: bytes, ended: bool, begun: int
) -> None:
    text = _text(sites)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.vcf.lines.PIECE", piece)
        lines = _lines(text, newline, ended=ended, begun=begun)
        found: list[tuple[int, bytes]] = []
        while n_waiting := lines.fill():
            n_taken = min(n_waiting, 1 + len(found) % 2)
            numbers = lines.numbers(n_taken).tolist()
            found += zip(numbers, lines.take(n_taken), strict=True)
    assert found == list(enumerate(text, 1))


@tried(200)
@given(
    mine=SITES,
    theirs=SITES,
    piece=st.integers(20, 200),
    alike=st.booleans(),
    is_sorted=st.booleans(),
)
@example(
    mine=[("1", 1), ("2", 1), ("1", 2)], theirs=[("2", 1), ("1", 1)], piece=20, alike=False, is_sorted=False
)
def test_merge__gives_every_site_once_with_all_its_lines(
    mine: list[tuple[str, int]], theirs: list[tuple[str, int]], piece: int, alike: bool, is_sorted: bool
) -> None:
    theirs = [*mine, *theirs] if alike else theirs
    if is_sorted:
        mine, theirs = sorted(mine), sorted(theirs)
    first, second = _text(mine), _text(theirs, "X")
    expected: dict[tuple[bytes, int], tuple[Counter[int], Counter[int]]] = defaultdict(
        lambda: (Counter(), Counter())
    )
    for side, sites in enumerate((mine, theirs)):
        for number, (chrom, pos) in enumerate(sites, 1):
            expected[chrom.encode(), pos][side][number] += 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.vcf.lines.PIECE", piece)
        try:
            found = _merged(_lines(first), _lines(second), {b"1": 0, b"2": 1, b"3": 2})
        except UnsortedError:
            assert not is_sorted
            ranks: dict[bytes, int] = {}
            found = _merged(SortedLines(_lines(first), ranks), SortedLines(_lines(second), ranks), ranks)
    assert found == expected


def _merged(
    first: Lines, second: Lines, ranks: dict[bytes, int]
) -> dict[tuple[bytes, int], tuple[Counter[int], Counter[int]]]:
    found: dict[tuple[bytes, int], tuple[Counter[int], Counter[int]]] = {}
    for batch in Alignment(first, second, ranks):
        for contig, low, high in batch.contigs:
            for site in range(low, high):
                sides = ((batch.mine, batch.at), (batch.kept, batch.kept_at))
                parts = [rows.part(at[site], at[site + 1]) for rows, at in sides]
                key = contig, int(batch.positions[site])
                assert key not in found
                for part in parts:
                    sites = {tuple(line.split(b"\t")[:2]) for line in part.block}
                    assert sites <= {(contig, b"%d" % key[1])}
                numbers = [Counter(part.numbers.tolist()) for part in parts]
                found[key] = numbers[0], numbers[1]
    return found


_cell = st.sampled_from([b"", b".", b"A", b"GT", b"A" * 8, b"A" * 9, b"<NON_REF>", b"GT:DP" * 5, b"7;AF=1"])


@tried(300)
@given(
    rows=st.lists(st.lists(_cell, min_size=10, max_size=10), min_size=1, max_size=12),
    position=st.lists(st.sampled_from([b"0", b"007", b"12", b"3" * 18, b"4" * 19]), min_size=12, max_size=12),
    n_columns=st.sampled_from([8, 9, 10, 70]),
    n_odd=st.integers(0, 3),
)
def test_columns__equals_splitting_each_line(
    rows: list[list[bytes]], position: list[bytes], n_columns: int, n_odd: int
) -> None:
    split = []
    for place, row in enumerate(rows):
        cells = [b"1", position[place], *row[2:], *[b"0/1"] * 60][:n_columns]
        split.append(cells[:8] if place < n_odd else cells)
    split[-1] += [b"more"] * (len(rows) > n_odd == 3)
    lines = [b"\t".join(cells) for cells in split]
    for first in (0, len(lines) // 2):
        block = Block.of(lines).part(first, len(lines))
        columns = Columns.of(block.as_array(), SAMPLES + 1, n_columns)
        assert np.flatnonzero(columns.is_odd).tolist() == [
            place for place, cells in enumerate(split[first:]) if len(cells) != n_columns
        ]
        for column in range(SAMPLES):
            texts = [cells[column] if column < len(cells) else b"" for cells in split[first:]]
            if n_columns > SAMPLES or column < n_columns - 1:
                assert columns[column].to_pylist() == texts
                assert [columns.text(column, place) for place in range(len(texts))] == texts
                assert columns.widths(column).tolist() == list(map(len, texts))
        rests = [line.split(b"\t", INFO)[INFO] for line in lines[first:]]
        assert columns.behind(INFO - 1).to_pylist() == rests


_genotypes = st.sampled_from("0/1 0|1 1|1 0|0 ./. .|. 7|9 8/0 0/. ./0 . 0 12 1/12 0.0 ///. 0/x".split())


_numbers = st.one_of(
    st.decimals(0, 1, places=3).map(str),
    st.integers(0, 10**24).map(lambda digits: f"0.{digits}"),
    st.sampled_from(["1", "0", "1.", ".5", "1e-3", "nan", "12", "0.5,0.1", ".", "", "-0.1", "1.2.3", "1_0"]),
)


@tried(300)
@given(
    infos=st.lists(
        st.one_of(
            _numbers.map("AF={}".format),
            _numbers.map("DP=7;AF={};AN=5".format),
            _numbers.map("MAF={};AF=0.2".format),
            _numbers.map("MAF_eur=0.1;MLEAF=1;AF={}".format),
            st.sampled_from([".", "AF", "MAF", "XAF=0.1", "AFX=0.1;AF=0.3", "AF;AF=0.2", "AF=0.1;MAF"]),
            st.sampled_from(["AC=3;AN=10", "AC=.;AN=1", "AC=1,2;AN=8"]),
        ),
        min_size=1,
        max_size=8,
    ),
    kind=st.sampled_from(["Float", "String", "Integer"]),
    n_before=st.integers(0, 1),
)
def test_many__equals_the_frequency_of_each_by_itself(infos: list[str], kind: str, n_before: int) -> None:
    reader = FrequencyReader(
        {"AF": Declaration(kind, single=False), "MAF": Declaration("Float", single=True)}
        | {key: Declaration("Integer", single=key == "AN") for key in ("AC", "AN")}
    )
    texts = pa.array([info.encode() for info in ["AF=0.1"] * n_before + infos], pa.large_binary())
    has_alt = np.arange(len(infos)) != 7
    found = reader.many(texts.slice(n_before), has_alt)
    if len(infos) > 7:
        assert found.mafs[7] == NOT_COMPUTABLE
    for place, info in enumerate(infos[:7]):
        site = reader.site(info.encode())
        assert found.mafs[place] == site.maf
        if found.rarest[place] >= 0:
            (frequency,) = site.frequencies
            assert (found.rarest[place] == 0) == (max(0, 1 - frequency) < frequency)


_genotypes = st.sampled_from("0/0 0|0 0/1 1|0 1/1 ./. 1 0 . ./1 1/. 0/0/1 1|1|1 0/2 2/2 0/11".split())


@given(
    cells=st.lists(_genotypes, min_size=1, max_size=5),
    allele=st.integers(0, 2),
    depth=st.sampled_from(["", ":7"]),
)
def test_has_sole_carrier__equals_counting(cells: list[str], allele: int, depth: str) -> None:
    n_alts = 11 if any("11" in cell for cell in cells) else 2
    samples = "".join(f"\t{cell}{depth}" for cell in cells).encode()
    carriers = sum(str(allele) in cell.replace("|", "/").split("/") for cell in cells)
    found = has_sole_carrier(samples, b"GT:DP" if depth else b"GT", n_alts, allele)
    assert found == (carriers == 1)


@tried(500)
@given(st.lists(st.sampled_from([*"RS SS COSM RCV CA x = 1 0 77 _ ESV GA".split(), " "]), max_size=8))
def test_holds_id_word__equals_its_pattern(parts: list[str]) -> None:
    words = f" {''.join(parts)} ".encode()
    assert _holds_id_word(b"", words) == (_ID_WORD.search(words) is not None)


@tried(500)
@given(st.lists(st.sampled_from(["c", "p", ".", "1", "A", "G>T", "=", ";", "x", "Arg"]), max_size=8))
def test_may_hold_hgvs__passes_whatever_its_pattern_finds(parts: list[str]) -> None:
    info = "".join(parts).encode()
    assert _may_hold_hgvs(info) or _HGVS_START.search(info) is None


_WORDS_OF_HEADERS = st.sampled_from(
    ["/", "home", "~", "C:", "\\", "user", "=", "Host", "a", ".local", "@", "10.1.2.3", "s3://", " ", "-x",
     "--in", "b.bam", "CommandLine", "Options", "LOGIN:", "ID"]
)  # fmt: skip


@tried(500)
@given(st.lists(_WORDS_OF_HEADERS, max_size=6))
def test_line_checks__pass_over_nothing_that_their_patterns_find(parts: list[str]) -> None:
    line = header_leaks.Line(b"INFO", "".join(parts).encode())
    assert header_leaks.has_path(line) == (header_leaks._PATH.search(line.value) is not None)
    assert header_leaks.has_host(line) == (header_leaks._HOST.search(line.value) is not None)
    assert header_leaks.has_command(line) == (
        header_leaks._COMMAND_VALUE.search(line.value) is not None
        and (b"=" in line.value or b" -" in line.value)
    )


_records = st.lists(
    st.builds(
        "1\t5\t{}\t{}\t{}\t.\t.\t{}".format,
        st.sampled_from([".", "a"]),
        st.sampled_from(["A", "AT"]),
        st.sampled_from(["G", "T", "g", "."]),
        st.sampled_from([".", "X=1"]),
    ),
    max_size=6,
)


@given(_records, _records)
def test_own_records__gives_each_at_most_one_and_leaves_none_alone(
    first: list[str], second: list[str]
) -> None:
    originals, kept = ([Record(text.encode(), 8) for text in texts] for texts in (first, second))
    own = own_records(originals, kept)
    taken = [place for place in own if place >= 0]
    assert len(set(taken)) == len(taken) == min(len(originals), len(kept))
    alike = Counter((record.ref, record.alt) for record in originals) & Counter(
        (record.ref, record.alt) for record in kept
    )
    same = sum(
        (originals[mine].ref, originals[mine].alt) == (kept[place].ref, kept[place].alt)
        for mine, place in enumerate(own)
        if place >= 0
    )
    assert same >= alike.total() or len(originals) == len(kept) == 1
    given: dict[str, int] = {}
    for place in taken:  # which of equal ones is whose nobody can tell
        assert given.get(second[place], -1) < place
        given[second[place]] = place
