"""Files as they come: what is read, and every sentence for what cannot be."""

import gzip
from pathlib import Path

import pytest

from core.errors import AuditInputError
from core.vcf import VcfAudit, VcfFile, VcfPair, VcfSettings, judge_scan, run_pairs, scan_pair
from core.vcf.binary import read_binary_text
from core.vcf.files import EOF_MARKER, read_pieces
from tests.cases.table import holds_for_each, says
from tests.kinds import Patch
from tests.vcf_files import COLUMNS, HEADER, bcf, bgzf, masked_header, read, vcf_file, vcf_text

RECORD = "chr1 100 . A G 50 PASS AF=0.001"
GOOD = vcf_text([RECORD, "chr1 200 . A G 50 PASS AF=0.4"])
WITH_SAMPLES = vcf_text([f"{RECORD} GT 0/1 0/0"], samples=["S1", "S2"])


def _audit(original: bytes, anonymized: bytes | None = None) -> VcfAudit:
    pair = VcfPair(
        original=VcfFile(name="x.vcf.gz", content=original),
        anonymized=VcfFile(name="high_anony_x.vcf.gz", content=anonymized or original),
        level="high",
    )
    return judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())


def _problem(original: bytes, anonymized: bytes | None = None) -> str:
    with pytest.raises(AuditInputError) as caught:
        _audit(original, anonymized)
    return str(caught.value)


def _broken(text: bytes) -> str:
    return _problem(bgzf(text))


DAMAGED = [
    (b"", "the file is empty (0 bytes)"),
    (gzip.compress(GOOD), "plain gzip…“gunzip -c FILE | bgzip -c > NEW_FILE”"),
    (bgzf(GOOD)[: -len(EOF_MARKER)], "the BGZF end marker is missing"),
    (bgzf(GOOD) + b"evil", f"4 bytes stand behind the end marker, from byte {len(bgzf(GOOD)):,} on"),
    (bgzf(GOOD) + b"\x00", "1 byte stands behind the end marker"),
    (bgzf(GOOD)[:-40], "cut short in the middle of a compressed block"),
    (
        bgzf(GOOD, block=200)[: -len(EOF_MARKER)] + gzip.compress(b"more, but plain gzip") + EOF_MARKER,
        "a compressed block does not begin as BGZF does",
    ),
    (b"PK\x03\x04 not a VCF", "not a VCF file"),
    (bytes(byte ^ 0xFF if at == 60 else byte for at, byte in enumerate(bgzf(GOOD))), "checksum"),
    (bgzf(b"BCF\x02\x02 but nothing of it"), "this BCF file has no header of version 2.2"),
    (bgzf(b"BCF\x02\x01" + bytes(40)), "this BCF file has no header of version 2.2"),
]


def test_scan_pair__refuses_a_damaged_file_naming_it() -> None:
    def holds(content: bytes, problem: str) -> None:
        assert says(_problem(content), "x.vcf.gz: …" + problem)

    holds_for_each(DAMAGED, holds)
    assert _problem(bgzf(GOOD), bgzf(GOOD)[:-5]).startswith("high_anony_x.vcf.gz: ")
    inside = b"".join(read_pieces(VcfFile(name="x", content=bcf(GOOD))))
    begun = inside + b"\x20\0\0"
    assert _problem(bgzf(begun)) == (
        "x.vcf.gz: record 3 of this BCF file is cut short or damaged, or holds a tab or a line end within a "
        "field; get the file again from its source."
    )
    assert _problem(GOOD[GOOD.index(b"#CHROM") :]) == (
        "x.vcf.gz: not a VCF file; its first line must begin with “##fileformat=VCF”."
    )


