"""What is shown of a VCF file, and bytes that no reader reads."""

import io
import json
import struct
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.demo import VCF as DEMOS
from core.reports import render
from core.vcf import (
    ALL_CHECKS,
    CHECKS,
    PairOutcome,
    VcfFile,
    VcfPair,
    VcfSettings,
    judge_scan,
    look_for_donors,
    pair_files,
    run_pairs,
    scan_pair,
    split_uploads,
)
from core.vcf.charts import SMALLEST_MAF, density_table, maf_table
from core.vcf.csv_report import bed_of_unmasked, csv_of_unmasked, unmasked_rows
from core.vcf.exposure import found
from core.vcf.files import EOF_MARKER, read_pieces
from core.vcf.outcomes import findings_of
from core.vcf.report import vcf_report
from core.vcf.result import headline, run_result, vcf_result
from core.vcf.unread import unread_bytes
from core.verdict import Verdict, next_steps
from core.words import say
from pages.verify.vcf_parts.settings import severity_table
from tests.cases.table import says
from tests.checked_charts import checked
from tests.report_examples import frame_of
from tests.vcf_files import bcf, bgzf, masked_header, vcf_file, vcf_text

REPEAT = "ACACACACACACACA"
ORIGINAL = [
    "chr1 1000000 . A G . . AF=0.001",
    f"chr1 2000000 . A {REPEAT} . . AF=0.3",
    "chr1 3000000 . A T . . AF=0.000001",
    "chr2 500 . A T . . AF=0.002",
    f"chr2 600 . A C{REPEAT} . . AF=0.3",
    "chr2 700 . A T . . AF=0.4",
    "chr2 800 . A T . . AF=0.003",
]
KEPT = [
    "chr1 1000000 . A . . . .",
    f"chr1 2000000 . A {REPEAT} . . AF=0.3",
    "chr1 3000000 . A T . . AF=0.000001",
    "chr2 500 . A N . . AF=0.002",
    "chr2 600 . A C . . AF=0.3",
    "chr2 700 . A T . . AF=0.4",
]
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def _outcomes(*names: str, level: str = "high", maf: float = 0.01) -> list[PairOutcome]:
    files = [vcf_file("x.vcf.gz", vcf_text(ORIGINAL))]
    files += [
        vcf_file(f"{level}_{name}anony_x.vcf.gz", vcf_text(KEPT, header=masked_header())) for name in names
    ]
    pairs = pair_files(*split_uploads(files)).pairs
    return list(run_pairs(pairs, VcfSettings(maf_threshold=maf)))


@pytest.fixture
def outcome():
    return _outcomes("")[0]


@pytest.fixture
def audit(outcome):
    return outcome.audit


def _frame(outcome: PairOutcome, group: str):
    """Return the first table of a group of what is said of a file."""
    return frame_of(vcf_result(outcome, outcome.audit).group(group).tables[0])


def test_unmasked__table_bed_and_csv_hold_every_site_in_file_order(outcome, audit) -> None:
    rows = _frame(outcome, "unmasked")
    assert says(rows["reason"][2], "not empty…still rare")
    assert rows.to_dict("records") == [
        {
            "contig": contig,
            "position": position,
            "target": target,
            "motif": motif,
            "maf": pytest.approx(maf),
            "reason": reason,
        }
        for contig, position, target, motif, maf, reason in [
            ("chr1", 2_000_000, "short tandem repeat", "AC", 0.3, "ALT is unchanged"),
            ("chr1", 3_000_000, "rare variant", "", 1e-6, "ALT and the rare frequency are unchanged"),
            ("chr2", 500, "rare variant", "", 0.002, rows["reason"][2]),
            ("chr2", 600, "short tandem repeat", "AC", 0.3, "ALT was changed, but holds no N"),
            ("chr2", 800, "rare variant", "", 0.003, "no record at this site in the anonymized file"),
        ]
    ]
    assert len(unmasked_rows(audit, limit=2)) == 2
    lines = bed_of_unmasked(audit).decode().splitlines()
    assert lines[0] == "chr1\t1999999\t2000000\tshort tandem repeat"
    assert len(lines) == 5
    assert csv_of_unmasked(audit).decode("utf-8-sig").count("\n") == 6


