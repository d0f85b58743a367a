"""``python -m core risk``: one JSON document, lines of text, exit codes, sentences for bad input."""

import csv
import hashlib
import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.commands.risk_release import write_release
from core.errors import AuditInputError
from core.risk import WhatIfSettings, search_what_if
from core.tables import read_dataset
from tests.kinds import Patch, Told
from tests.risk_examples import PEOPLE, judged
from tests.saying import Saying


@pytest.fixture
def people(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return str(path)


CHOSEN = ("--quasi-identifier", "age", "--quasi-identifier", "sex", "--sensitive", "disease")


def test_risk__prints_one_json_document(people: str, capsys: Told) -> None:
    assert main(["risk", people, *CHOSEN, "--json"]) == 1
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert printed.err == ""
    expected = {
        "tool": "risk",
        "file": "people.csv",
        "verdict": "FAIL",
        "overall": "FAIL",
        "quasi_identifiers": ["age", "sex"],
        "k": 1,
        "n_records": 6,
        "n_classes": 3,
        "share_k_lt_5": 1.0,
    }
    assert {key: document[key] for key in expected} == expected
    assert set(document["sensitive"]) == {"disease"}


def test_risk__takes_suggested_roles_where_none_are_given(people: str, capsys: Told) -> None:
    assert main(["risk", people, "--k", "2", "--l", "1", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["quasi_identifiers"] == ["age", "sex"]
    assert document["sensitive_attributes"] == ["disease", "salary"]
    (finding,) = [each for each in document["findings"] if each["check"] == "roles_suggested"]
    assert finding["message"] == Saying("Nobody chose the quasi-identifiers; names and values suggested …")


def test_risk__prints_lines(people: str, capsys: Told) -> None:
    assert main(["risk", people, *CHOSEN, "--original", people]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["people.csv: 6 records in 3 classes over age, sex", "  Smallest class size (k): 1"]
    assert "disease (equal distance)" in lines
    assert "against people.csv" in lines
    assert lines[-1] == "Verdict FAIL, exposure WARN, overall FAIL."


def test_risk__prints_what_each_column_does(people: str, capsys: Told) -> None:
    assert main(["risk", people, *CHOSEN]) == 1
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("columns")
    # Only (50, F) is unique, by its age; age has 3 values among 6 records and tells 11 of 15 pairs apart.
    assert [line.split() for line in lines[start + 1 : start + 4]] == [
        ["unique", "by", "it", "unique", "alone", "distinction", "separation"],
        ["age", "16.7", "%", "16.7", "%", "50.0", "%", "73.3", "%"],
        ["sex", "0", "%", "0", "%", "33.3", "%", "53.3", "%"],
    ]


def test_risk__searches_special_uniques(people: str, capsys: Told) -> None:
    assert main(["risk", people, *CHOSEN, "--suda", "--suda-size", "1", "--json"]) == 1
    suda = json.loads(capsys.readouterr().out)["suda"]
    assert (suda["max_size"], suda["n_minimal_sample_uniques"], suda["dis_suda"]) == (1, [1], None)
    assert main(["risk", people, *CHOSEN, "--suda"]) == 1
    assert "part of all scores with age: 100 %" in capsys.readouterr().out


def test_risk__searches_generalizations(people: str, capsys: Told) -> None:
    given = ["risk", people, *CHOSEN, "--k", "2", "--what-if", "--max-suppression", "0.2"]
    assert main([*given, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    found = document["what_if"]
    assert (found["l"], found["max_suppression_share"], found["columns_with_levels_left_out"]) == (2, 0.2, [])
    assert found["chosen"] in found["options"]
    assert found["chosen"]["smallest_class"] >= 2
    assert "release" not in document
    assert main(given) == 1
    assert "  cheapest for k = 2:" in capsys.readouterr().out.splitlines()


def test_risk__writes_the_generalized_table_and_counts_it_again(
    people: str, tmp_path: Path, capsys: Told
) -> None:
    Path(people).write_text(PEOPLE + "41,M,gout,8\n42,M,flu,8\n43,F,cold,8\n")
    before = Path(people).read_bytes()
    path = tmp_path / "out.csv"
    given = [
        "risk",
        people,
        *CHOSEN,
        "--k",
        "3",
        "--what-if",
        "--max-suppression",
        "0.3",
        "--release",
        str(path),
    ]
    assert main([*given, "--json"]) == 1
    written = json.loads(capsys.readouterr().out)["release"]
    rows = [row[:3] for row in csv.reader(path.read_text().splitlines()[1:])]
    classes: dict[tuple[str, str], set[str]] = {}
    sizes: dict[tuple[str, str], int] = {}
    for age, sex, disease in rows:
        if (age, sex) != ("*", "*"):
            classes.setdefault((age, sex), set()).add(disease)
            sizes[age, sex] = sizes.get((age, sex), 0) + 1
    assert min(sizes.values()) == written["k"] >= 3
    assert min(map(len, classes.values())) == written["sensitive"]["disease"]["distinct_l"] >= 2
    assert written["n_suppressed"] == len(rows) - sum(sizes.values())
    assert written["verdict"] == "PASS"
    settings = json.loads((tmp_path / "out.json").read_text())
    assert (settings["source"], settings["k"], settings["l"]) == ("people.csv", 3, 2)
    assert written["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert Path(people).read_bytes() == before
    assert main(given) == 2  # nothing is overwritten
    assert capsys.readouterr().err == Saying(f"error: --release: {path} exists and is never overwritten; …")
    path.unlink()
    assert main(given) == 2
    assert f"{tmp_path / 'out.json'} exists" in capsys.readouterr().err


def test_risk__writes_nothing_that_does_not_hold(people: str, tmp_path: Path, capsys: Told) -> None:
    path = tmp_path / "out.csv"
    given = ["risk", people, *CHOSEN, "--k", "7", "--what-if", "--release", str(path)]
    assert main(given) == 2
    printed = capsys.readouterr()
    assert printed.err == Saying("error: No generalization found keeps classes of 7 and the other …")
    assert "no generalization reaches k = 7" in printed.out
    assert not path.exists()


def test_risk__refuses_a_name_that_no_file_can_have(people: str, capsys: Told) -> None:
    name = f"{'x' * 300}.csv"
    assert main(["risk", people, *CHOSEN, "--what-if", "--release", name]) == 2
    assert capsys.readouterr().err == Saying(f"error: --release: {name} cannot be written: File name too …")


def test_write_release__overwrites_nothing_that_appears_meanwhile(people: str, tmp_path: Path) -> None:
    dataset = read_dataset(Path(people))
    audit = judged(k=2, l=None)
    what_if = search_what_if(
        audit.measurement, dataset, settings=WhatIfSettings(ks=(2,), suppression_limit=0.2)
    )
    path = tmp_path / "out.csv"
    path.write_text("somebody's")
    with pytest.raises(AuditInputError) as raised:
        write_release(path, what_if, audit, dataset)
    assert str(raised.value) == Saying(f"--release: {path} cannot be written: File exists. Choose …")
    assert path.read_text() == "somebody's"


def test_write_release__reads_back_what_it_wrote(people: str, tmp_path: Path, monkeypatch: Patch) -> None:
    dataset = read_dataset(Path(people))
    audit = judged(k=2, l=None)
    what_if = search_what_if(
        audit.measurement, dataset, settings=WhatIfSettings(ks=(2,), suppression_limit=0.2)
    )
    monkeypatch.setattr(Path, "read_bytes", lambda _: b"damaged")
    path = tmp_path / "out.csv"
    with pytest.raises(AuditInputError) as raised:
        write_release(path, what_if, audit, dataset)
    assert str(raised.value) == (f"--release: {path} does not read back as it was written; do not use it.")


def test_risk__of_no_assessed_record_generalizes_nothing(tmp_path: Path, capsys: Told) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("age,sex,disease\n,,flu\n,,cold\n")
    given = ["risk", str(path), *CHOSEN, "--what-if", "--suda", "--json"]
    assert main(given) == 0  # not assessed is no failure, and never a pass
    document = json.loads(capsys.readouterr().out)
    assert (document["what_if"], document["suda"], document["overall"]) == (None, None, "NOT_ASSESSED")
    assert main([*given, "--release", str(tmp_path / "out.csv")]) == 2
    assert capsys.readouterr().err == Saying(f"error: {tmp_path / 'out.csv'} was not written: no record …")


def test_risk__says_that_a_table_without_quasi_identifiers_is_not_assessed(
    people: str, tmp_path: Path, capsys: Told
) -> None:
    given = ["--k", "6", "--what-if", "--max-suppression", "0", "--release", str(tmp_path / "out.csv")]
    assert main(["risk", people, *CHOSEN, *given]) == 1
    assert "no record shows a quasi-identifier, so nothing is assessed" in capsys.readouterr().out


def test_risk__reads_a_hierarchy(people: str, tmp_path: Path, capsys: Told) -> None:
    (tmp_path / "tree.csv").write_text("value,group\nflu,lung\ncold,lung\ngout,joint\n")
    assert main(["risk", people, *CHOSEN, "--hierarchy", f"disease={tmp_path / 'tree.csv'}", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["sensitive"]["disease"]["distance"] == "hierarchical"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--quasi-identifier", "zip"], "There is no column `zip`; the table has age, sex, disease, salary."),
        (
            ["--quasi-identifier", "disease", "--sensitive", "disease"],
            "`disease` cannot be both a quasi-identifier and a sensitive attribute; choose one.",
        ),
        ([*CHOSEN, "--k", "0"], "--k must be at least 1, received 0."),
        ([*CHOSEN, "--release", "x.csv"], "--release writes what --what-if finds; add --what-if."),
        (
            [*CHOSEN, "--what-if", "--release", "x.json"],
            "--release: x.json would be a CSV; choose a name that ends in .csv.",
        ),
        (
            [*CHOSEN, "--what-if", "--release", "nowhere/x.csv"],
            "--release: there is no folder nowhere; choose another one.",
        ),
        (
            [*CHOSEN, "--what-if", "--max-suppression", "1"],
            "--max-suppression must be at least 0 and below 1, received 1.",
        ),
        ([*CHOSEN, "--suda", "--suda-size", "0"], "--suda-size must be from 1 to 20, received 0."),
        ([*CHOSEN, "--hierarchy", "disease"], "--hierarchy needs COL=FILE, received disease."),
        (
            [*CHOSEN, "--original", "nowhere.csv"],
            "nowhere.csv: the file cannot be opened (No such file or directory). Check its path.",
        ),
    ],
)
def test_risk__says_what_is_wrong(arguments: list[str], sentence: str, people: str, capsys: Told) -> None:
    assert main(["risk", people, *arguments, "--json"]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"error: {sentence}\n")


def test_risk__without_anything_to_suggest_asks_for_quasi_identifiers(tmp_path: Path, capsys: Told) -> None:
    path = tmp_path / "x.csv"
    path.write_text("q1,q2\na,b\na,c\n")
    assert main(["risk", str(path)]) == 2
    assert capsys.readouterr().err == Saying("error: No quasi-identifier is chosen. …")


NAMED = "full_name,age,sex,disease,ward\n" + "".join(
    f"{name} {surname},{30 + n % 2},F,{'flu' if n % 3 else 'cold'},{n % 4}\n"
    for n, (name, surname) in enumerate(
        (name, surname)
        for name in ("Mary", "Ana", "Susan", "Karen")
        for surname in ("Smith", "Novak", "Jones")
    )
)


def _release_named(tmp_path: Path, capsys: Told, *options: str) -> tuple[int, str | None, str, str]:
    source, target = tmp_path / "named.csv", tmp_path / "out.csv"
    source.write_text(NAMED)
    code = main(["risk", str(source), *CHOSEN, "--k", "3", "--what-if", "--release", str(target), *options])
    printed = capsys.readouterr()
    return code, target.read_text() if target.exists() else None, printed.out, printed.err


def test_risk__releases_nothing_beside_an_undeclared_identifier(tmp_path: Path, capsys: Told) -> None:
    code, written, _, told = _release_named(tmp_path, capsys)
    assert (code, written) == (2, None)
    assert told == Saying("error: `full_name` looks like a direct identifier and nobody said what to do …")


@pytest.mark.parametrize("option", ["--direct-identifier", "--leave-out"])
def test_risk__releases_without_declared_identifiers(option: str, tmp_path: Path, capsys: Told) -> None:
    _, written, told, _ = _release_named(tmp_path, capsys, option, "full_name")
    assert written is not None
    assert written.splitlines()[0] == '"age","sex","disease"'
    assert (
        "  Left out, because nobody said what it is: `ward`. Name a column with --harmless to keep it."
        in told
    )


def test_risk__releases_what_is_said_to_be_harmless(tmp_path: Path, capsys: Told) -> None:
    _, written, _, _ = _release_named(tmp_path, capsys, "--harmless", "full_name", "ward")
    assert written is not None
    assert written.splitlines()[0] == '"full_name","age","sex","disease","ward"'


@pytest.mark.parametrize(
    ("choice", "header", "sentence"),
    [
        ("pseudonym", '"full_name","age","sex","disease"', "  `full_name` holds fresh random pseudonyms."),
        ("left_out", '"age","sex","disease"', "  `full_name` is left out."),
    ],
)
def test_risk__never_releases_whose_record_it_is(
    choice: str, header: str, sentence: str, tmp_path: Path, capsys: Told
) -> None:
    _, written, told, _ = _release_named(
        tmp_path, capsys, "--person", "full_name", "--person-released", choice
    )
    assert written is not None
    assert written.splitlines()[0] == header
    assert not {"Mary", "Novak", "Jones"} & set(written.replace(" ", ",").replace('"', "").split(","))
    assert sentence in told


def test_what_if__takes_hierarchy_files_and_writes_those_searched(
    people: str, tmp_path: Path, capsys: Told
) -> None:
    values = sorted(set(read_dataset(Path(people)).table["age"].to_pylist()))
    given = tmp_path / "ages.csv"
    given.write_text("\n".join(f"{value};{'low' if n < 3 else 'high'};*" for n, value in enumerate(values)))
    folder = tmp_path / "hierarchies"
    arguments = ["risk", people, *CHOSEN, "--l", "1", "--k", "2", "--what-if", "--hierarchy", f"age={given}"]
    more = ["--column-weight", "age=2", "--objective", "average_class_size", "--local-recoding"]
    code = main([*arguments, *more, "--write-hierarchies", str(folder), "--json"])
    found = json.loads(capsys.readouterr().out)["what_if"]
    assert code in (0, 1)
    assert (found["own_hierarchies"], found["objective"], found["weights"]) == (
        ["age"],
        "average_class_size",
        {"age": 2.0},
    )
    written = (folder / "hierarchy_01_age.csv").read_text().splitlines()
    assert sorted(written) == sorted(given.read_text().splitlines())
    assert main([*arguments, "--write-hierarchies", str(folder)]) == 2
    assert "is there and not an empty folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["--write-hierarchies", "x"], "--write-hierarchies writes what --what-if searches; add --what-if."),
        (["--what-if", "--column-weight", "age"], "--column-weight needs COL=WEIGHT, received age."),
        (["--what-if", "--column-weight", "age=much"], "--column-weight: much is no number."),
        (["--hierarchy", "colour=x.csv"], "--hierarchy: there is no column `colour` in people.csv."),
        (["--what-if", "--k-map", "2"], "k-map needs a table of the population."),
    ],
)
def test_what_if__says_what_is_wrong(people: str, given: list[str], problem: str, capsys: Told) -> None:
    assert main(["risk", people, *CHOSEN, *given]) == 2
    assert capsys.readouterr().err == f"error: {problem}\n"


def test_read__says_how_much_of_a_text_was_read(tmp_path: Path, capsys: Told) -> None:
    rows = [
        f"30,{'flu' if n % 2 else 'cold'},came with pain in bed {n} and was told to rest" for n in range(30)
    ]
    path = tmp_path / "notes.csv"
    path.write_text("\n".join(["age,disease,note", *rows]))
    arguments = ["risk", str(path), "--quasi-identifier", "age", "--sensitive", "disease"]
    assert main([*arguments, "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    assert (before["overall"], before["texts"][0]["n_to_read"]) == ("NOT_ASSESSED", 29)
    assert main([*arguments, "--read", "note=30", "--json"]) == 0
    after = json.loads(capsys.readouterr().out)
    assert (after["overall"], after["texts"][0]["upper_bound"]) == ("PASS", 0.0)
    assert main([*arguments, "--read", "note=31"]) == 2
    assert "`note` has 30 cells, so 31 of them cannot have been read" in capsys.readouterr().err
    assert main([*arguments, "--text-model", "gliner"]) == 2
    assert "gliner is not installed" in capsys.readouterr().err


COUNTS = "region,diagnosis,n\nA,flu,20\nA,cold,2\nA,Total,22\nB,flu,30\nB,cold,12\nB,Total,42\n"


def test_counts__are_not_judged_as_persons(tmp_path: Path, capsys: Told) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(COUNTS)
    assert main(["risk", str(path), "--quasi-identifier", "region", "--k", "2", "--l", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    told = {each["check"]: each for each in document["findings"]}
    assert (document["overall"], told["table_of_counts"]["column"]) == ("NOT_ASSESSED", "n")
    assert main(["risk", str(path), "--counts", "n", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["kind"], document["dimensions"]) == ("counts", ["region", "diagnosis"])
    assert document["counts"][0]["primary"] == [["A", "cold"]]
    assert main(["risk", str(path), "--counts", "n", "--k", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Verdict: PASS"


def test_counts__compare_tables_and_hold_amounts_against_rules(tmp_path: Path, capsys: Told) -> None:
    path, later = tmp_path / "counts.csv", tmp_path / "later.csv"
    path.write_text(COUNTS.replace(",2\n", ",9\n").replace(",22\n", ",29\n"))
    later.write_text(COUNTS.replace(",2\n", ",10\n").replace(",22\n", ",30\n"))
    assert main(["risk", str(path), "--counts", "n", "--also", str(later)]) == 1
    assert "that differ by 1 to 4 from that of the same cell in another table: 2." in capsys.readouterr().out
    assert (
        main(["risk", str(path), "--magnitude", "n", "--dominance-n", "3", "--leave-out", "diagnosis"]) == 1
    )
    assert "the 3 largest contributors have more than 85.0 % of the sum" in capsys.readouterr().out
    assert main(["risk", str(path), "--counts", "n", "--leave-out", "region", "diagnosis"]) == 2
    assert "No column says which cell a row is." in capsys.readouterr().err
    assert main(["risk", str(path), "--counts", "n", "--sensitive", "n"]) == 2
    assert "`n` cannot be both a sensitive attribute and a count; choose one." in capsys.readouterr().err