HEADERS = [
    (GOOD.replace(b"##fileformat=VCFv4.2\n", b""), "not a VCF file"),
    (b"\n".join(line for line in GOOD.split(b"\n") if not line.startswith(b"#CHROM")), "no “#CHROM” line"),
    (b"##fileformat=VCFv4.2\n", "no “#CHROM” line"),
    (GOOD.replace(b"#CHROM\tPOS", b"#CHROM POS"), "must hold the eight fixed columns"),
    (GOOD.replace(b"\tINFO\n", b"\tINFO\tFORMAT\n"), "has a FORMAT column but no sample"),
    (WITH_SAMPLES.replace(b"\tS1\tS2", b"\tS1\t"), "has an empty sample name"),
    (WITH_SAMPLES.replace(b"\tS1\tS2", b"\tS1\tS1"), "sample names must differ; 1 of 2"),
    (GOOD.replace(b"##cmdline=", b"##cmdline=\x00"), "the header holds a NUL byte"),
    (GOOD.replace(b"#CHROM", b"#one hash only\n#CHROM"), "htslib cannot read the header"),
]


def test_scan_pair__refuses_a_broken_header_or_record() -> None:
    def holds(text: bytes, problem: str) -> None:
        assert says(_broken(text), "x.vcf.gz: …" + problem)

    holds_for_each(HEADERS, holds)
    # In the anonymized file the same lines are found where they differ from the original's.
    whole = bgzf(vcf_text([RECORD, "chr1 150 . A G . . .", "chr1 200 . A G 50 PASS AF=0.4"]))

    def holds(line: str, problem: str) -> None:
        broken = bgzf(vcf_text([RECORD, line, "chr1 200 . A G 50 PASS AF=0.4"]).replace(b"~", b" "))
        assert _problem(broken).startswith(f"x.vcf.gz: {problem}")
        assert _problem(whole, broken).startswith(f"high_anony_x.vcf.gz: {problem}")

    holds_for_each(RECORDS, holds)
    text = vcf_text([f"{RECORD} GT 0/1 0/0", "chr1 110 . A G . . . GT 0/1"], samples=["S1", "S2"])
    assert _broken(text) == (
        "x.vcf.gz: record 2 has 10 of the 11 columns that the header announces; "
        "the line is damaged or cut short."
    )
    # One column too many and one too few: the total is right.
    text = vcf_text([RECORD, "chr1 110 . A G . . . more", "chr1 120 . A G . ."])
    assert _broken(text).startswith("x.vcf.gz: record 3 has 7 of the 8 columns that the header announces; ")


RECORDS = [
    ("", "record 2 is a blank line"),
    ("#comment", "record 2 is a comment or header line between records"),
    ("#a b . A G . . AF=0.1", "record 2 is a comment or header line between records"),
    ("chr1 150 . A", "record 2 has 4 of the 8 columns"),
    ("chr1 -5 . A G . . .", "record 2 has a POS that is not a whole number from 0"),
    ("chr1 1e3 . A G . . .", "record 2 has a POS that is not a whole number from 0"),
    ("chr1  . A G . . .", "record 2 has a POS that is not a whole number from 0"),
    ("chr1 99999999999999999999 . A G . . .", "record 2 has a POS beyond 2⁶²"),
    ("chr1 150 . A G . . DP=3;~AF=0.1", "record 2 has a key in INFO with a space before or behind it"),
]


@pytest.mark.parametrize("line", ["chr1 300 . A", "chr1 300 . A G . .", "chr1"])
def test_scan_pair__refuses_a_last_line_cut_short(line: str) -> None:
    found = _broken(vcf_text([RECORD, line]).rstrip(b"\n"))
    assert found.startswith("x.vcf.gz: record 2 has ")
    assert found.endswith("the line is damaged or cut short.")


@pytest.mark.parametrize("side", ["both", "anonymized"])
@pytest.mark.parametrize(
    ("line", "n_extra"),
    [
        ("chr1 150 . A G . . . GT 0/1 0/0", 0),
        ("chr1 150 . A G . . . GT 0/1 0/0 1/1", 1),
        ("chr1 150 . A G . . . GT 0/1 0/0 ", 0),
        ("chr1 150 . A G . . .", 0),
        ("chr1 150 . A G . . A~B=3;C~D GT 0/1 0/0", 0),
    ],
)
def test_scan_pair__reads_records_of_other_columns_as_htslib_does(line: str, n_extra: int, side: str) -> None:
    """It leaves out what stands beyond the last sample; we say that something does."""
    names = ["S1", "S2"]
    usual = [f"{RECORD} GT 0/1 0/0", "chr1 150 . A G . . . GT 0/1 0/0"]
    odd = vcf_text([usual[0], line], samples=names).replace(b"~", b" ")
    original = odd if side == "both" else vcf_text(usual, samples=names)
    audit = _audit(bgzf(original), bgzf(odd))
    places = [place for one in audit.exposure if one.check == "extra_columns" for place in one.places]
    assert audit.n_variant_targets == 1
    assert places == ["chr1:150"] * n_extra