def test_tables__count_every_site_once(outcome, audit) -> None:
    assert _frame(outcome, "motifs").to_dict("records") == [
        {"motif": "AC", "n_bases": 2, "n_sites": 2, "n_masked": 0, "n_left": 2}
    ]
    table = maf_table(audit)
    assert table.groupby("outcome")["n_sites"].sum().to_dict() == {
        "masked": 1,
        "not masked": 5,
        "not rare at this threshold": 1,
    }
    assert not ((table["lower"] < 0.01) & (table["upper"] > 0.01)).any()
    assert table["lower"].min() == SMALLEST_MAF / 2
    table = density_table(audit)
    assert (table["n_sites"].sum(), table["n_unmasked"].sum()) == (6, 5)
    assert list(dict.fromkeys(table["contig"])) == ["chr1", "chr2"]
    maf, density = vcf_result(outcome, audit).group("charts").drawings
    assert says(maf.alt, "7 sites…1 masked, 5 not masked, 1 not rare")
    assert says(density.alt, "6 target sites on 2 contigs…the 5 ")
    assert "threshold 0.01" in json.dumps(checked(maf.chart()))


def test_figures__hold_what_was_counted(outcome, audit) -> None:
    figures = vcf_result(outcome, audit).group("counts").figures
    found = {figure.measure: (figure.value, figure.verdict) for figure in figures}
    assert found == {
        "vcf_masked_share": (3 / 8, Verdict.FAIL),
        "n_metadata_masked": (2, Verdict.PASS),
        "n_variant_masked": (1, Verdict.FAIL),
        "n_missing_sites": (1, Verdict.FAIL),
    }
    assert [
        say(figure.threshold) for figure in figures
    ] == "at least 100 %, all 2, all 6, none allowed".split(", ")


def test_headline__states_the_rule_and_the_exposure(audit) -> None:
    assert says(headline(audit), "5 of 8 targets…1 of 7 records…First: chr2:800. Ask ")
    shorter = headline(audit, steps=[one.remedy for one in audit.exposure])
    assert says(shorter, "5 of 8 targets…1 of 7 records")
    assert "Ask " not in shorter
    report = vcf_report(_outcomes(""), created_at=NOW)
    assert says(report.headline, "5 of 8 targets…exposure is WARN.")
    low = _outcomes("", level="low")[0]
    assert headline(low.audit).startswith("Every target counts as masked (2 of 2).")
    assert vcf_result(low, low.audit).group("charts").drawings == ()
    assert set(maf_table(low.audit)["outcome"]) == {"not rare at this threshold"}


def test_exposure__has_a_row_per_finding_and_shows_changes(outcome, audit) -> None:
    table = _frame(outcome, "findings")
    removed = table[table["about"] == "Records removed"].iloc[0]
    assert removed["places"] == "chr2:800"
    assert removed["remedy"] == CHECKS["records_removed"].remedy
    assert list(table["about"]) == [CHECKS[exposure.check].label for exposure in audit.exposure]
    assert "Records removed" in set(table["about"])
    table = severity_table({"other_id": Verdict.FAIL}).set_index("check")
    assert table.loc["other_id", "severity"] == "FAIL"
    assert table.loc["sole_carrier", "severity"] == "WARN"
    assert len(table) == len(ALL_CHECKS)
    places = [f"chr1:{i}" for i in range(1_203)]
    (exposure,) = found("records_removed", 1_203, 2_000, places, {})
    changed = replace(outcome, audit=replace(audit, exposure=(exposure,)))
    (row,) = _frame(changed, "findings").to_dict("records")
    assert row["places"].endswith("chr1:999 and 203 more")
    assert says(
        exposure.sentence, "1,203 of 2,000 records…chr1:0, chr1:1, chr1:2, chr1:3, chr1:4 and 1,198 more. "
    )


