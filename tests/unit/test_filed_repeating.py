"""Filed reports repeated on their files: the same, changed, of another version, or not to be repeated."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from core import VERSIONS, __version__
from core.__main__ import main
from core.at_hand import Source
from core.errors import AuditInputError
from core.filed import Sameness, read_report, repeat_report, repeating
from core.reports.as_json import document_digest, part_digests
from tests.saying import Saying

EXAMPLES = Path(__file__).parents[1] / "filed_examples"
FILES = ("people.csv", "people_scrambled.csv")


@pytest.fixture(scope="module")
def filed(tmp_path_factory) -> Path:
    """Return a report that was just made, beside its files under other names."""
    folder = tmp_path_factory.mktemp("filed")
    words = [str(EXAMPLES / name) for name in FILES]
    arguments = [*words, "--random-orders", "50", "--report", str(folder / "out"), "--formats", "json"]
    assert main(["leakage", *arguments]) == 1
    for name in FILES:
        shutil.copy(EXAMPLES / name, folder / f"renamed_{name}")
    (report,) = (folder / "out").iterdir()
    return report.rename(folder / "report.json")


def given(filed: Path) -> list[Source]:
    """Return the files beside a report."""
    return [Source(f"renamed_{name}", filed.with_name(f"renamed_{name}")) for name in FILES]


def edited(filed: Path, *, sign: bool = False, **parts: object) -> Path:
    """Write a report with parts changed by hand; `sign`: with new digests too."""
    document = json.loads(filed.read_text(encoding="utf-8")) | parts
    if sign:
        content = {key: each for key, each in document.items() if key not in ("digests", "content_digest")}
        document |= {"digests": part_digests(content), "content_digest": document_digest(content)}
    path = filed.with_name("edited.json")
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def test_repeat_report__finds_the_files_by_what_they_hold_and_comes_to_the_same(filed):
    repeat = repeat_report(read_report(filed), given(filed)[::-1])
    assert repeat.sameness is Sameness.SAME
    assert repeat.differences == ()
    assert [(facts.name, name) for facts, name in repeat.used] == [
        (name, f"renamed_{name}") for name in FILES
    ]


def test_repeat_report__takes_files_in_memory(filed):
    sources = [source._replace(data=source.data.read_bytes()) for source in given(filed)]
    assert repeat_report(read_report(filed), sources).sameness is Sameness.SAME


def test_repeat_report__says_which_file_is_missing_or_was_changed(filed):
    with pytest.raises(AuditInputError) as refused:
        repeat_report(read_report(filed), given(filed)[:1])
    (problem,) = refused.value.problems
    assert problem.startswith("The scrambled people_scrambled.csv (329 bytes, SHA-256 ")
    data = bytearray((EXAMPLES / FILES[1]).read_bytes())
    data[40] ^= 1
    with pytest.raises(AuditInputError) as refused:
        repeat_report(read_report(filed), [given(filed)[0], Source(FILES[1], bytes(data))])
    (problem,) = refused.value.problems
    assert problem.startswith("people_scrambled.csv is not what was audited: it had 329 bytes and SHA-256 ")


@pytest.mark.parametrize("sign", [False, True])
def test_repeat_report__tells_a_figure_that_was_changed_and_by_how_much(filed, sign):
    figures = json.loads(filed.read_text(encoding="utf-8"))["figures"]
    place = next(n for n, each in enumerate(figures) if each["measure"] == "full_leakage_share")
    true, figures[place]["value"] = figures[place]["value"], 0.0001
    repeat = repeat_report(read_report(edited(filed, sign=sign, figures=figures)), given(filed))
    assert repeat.sameness is Sameness.DIFFERENT
    assert repeat.changed == (() if sign else ("figures",))
    assert [tuple(each) for each in repeat.differences] == [
        ("figures › Full leakage › value", "0.0001", str(true))
    ]


@pytest.mark.parametrize("sign", [False, True])
def test_repeat_report__tells_a_setting_that_was_changed(filed, sign):
    settings = json.loads(filed.read_text(encoding="utf-8"))["settings"]
    repeat = repeat_report(
        read_report(edited(filed, sign=sign, settings=settings | {"Seed": 5})), given(filed)
    )
    assert repeat.sameness is Sameness.DIFFERENT
    assert [tuple(each) for each in repeat.differences] == [("settings › Seed", "5", "0")]


def test_repeat_report__says_that_a_policy_was_not_judged_again(filed, capsys):
    assert repeat_report(read_report(filed), given(filed)).notes == ()
    report = edited(filed, sign=True, policy={"title": "Ours", "outcome": "met"})
    repeat = repeat_report(read_report(report), given(filed))
    (note,) = repeat.notes
    assert repeat.sameness is Sameness.SAME  # but for the policy, so that the command says 2
    assert note.startswith("What the report says of the policy “Ours” was not judged again: ")
    assert main(["verify", str(report), *(str(source.data) for source in given(filed))]) == 2
    assert note in capsys.readouterr().out


def test_repeat_report__judges_by_the_policy_that_comes_along_under_a_forged_digest(filed):
    told = {"title": "Ours", "outcome": "met", "name": "strict-open-data", "digest": "0" * 64}
    repeat = repeat_report(read_report(edited(filed, sign=True, policy=told)), given(filed))
    assert repeat.sameness is Sameness.DIFFERENT
    assert {"policy › digest", "policy › title"} <= {each.where for each in repeat.differences}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"missing_spellings": ["f", "m"]}, ", taken for missing: f, m"),
        ({"header": "none", "missing_spellings": []}, ", no names, words such as NA are values"),
    ],
)
def test_repeat_report__shows_how_tables_are_read_as_the_report_says(filed, options, told):
    inputs = json.loads(filed.read_text(encoding="utf-8"))["inputs"]
    forged = [each | {"options": each["options"] | options} for each in inputs]
    repeat = repeat_report(read_report(edited(filed, sign=True, inputs=forged)), given(filed))
    assert repeat.sameness is Sameness.DIFFERENT
    assert all(each.reading.endswith(told) for each in repeat.report.inputs)


def test_repeat_report__of_other_libraries_allows_for_other_words_nowhere(filed):
    document = json.loads(filed.read_text(encoding="utf-8"))
    versions = document["versions"] | {"pandas": "1.0"}
    other = edited(filed, sign=True, versions=versions)
    assert repeat_report(read_report(other), given(filed)).sameness is Sameness.SAME_FIGURES
    for part in ({"headline": "Nothing was found."}, {"limits": []}, {"tables": document["tables"][1:]}):
        other = edited(filed, sign=True, versions=versions, **part)
        assert repeat_report(read_report(other), given(filed)).sameness is Sameness.DIFFERENT
    figures = [each | {"text": "0 %"} for each in document["figures"]]
    other = edited(filed, sign=True, versions=versions, figures=figures)
    assert repeat_report(read_report(other), given(filed)).sameness is Sameness.DIFFERENT


def test_repeat_report__with_other_words_comes_to_what_those_come_to(filed):
    words = json.loads(filed.read_text(encoding="utf-8"))["arguments"][0]
    other = edited(filed, sign=True, arguments=[[*words, "--seed", "8"]])
    repeat = repeat_report(read_report(other), given(filed))
    assert repeat.sameness is Sameness.DIFFERENT
    assert "settings › Seed" in {each.where for each in repeat.differences}


@pytest.mark.parametrize("option", ["--random-orders", "--max-comparisons"])
def test_verify__lets_no_report_decide_how_long_it_works(filed, option, capsys):
    words = json.loads(filed.read_text(encoding="utf-8"))["arguments"][0]
    forged = edited(filed, sign=True, arguments=[[*words, option, str(10**15)]])
    assert main(["verify", str(forged), *(str(source.data) for source in given(filed))]) == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert option in printed


def test_repeat_report__takes_no_more_runs_than_files(filed):
    words = json.loads(filed.read_text(encoding="utf-8"))["arguments"]
    with pytest.raises(AuditInputError):
        repeat_report(read_report(edited(filed, sign=True, arguments=words * 3)), given(filed))


@pytest.fixture
def older(monkeypatch) -> str:
    """Return a version before this one that wrote reports."""
    monkeypatch.setattr(repeating, "VERSIONS", ("0.0.9", *VERSIONS))
    return "0.0.9"


def test_repeat_report__of_another_version_in_the_same_words_is_the_same(filed, older):
    document = json.loads(filed.read_text(encoding="utf-8"))
    other = edited(filed, sign=True, versions=document["versions"] | {"anonaudit": older})
    repeat = repeat_report(read_report(other), given(filed))
    assert repeat.sameness is Sameness.SAME_FIGURES
    assert [tuple(each) for each in repeat.differences] == [("versions › anonaudit", older, __version__)]


def _worded(document: dict[str, Any], part: str) -> object:
    """Return a part of a report in other words, its verdicts and figures as they were."""
    if part in ("title", "headline", "question"):
        return "Nothing was found."
    if part == "limits":
        return []
    if part == "tables":
        return document["tables"][1:]
    key = {"findings": "message", "figures": "text"}[part]
    return [each | {key: "0 persons"} for each in document[part]]


@pytest.mark.parametrize("part", ["title", "headline", "question", "limits", "tables", "findings", "figures"])
def test_verify__of_words_that_differ_never_says_0(filed, older, part, capsys):
    document = json.loads(filed.read_text(encoding="utf-8"))
    files = [str(source.data) for source in given(filed)]
    for version, code, outcome in ((older, 2, "OTHER WORDS"), (__version__, 1, "DIFFERENT")):
        versions = document["versions"] | {"anonaudit": version, "pandas": "1.0"}
        forged = edited(filed, sign=True, versions=versions, **{part: _worded(document, part)})
        assert main(["verify", str(forged), *files, "--json"]) == code
        told = json.loads(capsys.readouterr().out)
        assert (told["outcome"], told["changed_parts"]) == (outcome, [])
        assert any(each["where"].startswith(part) for each in told["differences"])


def test_repeat_report__of_another_version_in_other_words_is_different_where_figures_are(filed, older):
    document = json.loads(filed.read_text(encoding="utf-8"))
    versions = document["versions"] | {"anonaudit": older}
    for part in ({"settings": document["settings"] | {"Seed": 5}}, {"verdict": "PASS"}):
        other = edited(filed, sign=True, versions=versions, title="Called otherwise then", **part)
        repeat = repeat_report(read_report(other), given(filed))
        assert repeat.sameness is Sameness.DIFFERENT
        assert repeat.differences[0].where.startswith(*part)


@pytest.mark.parametrize(
    "versions",
    [{}, {"anonaudit": ""}, {"pandas": ""}, {"anonaudit": "–"}, {"numpy": "any"}, {"anonaudit": "99.1.0"}],
)
def test_verify__refuses_versions_that_nobody_made(filed, versions, capsys):
    document = json.loads(filed.read_text(encoding="utf-8"))
    forged = edited(filed, sign=True, versions=versions and document["versions"] | versions)
    assert main(["verify", str(forged), *(str(source.data) for source in given(filed))]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert next(iter(versions), "anonaudit").lower() in printed.err.lower()


def test_versions__are_those_of_the_changelog():
    told = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([\d.]+)", told, re.MULTILINE) == [*VERSIONS][::-1]
    assert VERSIONS[-1] == __version__


@pytest.mark.parametrize(
    "words",
    [
        ["/etc/hostname", "people_scrambled.csv"],
        ["people.csv", "people_scrambled.csv", "--report", "out"],
        ["people.csv", "people_scrambled.csv", "--rep", "out"],
        ["people.csv", "people_scrambled.csv", "--no-such-option"],
        ["people.csv", "people_scrambled.csv", "--help"],
        ["people.csv", "people_scrambled.csv", "--demo", "leaking", "out"],
        ["people.csv", "people_scrambled.csv", "--holdout", "../secret.csv"],
        [],
    ],
)
def test_repeat_report__takes_no_words_that_reach_beyond_its_files(filed, words):
    other = read_report(edited(filed, sign=True, arguments=[words]))
    with pytest.raises(AuditInputError):
        repeat_report(other, given(filed))


@pytest.mark.parametrize("tool", ["measures", "verify", "no-tool", "-h", ""])
def test_repeat_report__takes_no_tool_that_audits_nothing(filed, tool):
    with pytest.raises(AuditInputError):
        repeat_report(read_report(edited(filed, sign=True, tool=tool)), given(filed))


def test_verify__of_a_report_of_version_0_1_says_why_not(capsys):
    assert main(["verify", str(EXAMPLES / "report_0_1.json"), str(EXAMPLES)]) == 2
    assert capsys.readouterr().err.startswith(
        "error: report_0_1.json does not say how it is repeated: version 0.1.0 did not write it down"
    )


def test_verify__prints_the_outcome_and_what_was_left_aside(filed, capsys):
    files = [str(source.data) for source in given(filed)]
    assert main(["verify", str(filed), *files, str(EXAMPLES / "report_0_1.json")]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "SAME  report.json: the audit comes to the same report.",
        "  original people.csv: given as renamed_people.csv",
        "  scrambled people_scrambled.csv: given as renamed_people_scrambled.csv",
    ]
    assert printed.err == "warning: report_0_1.json is no input of the report; it was left aside.\n"
    assert main(["verify", str(edited(filed, headline="Fine.")), *files, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["outcome"], document["changed_parts"]) == ("DIFFERENT", ["headline"])
    assert document["differences"][0]["filed"] == "Fine."
    assert main(["verify", str(filed), "nowhere.csv"]) == 2
    assert capsys.readouterr().err == "error: There is no file nowhere.csv; check the path.\n"


def test_report__is_never_overwritten_and_its_folder_and_formats_are_checked_first(tmp_path, capsys):
    words = ["leakage", *(str(EXAMPLES / name) for name in FILES), "--random-orders", "50"]
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    assert main([*words, "--report", str(file)]) == 2
    assert capsys.readouterr().err == f"error: --report: {file} is not a folder; choose another name.\n"
    assert main([*words, "--report", str(tmp_path), "--formats", "pdf"]) == 2
    assert capsys.readouterr().err == Saying("error: --formats must be among html, xlsx, csv, json, with …")
    assert main([*words, "--report", str(tmp_path / "new/out"), "--formats", "html,xlsx,csv,json"]) == 1
    assert sorted(path.suffix for path in (tmp_path / "new/out").iterdir()) == [
        ".html", ".json", ".xlsx", ".zip",
    ]  # fmt: skip


def test_report__holds_masked_records_where_they_are_asked_for(tmp_path):
    words = ["leakage", *(str(EXAMPLES / name) for name in FILES), "--random-orders", "50"]
    for evidence in ("none", "masked"):
        folder = tmp_path / evidence
        main([*words, "--evidence", evidence, "--report", str(folder), "--formats", "json"])
        (path,) = folder.iterdir()
        report = json.loads(path.read_text(encoding="utf-8"))
        cells = [row for table in report["tables"] if table["name"] == "Evidence" for row in table["rows"]]
        assert bool(cells) == (evidence == "masked")
        assert "asthma" not in json.dumps(cells)
        files = [Source(name, EXAMPLES / name) for name in FILES]
        assert repeat_report(read_report(path), files).sameness is Sameness.SAME


def test_repeat_report__tells_what_was_appended_to_a_list(filed):
    result = json.loads(filed.read_text(encoding="utf-8"))["result"]
    longer = result | {"findings": [*result["findings"], None]}
    repeat = repeat_report(read_report(edited(filed, sign=True, result=longer)), given(filed))
    assert repeat.sameness is Sameness.DIFFERENT
    assert repeat.differences == ((f"result › findings › {len(longer['findings'])}", "null", ""),)


POLICY = """title = "Ours"
about = "For a test."
version = "1"
read_on = "2026-11-23"
judgement = []