READABLE = {
    "plain": lambda text: text,
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "no last newline": lambda text: text.rstrip(b"\n"),
    "not UTF-8": lambda text: text.replace(b"##contig", b"##note=\xff\xfe\n##contig", 1),
    "undeclared contig": lambda text: text.replace(b"##contig=<ID=chr1,length=248956422>\n", b""),
    "undeclared filter": lambda text: text.replace(b"PASS", b"undeclared"),
    "blank in header": lambda text: text.replace(b"##cmdline", b"\n##cmdline"),
}


def test_scan_pair__reads_what_htslib_reads() -> None:
    found = {how: _audit(bgzf(change(GOOD))).report_row() for how, change in READABLE.items()}
    assert {how: row["unmasked_positions"] for how, row in found.items()} == dict.fromkeys(
        READABLE, "chr1:100"
    )


@pytest.mark.slow
def test_scan_pair__reads_headers_alone_or_long_and_text_named_gz() -> None:
    assert _audit(GOOD).n_variant_targets == 1
    audit = _audit(bgzf(vcf_text([])))
    assert (audit.n_targets, audit.n_variant_targets) == (2, 0)
    long_header = [*HEADER, *(f"##note{i}={'x' * 1000}" for i in range(3000))]
    assert _audit(bgzf(vcf_text([RECORD], header=long_header))).n_variant_targets == 1
    allele = "ACGT" * 262_144
    text = vcf_text([f"chr1 100 . A {allele} . . AF=0.3", "chr1 200 . A G . . AF=0.001"])
    masked = text.replace(allele.encode(), b"N")
    audit = _audit(bgzf(text), bgzf(masked))
    assert [audit.n_variant_targets, audit.n_variant_masked] == [2, 1]