@pytest.mark.parametrize("names", [("",), ("1_", "2_")], ids=["one file", "two files"])
def test_vcf_report__holds_verdicts_counts_and_no_allele(names: tuple[str, ...]) -> None:
    outcomes = _outcomes(*names)
    report = vcf_report(outcomes, unmatched=["y.vcf.gz"], created_at=NOW)
    assert report.verdict is Verdict.FAIL
    assert report.verdicts == {"Published rule": Verdict.FAIL, "Exposure": Verdict.WARN}
    assert any(
        finding.message == "y.vcf.gz has no partner and was not verified." for finding in report.findings
    )
    assert len(report.figures) == 4 * len(names)
    for name in ("json", "html", "xlsx", "csv"):
        assert render(report, name) == render(report, name)
    text = render(report, "json").decode()
    assert REPEAT not in text
    assert "/data/" not in text


def test_vcf_report__of_pairs_in_error_is_not_assessed() -> None:
    broken = VcfFile(name="x.vcf.gz", content=b"")
    pairs = pair_files([broken], [VcfFile(name="high_anony_x.vcf.gz", content=b"")]).pairs
    outcomes = list(run_pairs(pairs, VcfSettings()))
    report = vcf_report(outcomes, created_at=NOW)
    assert report.verdict is Verdict.NOT_ASSESSED
    assert says(report.findings[0].message, "x.vcf.gz: …empty (0 bytes)")
    run = run_result(outcomes, {})
    assert [table.cells()[0][3] for table in run.group("files").tables] == ["error", "error"]
    assert report.settings == {}


EXPECTED = {
    "low_anony_north.vcf.gz": (Verdict.PASS, Verdict.WARN),
    "high_0.01_anony_north.vcf.gz": (Verdict.PASS, Verdict.PASS),
    "high_0.01_anony_south.vcf.gz": (Verdict.FAIL, Verdict.FAIL),
}


@pytest.mark.slow
def test_demo__has_one_clean_file_one_with_leftovers_one_low() -> None:
    files = [VcfFile(name=file.name, content=file.data) for file in DEMOS[0].make()["files"]]
    outcomes = run_pairs(pair_files(*split_uploads(files)).pairs, VcfSettings())
    found = {
        outcome.pair.anonymized.name: (outcome.audit.verdict, outcome.audit.exposure_verdict)
        for outcome in outcomes
        if outcome.audit
    }
    assert found == EXPECTED


def test_vcf_report__tells_of_the_donors_and_of_changed_severities() -> None:
    settings = VcfSettings(severities={"panel_not_comparable": Verdict.WARN})
    (outcome,) = _outcomes("")
    looked = look_for_donors(outcome, settings, panel=outcome.pair.original)
    audit = judge_scan(outcome.audit.scan, settings)
    report = vcf_report([replace(looked, audit=audit)], created_at=NOW)
    assert report.settings["How bad is each kind of exposure?"] == {
        "Panel too little alike to compare": "WARN"
    }
    assert report.verdicts["Donors"] is Verdict.WARN
    assert "n_common_alleles" in {figure.measure for figure in report.figures}
    assert "exposure" in {table.key for table in report.tables}
    assert render(report, "html")


def test_findings__say_how_many_sites_to_mend_and_where_first(audit) -> None:
    steps = next_steps(findings_of(audit, None))
    n_left = audit.n_variant_targets - audit.n_variant_masked
    assert says(steps[0], f"Mask the {n_left} sites…first chr1:2000000")
    (one,) = found("other_id", 12, 20, ["chr1:10177", "chr1:10180"], {})
    assert says(one.finding.remedy, "bcftools annotate -x ID. 12 in all, first chr1:10177.")


# --- bytes that no reader shows: in BGZF blocks, after the end, and in BCF

LINES = ["chr1 100 . A G . . AF=0.3 GT 0/1 0/0", "chr1 200 . A C . . AF=0.2 GT 1/1 ./."]
TEXT = vcf_text(LINES, samples=("a", "b"), header=masked_header())
WHOLE = bgzf(TEXT, block=200)


def _with_extra_field(content: bytes) -> bytes:
    size = int.from_bytes(content[16:18], "little") + 1
    extra = b"XX\x04\x00evil"
    head = (
        content[:10]
        + (6 + len(extra)).to_bytes(2, "little")
        + content[12:16]
        + (size + len(extra) - 1).to_bytes(2, "little")
        + extra
    )
    return head + content[18:]


