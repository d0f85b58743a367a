"""Filed reports repeated on their files: the same, changed, of another version, or not to be repeated."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from core import VERSIONS, __version__
from core.__main__ import main
from core.commands.audit import repeated_report
from core.errors import AuditInputError
from core.filed import Repeat, Sameness, read_report, repeating
from core.files.named_files import Source
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


def document_of(filed: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(filed.read_text(encoding="utf-8"))
    return found


def repeated(filed: Path, *, sign: bool = True, **parts: object) -> Repeat:
    """Repeat a report with parts changed by hand."""
    return repeated_report(read_report(edited(filed, sign=sign, **parts)), given(filed))


def verify(filed: Path, report: Path, *more: str) -> int:
    """Return what the command ends with, of a report on the files beside another."""
    return main(["verify", str(report), *(str(source.data) for source in given(filed)), *more])


def edited(filed: Path, *, sign: bool = False, **parts: object) -> Path:
    """Write a report with parts changed by hand; `sign`: with new digests too."""
    document = document_of(filed) | parts
    if sign:
        content = {key: each for key, each in document.items() if key not in ("digests", "content_digest")}
        document |= {"digests": part_digests(content), "content_digest": document_digest(content)}
    path = filed.with_name("edited.json")
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.slow
def test_repeat_report__finds_the_files_by_what_they_hold_and_comes_to_the_same(filed):
    repeat = repeated_report(read_report(filed), given(filed)[::-1])
    assert (repeat.sameness, repeat.differences) == (Sameness.SAME, ())
    assert [(facts.name, name) for facts, name in repeat.used] == [
        (each, f"renamed_{each}") for each in FILES
    ]
    in_memory = [source._replace(data=source.data.read_bytes()) for source in given(filed)]
    assert repeated_report(read_report(filed), in_memory).sameness is Sameness.SAME


def test_repeat_report__says_which_file_is_missing_or_was_changed(filed):
    data = bytearray((EXAMPLES / FILES[1]).read_bytes())
    data[40] ^= 1
    other = "people_scrambled.csv is not what was audited: it had 329 bytes and SHA-256 "
    for more, said in (
        ([], "The scrambled people_scrambled.csv (329 bytes, SHA-256 "),
        ([Source(FILES[1], bytes(data))], other),
    ):
        with pytest.raises(AuditInputError) as refused:
            repeated_report(read_report(filed), [given(filed)[0], *more])
        (problem,) = refused.value.problems
        assert problem.startswith(said)


@pytest.mark.parametrize("sign", [False, True])
def test_repeat_report__tells_a_figure_or_setting_that_was_changed_and_by_how_much(filed, sign):
    document = document_of(filed)
    (figure,) = [each for each in document["figures"] if each["measure"] == "full_leakage_share"]
    true, figure["value"] = figure["value"], 0.0001
    where = "figures › Full leakage › value"
    for parts, difference in (
        ({"figures": document["figures"]}, (where, "0.0001", str(true))),
        ({"full_leakage_share": 0.0001}, ("full_leakage_share", "0.0001", str(true))),
        ({"settings": document["settings"] | {"seed": 5}}, ("settings › seed", "5", "0")),
        ({"settings_said": document["settings_said"] | {"Seed": 5}}, ("settings_said › Seed", "5", "0")),
    ):
        repeat = repeated(filed, sign=sign, **parts)
        assert repeat.sameness is Sameness.DIFFERENT
        assert repeat.filed.changed == (() if sign else (*parts,))
        assert [tuple(each) for each in repeat.differences] == [difference]


@pytest.mark.slow
def test_repeat_report__says_that_a_policy_was_not_judged_again(filed, capsys):
    assert repeated_report(read_report(filed), given(filed)).notes == ()
    told = {"title": "Ours", "outcome": "met"}
    repeat = repeated(filed, policy=told)
    (note,) = repeat.notes
    assert repeat.sameness is Sameness.SAME  # but for the policy, so that the command says 2
    assert note.startswith("What the report says of the policy “Ours” was not judged again: ")
    assert verify(filed, filed.with_name("edited.json")) == 2
    assert note in capsys.readouterr().out
    repeat = repeated(filed, policy=told | {"name": "strict-open-data", "digest": "0" * 64})
    assert repeat.sameness is Sameness.DIFFERENT  # by the policy of that name that comes along
    assert {"policy › digest", "policy › title"} <= {each.where for each in repeat.differences}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"missing_spellings": ["f", "m"]}, ", taken for missing: f, m"),
        ({"header": "none", "missing_spellings": []}, ", no names, words such as NA are values"),
    ],
)
def test_repeat_report__shows_how_tables_are_read_as_the_report_says(filed, options, told):
    inputs = [each | {"options": each["options"] | options} for each in document_of(filed)["inputs"]]
    repeat = repeated(filed, inputs=inputs)
    assert repeat.sameness is Sameness.DIFFERENT
    assert all(each.reading.endswith(told) for each in repeat.report.inputs)


@pytest.mark.slow
def test_repeat_report__of_other_libraries_allows_for_other_words_nowhere(filed):
    document = document_of(filed)
    versions = document["versions"] | {"pandas": "1.0"}
    assert repeated(filed, versions=versions).sameness is Sameness.SAME_FIGURES
    figures = [each | {"text": "0 %"} for each in document["figures"]]
    parts = {"headline": "Nothing was found.", "limits": [], "tables": document["tables"][1:]}
    for part in ({name: each} for name, each in (parts | {"figures": figures}).items()):
        assert repeated(filed, versions=versions, **part).sameness is Sameness.DIFFERENT, part


def test_repeat_report__with_other_words_comes_to_what_those_come_to(filed, capsys):
    words = document_of(filed)["arguments"][0]
    repeat = repeated(filed, arguments=[[*words, "--seed", "8"]])
    assert repeat.sameness is Sameness.DIFFERENT
    assert "settings_said › Seed" in {each.where for each in repeat.differences}
    with pytest.raises(AuditInputError):  # more runs than files
        repeated(filed, arguments=[words] * 3)
    for option in ("--random-orders", "--max-comparisons"):  # no report decides how long it works
        assert verify(filed, edited(filed, sign=True, arguments=[[*words, option, str(10**15)]])) == 2
        printed = capsys.readouterr().err
        assert printed.count("\n") == 1
        assert option in printed


@pytest.fixture
def older(monkeypatch) -> str:
    """Return a version before this one that wrote reports."""
    monkeypatch.setattr(repeating, "VERSIONS", ("0.0.9", *VERSIONS))
    return "0.0.9"


@pytest.mark.slow
def test_repeat_report__of_another_version_is_the_same_in_the_same_words_and_figures(filed, older):
    document = document_of(filed)
    versions = document["versions"] | {"anonaudit": older}
    repeat = repeated(filed, versions=versions)
    assert repeat.sameness is Sameness.SAME_FIGURES
    assert [tuple(each) for each in repeat.differences] == [("versions › anonaudit", older, __version__)]
    for part in (
        {"settings": document["settings"] | {"seed": 5}},
        {"verdict": "PASS"},
        {"overall": "PASS"},
        {"full_leakage_share": 0.25},
    ):
        repeat = repeated(filed, versions=versions, title="Called otherwise then", **part)
        assert repeat.sameness is Sameness.DIFFERENT
        assert repeat.differences[0].where.startswith(*part)


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


@pytest.mark.one_of(7)
@pytest.mark.parametrize("part", ["title", "headline", "question", "limits", "tables", "findings", "figures"])
def test_verify__of_words_that_differ_never_says_0(filed, older, part, capsys):
    document = document_of(filed)
    for version, code, outcome in ((older, 2, "OTHER WORDS"), (__version__, 1, "DIFFERENT")):
        versions = document["versions"] | {"anonaudit": version, "pandas": "1.0"}
        forged = edited(filed, sign=True, versions=versions, **{part: _worded(document, part)})
        assert verify(filed, forged, "--json") == code
        told = json.loads(capsys.readouterr().out)
        assert (told["outcome"], told["changed_parts"]) == (outcome, [])
        assert any(each["where"].startswith(part) for each in told["differences"])


def test_verify__refuses_versions_that_nobody_made(filed, capsys):
    made = document_of(filed)["versions"]
    odd = ({"anonaudit": ""}, {"pandas": ""}, {"anonaudit": "–"}, {"numpy": "any"}, {"anonaudit": "99.1.0"})
    for versions in ({}, *(made | each for each in odd)):
        assert verify(filed, edited(filed, sign=True, versions=versions)) == 2, versions
        printed = capsys.readouterr()
        assert (printed.out, printed.err.count("\n")) == ("", 1)
        wrong = next((name for name in versions if versions[name] != made[name]), "anonaudit")
        assert wrong.lower() in printed.err.lower(), versions


def test_versions__end_with_the_newest_of_the_changelog():
    told = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([\d.]+)", told, re.MULTILINE)[0] == VERSIONS[-1] == __version__


def test_repeat_report__takes_no_words_that_reach_beyond_its_files_and_no_tool_that_audits_nothing(filed):
    both = "people.csv people_scrambled.csv"
    for parts in (
        *({"arguments": [f"{both} {more}".split()]} for more in BEYOND),
        {"arguments": [["/etc/hostname", "people_scrambled.csv"]]},
        {"arguments": [[]]},
        *({"tool": tool} for tool in ("measures", "verify", "no-tool", "-h", "")),
    ):
        other = read_report(edited(filed, sign=True, **parts))
        with pytest.raises(AuditInputError):
            repeated_report(other, given(filed))


BEYOND = ("--report out", "--rep out", "--no-such", "--help", "--demo leaking out", "--holdout ../secret.csv")


def test_verify__prints_the_outcome_and_what_was_left_aside(filed, capsys):
    other = EXAMPLES / "report.json"
    assert verify(filed, filed, str(other)) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "SAME  report.json: the audit comes to the same report.",
        "  original people.csv: given as renamed_people.csv",
        "  scrambled people_scrambled.csv: given as renamed_people_scrambled.csv",
    ]
    assert printed.err == "warning: report.json is no input of the report; it was left aside.\n"
    assert verify(filed, edited(filed, headline="Fine."), "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["outcome"], document["changed_parts"]) == ("DIFFERENT", ["headline"])
    assert document["differences"][0]["filed"] == "Fine."
    assert main(["verify", str(filed), "nowhere.csv"]) == 2
    assert capsys.readouterr().err == "error: There is no file nowhere.csv; check the path.\n"
    assert verify(filed, edited(filed, sign=True, arguments=[])) == 2
    said = "error: edited.json does not say how it is repeated; a report in which nothing "
    assert capsys.readouterr().err.startswith(said)


WORDS = [str(EXAMPLES / name) for name in FILES]


@pytest.mark.slow
def test_report__is_never_overwritten_and_its_folder_and_formats_are_checked_first(tmp_path, capsys):
    words, file, out = (
        ["leakage", *WORDS, "--random-orders", "50", "--report"],
        tmp_path / "file",
        tmp_path / "new/out",
    )
    file.write_text("mine", encoding="utf-8")
    assert main([*words, str(file)]) == 2
    assert capsys.readouterr().err == f"error: --report: {file} is not a folder; choose another name.\n"
    assert main([*words, str(tmp_path), "--formats", "doc"]) == 2
    assert capsys.readouterr().err == Saying("error: --formats must be among html, xlsx, csv, json…")
    assert main([*words, str(out), "--formats", "html,xlsx,csv,json"]) == 1
    assert sorted(path.suffix for path in out.iterdir()) == [".html", ".json", ".xlsx", ".zip"]


@pytest.mark.slow
def test_report__holds_masked_records_where_they_are_asked_for(tmp_path):
    words = ["leakage", *WORDS, "--random-orders", "50", "--formats", "json"]
    for evidence in ("none", "masked"):
        main([*words, "--evidence", evidence, "--report", str(tmp_path / evidence)])
        (path,) = (tmp_path / evidence).iterdir()
        tables = document_of(path)["tables"]
        cells = [row for table in tables if table["name"] == "Evidence" for row in table["rows"]]
        assert bool(cells) == (evidence == "masked")
        assert "asthma" not in json.dumps(cells)
        files = [Source(name, EXAMPLES / name) for name in FILES]
        assert repeated_report(read_report(path), files).sameness is Sameness.SAME


def test_repeat_report__tells_what_was_appended_to_a_list(filed):
    limits = document_of(filed)["limits"]
    repeat = repeated(filed, limits=[*limits, "more"])
    assert repeat.sameness is Sameness.DIFFERENT
    assert repeat.differences == ((f"limits › {len(limits) + 1}", "more", ""),)


POLICY = """title = "Ours"\nabout = "For a test."\nversion = "1"\nread_on = "2026-11-23"\njudgement = []
[[limit]]\nkey = "full_leakage_share"\nvalue = 0.5\nclause = "1"\nsays = "Half may stay."
source = "Our board"\nyear = 2026\nread = true
"""


@pytest.mark.slow
def test_verify__judges_a_policy_of_the_persons_own_again_where_its_file_is_given(tmp_path, capsys):
    policy, out = tmp_path / "ours.toml", tmp_path / "out"
    policy.write_text(POLICY, encoding="utf-8")
    main(["leakage", *WORDS, "--policy", str(policy), "--report", str(out), "--formats", "json"])
    (report,) = out.iterdir()
    capsys.readouterr()
    assert main(["verify", str(report), *WORDS]) == 2
    without = capsys.readouterr().out.splitlines()
    assert "SAME  " in without[0]
    assert without[1].strip() == Saying("What the report says of the policy “Ours” was not judged again: …")
    assert main(["verify", str(report), *WORDS, str(policy)]) == 0
    assert "was not judged again" not in capsys.readouterr().out
    told = document_of(report)["policy"]
    outcome = "met" if told["outcome"] == "not met" else "not met"
    forged = edited(report, sign=True, policy=told | {"outcome": outcome})
    assert main(["verify", str(forged), *WORDS, str(policy)]) == 1
    assert "policy › outcome" in capsys.readouterr().out
