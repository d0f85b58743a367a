"""Files as they come: what is read, and every sentence for what cannot be."""

import gzip
from pathlib import Path

import pysam
import pytest

from core.errors import AuditInputError
from core.vcf import VcfAudit, VcfFile, VcfPair, VcfSettings, judge_scan, run_pairs, scan_pair
from core.vcf.files import EOF_MARKER, read_pieces
from core.vcf.memory import memory_file
from tests.vcf_files import COLUMNS, HEADER, bgzf, masked_header, vcf_file, vcf_text

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


COPY = "copy it again from its source."


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "x.vcf.gz: the file is empty (0 bytes); get it again from its source."),
        (
            gzip.compress(GOOD),
            (
                "x.vcf.gz: compressed with plain gzip, but VCF files need block gzip (BGZF); "
                "recompress it with "
                "“gunzip -c FILE | bgzip -c > NEW_FILE” and use the new file."
            ),
        ),
        (
            bgzf(GOOD)[: -len(EOF_MARKER)],
            f"x.vcf.gz: the BGZF end marker is missing, so the file may be cut short; {COPY}",
        ),
        (
            bgzf(GOOD)[:-40],
            f"x.vcf.gz: the file is cut short in the middle of a compressed block; {COPY}",
        ),
        (
            bgzf(GOOD, block=200)[: -len(EOF_MARKER)] + gzip.compress(b"more, but plain gzip") + EOF_MARKER,
            "x.vcf.gz: a compressed block does not begin as BGZF does; the file is damaged, copy it again.",
        ),
        (
            b"PK\x03\x04 not a VCF",
            "x.vcf.gz: not a VCF file; its first line must begin with “##fileformat=VCF”.",
        ),
    ],
)
def test_scan_pair__refuses_a_damaged_file(content: bytes, problem: str) -> None:
    assert _problem(content) == problem


def test_scan_pair__refuses_a_block_whose_checksum_differs() -> None:
    content = bytearray(bgzf(GOOD))
    content[60] ^= 0xFF
    assert _problem(bytes(content)) == (
        "x.vcf.gz: a compressed block is damaged (its checksum does not match); "
        "copy the file again from its source."
    )


def test_scan_pair__names_the_anonymized_file_when_that_is_damaged() -> None:
    assert _problem(bgzf(GOOD), bgzf(GOOD)[:-5]).startswith("high_anony_x.vcf.gz: ")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            GOOD.replace(b"##fileformat=VCFv4.2\n", b""),
            "x.vcf.gz: not a VCF file; its first line must begin with “##fileformat=VCF”.",
        ),
        (
            b"\n".join(line for line in GOOD.split(b"\n") if not line.startswith(b"#CHROM")),
            "x.vcf.gz: the header has no “#CHROM” line before the first record.",
        ),
        (
            b"##fileformat=VCFv4.2\n",
            "x.vcf.gz: the header has no “#CHROM” line before the first record.",
        ),
        (
            GOOD.replace(b"#CHROM\tPOS", b"#CHROM POS"),
            (
                "x.vcf.gz: the “#CHROM” line must hold the eight fixed columns, then FORMAT and the samples, "
                "separated by tabs."
            ),
        ),
        (
            GOOD.replace(b"\tINFO\n", b"\tINFO\tFORMAT\n"),
            "x.vcf.gz: the “#CHROM” line has a FORMAT column but no sample.",
        ),
        (
            WITH_SAMPLES.replace(b"\tS1\tS2", b"\tS1\t"),
            "x.vcf.gz: the “#CHROM” line has an empty sample name.",
        ),
        (
            WITH_SAMPLES.replace(b"\tS1\tS2", b"\tS1\tS1"),
            "x.vcf.gz: sample names must differ; 1 of 2 repeat another.",
        ),
        (
            GOOD.replace(b"##cmdline=", b"##cmdline=\x00"),
            "x.vcf.gz: the header holds a NUL byte; the file is damaged.",
        ),
        (
            GOOD.replace(b"#CHROM", b"#one hash only\n#CHROM"),
            "x.vcf.gz: htslib cannot read the header; check its “##” lines.",
        ),
    ],
)
def test_scan_pair__refuses_a_broken_header(text: bytes, problem: str) -> None:
    assert _broken(text) == problem


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "x.vcf.gz: record 2 is a blank line; remove it."),
        ("#comment", "x.vcf.gz: record 2 is a comment or header line between records; remove it."),
        (
            "#a b . A G . . AF=0.1",
            "x.vcf.gz: record 2 is a comment or header line between records; remove it.",
        ),
        (
            "chr1 150 . A",
            (
                "x.vcf.gz: record 2 has 4 of the 8 columns that the header announces; "
                "the line is damaged or cut short."
            ),
        ),
        ("chr1 -5 . A G . . .", "x.vcf.gz: record 2 has a POS that is not a whole number from 0."),
        ("chr1 1e3 . A G . . .", "x.vcf.gz: record 2 has a POS that is not a whole number from 0."),
        ("chr1  . A G . . .", "x.vcf.gz: record 2 has a POS that is not a whole number from 0."),
        ("chr1 99999999999999999999 . A G . . .", "x.vcf.gz: record 2 has a POS beyond 2⁶²."),
        (
            "chr1 150 . A G . . DP=3;~AF=0.1",
            (
                "x.vcf.gz: record 2 has a key in INFO that the header does not declare and that htslib "
                "cannot take up; remove commas, quotation marks, angle brackets and outer spaces from it."
            ),
        ),
    ],
)
@pytest.mark.parametrize("side", ["original", "anonymized"])
def test_scan_pair__refuses_a_broken_record(line: str, problem: str, side: str) -> None:
    """In the anonymized file the same lines are found where they differ from the original's."""
    broken = vcf_text([RECORD, line, "chr1 200 . A G 50 PASS AF=0.4"]).replace(b"~", b" ")
    if side == "original":
        assert _broken(broken) == problem
    else:
        whole = vcf_text([RECORD, "chr1 150 . A G . . .", "chr1 200 . A G 50 PASS AF=0.4"])
        assert _problem(bgzf(whole), bgzf(broken)) == problem.replace("x.vcf.gz", "high_anony_x.vcf.gz", 1)