def _first_size(content: bytes) -> int:
    return int.from_bytes(content[16:18], "little") + 1


def _empty_block(payload: bytes) -> bytes:
    size = 18 + len(payload) + 8
    return EOF_MARKER[:16] + (size - 1).to_bytes(2, "little") + payload + bytes(8)


EMPTY_STORED = b"\x00\x00\x00\xff\xff"  # a deflate block of nothing, to be followed by others
CASES = {
    "extra field": (_with_extra_field(WHOLE), "extra field of block 1, byte 12"),
    "time": (WHOLE[:4] + b"evil" + WHOLE[8:], "time of block 1, byte 4"),
    "empty block": (
        WHOLE[: _first_size(WHOLE)]
        + _empty_block(EMPTY_STORED * 3 + b"\x03\x00")
        + WHOLE[_first_size(WHOLE) :],
        f"empty block 2, byte {_first_size(WHOLE) + 18:,}",
    ),
    "a block after an end marker": (
        WHOLE[: _first_size(WHOLE)] + EOF_MARKER + WHOLE[_first_size(WHOLE) :],
        f"block 3 after an end marker, from byte {_first_size(WHOLE) + len(EOF_MARKER):,} on",
    ),
    "two end markers": (
        WHOLE + EOF_MARKER,
        f"after an end marker, from byte {len(WHOLE):,} on",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_unread_bytes__of_blocks_are_found_and_fail(case: str) -> None:
    content, place = CASES[case]
    found = unread_bytes(VcfFile(name="x.vcf.gz", content=content))
    assert len(found) == 1
    assert found[0].endswith(place)
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", vcf_text(LINES, samples=("a", "b"))),
        anonymized=VcfFile(name="high_anony_x.vcf.gz", content=content),
        level="high",
    )
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    exposure = next(one for one in audit.exposure if one.check == "bytes_unread")
    assert exposure.verdict is Verdict.FAIL
    assert exposure.places == found


@pytest.mark.parametrize(
    "content", [WHOLE, bgzf(TEXT), TEXT, bgzf(b"")], ids=["blocks", "one", "text", "nothing"]
)
def test_unread_bytes__none_in_what_bgzip_writes(content: bytes) -> None:
    assert unread_bytes(VcfFile(name="x.vcf.gz", content=content)) == ()


def _binary(lines: list[str] = LINES, header: tuple[str, ...] = ()) -> bytes:
    text = vcf_text(lines, samples=("a", "b"), header=[*masked_header(), *header])
    return b"".join(read_pieces(VcfFile(name="x", content=bcf(text))))


def _found(binary: bytes) -> tuple[str, ...]:
    return unread_bytes(VcfFile(name="x.bcf", content=bgzf(binary)))


RICH = (
    '##INFO=<ID=ZS,Number=.,Type=String,Description="x">',
    '##INFO=<ID=ZI,Number=.,Type=Integer,Description="x">',
    '##INFO=<ID=ZF,Number=0,Type=Flag,Description="x">',
    '##FORMAT=<ID=AD,Number=.,Type=Integer,Description="x">',
    '##FORMAT=<ID=TX,Number=1,Type=String,Description="x">',
    '##FILTER=<ID=q10,Description="x">',
)
RICH_LINES = [
    (
        "chr1 100 rs1;rs2 A G,CCCCCCCCCCCCCCCCCCCCCC 3.5 q10 AF=0.3,0.1;ZS=abc,de;ZI=1,70000,3;ZF GT:AD:TX "
        "0/1:1,2,3:u 0:4:vwx"
    ),
    "chr1 200 . A . . . . GT:AD ./.:. 1/1:7,8",
    "chr2 300 . ACGT <DEL> 10 PASS ZI=.;ZS=. GT 0|1 .",
]


def test_unread_bytes__of_bcf_header_fields_text_and_lists() -> None:
    binary = _binary()
    length = int.from_bytes(binary[5:9], "little")
    header = binary[9 : 9 + length] + b"evil\x00"
    changed = binary[:5] + len(header).to_bytes(4, "little") + header + binary[9 + length :]
    assert _found(changed) == (f"behind the header's text, byte {length:,} of it",)
    head, records = _records(_binary(RICH_LINES, RICH))
    assert _found(_joined(head, records)) == ()
    for place in range(3):
        for part in range(2):
            changed = [list(record) for record in records]
            changed[place][part] += b"evil"
            assert _found(_joined(head, [tuple(one) for one in changed])) == (  # type: ignore[misc]
                f"behind a field of record {place + 1}",
            )
    head, records = _records(_binary(RICH_LINES, RICH))
    shared, samples = records[0]
    assert b"u\x00\x00\x00vwx\x00" in samples
    hidden = samples.replace(b"u\x00\x00\x00", b"u\x00ev")
    assert _found(_joined(head, [(shared, hidden), *records[1:]])) == ("behind a field of record 1",)
    depths = b"\x01\x02\x03\x04\x81\x81"
    assert depths in samples
    hidden = samples.replace(depths, b"\x01\x02\x03\x04\x81\x07")
    assert _found(_joined(head, [(shared, hidden), *records[1:]])) == ("behind a field of record 1",)
    head, records = _records(_binary(RICH_LINES, RICH))
    shared, samples = records[0]
    assert b"abc,de" in shared
    hidden = shared.replace(b"abc,de", b"abc\x00de")
    assert _found(_joined(head, [(hidden, samples), *records[1:]])) == ("behind a field of record 1",)
    assert _found(_binary()) == ()
    assert _found(_binary(RICH_LINES, RICH)) == ()


@pytest.mark.parametrize(
    ("calls", "at", "is_told"),
    [
        ("./. 0/1", 0, True),
        ("0/1 ./.", 3, True),
        (". ./.", 3, True),
        ("./. ./.", None, False),
        (". .", -1, False),
    ],
)
def test_unread_bytes__a_missing_allele_stored_in_two_ways_is_told(
    calls: str, at: int | None, is_told: bool
) -> None:
    """Both ways are shown as a point; one of them everywhere tells nothing."""
    head, records = _records(_binary([f"chr1 {place} . A . . . . GT {calls}" for place in (100, 200)]))
    if at == -1:
        records = [(shared, samples[:-2] + b"\x80\x80") for shared, samples in records]
    elif at is not None:
        shared, samples = records[1]
        cells = bytearray(samples[-4:] if "/" in calls else samples[-2:])
        assert cells[at] in (0, 1)
        cells[at] = 0x80
        records[1] = shared, samples[: -len(cells)] + bytes(cells)
    assert (_found(_joined(head, records)) != ()) is is_told


def _records(binary: bytes) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    length = int.from_bytes(binary[5:9], "little")
    stream = io.BytesIO(binary[9 + length :])
    records = []
    while lengths := stream.read(8):
        shared, samples = struct.unpack("<II", lengths)
        records.append((stream.read(shared), stream.read(samples)))
    return binary[: 9 + length], records


def _joined(head: bytes, records: list[tuple[bytes, bytes]]) -> bytes:
    return head + b"".join(struct.pack("<II", len(a), len(b)) + a + b for a, b in records)


def test_judge__two_files_without_records_are_not_assessed() -> None:
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", vcf_text([])),
        anonymized=vcf_file("high_anony_x.vcf.gz", vcf_text([], header=masked_header())),
        level="high",
    )
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    assert audit.verdict is Verdict.PASS
    assert audit.overall is Verdict.NOT_ASSESSED
    assert [one.check for one in audit.exposure] == ["no_records"]


