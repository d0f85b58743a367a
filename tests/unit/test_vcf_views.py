"""What the VCF verifier shows: tables, charts, report, demo."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.demo.vcf import DEMOS, make_cohort
from core.reports import render
from core.vcf import (
    ALL_CHECKS,
    CHECKS,
    PairOutcome,
    VcfFile,
    VcfSettings,
    judge_scan,
    look_for_donors,
    pair_files,
    run_pairs,
    split_uploads,
    views,
)
from core.vcf.exposure import found
from core.vcf.outcomes import findings_of
from core.verdict import Verdict, next_steps
from core.words import say
from tests.cases.table import says
from tests.vcf_files import masked_header, vcf_file, vcf_text

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
def audit():
    return _outcomes("")[0].audit


def test_unmasked_table__says_why_in_file_order(audit) -> None:
    rows = views.unmasked_table(audit)
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
    assert len(views.unmasked_table(audit, limit=2)) == 2


def test_bed_of_unmasked__counts_from_zero(audit) -> None:
    lines = views.bed_of_unmasked(audit).decode().splitlines()
    assert lines[0] == "chr1\t1999999\t2000000\tshort tandem repeat"
    assert len(lines) == 5


def test_csv_of_unmasked__holds_every_site(audit) -> None:
    assert views.csv_of_unmasked(audit).decode("utf-8-sig").count("\n") == 6


def test_motif_table__counts_masked_and_not(audit) -> None:
    assert views.motif_table(audit).to_dict("records") == [
        {"motif": "AC", "n_bases": 2, "n_sites": 2, "n_masked": 0, "n_left": 2}
    ]


def test_maf_table__counts_every_site_once_and_no_bar_crosses_the_threshold(audit) -> None:
    table = views.maf_table(audit)
    assert table.groupby("outcome")["n_sites"].sum().to_dict() == {
        "masked": 1,
        "not masked": 5,
        "not rare at this threshold": 1,
    }
    assert not ((table["lower"] < 0.01) & (table["upper"] > 0.01)).any()
    assert table["lower"].min() == views.SMALLEST_MAF / 2


def test_density_table__sums_to_the_targets(audit) -> None:
    table = views.density_table(audit)
    assert (table["n_sites"].sum(), table["n_unmasked"].sum()) == (6, 5)
    assert list(dict.fromkeys(table["contig"])) == ["chr1", "chr2"]


def test_charts__say_what_they_show(audit) -> None:
    maf, density = views.file_charts(audit)
    assert says(maf.alt_text, "7 sites…1 masked, 5 not masked, 1 not rare")
    assert says(density.alt_text, "6 target sites on 2 contigs…the 5 ")
    assert "threshold 0.01" in json.dumps(maf.chart.to_dict())


def test_figures__hold_what_was_counted(audit) -> None:
    found = {figure.measure: (figure.value, figure.verdict) for figure in views.figures(audit)}
    assert found == {
        "vcf_masked_share": (3 / 8, Verdict.FAIL),
        "n_metadata_masked": (2, Verdict.PASS),
        "n_variant_masked": (1, Verdict.FAIL),
        "n_missing_sites": (1, Verdict.FAIL),
    }
    assert [
        say(figure.threshold) for figure in views.figures(audit)
    ] == "at least 100 %, all 2, all 6, none allowed".split(", ")


def test_headline__states_the_rule_and_the_exposure(audit) -> None:
    assert says(views.headline(audit), "5 of 8 targets…1 of 7 records…First: chr2:800. Ask ")
    shorter = views.headline(audit, steps=[one.remedy for one in audit.exposure])
    assert says(shorter, "5 of 8 targets…1 of 7 records")
    assert "Ask " not in shorter
    report = views.vcf_report(_outcomes(""), created_at=NOW)
    assert says(report.headline, "5 of 8 targets…exposure is WARN.")
    low = _outcomes("", level="low")[0].audit
    assert views.headline(low).startswith("Every target counts as masked (2 of 2).")
    assert views.file_charts(low) == []
    assert set(views.maf_table(low)["outcome"]) == {"not rare at this threshold"}


def test_exposure_table__has_a_row_per_finding(audit) -> None:
    table = views.exposure_table(audit.exposure)
    removed = table[table["check"] == "Records removed"].iloc[0]
    assert removed["places"] == "chr2:800"
    assert removed["remedy"] == CHECKS["records_removed"].remedy
    assert list(table["check"]) == [CHECKS[exposure.check].label for exposure in audit.exposure]
    assert "Records removed" in set(table["check"])


def test_severity_table__shows_defaults_and_changes() -> None:
    table = views.severity_table({"other_id": Verdict.FAIL}).set_index("check")
    assert table.loc["other_id", "severity"] == "FAIL"
    assert table.loc["sole_carrier", "severity"] == "WARN"
    assert len(table) == len(ALL_CHECKS)


@pytest.mark.parametrize("names", [("",), ("1_", "2_")], ids=["one file", "two files"])
def test_vcf_report__holds_verdicts_counts_and_no_allele(names: tuple[str, ...]) -> None:
    outcomes = _outcomes(*names)
    report = views.vcf_report(outcomes, unmatched=["y.vcf.gz"], created_at=NOW)
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
    report = views.vcf_report(outcomes, created_at=NOW)
    assert report.verdict is Verdict.NOT_ASSESSED
    assert says(report.findings[0].message, "x.vcf.gz: …empty (0 bytes)")
    assert list(views.files_table(outcomes)["overall"]) == ["error"]
    assert report.settings == {}


EXPECTED = {
    "low_anony_north.vcf.gz": (Verdict.PASS, Verdict.WARN),
    "high_0.01_anony_north.vcf.gz": (Verdict.PASS, Verdict.PASS),
    "high_0.01_anony_south.vcf.gz": (Verdict.FAIL, Verdict.FAIL),
}


def test_demo__has_one_clean_file_one_with_leftovers_one_low() -> None:
    files = [VcfFile(name=file.name, content=file.data) for file in DEMOS[0].make()["files"]]
    outcomes = run_pairs(pair_files(*split_uploads(files)).pairs, VcfSettings())
    found = {
        outcome.pair.anonymized.name: (outcome.audit.verdict, outcome.audit.exposure_verdict)
        for outcome in outcomes
        if outcome.audit
    }
    assert found == EXPECTED
    assert [file.data for file in make_cohort()["files"]] == [file.content for file in files]


def test_exposure_table__names_up_to_a_thousand_places() -> None:
    places = [f"chr1:{i}" for i in range(1_203)]
    (exposure,) = found("records_removed", 1_203, 2_000, places, {})
    (row,) = views.exposure_table([exposure]).to_dict("records")
    assert row["places"].endswith("chr1:999 and 203 more")
    assert says(
        exposure.sentence, "1,203 of 2,000 records…chr1:0, chr1:1, chr1:2, chr1:3, chr1:4 and 1,198 more. "
    )


def test_vcf_report__tells_of_the_donors_and_of_changed_severities() -> None:
    settings = VcfSettings(severities={"panel_not_comparable": Verdict.WARN})
    (outcome,) = _outcomes("")
    looked = look_for_donors(outcome, settings, panel=outcome.pair.original)
    audit = judge_scan(outcome.audit.scan, settings)
    report = views.vcf_report([replace(looked, audit=audit)], created_at=NOW)
    assert report.settings["How bad is each kind of exposure?"] == {
        "Panel too little alike to compare": "WARN"
    }
    assert report.verdicts["Donors"] is Verdict.WARN
    assert "n_common_alleles" in {figure.measure for figure in report.figures}
    assert "Findings high x" in {table.name for table in report.tables}
    assert render(report, "html")


def test_findings__say_how_many_sites_to_mend_and_where_first(audit) -> None:
    steps = next_steps(findings_of(audit, None))
    n_left = audit.n_variant_targets - audit.n_variant_masked
    assert says(steps[0], f"Mask the {n_left} sites…first chr1:2000000")
    (one,) = found("other_id", 12, 20, ["chr1:10177", "chr1:10180"], {})
    assert says(one.finding.remedy, "bcftools annotate -x ID. 12 in all, first chr1:10177.")