@pytest.mark.parametrize("line", ["chr1 300 . A", "chr1 300 . A G . .", "chr1"])
def test_scan_pair__refuses_a_last_line_cut_short(line: str) -> None:
    found = _broken(vcf_text([RECORD, line]).rstrip(b"\n"))
    assert found.startswith("x.vcf.gz: record 2 has ")
    assert found.endswith("the line is damaged or cut short.")


def test_scan_pair__refuses_a_wrong_number_of_samples() -> None:
    text = vcf_text([f"{RECORD} GT 0/1 0/0", "chr1 110 . A G . . . GT 0/1"], samples=["S1", "S2"])
    assert _broken(text) == (
        "x.vcf.gz: record 2 has 10 of the 11 columns that the header announces; "
        "the line is damaged or cut short."
    )


def test_scan_pair__refuses_lines_whose_columns_only_add_up() -> None:
    """One column too many and one too few: the total is right."""
    text = vcf_text([RECORD, "chr1 110 . A G . . . more", "chr1 120 . A G . ."])
    assert _broken(text).startswith("x.vcf.gz: record 3 has 7 of the 8 columns that the header announces; ")


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


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.rstrip(b"\n"),
        lambda text: text.replace(b"##contig", b"##note=\xff\xfe\n##contig", 1),
        lambda text: text.replace(b"##contig=<ID=chr1,length=248956422>\n", b""),
        lambda text: text.replace(b"PASS", b"undeclared"),
        lambda text: text.replace(b"##cmdline", b"\n##cmdline"),
    ],
    ids=[
        "plain",
        "CRLF",
        "no last newline",
        "not UTF-8",
        "undeclared contig",
        "undeclared filter",
        "blank in header",
    ],
)
def test_scan_pair__reads_what_htslib_reads(change: object) -> None:
    audit = _audit(bgzf(change(GOOD)))
    assert audit.report_row()["unmasked_positions"] == "chr1:100"


def test_scan_pair__reads_text_named_gz() -> None:
    assert _audit(GOOD).n_variant_targets == 1


def test_scan_pair__reads_a_header_alone() -> None:
    audit = _audit(bgzf(vcf_text([])))
    assert (audit.n_targets, audit.n_variant_targets) == (2, 0)


def test_scan_pair__reads_a_header_longer_than_a_piece() -> None:
    long_header = [*HEADER, *(f"##note{i}={'x' * 1000}" for i in range(3000))]
    assert _audit(bgzf(vcf_text([RECORD], header=long_header))).n_variant_targets == 1


