import csv
import io
import json
from datetime import UTC, datetime

import pytest

from core.demo import TABULAR as DEMOS
from core.files.own_reports import TABULAR_COLUMNS
from core.reports import render_csv, render_html, render_json, render_xlsx
from core.result import Drawing
from core.tables import read_dataset
from core.tabular import LeftOutFile, TabularThresholds, audit_tabular, judge_tabular, pair_files, read_log
from core.tabular.csv_report import csv_report_header, csv_report_name, csv_report_row
from core.tabular.evidence import evidence_of, evidence_table
from core.tabular.report import tabular_report
from core.tabular.result import file_result, run_result, run_verdict
from core.tabular.verified import VerifiedFile
from core.verdict import Verdict
from tests.cases.table import says
from tests.checked_charts import checked
from tests.report_examples import frame_of

NOON = datetime(2026, 1, 31, 12, 0, 5, tzinfo=UTC)
SKIPPED = (LeftOutFile(name="z.csv", reason="z_anonymized.csv is missing."),)


@pytest.fixture(scope="module")
def files():
    data = {file.name: file.data for file in DEMOS[0].make()["files"]}
    found = {}
    for pair in pair_files(list(data)).pairs:
        audit = audit_tabular(
            read_dataset(data[pair.original], name=pair.original),
            read_dataset(data[pair.anonymized], name=pair.anonymized),
            read_log(data[pair.log], name=pair.log),
        )
        found[pair.original] = VerifiedFile(audit=audit, seconds=1.25)
    return found


@pytest.mark.slow
def test_headline__is_the_main_reason_and_a_skipped_file_is_never_a_pass(files) -> None:
    told = {name: file_result(file.audit).headline for name, file in files.items()}
    assert told["patients.csv"] == "The published rule says PASS, the second opinion PASS."
    assert says(told["survey.csv"], "`full_name`…`other` / `keep`…(person's name)")
    assert says(told["visits.csv"], "4 of 7 (57.1 %)…50.0 %")
    passed = [files["patients.csv"].audit]
    assert run_verdict(passed) is Verdict.PASS
    assert run_verdict(passed, n_skipped=3) is Verdict.NOT_ASSESSED
    assert run_verdict([]) is Verdict.NOT_ASSESSED
    assert run_verdict([files["survey.csv"].audit], n_skipped=1) is Verdict.FAIL
    (skipped,) = run_result([], SKIPPED).group("skipped").parts
    assert skipped.cells() == [("z.csv", "z_anonymized.csv is missing.")]


@pytest.mark.slow
def test_tables__hold_a_row_per_file_column_and_residual(files) -> None:
    (told,) = run_result(list(files.values())).group("files").parts
    table = frame_of(told).set_index("file")
    assert list(table["overall"]) == ["PASS", "WARN", "FAIL", "FAIL"]
    assert table.loc["visits.csv", "warn_share"] == pytest.approx(4 / 7)
    assert table.loc["patients.csv", "k"] == 29
    assert table["k"].isna().to_dict()["survey.csv"]
    assert table["share_k_lt_5"].isna().to_dict()["survey.csv"]
    result = file_result(files["lab_results.csv"].audit)
    (checks,), (residuals,) = result.group("columns").parts, result.group("patterns").parts
    table = frame_of(checks)
    assert list(table["column"]) == ["sample", "name", "birth_date", "sex", "glucose", "note"]
    failed = table[table["status"] == "FAIL"]
    assert list(failed["column"]) == ["name", "birth_date", "note"]
    assert list(failed["n_failing"]) == [2, 7, 70]
    assert list(failed["shapes"])[1] == "YYYY-MM-DD"
    (row,) = frame_of(residuals).query("column == 'note'").to_dict("records")
    assert (row["n_cells"], row["patterns"]) == (70, "Phone number 70")
    assert row["found_share"] == pytest.approx(70 / 420)
    assert file_result(files["patients.csv"].audit).group("patterns").parts == ()


