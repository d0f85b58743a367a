"""``python -m core events``: what it prints, what it writes, and how it exits."""

import json
from pathlib import Path

import pytest

from core.__main__ import main
from tests.cases.table import holds_for_each, read_cases, says
from tests.kinds import Told

EVENTS = [f"2024-01-0{day}T10:00;{user};X.FALL_DETECTED" for day in (8, 9) for user in "abc"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["OD_ISO;GUID;dogodek", *EVENTS, "2024-01-09T10:00;d;X.BATTERY_EMPTY"]) + "\n")
    return path


def test_events__prints_one_json_document_with_the_agreed_keys(log: Path, capsys: Told) -> None:
    assert main(["events", str(log), "--k", "3", "--json"]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert printed.err == ""
    words = {"tool": "events", "verdict": "PASS", "overall": "PASS"}
    of_users = {"users_total": 4, "users_after_cleanup": 3, "users_after": 3, "smallest_combination": 3}
    of_events = {"events_total": 7, "events_after_cleanup": 6, "events_after": 6, "events_flattened_kept": 0}
    expected = words | of_users | of_events
    assert {key: document[key] for key in expected} == expected
    assert (document["settings"]["k"], document["settings"]["strategy"]) == (3, "remove-events")
    assert document["verdicts"]["Published rule (k)"] == "PASS"
    found = {each["known"]: each["after"] for each in document["traces"] if each["what"] == "can single out"}
    assert found == {"1": 0.0, "2": 0.0, "3": 0.0, "4": 0.0}
    checks = "k_anonymity trace_risk whole_trace row_numbers row_multisets row_sequences"
    checks += " known_event_tells known_time_tells classes_left_out"
    assert [finding["check"] for finding in document["findings"]] == checks.split()
    assert list(log.parent.iterdir()) == [log]


def test_events__prints_a_summary(log: Path, capsys: Told) -> None:
    assert main(["events", str(log), "--k", "3", "--strategy", "remove_users"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("PASS: k = 3 is reached in every exported combination; ")
    assert lines[0].endswith(
        "(Published rule (k) PASS, Traces PASS, Whole traces PASS, Counts and order PASS)"
    )
    for line in ("Users in the log: 4", "Users after cleanup: 3", "Events in the log: 7", "Users kept: 3"):
        assert f"  {line}" in lines
    assert lines[-1] == "No file is written without --out-dir."


@pytest.mark.slow
def test_events__writes_the_files(log: Path, tmp_path: Path, capsys: Told) -> None:
    out = tmp_path / "new" / "folder"
    call = ["events", str(log), "--k", "3", "--out-dir", str(out), "--write-user-mapping"]
    assert main([*call, "--pseudonym-seed", "1", "--leave-out-none"]) == 0
    first = (out / "anonymized_events.csv").read_bytes()
    assert first.startswith(b"\xef\xbb\xbfGUID,generalized_event,week_number,weekday,time_period\nu")
    assert {str(path.relative_to(out)) for path in out.rglob("*.csv")} == {
        "anonymized_events.csv",
        "not_for_sharing/event_removal_report.csv",
        "not_for_sharing/user_mapping.csv",
    }
    assert str(out / "anonymized_events.csv") in capsys.readouterr().out
    main([*call, "--pseudonym-seed", "1", "--leave-out-none"])
    assert (out / "anonymized_events.csv").read_bytes() == first
    main([*call, "--leave-out-none"])
    assert (out / "anonymized_events.csv").read_bytes() != first


def test_events__takes_every_setting(log: Path, tmp_path: Path, capsys: Told) -> None:
    mapping = tmp_path / "mapping.json"
    mapping.write_text('{"FALL_DETECTED": "fall", "BATTERY_EMPTY": "battery"}')
    renamed = tmp_path / "renamed.csv"
    renamed.write_text(log.read_text().replace("OD_ISO;GUID;dogodek", "when;who;what").replace(";", "|"))
    call = ["events", str(renamed), "--k", "2", "--columns", "generalized_event,weekday,hour", "--json"]
    call += ["--user-column", "who", "--time-column", "when", "--event-column", "what", "--delimiter", "|"]
    call += ["--mapping", str(mapping), "--leave-out", "battery", "--flatten", "hour", "--hour-block", "4"]
    call += ["--flatten-steps", "hour:quantized_hour, hour:any", "--sensitive", "event"]
    call += ["--pseudonym-per", "event", "--max-trace-share", "0.1", "--leave-out-unreadable"]
    assert main(call) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["settings"]["flatten_steps"] == ["hour:quantized_hour", "hour:any"]
    assert document["settings_said"]["Steps, in this order"] == document["settings"]["flatten_steps"]
    assert document["settings_said"]["Flattening"] == "multi-level"
    assert document["settings"]["pseudonym_per"] == "event"
    assert (document["diversity"][0]["uniform_combinations"], document["events_after_cleanup"]) == (2, 6)


def test_events__exits_with_1_when_the_overall_verdict_is_fail(tmp_path: Path, capsys: Told) -> None:
    path = tmp_path / "log.csv"
    lines = [
        f"2024-01-{day}T10:00;{user};A"
        for user, day in zip("aabbcc", "08 09 08 14 09 14".split(), strict=True)
    ]
    path.write_text("\n".join(["OD_ISO;GUID;dogodek", *lines]))
    assert main(["events", str(path), "--k", "2", "--max-trace-share", "0.2", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    verdicts = document["verdicts"]
    assert (verdicts["Published rule (k)"], verdicts["Traces"], document["overall"]) == (
        "PASS",
        "FAIL",
        "FAIL",
    )


@pytest.mark.slow
def test_events__exits_with_2_and_a_sentence(log: Path, capsys: Told) -> None:
    def holds(path: Path, arguments: str, pieces: str) -> None:
        assert main(["events", str(path), "--json", "--k", "2", *arguments.split()]) == 2
        printed = capsys.readouterr()
        (said,) = printed.err.splitlines()
        assert says(said, f"error: …{pieces}"), said
        assert json.loads(printed.out) == {"errors": [{"message": said.removeprefix("error: ")}]}

    holds_for_each([(log, *case.columns) for case in read_cases("events.txt")["commands"]], holds)
    holds(log, f"--out-dir {log / 'below'}", f"{log / 'below'}: Not a directory")
    path = log.rename(log.parent / "anonymized_events.csv")
    before = path.read_bytes()
    holds(path, f"--out-dir {path.parent}", f"{path} would be overwritten by the export")
    assert path.read_bytes() == before


@pytest.mark.slow
def test_events__says_which_file_is_of_an_earlier_run(log: Path, tmp_path: Path, capsys: Told) -> None:
    call = ["events", str(log), "--k", "2", "--out-dir", str(tmp_path / "out")]
    main([*call, "--write-user-mapping"])
    assert capsys.readouterr().err == ""
    main(call)
    (said,) = capsys.readouterr().err.splitlines()
    assert says(
        said, f"warning: {tmp_path / 'out' / 'not_for_sharing' / 'user_mapping.csv'} is of an earlier"
    )


def test_events__suggests_settings(log: Path, capsys: Told) -> None:
    assert main(["events", str(log), "--k", "3", "--suggest"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("--columns generalized_event,week_number")
    assert main(["events", str(log), "--k", "3", "--suggest", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["suggestions"][0]["events_after"] == 6
    assert main(["events", str(log), "--k", "40", "--suggest"]) == 1


def test_events__finds_columns_and_shows_names_without_obeying_them(tmp_path: Path, capsys: Told) -> None:
    path = tmp_path / "own.csv"
    rows = [f"2024-01-08 10:00,{user},walk" for user in "abc"]
    path.write_text("\n".join(["when\x1b[31m,who\x07,what", *rows]))
    assert main(["events", str(path), "--k", "2"]) == 0
    printed = capsys.readouterr().out
    assert "the audit took `when\\x1b[31m` as time and `who\\x07` as user" in printed
    assert "\x1b" not in printed
    assert main(["events", str(path), "--k", "2", "--user-column", "a\x1bb"]) == 2
    assert "a\\x1bb (user_column)" in capsys.readouterr().err
    path.write_text("\n".join(rows))
    assert main(["events", str(path), "--k", "2"]) == 2
    assert "walk" not in capsys.readouterr().err
    assert main(["events", str(path), "--k", "2", "--no-header", "--no-missing-words"]) == 0