@pytest.mark.parametrize("n_bytes", [1, 9, 20])
def test_unread_bytes__fields_longer_than_their_record_are_told_too(n_bytes: int) -> None:
    head, records = _records(_binary(RICH_LINES, RICH))
    shared, samples = records[0]
    for cut in ((shared[:-n_bytes], samples), (shared, samples[:-n_bytes])):
        assert _found(_joined(head, [cut, *records[1:]])) == ("behind a field of record 1",)


def test_unread_bytes__kinds_of_blocks_and_bcf_that_is_not_compressed() -> None:
    at = WHOLE.index(b"\x1f\x8b", 1)
    changed = WHOLE[: at + 8] + b"\x07" + WHOLE[at + 9 :]
    assert unread_bytes(VcfFile(name="x.vcf.gz", content=changed)) == (f"kind of block 2, byte {at + 8:,}",)
    plain = _binary(["chr1 100 . A G . . . GT 0/1 0|0"])
    assert unread_bytes(VcfFile(name="x.bcf", content=plain)) == ()
    length = int.from_bytes(plain[5:9], "little")
    longer = plain[9 : 9 + length] + b"evil\0"
    changed = plain[:5] + len(longer).to_bytes(4, "little") + longer + plain[9 + length :]
    assert unread_bytes(VcfFile(name="x.bcf", content=changed)) != ()