[[limit]]
key = "full_leakage_share"
value = 0.5
clause = "1"
says = "Half may stay."
source = "Our board"
year = 2026
read = true
"""


def test_verify__judges_a_policy_of_the_persons_own_again_where_its_file_is_given(tmp_path, capsys):
    words = [str(EXAMPLES / name) for name in FILES]
    policy = tmp_path / "ours.toml"
    policy.write_text(POLICY, encoding="utf-8")
    main(["leakage", *words, "--policy", str(policy), "--report", str(tmp_path / "out"), "--formats", "json"])
    (report,) = (tmp_path / "out").iterdir()
    capsys.readouterr()
    assert main(["verify", str(report), *words]) == 2
    without = capsys.readouterr().out.splitlines()
    assert "SAME  " in without[0]
    assert without[1].strip() == Saying("What the report says of the policy “Ours” was not judged again: …")
    assert main(["verify", str(report), *words, str(policy)]) == 0
    assert "was not judged again" not in capsys.readouterr().out
    told = json.loads(report.read_text(encoding="utf-8"))["policy"]
    outcome = "met" if told["outcome"] == "not met" else "not met"
    forged = edited(report, sign=True, policy=told | {"outcome": outcome})
    assert main(["verify", str(forged), *words, str(policy)]) == 1
    assert "policy › outcome" in capsys.readouterr().out