def test_scan_pair__reads_positions_from_zero_to_beyond_32_bits() -> None:
    places = (0, 2_147_483_649, 99_999_999_999, 1_234_567_890_123_456)
    audit = _audit(bgzf(vcf_text([f"chr1 {pos} . A G . . AF=0.001" for pos in places])))
    assert [position for _, position in audit.unmasked()] == list(places)
    lines = [f"chr1 {pos} . A G . . AF=0.001" for pos in (5, 10)] + ["chr2 99999999999 . A G . . AF=0.001"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.vcf.lines.PIECE", 100)
        audit = _audit(bgzf(vcf_text(lines), block=40))
    assert list(audit.unmasked()) == [("chr1", 5), ("chr1", 10), ("chr2", 99_999_999_999)]
    audit = _audit(bgzf(vcf_text(["chr1 1 . A G . . AF=1e39", "chr1 2 . A G . . MAF=-1e39"])))
    assert audit.n_variant_targets == 2


def test_scan_pair__reads_bcf_with_and_without_frequencies(tmp_path: Path) -> None:
    text = vcf_text(
        ["chr1 100 . A G . . AF=0.0100000016", "chr1 200 . A G . . AF=0.01", "chr1 300 . A G . . AF=nan"]
    )
    target = tmp_path / "x.bcf"
    target.write_bytes(bcf(text))
    in_memory = _audit(target.read_bytes())
    assert [position for _, position in in_memory.unmasked()] == [100, 200, 300]  # six digits
    file = VcfFile(name="x.vcf.gz", path=target)
    scan = scan_pair(VcfPair(original=file, anonymized=file, level="high"), VcfSettings())
    assert judge_scan(scan, VcfSettings()).report_row() == {**in_memory.report_row(), "filename": "x.vcf.gz"}
    lines = [f"chr1 {pos} . A G . . . GT 0/1" for pos in range(1, 4_500)]
    content = bcf(vcf_text(lines, samples=["S1"]))
    audit = _audit(content)
    assert (audit.scan.n_original, audit.n_variant_targets) == (4_499, 0)


def test_scan_pair__of_other_contigs_interleaved_ones_and_an_empty_file() -> None:
    """Nothing in common: every target is missing, every record removed or added."""
    other = GOOD.replace(b"chr1\t", b"chr2\t")
    audit = _audit(bgzf(GOOD), bgzf(other))
    assert (len(audit.missing), audit.scan.removed.n, audit.scan.added.n) == (1, 2, 2)
    unsorted = vcf_text(["chr1 200 . A G . . AF=0.001", RECORD])
    audit = _audit(bgzf(unsorted), bgzf(vcf_text([])))
    assert audit.report_row()["unmasked_positions"] == "chr1:200;chr1:100"
    assert _audit(bgzf(unsorted), bgzf(unsorted)).scan.removed.n == 0
    lines = [f"chr{1 + pos % 2} {pos} . A G . . AF=0.001" for pos in range(10, 16)]
    audit = _audit(bgzf(vcf_text(lines)))
    places = [f"chr{1 + pos % 2}:{pos}" for pos in range(10, 16)]
    assert audit.report_row()["unmasked_positions"] == ";".join(places)


@pytest.mark.parametrize(
    "order", [("chr1", "chr2", "chrU"), ("chr2", "chr1", "chrU"), ("chrU", "chr2", "chr1")]
)
@pytest.mark.parametrize("dropped", ["chr1", "chr2", "chrU"])
def test_scan_pair__a_contig_that_one_file_lacks(order: tuple[str, ...], dropped: str) -> None:
    lines = [f"{contig} {pos} . A G . . AF=0.001" for contig in order for pos in (10, 20)]
    kept = [line for line in lines if not line.startswith(dropped)]
    audit = _audit(bgzf(vcf_text(lines)), bgzf(vcf_text(kept)))
    assert (len(audit.missing), audit.scan.removed.n, audit.scan.added.n) == (2, 2, 0)
    back = _audit(bgzf(vcf_text(kept)), bgzf(vcf_text(lines)))
    assert (len(back.missing), back.scan.removed.n, back.scan.added.n) == (0, 0, 2)


def test_vcf_file__says_when_it_cannot_be_opened_and_knows_its_digest(tmp_path: Path) -> None:
    file = VcfFile(name="x.vcf.gz", path=tmp_path / "gone.vcf.gz")
    with pytest.raises(AuditInputError) as caught:
        list(read_pieces(file))
    assert str(caught.value) == "x.vcf.gz: the file cannot be opened (No such file or directory)."
    assert file.n_bytes == 0
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(AuditInputError) as caught:
        list(read_pieces(VcfFile(name="x.vcf.gz", path=folder)))
    assert str(caught.value) == "x.vcf.gz: the file cannot be opened (Is a directory)."
    with pytest.raises(TypeError):
        VcfFile(name="x").open()
    path = tmp_path / "x.vcf.gz"
    path.write_bytes(bgzf(GOOD))
    on_disk, in_memory = VcfFile(name="x", path=path), VcfFile(name="x", content=bgzf(GOOD))
    assert on_disk.sha256() == in_memory.sha256() == in_memory.identity
    before = on_disk.identity
    path.write_bytes(bgzf(WITH_SAMPLES))
    assert on_disk.identity != before


def test_read_pieces__tells_how_much_was_read_and_leaves_no_file_open(tmp_path: Path) -> None:
    read: list[int] = []
    content = bgzf(GOOD)
    list(read_pieces(VcfFile(name="x", content=content), progress=read.append))
    assert sum(read) == len(content)
    assert VcfFile(name="x", content=content).n_bytes == len(content)
    path = tmp_path / "x.vcf.gz"
    path.write_bytes(bgzf(GOOD))
    before = len(list(Path("/proc/self/fd").iterdir()))
    file = VcfFile(name="x.vcf.gz", path=path)
    scan_pair(VcfPair(original=file, anonymized=file, level="high"), VcfSettings())
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_run_pairs__an_error_ends_one_pair_only() -> None:
    good = vcf_file("x.vcf.gz", GOOD)
    pairs = [
        VcfPair(
            original=good,
            anonymized=VcfFile(name="low_anony_x.vcf.gz", content=b"\x1f\x8b broken"),
            level="low",
        ),
        VcfPair(
            original=good,
            anonymized=vcf_file("high_anony_x.vcf.gz", vcf_text([], header=masked_header())),
            level="high",
        ),
    ]
    first, second = run_pairs(pairs, VcfSettings())
    assert first.audit is None
    assert first.problems[0].startswith("low_anony_x.vcf.gz: compressed with plain gzip")
    assert second.audit is not None
    assert second.audit.report_row()["anonymization_rate"] == "66.67%(2/3)"


@pytest.mark.parametrize("worth_bytes", [0, 10_000_000])
def test_run_pairs__processes_of_their_own_give_the_same(worth_bytes: int, monkeypatch: Patch) -> None:
    monkeypatch.setattr("core.vcf.running.WORTH_SEVERAL", worth_bytes)
    file = vcf_file("x.vcf.gz", GOOD)
    pairs = [VcfPair(original=file, anonymized=file, level=level) for level in ("low", "high")]
    rows = [
        [outcome.audit.report_row() for outcome in run_pairs(pairs, VcfSettings(), n_jobs=n_jobs)]
        for n_jobs in (1, 2)
    ]
    assert rows[0] == rows[1]


def test_header__columns_are_tab_separated() -> None:
    assert COLUMNS.count("\t") == 7


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens but cannot be read")
def test_read_pieces__says_when_reading_breaks_off() -> None:
    with pytest.raises(AuditInputError) as caught:
        list(read_pieces(VcfFile(name="x.vcf.gz", path=Path("/proc/self/mem"))))
    assert str(caught.value) == "x.vcf.gz: reading the file failed (Input/output error)."


def test_scan_pair__refuses_bcf_whose_records_are_damaged() -> None:
    """The blocks are whole, but the records in them are not."""
    inside = b"".join(read_pieces(VcfFile(name="x", content=bcf(GOOD))))
    header_size = 9 + int.from_bytes(inside[5:9], "little")
    broken = inside[:header_size] + b"\xff\xff\xff\x7f" + inside[header_size + 4 :]
    assert _problem(bgzf(broken)) == (
        "x.vcf.gz: record 1 of this BCF file is cut short or damaged, or holds a tab or a line end within a "
        "field; get the file again from its source."
    )


@pytest.mark.parametrize("encoding", ["cp949", "latin-1"])
@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        ("100\t.", "100\tWORD", "other_id"),
        ("A\t.\t.\t.\t.", "A\t.\t.\tWORD\t.", "something_new"),
        ("A\t.\t.\t.\t.", "A\t.\t.\t.\tX=WORD", "other_info"),
        ("A\t.\t.\t.\t.", "A\t.\t.\t.\tWORD=1", "other_info"),
        ("A\t.\t.\t.\t.", "A\t<WORD>\t.\t.\t.", "something_new"),
        ("A\t.\t.\t.\t.", "A\t.\tWORD\t.\t.", "something_new"),
        ("\tA\t.", "\tWORD\t.", "reference_changed"),
        ("chr1\t100", "WORD\t100", "records_added"),
        ("##contig", "##note=WORD\n##contig", "header_leftover"),
        ("\tb\n", "\tWORD\n", "samples_identify"),
    ],
)
def test_judge_scan__words_in_other_encodings_are_judged(
    encoding: str, old: str, new: str, check: str
) -> None:
    word = ("김민지" if encoding == "cp949" else "Smith_é").encode(encoding)
    text = vcf_text(["chr1 100 . A . . . . GT ."], header=masked_header(), samples=["b"])
    kept = text.replace(old.encode(), new.encode().replace(b"WORD", word), 1)
    original = vcf_text([f"{RECORD} GT 0/1"], samples=["a"])
    assert check in {one.check for one in _audit(original, kept).exposure}