def test_unread_bytes__what_bcf_leaves_open_and_the_phase_of_a_lone_allele() -> None:
    """The length of a record, and the phase of a genotype's first allele."""
    bare = _binary(["chr1 100 . A G . . . GT 0/1 0|0"])
    head, ((shared, samples),) = _records(bare)
    assert _found(bare) == ()
    assert _found(_joined(head, [(shared[:8] + b"\x09" + shared[9:], samples)])) == (
        "behind a field of record 1",
    )
    for place, is_told in ((-4, True), (-2, False)):
        changed = bytearray(samples)
        changed[place] |= 1
        assert bool(_found(_joined(head, [(shared, bytes(changed))]))) == is_told
    # Versions of htslib write it in two forms, each of them alone.
    head, records = _records(_binary(["chr1 100 . A G . . . GT 1 0", "chr1 200 . A G . . . GT 1 0"]))
    forms = [
        [
            (shared, samples[:-2] + bytes(byte & ~1 | bit for byte in samples[-2:]))
            for shared, samples in records
        ]
        for bit in (0, 1)
    ]
    assert [_found(_joined(head, form)) for form in forms] == [(), ()]
    mixed = [forms[0][0], forms[1][1]]
    assert _found(_joined(head, mixed)) == ("behind a field of record 2",)


WIDER = {
    "a genotype": (1, b"\x21\x02\x04\x03\x03", b"\x22\x02\x00\x04\x00\x03\x00\x03\x00"),
    "a number of INFO": (0, b"\x11\x07", b"\x12\x07\x00"),
    "how many letters there are": (0, b"\x17A", b"\xf7\x11\x01A"),
    "of nothing": (0, b"\x17G\x00", b"\x17G\x50"),
}


@pytest.mark.parametrize("case", WIDER)
def test_unread_bytes__more_bytes_than_are_needed(case: str) -> None:
    head, (record,) = _records(_binary(["chr1 100 . A G . . ZI=7 GT 0/1 0|0"], RICH))
    part, short, wide = WIDER[case]
    changed = list(record)
    assert short in changed[part]
    changed[part] = changed[part].replace(short, wide, 1)
    assert _found(_joined(head, [record])) == ()
    assert _found(_joined(head, [(changed[0], changed[1])])) == ("behind a field of record 1",)


@pytest.mark.parametrize("number", [-121, -120, 127, 128, -32761, -32760, 32767, 32768])
def test_unread_bytes__numbers_as_wide_as_htslib_writes_them(number: int) -> None:
    line = f"chr1 100 . A G . . ZI={number},. GT:AD 0/1:{abs(number)} 0|0:."
    assert _found(_binary([line], RICH)) == ()


@pytest.mark.parametrize(
    ("ends", "is_told"), [(("\n", "\n"), False), (("\r\n",) * 2, False), (("\r\n", "\n"), True)]
)
def test_judge_scan__line_ends_of_two_kinds(ends: tuple[str, str], is_told: bool) -> None:
    head = TEXT.decode().rsplit("\nchr1", 2)[0]
    lines = "".join(line.replace(" ", "\t") + end for line, end in zip(LINES, ends, strict=True))
    text = f"{head}\n{lines}"
    file = VcfFile(name="x.vcf", content=text.encode())
    pair = VcfPair(original=file, anonymized=file, level="high")
    assert (scan_pair(pair, VcfSettings()).unread != ()) == is_told
