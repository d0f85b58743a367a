"""``python -m core vcf``: output, report file, exit codes."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.files.own_reports import VCF_COLUMNS
from core.vcf import VcfFile, VcfPair, VcfSettings, judge_scan, render_report, scan_pair
from tests.cases.table import says
from tests.kinds import Told
from tests.vcf_bad_input import BAD_INPUT
from tests.vcf_donors import donor_file, people
from tests.vcf_files import bgzf, masked_header, vcf_text

LINES = ["chr1 100 . A G . . AF=0.001", "chr1 200 . A ACACACACACACACA . . AF=0.3"]
MASKED = ["chr1 100 . A . . . .", "chr1 200 . A N . . ."]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    origin, anony = tmp_path / "origin", tmp_path / "anony"
    origin.mkdir()
    anony.mkdir()
    (origin / "s.vcf.gz").write_bytes(bgzf(vcf_text(LINES)))
    (anony / "high_anony_s.vcf.gz").write_bytes(bgzf(vcf_text(MASKED, header=masked_header())))
    (anony / "low_anony_s.vcf.gz").write_bytes(bgzf(vcf_text(LINES, header=masked_header())))
    return origin, anony


def _call(folders: tuple[Path, Path], *more: str) -> int:
    return main(["vcf", "-o", str(folders[0]), "-a", str(folders[1]), "--jobs", "1", *more])


def test_command__prints_checks_summary_and_a_line_per_file(folders: tuple[Path, Path], capsys: Told) -> None:
    assert _call(folders) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "[CHECK] 1/2 origin=s.vcf.gz, anony=low_anony_s.vcf.gz",
        "[CHECK] 2/2 origin=s.vcf.gz, anony=high_anony_s.vcf.gz",
        "WARN: 2 pairs: 1 WARN, 1 PASS. (Published rule PASS, Exposure WARN)",
    ]
    assert [line.split()[:4] for line in lines[3:7]] == [
        ["Files:"],
        ["Overall", "Anonymized", "file", "Published"],
        ["WARN", "low_anony_s.vcf.gz", "PASS", "WARN"],
        ["PASS", "high_anony_s.vcf.gz", "PASS", "PASS"],
    ]
    assert says(lines[7], "low_anony_s.vcf.gz: WARN: …(Published rule PASS, Exposure WARN)")
    assert says(lines[8], "  WARN  2 of 2 rare or repeat sites…First: chr1:100 and 1 more.")
    *_, pairs, no_more, took, report, findings, summary = lines
    assert (pairs, no_more) == ("Pairs checked: 2 of 2", "Files to anonymize again: 0")
    assert took.startswith("Time: ")
    assert report == "Report: reports/VCF_anonymization_verification_report.csv"
    assert findings.endswith(": reports/VCF_anonymization_verification_report_findings.csv")
    assert summary == "All pairs: reports/VCF_anonymization_verification_report_summary.csv"
    for line in ("Masked targets: 100 %", "Header lines masked: 2", "Sites masked: 2"):
        assert any(each.startswith(f"  {line} (") for each in lines)


def test_command__of_one_folder_for_both_and_of_reports_beside_each_other(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        _call(folders, "--report-dir", "out")
    names = sorted(path.name for path in Path("out").iterdir())
    stem = "VCF_anonymization_verification_report"
    endings = ("", "_findings", "_summary")
    assert set(names) == {f"{stem}{number}{ending}.csv" for number in ("", "_2", "_3") for ending in endings}
    rows = list(csv.DictReader(Path("out", f"{stem}.csv").read_text(encoding="utf-8").splitlines()))
    assert tuple(rows[0]) == VCF_COLUMNS
    assert [row["anonymization_rate"] for row in rows] == ["100.00%(2/2)", "100.00%(4/4)"]
    capsys.readouterr()
    (folders[0] / "high_anony_s.vcf.gz").write_bytes((folders[1] / "high_anony_s.vcf.gz").read_bytes())
    assert _call((folders[0], folders[0]), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [pair["original"] for pair in document["file_list"]] == ["s.vcf.gz"]
    assert [pair["file"] for pair in document["pairs"]] == ["high_anony_s.vcf.gz"]


def test_command__says_which_files_seem_to_belong_together_and_that_folders_are_exchanged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = tmp_path / "origin", tmp_path / "anony"
    names_of = ("ana.vcf", "b_1.vcf", "x.vcf"), ("ana_anon.vcf", "b_2.masked.vcf", "high_anony_x.vcf")
    for folder, names in zip(folders, names_of, strict=True):
        folder.mkdir()
        for name in names:
            (folder / name).write_bytes(vcf_text(MASKED, header=masked_header()))
    _call(folders)
    told = capsys.readouterr()
    assert "ana_anon.vcf looks like the anonymized file of ana.vcf" in told.err
    assert "looks like the anonymized file of b_1.vcf" not in told.err
    assert _call(folders[::-1]) == 2
    assert "The folders are exchanged" in capsys.readouterr().err


def test_command__json_is_one_document_and_writes_no_file(folders: tuple[Path, Path], capsys: Told) -> None:
    assert _call(folders, "--json", "--maf", "0.5") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["errors"], document["is_whole"], "files" in document) == ([], True, False)
    assert (document["tool"], document["verdict"]) == ("vcf", "WARN")
    assert [pair["overall"] for pair in document["pairs"]] == ["WARN", "PASS"]
    first = document["pairs"][1]
    assert (first["file"], first["n_missing_sites"], first["vcf_masked_share"]) == (
        "high_anony_s.vcf.gz",
        0,
        1,
    )
    assert first["verdicts"] == {"Published rule": "PASS", "Exposure": "PASS"}
    assert "Masked in another release" in [one["about"] for one in document["pairs"][0]["exposure"]]
    assert first["seconds"] >= 0
    assert not Path("reports").exists()


def test_command__errors_and_unmatched_files_exit_with_2_and_the_rest_is_reported(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (folders[1] / "weak_anony_s.vcf.gz").write_bytes(b"")
    (folders[1] / "high_anony_other.vcf.gz").write_bytes(bgzf(vcf_text(LINES)))
    assert _call(folders, "--json", "--report-dir", "out") == 2
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert len(document["pairs"]) == 2
    assert document["verdict"] == "NOT_ASSESSED"
    (error,) = document["errors"]
    assert error["file"] == "weak_anony_s.vcf.gz"
    assert says(error["message"], "weak_anony_s.vcf.gz: …empty (0 bytes)")
    assert document["unmatched"] == [{"file": "high_anony_other.vcf.gz"}]
    assert not document["is_whole"]
    told, warned = captured.err.splitlines()
    assert told == f"error: {error['message']}"
    assert warned.startswith("warning: high_anony_other.vcf.gz: no partner")
    assert Path("out/VCF_anonymization_verification_report.csv").is_file()


def test_command__fail_exits_with_1_and_lists_exposure(folders: tuple[Path, Path], capsys: Told) -> None:
    (folders[1] / "high_anony_s.vcf.gz").write_bytes(bgzf(vcf_text(LINES)))
    assert _call(folders) == 1
    out = capsys.readouterr().out
    assert "Files to anonymize again: 1" in out
    assert says(out, "high_anony_s.vcf.gz: FAIL: …(Published rule FAIL, Exposure FAIL)\n")
    assert "  FAIL  1 of 10 header lines holds" in out
    assert "  Masked targets: 0 % (at least 100 %, FAIL)\n" in out


@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_command__each_bad_input_has_its_own_result(
    n_jobs: str,
    folders: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.vcf.running.WORTH_SEVERAL", 0)
    for folder in folders:
        for path in folder.iterdir():
            path.unlink()
    for name, pair in BAD_INPUT.items():
        (folders[0] / f"{name}.vcf.gz").write_bytes(pair.original)
        (folders[1] / f"high_anony_{name}.vcf.gz").write_bytes(pair.anonymized)
    assert _call(folders, "--json", "--jobs", n_jobs, "--report-dir", "out") == 2
    document = json.loads(capsys.readouterr().out)
    written = Path("out/VCF_anonymization_verification_report.csv").read_text(encoding="utf-8")
    rates = {
        row["filename"].removeprefix("high_anony_"): row["anonymization_rate"]
        for row in csv.DictReader(written.splitlines())
    }
    assert {*rates} == {one["file"].removeprefix("high_anony_") for one in document["pairs"]}
    problems = {one["file"].removeprefix("high_anony_"): one["message"] for one in document["errors"]}
    assert len(rates) + len(problems) == len(BAD_INPUT)
    for name, pair in BAD_INPUT.items():
        found = rates.get(f"{name}.vcf.gz") or problems[f"{name}.vcf.gz"]
        assert found.removeprefix(f"{name}.vcf.gz: ").startswith(pair.expected), name


def test_command__severities_are_the_persons_choice_and_echoed(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with_id = [MASKED[0].replace("100 .", "100 lab_17"), MASKED[1]]
    (folders[1] / "high_anony_s.vcf.gz").write_bytes(bgzf(vcf_text(with_id, header=masked_header())))
    assert _call(folders, "--json") == 0
    assert json.loads(capsys.readouterr().out)["pairs"][1]["verdicts"]["Exposure"] == "WARN"
    for verdict, code in (("fail", 1), ("PASS", 0)):
        assert _call(folders, "--json", "--severity", f"other_id={verdict}") == code
        document = json.loads(capsys.readouterr().out)
        assert document["settings"]["severities"] == {"other_id": verdict.upper()}
        (pair,) = (each for each in document["pairs"] if each["file"] == "high_anony_s.vcf.gz")
        assert pair["overall"] == verdict.upper()
        assert pair["exposure"][0]["n_affected"] == 1
    _call(folders, "--severity", "other_id=FAIL")
    assert "Severity changed: other_id WARN → FAIL" in capsys.readouterr().out.splitlines()
    assert _call(folders, "--severity", "no_such=FAIL") == 2
    assert capsys.readouterr().err.startswith("error: No exposure check has the name no_such. The checks are")


REFUSED = [
    (["--maf", "2"], "--maf…above 0 and at most 0.5, received 2"),
    (["--severity", "x=A"], "--severity…CHECK=VERDICT…x=A"),
    (["--severity", "other_id=WARN", "--severity", "other_id=FAIL"], "--severity names other_id twice"),
    (["--jobs", "0"], "--jobs…from 1 to 256, received 0"),
    (["-o", "gone"], "gone…No such file or directory"),
    (["-o", ".", "-a", "."], "Neither . nor . holds files…vcf.gz"),
    (["--report-dir", "file"], "cannot be written to file (File exists)"),
]


@pytest.mark.parametrize(("more", "pieces"), REFUSED)
def test_command__refuses_arguments(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str], more: list[str], pieces: str
) -> None:
    Path("file").write_text("")
    assert _call(folders, *more) == 2
    assert says(capsys.readouterr().err, "error: …" + pieces)


def test_render_report__never_lets_a_file_name_run_as_a_formula() -> None:
    content = bgzf(vcf_text(LINES))
    pair = VcfPair(
        original=VcfFile(name="x", content=content),
        anonymized=VcfFile(name="=HYPERLINK(1)anony_x", content=content),
        level="low",
    )
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    line = render_report([audit]).decode().splitlines()[1]
    assert line.startswith("'=HYPERLINK(1)anony_x,low,0.00%(0/2),fail,")


def _rows(folder: Path, ending: str) -> list[dict[str, str]]:
    with (folder / f"VCF_anonymization_verification_report_{ending}.csv").open(encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_command__writes_a_row_per_finding_and_per_pair(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    origin, anony = folders
    kept = [LINES[0].replace(". A G", "rs123 A N"), *(f"chr1 {i}00 rs{i} A . . . ." for i in range(3, 9))]
    original = [LINES[0], *(f"chr1 {i}00 rs{i} A G . . AF=0.001" for i in range(3, 9))]
    (origin / "=t.vcf.gz").write_bytes(bgzf(vcf_text(original)))
    (anony / "high_anony_=t.vcf.gz").write_bytes(bgzf(vcf_text(kept, header=masked_header())))
    (anony / "high_anony_broken.vcf.gz").write_bytes(b"")
    (origin / "broken.vcf.gz").write_bytes(b"")
    (anony / "high_anony_alone.vcf.gz").write_bytes(b"")
    assert _call(folders, "--report-dir", "out") == 2
    out = capsys.readouterr().out
    assert "Files to anonymize again: 1\n" in out
    assert "  NOT ASSESSED  high_anony_alone.vcf.gz has no partner and was not verified." in out
    assert says(out, "  NOT ASSESSED  …broken.vcf.gz…empty")
    assert "First: chr1:300 and 5 more." in out
    findings = {(row["filename"], row["check"]): row for row in _rows(tmp_path / "out", "findings")}
    public = findings["high_anony_=t.vcf.gz", "public_id"]
    assert public["places"] == "chr1:300;chr1:400;chr1:500;chr1:600;chr1:700;chr1:800"
    assert public["origin"] == "'=t.vcf.gz"
    assert public["verdict"] == "FAIL"
    assert public["remedy"].endswith("remove ID (6): bcftools annotate -x ID.")
    summary = {row["filename"]: row for row in _rows(tmp_path / "out", "summary")}
    assert {
        name: (row["state"], row["overall"], row["anonymize_again"]) for name, row in summary.items()
    } == {
        "high_anony_=t.vcf.gz": ("verified", "FAIL", "yes"),
        "high_anony_s.vcf.gz": ("verified", "PASS", "no"),
        "low_anony_s.vcf.gz": ("verified", "WARN", "no"),
        "high_anony_broken.vcf.gz": ("error", "NOT_ASSESSED", ""),
        "high_anony_alone.vcf.gz": ("without partner", "NOT_ASSESSED", ""),
    }
    assert "empty (0 bytes)" in summary["high_anony_broken.vcf.gz"]["problem"]


def _donor_folders(tmp_path: Path) -> tuple[tuple[Path, Path], Path]:
    rng = np.random.default_rng(1)
    frequencies = np.round(rng.uniform(0.1, 0.5, 2_000), 4)
    group = people(4, frequencies, rng)
    origin, anony = tmp_path / "origin", tmp_path / "anony"
    origin.mkdir()
    anony.mkdir()
    (origin / "s.vcf.gz").write_bytes(donor_file("s.vcf.gz", group[:2], frequencies).content or b"")
    (anony / "high_anony_s.vcf.gz").write_bytes(donor_file("s", group[:2], frequencies).content or b"")
    panel = tmp_path / "panel.vcf.gz"
    panel.write_bytes(donor_file("panel", group[1:], frequencies).content or b"")
    return (origin, anony), panel


def test_command__finds_the_donor_in_a_panel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders, panel = _donor_folders(tmp_path)
    assert _call(folders, "--panel", str(panel), "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "FAIL"
    (pair,) = document["pairs"]
    assert pair["verdicts"]["Donors"] == pair["overall"] == "FAIL"
    assert pair["verdicts"]["Exposure"] != "FAIL"
    assert pair["n_common_alleles"] == 2_000
    assert pair["relatives"] == [
        {
            "sample": 2,
            "panel_sample": 1,
            "kinship": 0.5,
            "degree": "same person or identical twin",
            "n_sites": 2_000,
        }
    ]


def test_command__is_held_against_a_policy(folders: tuple[Path, Path], capsys: Told) -> None:
    (folders[1] / "high_anony_s.vcf.gz").write_bytes(bgzf(vcf_text(LINES)))
    assert _call(folders, "--policy", "gdpr-wp216", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["policy"]["outcome"] == "not met"
    assert [each["clause"] for each in document["policy"]["limits"]] == ["singling out", "linkability"]
    assert {"targets_left", "header_command"} <= {each["check"] for each in document["findings"]}
    assert _call(folders, "--policy", "cms-cell-11") == 1
    assert "names nothing for this tool" in capsys.readouterr().out


def test_command__looks_at_the_donors_without_a_panel(tmp_path: Path, capsys: Told) -> None:
    folders, _ = _donor_folders(tmp_path)
    assert _call(folders, "--donors", "--report-dir", str(tmp_path / "out")) == 0
    out = capsys.readouterr().out
    assert says(out, "(…Donors PASS)\n")
    assert "\n  PASS  2,000 of 2,000 ALT alleles that the file names are common" in out
    assert _rows(tmp_path / "out", "summary")[0]["donors"] == "PASS"
    checks = [row["check"] for row in _rows(tmp_path / "out", "findings")]
    assert "common_remaining" in checks


def test_command__a_panel_that_cannot_be_read_is_an_error_of_the_pair(tmp_path: Path, capsys: Told) -> None:
    folders, _ = _donor_folders(tmp_path)
    assert _call(folders, "--panel", str(tmp_path / "none.vcf.gz"), "--json") == 2
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "NOT_ASSESSED"
    (error,) = document["errors"]
    assert error["file"] == "high_anony_s.vcf.gz"
    assert says(error["message"], "none.vcf.gz: …No such file or directory")
    assert "Donors" not in document["pairs"][0]["verdicts"]