@pytest.mark.slow
def test_figures__stand_beside_their_thresholds_and_are_never_zero_where_not_assessed(files) -> None:
    figures = _figures(files["lab_results.csv"].audit)
    assert figures["policy_consistency"].value == pytest.approx(5 / 6)
    assert figures["policy_consistency"].threshold == "at least 60.0 %"
    assert figures["policy_consistency"].verdict is Verdict.PASS
    assert figures["fail_share"].verdict is Verdict.FAIL
    warned = _figures(files["visits.csv"].audit)
    assert (warned["warn_share"].verdict, warned["warn_share"].threshold) == (Verdict.WARN, "below 50.0 %")
    strict = TabularThresholds(policy_consistency_share=0.9, warn_share=0.5)
    missed = _figures(judge_tabular(files["lab_results.csv"].audit.measurement, thresholds=strict))
    assert missed["policy_consistency"].verdict is Verdict.FAIL
    of_classes = ("k", "share_k_lt_2", "share_k_lt_5")
    audit = files["survey.csv"].audit
    assert [_figures(audit)[key].value for key in of_classes] == [None, None, None]
    assert _figures(audit)["k"].verdict is Verdict.NOT_ASSESSED
    figures = _figures(files["patients.csv"].audit)
    assert [figures[key].value for key in of_classes] == [29, 0.0, 0.0]
    assert figures["k"].threshold == "at least 5"
    assert "not assessed" in file_result(audit).group("classes").empty
    _, note = file_result(files["patients.csv"].audit).group("classes").parts
    assert note.words == "420 records in 6 groups over gender, region."
    alone = judge_tabular(audit.measurement)
    assert _figures(audit).keys() - _figures(alone).keys() >= {"relinkage_share", "n_unlogged_columns"}
    assert [each.key for each in file_result(alone).groups if each.key.startswith("opinion")] == []


def _figures(audit):
    return {each.measure: each for each in file_result(audit).group("figures").figures}


def _charts(audit, **options):
    return [each.chart() for each in file_result(audit, **options).parts("page") if isinstance(each, Drawing)]


def test_charts__draw_figures_thresholds_and_classes(files) -> None:
    drawn = checked(_charts(files["lab_results.csv"].audit)[-1])
    values = [row["value"] for rows in drawn["datasets"].values() for row in rows][:4]
    assert values == pytest.approx([5 / 6, 1.0, 0.0375832, 0.0], abs=1e-6)
    audit = files["patients.csv"].audit
    assert len(_charts(files["survey.csv"].audit)) == 1
    for k in (5, 60):
        chart, _ = _charts(audit, k=k, log=k == 60)
        bars = next(table for table in checked(chart)["datasets"].values() if "n_records" in table[0])
        assert sum(row["n_records"] for row in bars) == 420


def test_csv_report__has_the_published_columns_and_two_decimals(files):
    assert csv_report_name(NOON) == "anonymization_report_20260131_120005.csv"
    assert csv_report_header() == (
        "\ufeff파일명,익명화 결과,정책 일관성 준수율(%),패턴 잔존율(%),"
        "고위험 필드 처리율(%),PASS 비율(%),WARN 비율(%),FAIL 비율(%),"
        "추가 검토 여부,필수 검토 여부,k < 2 비율(%),k < 5 비율(%),처리 시간(초)\r\n"
    )
    assert len(TABULAR_COLUMNS["en"]) == len(TABULAR_COLUMNS["ko"]) == 13
    row = csv_report_row(files["lab_results.csv"].audit, seconds=0.126)
    assert row == "lab_results.csv,FAIL,83.33,3.76,100.00,50.00,0.00,50.00,False,True,0.00,0.00,0.13\r\n"
    not_assessed = csv_report_row(files["survey.csv"].audit, seconds=2)
    assert not_assessed.endswith(",0.00,0.00,2.00\r\n")


def test_csv_report__a_file_name_is_never_run_as_a_formula():
    bad = "=HYPERLINK(1),x.csv"
    audit = audit_tabular(
        read_dataset(b"a,b\n1,2\n3,4\n", name=bad),
        read_dataset(b"a,b\n1,2\n3,4\n", name="x_anonymized.csv"),
        read_log(b'{"log_info": {}}', name="l.json"),
    )
    ((name, *_),) = csv.reader(io.StringIO(csv_report_row(audit, seconds=0)))
    assert name == f"'{bad}"