@pytest.mark.parametrize("encoding", ["cp949", "latin-1"])
def test_judge_scan__bcf_in_other_encodings_is_judged(encoding: str) -> None:
    word = ("김민지" if encoding == "cp949" else "Smith_é").encode(encoding)
    text = vcf_text(["chr1 100 WORD A . . . X=WORD"], header=[*masked_header(), "##note=WORD", INFO_X])
    original = vcf_text([RECORD.replace(" . A", " WORD A")], header=[*HEADER, INFO_X])
    kept, first = (bcf(one.replace(b"WORD", word)) for one in (text, original))
    for mine in (original, first):
        found = {one.check for one in _audit(mine, kept).exposure}
        assert {"other_id", "other_info", "header_leftover"} <= found


INFO_X = '##INFO=<ID=X,Number=1,Type=String,Description="WORD">'


@pytest.mark.parametrize("qual", ["nan", "NaN", "inf", "-INF", "infinity", "1e400", "30.0", "x", "0x10", "7"])
def test_judge_scan__a_qual_is_the_original_s_as_htslib_writes_it(qual: str) -> None:
    text = vcf_text([RECORD.replace(" 50 ", f" {qual} ")])
    written = str(read(text)[0]).split("\t")[5]
    assert b"".join(read_pieces(VcfFile(name="x", content=bcf(text))))  # which htslib writes as well
    for kept in (qual, written):
        masked = vcf_text([f"chr1 100 . A . {kept} PASS ."], header=masked_header())
        for original, other in ((text, masked), (text, bcf(masked)), (bcf(text), bcf(masked))):
            assert "something_new" not in {one.check for one in _audit(original, other).exposure}


