import csv
import io
import json
import re

import pytest

from core.__main__ import main
from core.commands import tabular as tabular_command
from core.demo import TABULAR
from tests.cases.table import says

SKIPPED = "error: {} was not verified. {}\n"


@pytest.fixture(scope="module")
def hospital():
    return {file.name: file.data for file in TABULAR[0].make()["files"]}


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("asked_from"))  # where reports are written that name no folder


@pytest.fixture
def folder(tmp_path, hospital):
    def fill(*stems: str, extra: dict[str, bytes] | None = None):
        for name, data in hospital.items():
            if name.startswith(tuple(f"{stem}." for stem in stems) + tuple(f"{stem}_anon" for stem in stems)):
                (tmp_path / name).write_bytes(data)
        for name, data in (extra or {}).items():
            (tmp_path / name).write_bytes(data)
        return tmp_path

    return fill


def reports(folder) -> list[list[list[str]]]:
    return [
        list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
        for path in sorted(folder.glob("anonymization_report_*.csv"))
    ]


@pytest.mark.slow
def test_tabular__verifies_a_folder_and_writes_the_report(folder, capsys):
    path = folder("patients", "visits")
    assert main(["tabular", str(path), "--report-dir", str(path / "out")]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "patients.csv: PASS: " in printed.out
    assert "(Published rule WARN, Second opinion PASS)" in printed.out
    ((header, patients, visits),) = reports(path / "out")
    assert header[:3] == ["파일명", "익명화 결과", "정책 일관성 준수율(%)"]
    assert (
        patients[:-1] == "patients.csv PASS 100.00 0.00 100.00 100.00 0.00 0.00 False False 0.00 0.00".split()
    )
    assert visits[:-1] == "visits.csv WARN 100.00 0.00 100.00 42.86 57.14 0.00 True False 0.00 0.00".split()
    assert re.fullmatch(r"\d+\.\d\d", patients[-1])
    (report,) = (path / "out").glob("anonymization_report_*.csv")
    assert report.read_bytes().startswith(b"\xef\xbb\xbf")
    assert re.fullmatch(r"anonymization_report_\d{8}_\d{6}\.csv", report.name)


@pytest.mark.slow
def test_tabular__exit_code_is_1_when_only_the_second_opinion_fails(folder, capsys):
    path = folder("survey")
    assert main(["tabular", str(path / "survey.csv"), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (file,) = document["files"]
    assert (document["tool"], document["verdict"], document["is_whole"]) == ("tabular", "FAIL", True)
    assert file["verdicts"] == {"Published rule": "PASS", "Second opinion": "FAIL"}
    assert (file["overall"], file["k"], file["share_k_lt_2"]) == ("FAIL", None, None)
    assert "no_quasi_identifier" in {finding["check"] for finding in file["findings"]}
    assert reports(path) == []


@pytest.mark.slow
def test_tabular__json_has_the_documented_fields(folder, capsys):
    path = folder("lab_results")
    assert main(["tabular", str(path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (file,) = document["files"]
    told = (
        "file verdict overall verdicts headline settings findings tables policy_consistency pattern_residual "
        "high_risk_handling pass_share warn_share fail_share map columns patterns relinkage pseudonyms"
    )
    assert set(told.split()) <= set(file)
    (row,) = document["file_list"]
    assert (row["file"], row["mode"], row["mandatory_review"]) == ("lab_results.csv", "low", True)
    assert (row["k"], row["policy_consistency"]) == (208, file["policy_consistency"])
    assert {key: file["columns"][1][key] for key in list(file["columns"][1])[:6]} == {
        "column": "name",
        "anonymized_column": "name",
        "semantic": "name",
        "action": "drop",
        "status": "FAIL",
        "reason": "2 of 420 values remain although drop is logged.",
    }
    assert file["policy_consistency"] == pytest.approx(5 / 6)


@pytest.mark.slow
def test_tabular__quasi_identifiers_and_k_can_be_chosen(folder, capsys):
    path = folder("patients")
    asked = ["--quasi-identifier", "region", "--quasi-identifier", "blood_type", "--k", "1000"]
    assert main(["tabular", str(path), "--json", *asked]) == 1
    document = json.loads(capsys.readouterr().out)
    (file,) = document["files"]
    assert file["settings"]["quasi_identifiers"] == ["region", "blood_type"]
    assert {each["of"] for each in document["figures"] if each["measure"] == "k"} == {"region, blood_type"}
    assert (file["verdicts"]["Published rule"], file["overall"]) == ("PASS", "FAIL")


@pytest.mark.slow
def test_tabular__a_bad_file_does_not_stop_the_others(folder, capsys):
    path = folder(
        "patients",
        extra={
            "a.csv": b"x,y\n1,2\n",
            "b.csv": b"x\n1\n",
            "b_anonymized.csv": b"x\n1\n",
            "b_anonymized_log.json": b"[]",
            "c_anonymized.csv": b"x\n1\n",
            "notes.pdf": b"%PDF",
        },
    )
    assert main(["tabular", str(path), "--json"]) == 2
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert [file["file"] for file in document["files"]] == ["patients.csv"]
    assert document["verdict"] == "NOT_ASSESSED"
    reasons = {file["file"]: file["reason"] for file in document["skipped"]}
    assert reasons.keys() == {"a.csv", "b.csv", "c_anonymized.csv"}
    assert says(reasons["b.csv"], "b_anonymized_log.json…not a JSON object")
    assert SKIPPED.format("a.csv", reasons["a.csv"]) in printed.err


@pytest.mark.slow
def test_tabular__a_failing_file_beside_a_skipped_one_is_fail_and_exits_2(folder, capsys):
    path = folder("lab_results", extra={"a.csv": b"x,y\n1,2\n"})
    assert main(["tabular", str(path), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["verdict"] == "FAIL"


@pytest.mark.slow
def test_tabular__partners_in_another_folder(folder, tmp_path, capsys):
    path = folder("patients")
    apart = tmp_path / "apart"
    apart.mkdir()
    for name in ("patients_anonymized.csv", "patients_anonymized_log.json"):
        (path / name).rename(apart / name)
    (apart / "other.csv").write_text("x\n1\n")
    arguments = ["tabular", str(path), "--anonymized-dir", str(apart), "--report-dir", str(tmp_path / "out")]
    assert main([*arguments, "--headers", "en", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["files"]) == 1
    ((header, row),) = reports(tmp_path / "out")
    assert (header[0], row[0]) == ("File name", "patients.csv")


def test_tabular__bad_inputs_are_named(tmp_path, capsys, folder) -> None:
    assert main(["tabular", str(tmp_path / "gone.csv"), "--json"]) == 2
    assert capsys.readouterr().err == SKIPPED.format("gone.csv", "There is no such file or folder.")
    assert main(["tabular", str(folder("visits")), "--json", "--quasi-identifier", "zip"]) == 2
    (skipped,) = json.loads(capsys.readouterr().out)["skipped"]
    assert says(skipped["reason"], "visits_anonymized.csv…zip…visit_date, department, payment")
    path = folder("patients")
    target = tmp_path / "patients.csv"
    assert main(["tabular", str(path), "--report-dir", str(target)]) == 2
    assert says(capsys.readouterr().err, f"error: …{target}…--report-dir")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--k", "0"], "error: --k must be at least 1, received 0.\n"),
        (
            ["--anonymized-dir", "no/such"],
            "error: --anonymized-dir no/such is not a folder. Name an existing one.\n",
        ),
    ],
)
def test_tabular__wrong_arguments_are_said_once(folder, capsys, arguments, message):
    assert main(["tabular", str(folder("patients")), *arguments]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", message)


def test_tabular__a_file_that_vanishes_or_may_not_be_read_is_named(folder, capsys, monkeypatch):
    def refuse(path, **_):
        raise PermissionError(13, "denied", str(path))

    path = folder("visits")
    monkeypatch.setattr("core.tables.read_dataset", refuse)
    assert main(["tabular", str(path), "--json"]) == 2
    assert "visits.csv: the file cannot be opened. Check that you may read it." in capsys.readouterr().err


def test_tabular__expansions_have_a_row_each(folder, capsys):
    path = folder(
        extra={
            "e.csv": b"who,score\nx,1\ny,2\n",
            "e_anonymized.csv": b"score_low,score_high\n1,2020-01-01\n2,2020-02-02\n",
            "e_anonymized_log.json": json.dumps(
                {
                    "log_info": {
                        "score": {"semantic": "other", "action": "keep"},
                        "who": {"semantic": "id", "action": "drop"},
                    }
                }
            ).encode(),
        }
    )
    assert main(["tabular", str(path), "--json"]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    score = [row for row in file["columns"] if row["column"] == "score"]
    assert {row["anonymized_column"]: row["status"] for row in score} == {
        "score_low": "PASS",
        "score_high": "FAIL",
    }
    assert file["pass_share"] == pytest.approx(2 / 3)


GOOD_LOG = b'{"log_info": {"a": {"semantic": "other", "action": "keep"}}}'
CELL = "ZZZ-a-cell-ZZZ"
BAD_FILES = {
    "zero.csv": b"",
    "header.csv": b"a,b\n",
    "binary.csv": bytes(range(256)) * 8,
    "broken.xlsx": b"PK\x03\x04" + b"\0" * 500,
    "no_common.csv": f"zz\n{CELL}\n".encode(),
    "locked.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
}
USABLE_FILES = {
    "ragged.csv": f"a,b\n1,2\n3\n4,5,{CELL}\n".encode(),
    "blank.csv": b"a,b\n,\n,\n",
    "twice.csv": b"a,a,b\n1,2,3\n",
    "one.csv": b"a\n1\n2\n",
    "wide.csv": ",".join(f"a{i}" for i in range(2_000)).encode() + b"\n" + b",".join([b"1"] * 2_000) + b"\n",
    "mixed.csv": "a,b\n서울,1\n".encode() + "부산,2\n".encode("cp949"),
}


@pytest.mark.slow
def test_tabular__bad_files_get_a_sentence_each_and_stop_nothing(tmp_path, capsys):
    for name, data in {**BAD_FILES, **USABLE_FILES}.items():
        stem, extension = name.split(".")
        (tmp_path / name).write_bytes(data)
        partner = b"a,b\n1,2\n" if name == "no_common.csv" else data
        (tmp_path / f"{stem}_anonymized.{extension}").write_bytes(partner)
        (tmp_path / f"{stem}_anonymized_log.json").write_bytes(GOOD_LOG)
    assert main(["tabular", str(tmp_path), "--json"]) == 2
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    reasons = {file["file"]: file["reason"] for file in document["skipped"]}
    verified = {file["file"] for file in document["files"]}
    assert set(BAD_FILES) <= set(reasons)
    assert verified | set(reasons) == {*BAD_FILES, *USABLE_FILES}
    assert {"blank.csv", "twice.csv", "one.csv", "wide.csv"} <= verified
    assert CELL not in printed.out + printed.err
    for name, reason in reasons.items():
        assert name.split(".")[0] in reason
        assert reason.endswith(".")
    assert "Traceback" not in printed.err


def test_tabular__an_error_that_nobody_foresaw_ends_its_pair_alone(tmp_path, capsys, monkeypatch):
    for stem in ("good", "odd"):
        (tmp_path / f"{stem}.csv").write_bytes(b"a,b\n1,2\n")
        (tmp_path / f"{stem}_anonymized.csv").write_bytes(b"a,b\n1,2\n")
        (tmp_path / f"{stem}_anonymized_log.json").write_bytes(GOOD_LOG)
    measure = tabular_command.measure_pair

    def fail(pair, limits):
        if "odd" in pair.original:
            raise ValueError(CELL)
        return measure(pair, limits)

    monkeypatch.setattr(tabular_command, "measure_pair", fail)
    assert main(["tabular", str(tmp_path), "--json"]) == 2
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert [each["file"] for each in document["files"]] == ["good.csv"]
    (skipped,) = document["skipped"]
    assert (
        "odd.csv: reading this pair ended in an error that was not foreseen (ValueError)" in skipped["reason"]
    )
    assert CELL not in printed.out + printed.err


def test_tabular__says_in_words_when_every_record_is_blank(tmp_path, capsys):
    (tmp_path / "x.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "x_anonymized.csv").write_bytes(b"a,b\n,2\n")
    (tmp_path / "x_anonymized_log.json").write_bytes(
        b'{"log_info": {"a": {"semantic": "age", "action": "keep"}}}'
    )
    assert main(["tabular", str(tmp_path)]) in {0, 1}
    assert "  Smallest group size (k): a: not assessed" in capsys.readouterr().out


def test_tabular__a_table_without_quasi_identifiers_passes_once_a_person_confirms_that(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("code\nq\nr\n" * 30, encoding="utf-8")
    (tmp_path / "x_anonymized.csv").write_text("code\nq\nr\n" * 30, encoding="utf-8")
    entries = {"log_info": {"code": {"semantic": "other", "action": "keep"}}}
    (tmp_path / "x_anonymized_log.json").write_text(json.dumps(entries), encoding="utf-8")
    arguments = ["tabular", str(tmp_path / "x.csv"), "--json"]
    main(arguments)
    assert json.loads(capsys.readouterr().out)["verdict"] == "NOT_ASSESSED"
    assert main([*arguments, "--no-quasi-identifiers"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "PASS"
    assert main([*arguments, "--no-quasi-identifiers", "--quasi-identifier", "code"]) == 2
    assert says(capsys.readouterr().err, "error: --no-quasi-identifiers…--quasi-identifier")


@pytest.mark.parametrize(
    "address", ["duckdb:people.parquet", "spark:people", "postgresql://host/data/people"]
)
def test_tabular__an_address_in_an_engine_is_refused_with_what_helps(address, capsys):
    assert main(["tabular", address, "released.csv", "--log", "log.json"]) == 2
    assert says(capsys.readouterr().err, f"error: {address} is an address in an engine…to files")