@pytest.mark.slow
def test_tabular_report__of_a_run_renders_in_every_format(files):
    report = tabular_report(list(files.values()), skipped=SKIPPED, created_at=NOON)
    assert report.verdict is Verdict.FAIL
    assert report.headline == "4 files verified: 2 FAIL, 1 WARN, 1 PASS. 1 file could not be verified."
    assert report.verdicts == {"Published rule": Verdict.FAIL, "Second opinion": Verdict.FAIL}
    assert [finding.message for finding in report.findings if finding.check == "not_verified"] == [
        "z.csv: z_anonymized.csv is missing."
    ]
    assert any(finding.message.startswith("survey.csv: By the 5 columns") for finding in report.findings)
    assert len(report.charts) == 3
    assert [
        section.name for section in report.sections
    ] == "lab_results.csv survey.csv visits.csv patients.csv".split()
    assert {table.name for table in report.tables} >= {f"Map {name}" for name in files}
    page = render_html(report).decode()
    front = page[: page.index("<main>")]
    worst_first = ("lab_results.csv", "survey.csv", "visits.csv", "patients.csv")
    places = [front.index(f">{name}</a>") for name in worst_first]
    assert places == sorted(places)
    assert "Column map of lab_results.csv" in page
    assert "Columns of lab_results.csv" in page
    assert "보호자 연락처" not in page  # counts and shapes only, no cell values
    assert all(render(report) for render in (render_json, render_xlsx, render_csv))
    assert render_json(report) == render_json(
        tabular_report(list(files.values()), skipped=SKIPPED, created_at=NOON)
    )


def test_tabular_report__of_one_file_and_of_none(files):
    one = tabular_report([files["survey.csv"]], created_at=NOON)
    assert one.headline.startswith("survey.csv: `full_name` is logged as")
    assert all(not figure.of.startswith("survey.csv") for figure in one.figures)
    (smallest,) = [figure for figure in one.figures if figure.measure == "k"]
    assert (smallest.value, smallest.verdict) == (None, Verdict.NOT_ASSESSED)
    none = tabular_report([], skipped=SKIPPED, created_at=NOON)
    assert (none.verdict, none.headline) == (
        Verdict.NOT_ASSESSED,
        "0 files verified: none. 1 file could not be verified.",
    )
    rule_only = VerifiedFile(audit=judge_tabular(files["patients.csv"].audit.measurement))
    assert tabular_report([rule_only], created_at=NOON).verdict is Verdict.NOT_ASSESSED


OUTCOMES = {
    "patients.csv": ("PASS", "PASS"),
    "visits.csv": ("WARN", "PASS"),
    "lab_results.csv": ("FAIL", "FAIL"),
    "survey.csv": ("PASS", "FAIL"),
}


def test_demo__shows_each_outcome(files):
    told = {
        name: (one.audit.verdict.value, one.audit.second_opinion_verdict.value) for name, one in files.items()
    }
    assert told == OUTCOMES


# --- what can be looked at behind a verdict, masked unless asked for

NAMES = [f"Name{n:02d}" for n in range(20)]
ORIGINAL = "id,name,sex\n" + "".join(f"{n},{name},{'FM'[n % 2]}\n" for n, name in enumerate(NAMES))
ANONYMIZED = "id,name,sex\n" + "".join(
    f"{n if n == 7 else ''},{name},{'FM'[n % 2] if n else 'X'}\n" for n, name in enumerate(NAMES)
)
ACTIONS = {"id": ("patient_id", "drop"), "name": ("other", "keep"), "sex": ("gender", "keep")}
SHOWN = {
    "Column check of id": ([8, "9", "9", "value remains"], [8, "7", "7", "value remains"]),
    "Unchanged cells of name": ([1, "AAAA99", "AAAA99"], [1, "Name00", "Name00"]),
    "Records re-linked by name": ([1, 1, "AAAA99"], [1, 1, "Name00"]),
    "Records in groups smaller than 5": ([1, 1, "A"], [1, 1, "X"]),
}


def _audited(original, anonymized, actions):
    entries = {name: {"semantic": kind, "action": action} for name, (kind, action) in actions.items()}
    log = read_log(json.dumps({"log_info": entries}).encode(), name="a_anonymized_log.json")
    tables = read_dataset(original.encode(), name="a.csv"), read_dataset(anonymized.encode(), name="b.csv")
    return *tables, audit_tabular(*tables, log)


def test_evidence__is_masked_unless_revealed_and_empty_where_nothing_speaks_against_a_file() -> None:
    original, anonymized, audit = _audited(ORIGINAL, ANONYMIZED, ACTIONS)
    kinds = evidence_of(audit, k=5)
    assert [evidence.label for evidence in kinds] == [*SHOWN]
    for evidence in kinds:
        for reveal, row in zip((False, True), SHOWN[evidence.label], strict=True):
            rows = evidence_table(evidence, original, anonymized, audit, k=5, reveal=reveal)
            assert [*rows.cells()[0]] == row
    *_, audit = _audited(*["sex\n" + "F\nM\n" * 10] * 2, {"sex": ("gender", "keep")})
    assert evidence_of(audit, k=5) == ()