@pytest.mark.parametrize("qual", ["51", "nan(7)", "nan", "inf", "50.0000001", "-50", "5e1"])
def test_judge_scan__a_qual_that_htslib_would_not_write_is_new(qual: str) -> None:
    masked = vcf_text([f"chr1 100 . A . {qual} PASS ."], header=masked_header())
    assert "something_new" in {one.check for one in _audit(GOOD, masked).exposure}


RICH = [
    *HEADER,
    '##FILTER=<ID=q10,Description="a \\"quoted\\", ID=x>">',
    '##INFO=<ID=END,Number=1,Type=Integer,Description="x">',
    '##INFO=<ID=Z,Number=.,Type=Float,Description="x">',
    '##INFO=<ID=I,Number=.,Type=Integer,Description="x">',
    '##INFO=<ID=S,Number=.,Type=String,Description="x">',
    '##INFO=<ID=F,Number=0,Type=Flag,Description="x">',
    '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="x">',
    '##FORMAT=<ID=GL,Number=G,Type=Float,Description="x">',
    '##FORMAT=<ID=PID,Number=1,Type=String,Description="x">',
]
RICH_RECORDS = [
    "chr1 100 rs1 A G,<DEL> 29.123456789 . I=1,.,-70000;S=a,b;F;Z=0.1,.,1e-7 GT:AD:PID 0/1:1,2,3:a . 0|2:9",
    "chr1 101 . A . . q10 . GT:GL 0/0:. ./.:-1.5,0,-3 0|0:.",
    "chr1 102 a;b ACGT A nan q10;PASS I=127,128;S=. GT 12/1 . 0/1/2",
    "chr2 5 . N <NON_REF> 1e9 . I=-128,32768;Z=nan,inf GT:PID 0:. 1:xy .|1:",
    "chr2 6 . A G 0.00001 PASS S=;I=. PID . a bb",
    "chr2 7 . A G . PASS F . . . .",
]


def test_read_binary__gives_the_text_that_htslib_gives() -> None:
    content = bcf(vcf_text(RICH_RECORDS, header=RICH, samples=["a", "b", "c"]))
    pieces = read_pieces(VcfFile(name="x", content=content))
    header, lines = read_binary_text("x", next(pieces), lambda: next(pieces, b""))
    assert b"".join(lines).decode() == "".join(map(str, read(content)))
    assert header.samples == (b"a", b"b", b"c")


@pytest.mark.parametrize("change", [(b"text", b"te\nt"), (b"text", b"te\tt"), (b"text", b"te\rt")])
def test_scan_pair__refuses_line_ends_within_fields_of_bcf(change: tuple[bytes, bytes]) -> None:
    text = vcf_text(["chr1 100 . A G . . S=text"], header=RICH)
    inside = b"".join(read_pieces(VcfFile(name="x", content=bcf(text))))
    assert inside.count(change[0]) == 1
    assert "holds a tab or a line end within a field" in _problem(bgzf(inside.replace(*change)))