def test_scan_pair__reads_alleles_of_a_megabase() -> None:
    allele = "ACGT" * 262_144
    text = vcf_text([f"chr1 100 . A {allele} . . AF=0.3", "chr1 200 . A G . . AF=0.001"])
    masked = text.replace(allele.encode(), b"N")
    audit = _audit(bgzf(text), bgzf(masked))
    assert [audit.n_variant_targets, audit.n_variant_masked] == [2, 1]


def test_scan_pair__reads_positions_from_zero_to_beyond_32_bits() -> None:
    places = (0, 2_147_483_649, 99_999_999_999, 1_234_567_890_123_456)
    audit = _audit(bgzf(vcf_text([f"chr1 {pos} . A G . . AF=0.001" for pos in places])))
    assert [position for _, position in audit.unmasked()] == list(places)


def test_scan_pair__positions_widen_when_one_does_not_fit() -> None:
    lines = [f"chr1 {pos} . A G . . AF=0.001" for pos in (5, 10)] + ["chr2 99999999999 . A G . . AF=0.001"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.vcf.lines.PIECE", 100)
        audit = _audit(bgzf(vcf_text(lines), block=40))
    assert list(audit.unmasked()) == [("chr1", 5), ("chr1", 10), ("chr2", 99_999_999_999)]


def test_scan_pair__reads_bcf_with_frequencies_as_exact_as_stored(tmp_path: Path) -> None:
    text = vcf_text(
        ["chr1 100 . A G . . AF=0.0100000016", "chr1 200 . A G . . AF=0.01", "chr1 300 . A G . . AF=nan"]
    )
    source, target = tmp_path / "x.vcf", tmp_path / "x.bcf"
    source.write_bytes(text)
    with (
        pysam.VariantFile(str(source)) as reading,
        pysam.VariantFile(str(target), "wb", header=reading.header) as out,
    ):
        for record in reading:
            out.write(record)
    in_memory = _audit(target.read_bytes())
    assert [position for _, position in in_memory.unmasked()] == [200, 300]
    file = VcfFile(name="x.vcf.gz", path=target)
    scan = scan_pair(VcfPair(original=file, anonymized=file, level="high"), VcfSettings())
    assert judge_scan(scan, VcfSettings()).report_row() == {**in_memory.report_row(), "filename": "x.vcf.gz"}


def test_scan_pair__refuses_damaged_bcf(tmp_path: Path) -> None:
    assert _problem(bgzf(b"BCF\x02\x02 but nothing of it")) == (
        "x.vcf.gz: htslib cannot read this BCF file; convert it to VCF."
    )


def test_scan_pair__two_files_with_different_contigs() -> None:
    """Nothing in common: every target is missing, every record removed or added."""
    other = GOOD.replace(b"chr1\t", b"chr2\t")
    audit = _audit(bgzf(GOOD), bgzf(other))
    assert (len(audit.missing), audit.scan.removed.n, audit.scan.added.n) == (1, 2, 2)


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


def test_vcf_file__says_when_it_cannot_be_opened(tmp_path: Path) -> None:
    file = VcfFile(name="x.vcf.gz", path=tmp_path / "gone.vcf.gz")
    with pytest.raises(AuditInputError) as caught:
        list(read_pieces(file))
    assert str(caught.value) == "x.vcf.gz: the file cannot be opened (No such file or directory)."
    assert file.n_bytes == 0


def test_vcf_file__says_when_reading_fails(tmp_path: Path) -> None:
    folder = tmp_path / "x.vcf.gz"
    folder.mkdir()
    with pytest.raises(AuditInputError) as caught:
        list(read_pieces(VcfFile(name="x.vcf.gz", path=folder)))
    assert str(caught.value) == "x.vcf.gz: the file cannot be opened (Is a directory)."


def test_vcf_file__needs_a_path_or_content() -> None:
    with pytest.raises(TypeError):
        VcfFile(name="x").open()


def test_read_pieces__tells_how_much_was_read() -> None:
    read: list[int] = []
    content = bgzf(GOOD)
    list(read_pieces(VcfFile(name="x", content=content), progress=read.append))
    assert sum(read) == len(content)
    assert VcfFile(name="x", content=content).n_bytes == len(content)


def test_read_pieces__leaves_no_file_open(tmp_path: Path) -> None:
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
def test_run_pairs__processes_of_their_own_give_the_same(
    worth_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.vcf.running.WORTH_A_PROCESS", worth_bytes)
    file = vcf_file("x.vcf.gz", GOOD)
    pairs = [VcfPair(original=file, anonymized=file, level=level) for level in ("low", "high")]
    rows = [
        [outcome.audit.report_row() for outcome in run_pairs(pairs, VcfSettings(), n_jobs=n_jobs)]
        for n_jobs in (1, 2)
    ]
    assert rows[0] == rows[1]


def test_header__columns_are_tab_separated() -> None:
    assert COLUMNS.count("\t") == 7


def test_vcf_file__knows_its_digest_and_what_tells_it_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.vcf.gz"
    path.write_bytes(bgzf(GOOD))
    on_disk, in_memory = VcfFile(name="x", path=path), VcfFile(name="x", content=bgzf(GOOD))
    assert on_disk.sha256() == in_memory.sha256() == in_memory.identity
    before = on_disk.identity
    path.write_bytes(bgzf(WITH_SAMPLES))
    assert on_disk.identity != before


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens but cannot be read")
def test_read_pieces__says_when_reading_breaks_off() -> None:
    with pytest.raises(AuditInputError) as caught:
        list(read_pieces(VcfFile(name="x.vcf.gz", path=Path("/proc/self/mem"))))
    assert str(caught.value) == "x.vcf.gz: reading the file failed (Input/output error)."


def test_scan_pair__reads_long_bcf_with_samples_and_no_frequencies(tmp_path: Path) -> None:
    lines = [f"chr1 {pos} . A G . . . GT 0/1" for pos in range(1, 4_500)]
    content = _bcf(vcf_text(lines, samples=["S1"]), tmp_path)
    audit = _audit(content)
    assert (audit.scan.n_original, audit.n_variant_targets) == (4_499, 0)


def test_scan_pair__refuses_bcf_whose_records_are_damaged(tmp_path: Path) -> None:
    """The blocks are whole, but the records in them are not."""
    inside = b"".join(read_pieces(VcfFile(name="x", content=_bcf(GOOD, tmp_path))))
    header_size = 9 + int.from_bytes(inside[5:9], "little")
    broken = inside[:header_size] + b"\xff\xff\xff\x7f" + inside[header_size + 4 :]
    assert _problem(bgzf(broken)) == "x.vcf.gz: htslib cannot read a record of this BCF file."


def _bcf(text: bytes, folder: Path) -> bytes:
    source, target = folder / "made.vcf", folder / "made.bcf"
    source.write_bytes(text)
    with (
        pysam.VariantFile(str(source)) as reading,
        pysam.VariantFile(str(target), "wb", header=reading.header) as out,
    ):
        for record in reading:
            out.write(record)
    return target.read_bytes()


def test_scan_pair__refuses_text_that_begins_with_the_columns() -> None:
    assert _problem(GOOD[GOOD.index(b"#CHROM") :]) == (
        "x.vcf.gz: not a VCF file; its first line must begin with “##fileformat=VCF”."
    )


def test_scan_pair__sorts_a_file_against_an_empty_one() -> None:
    unsorted = vcf_text(["chr1 200 . A G . . AF=0.001", RECORD])
    audit = _audit(bgzf(unsorted), bgzf(vcf_text([])))
    assert audit.report_row()["unmasked_positions"] == "chr1:200;chr1:100"
    assert _audit(bgzf(unsorted), bgzf(unsorted)).scan.removed.n == 0


def test_scan_pair__interleaved_contigs_within_one_block() -> None:
    lines = [f"chr{1 + pos % 2} {pos} . A G . . AF=0.001" for pos in range(10, 16)]
    audit = _audit(bgzf(vcf_text(lines)))
    places = [f"chr{1 + pos % 2}:{pos}" for pos in range(10, 16)]
    assert audit.report_row()["unmasked_positions"] == ";".join(places)


def test_scan_pair__a_frequency_beyond_32_bit_floats() -> None:
    audit = _audit(bgzf(vcf_text(["chr1 1 . A G . . AF=1e39", "chr1 2 . A G . . MAF=-1e39"])))
    assert audit.n_variant_targets == 2


def test_memory_file__works_where_the_system_has_no_memory_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.memfd_create", raising=False)
    with memory_file(GOOD) as file:
        assert file.read() == GOOD
    assert _audit(GOOD).n_variant_targets == 1
