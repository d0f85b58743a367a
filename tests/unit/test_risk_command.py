"""``python -m core risk``: one JSON document, lines of text, exit codes, sentences for bad input."""

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.__main__ import main
from core.commands.risk_release import write_release
from core.risk import WhatIfSettings, search_what_if
from core.tables import read_dataset
from tests.cases.table import holds_for_each, says
from tests.kinds import Patch, Told
from tests.risk_examples import PEOPLE, judged, problems
from tests.saying import Saying

CHOSEN = ("--quasi-identifier", "age", "--quasi-identifier", "sex", "--sensitive", "disease")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def people(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return str(path)


@pytest.fixture
def run(people: str, capsys: Told) -> Run:
    """Return what the command gives back and prints of the table, its columns chosen unless said."""

    def runs(
        *options: object, file: object = people, chosen: tuple[str, ...] = CHOSEN
    ) -> tuple[int, str, str]:
        code = main(["risk", str(file), *chosen, *map(str, options)])
        return code, *capsys.readouterr()

    return runs


def test_risk__prints_one_json_document(run: Run) -> None:
    code, out, err = run("--json")
    assert (code, err) == (1, "")
    document = json.loads(out)
    expected = {
        "errors": [],
        "tool": "risk",
        "verdict": "FAIL",
        "overall": "FAIL",
        "verdicts": {"Thresholds": "FAIL", "Beyond the thresholds": "WARN"},
        "k": 1,
        "n_records": 6,
        "n_classes": 3,
        "share_k_lt_5": 1.0,
    }
    assert {key: document[key] for key in expected} == expected
    assert document["inputs"][0]["name"] == "people.csv"
    assert document["settings"]["quasi_identifiers"] == ["age", "sex"]
    assert [each["column"] for each in document["sensitive"]] == ["disease"]


def test_risk__takes_suggested_roles_where_none_are_given(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("--k", 2, "--l", 1, "--json", chosen=())
    document = json.loads(out)
    assert (code, document["settings"]["quasi_identifiers"]) == (1, ["age", "sex"])
    assert document["settings"]["sensitive"] == ["disease", "salary"]
    assert [each["check"] for each in document["findings"]].count("roles_suggested") == 1
    path = tmp_path / "x.csv"
    path.write_text("q1,q2\na,b\na,c\n")
    code, _, err = run(file=path, chosen=())
    assert (code, err) == (2, Saying("error: No quasi-identifier is chosen. …"))


def test_risk__prints_lines_and_what_each_column_does(run: Run, people: str) -> None:
    code, out, _ = run("--original", people)
    lines = out.splitlines()
    assert code == 1
    assert lines[0].startswith("FAIL: 6 of 6 persons (100 %)")
    assert lines[0].endswith("(Thresholds FAIL, Beyond the thresholds WARN)")
    assert {"  Records assessed: 6", "  Groups (equivalence classes): 3"} <= {*lines}
    start = lines.index("What each quasi-identifier does:") + 1
    # Only (50, F) is unique, by its age; age has 3 values among 6 records and tells 11 of 15 pairs apart.
    assert [" ".join(line.split()) for line in lines[start + 2 : start + 4]] == [
        "age 16.7 % 16.7 % 50.0 % 73.3 %",
        "sex 0 % 0 % 33.3 % 53.3 %",
    ]


def test_risk__searches_special_uniques(run: Run) -> None:
    document = json.loads(run("--suda", "--suda-size", 1, "--json")[1])
    assert document["unique_sets"] == [{"n_values": 1, "n_sets": 1}]
    assert (document["settings"]["max_size"], document["dis_suda"]) == (1, None)
    assert says(run("--suda")[1], "\n  age…100 %")


def test_risk__searches_generalizations(run: Run) -> None:
    given = ("--k", 2, "--what-if", "--max-suppression", 0.2)
    code, out, _ = run(*given, "--json")
    document = json.loads(out)
    asked, found = document["settings"], document["what_if"]
    assert code == 1
    assert (asked["l"], asked["suppression_limit"]) == (2, 0.2)
    assert {each["cheaper_ones"] for each in found} == {"ruled out"}
    assert found[0]["smallest_class"] >= 2
    assert [each["k"] for each in document["what_if_costs"]] == [each["k"] for each in found]
    assert [each["column"] for each in document["generalization"]] == ["age", "sex"]
    assert "release" not in document
    assert "What if columns were made coarser:" in run(*given)[1].splitlines()


def test_risk__writes_the_generalized_table_and_counts_it_again(
    people: str, run: Run, tmp_path: Path
) -> None:
    Path(people).write_text(PEOPLE + "41,M,gout,8\n42,M,flu,8\n43,F,cold,8\n")
    before = Path(people).read_bytes()
    path = tmp_path / "out.csv"
    given = ("--k", 3, "--what-if", "--max-suppression", 0.3, "--release", path)
    code, out, _ = run(*given, "--json")
    written = json.loads(out)["release"]
    rows = [row[:3] for row in csv.reader(path.read_text().splitlines()[1:])]
    classes: dict[tuple[str, str], list[str]] = {}
    for age, sex, disease in rows:
        if (age, sex) != ("*", "*"):
            classes.setdefault((age, sex), []).append(disease)
    assert code == 1
    assert min(map(len, classes.values())) == written["k"] >= 3
    fewest = min(len(set(each)) for each in classes.values())
    assert fewest == written["sensitive"]["disease"]["distinct_l"] >= 2
    assert written["n_suppressed"] == len(rows) - sum(map(len, classes.values()))
    assert written["verdict"] == "PASS"
    settings = json.loads((tmp_path / "out.json").read_text())
    assert (settings["source"], settings["k"], settings["l"]) == ("people.csv", 3, 2)
    assert written["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert Path(people).read_bytes() == before
    for file in (path, tmp_path / "out.json"):  # nothing is overwritten
        code, _, err = run(*given)
        assert (code, err) == (2, Saying(f"error: --release: {file} exists and is never overwritten; …"))
        file.unlink()


def test_risk__writes_nothing_that_does_not_hold(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    code, out, err = run("--k", 7, "--what-if", "--release", path)
    assert (code, err) == (2, Saying("error: No generalization found keeps groups of 7 and the other …"))
    assert "What if columns were made coarser:" in out
    assert not path.exists()
    name = f"{'x' * 300}.csv"
    code, _, err = run("--what-if", "--release", name)
    assert (code, err) == (2, Saying(f"error: --release: {name} cannot be written: File name too …"))


def test_write_release__overwrites_nothing_that_appears_meanwhile_and_reads_back_what_it_wrote(
    people: str, tmp_path: Path, monkeypatch: Patch
) -> None:
    dataset, audit = read_dataset(Path(people)), judged(k=2, l=None)
    asked = WhatIfSettings(ks=(2,), suppression_limit=0.2)
    what_if = search_what_if(audit.measurement, dataset, settings=asked)
    path, other = tmp_path / "out.csv", tmp_path / "other.csv"
    path.write_text("somebody's")
    assert problems(lambda: write_release(path, what_if, audit, dataset)) == (
        Saying(f"--release: {path} cannot be written: File exists. Choose …"),
    )
    assert path.read_text() == "somebody's"
    monkeypatch.setattr(Path, "read_bytes", lambda _: b"damaged")
    assert problems(lambda: write_release(other, what_if, audit, dataset)) == (
        f"--release: {other} does not read back as it was written; do not use it.",
    )


def test_risk__of_no_assessed_record_generalizes_nothing(run: Run, tmp_path: Path) -> None:
    path, target = tmp_path / "empty.csv", tmp_path / "out.csv"
    path.write_text("age,sex,disease\n*,,flu\n*,*,cold\n")
    given = ("--what-if", "--suda", "--json")
    code, out, _ = run(*given, file=path)
    document = json.loads(out)
    assert code == 0  # not assessed is no failure, and never a pass
    assert not {"what_if", "special_uniques"} & {*document}
    assert (document["overall"], document["n_records_fully_suppressed"]) == ("NOT_ASSESSED", 2)
    code, _, err = run(*given, "--release", target, file=path)
    assert (code, err) == (2, Saying(f"error: {target} was not written: no record …"))
    code, out, _ = run("--k", 6, "--what-if", "--max-suppression", 0, "--release", target)
    assert (code, "no record shows a quasi-identifier, so nothing is assessed" in out) == (1, True)


def test_risk__reads_a_hierarchy(run: Run, tmp_path: Path) -> None:
    tree = tmp_path / "tree.csv"
    tree.write_text("value,group\nflu,lung\ncold,lung\ngout,joint\n")
    code, out, _ = run("--hierarchy", f"disease={tree}", "--json")
    assert (code, json.loads(out)["sensitive"][0]["distance"]) == (1, "hierarchical")


WRONG = (
    ("-", "--quasi-identifier zip", "There is no column `zip`; …"),
    (
        "-",
        "--quasi-identifier disease --sensitive disease",
        "`disease` cannot be both a quasi-identifier and …",
    ),
    ("+", "--k 0", "--k must be at least 1, received 0."),
    ("+", "--release x.csv", "--release writes what --what-if finds; add --what-if."),
    ("+", "--what-if --release x.json", "--release: x.json would be a CSV; choose a name that ends in .csv."),
    ("+", "--what-if --release nowhere/x.csv", "--release: there is no folder nowhere; choose another one."),
    ("+", "--what-if --max-suppression 1", "--max-suppression must be at least 0 and below 1, received 1."),
    ("+", "--suda --suda-size 0", "--suda-size must be from 1 to 20, received 0."),
    ("+", "--hierarchy disease", "--hierarchy needs COL=FILE, received disease."),
    ("+", "--original nowhere.csv", "nowhere.csv: the file cannot be opened (No such file or directory). …"),
    ("+", "--write-hierarchies x", "--write-hierarchies writes what --what-if searches; add --what-if."),
    ("+", "--what-if --column-weight age", "--column-weight needs COL=WEIGHT, received age."),
    ("+", "--what-if --column-weight age=much", "--column-weight: much is no number."),
    ("+", "--hierarchy colour=x.csv", "--hierarchy: there is no column `colour` in people.csv."),
    ("+", "--what-if --k-map 2", "k-map needs a table of the population."),
)


def test_risk__says_what_is_wrong(run: Run) -> None:
    def holds(chosen: str, options: str, sentence: str) -> None:
        code, out, err = run(*options.split(), "--json", chosen=CHOSEN if chosen == "+" else ())
        assert (code, err) == (2, Saying(f"error: {sentence}\n"))
        assert [each["message"] for each in json.loads(out)["errors"]] == [err[len("error: ") : -1]]

    holds_for_each(WRONG, holds)


PERSONS = [
    f"{name} {surname}" for name in "Mary Ana Susan Karen".split() for surname in "Smith Novak Jones".split()
]
NAMED = "full_name,age,sex,disease,ward\n" + "".join(
    f"{name},{30 + n % 2},F,{'flu' if n % 3 else 'cold'},{n % 4}\n" for n, name in enumerate(PERSONS)
)


@pytest.mark.parametrize(
    ("options", "header", "said"),
    [
        ((), None, "error: `full_name` looks like a direct identifier and nobody said what to do …"),
        (("--direct-identifier", "full_name"), "age sex disease", "  Left out, because nobody … `ward`. …"),
        (("--leave-out", "full_name"), "age sex disease", "  Left out, because nobody … `ward`. …"),
        (("--harmless", "full_name", "ward"), "full_name age sex disease ward", "…"),
        (("--person", "full_name"), "full_name age sex disease", "  `full_name` holds fresh random …"),
        (("--person", "full_name", "--person-released", "left_out"), "age sex disease", "  `full_name` is …"),
    ],
)
def test_risk__releases_no_identifier_unless_somebody_says_so(
    options: tuple[str, ...], header: str | None, said: str, run: Run, tmp_path: Path
) -> None:
    source, target = tmp_path / "named.csv", tmp_path / "out.csv"
    source.write_text(NAMED)
    code, out, err = run("--k", 3, "--what-if", "--release", target, *options, file=source)
    written = target.read_text("utf-8-sig") if target.exists() else ""
    assert (
        written.splitlines()[:1] == [",".join(f'"{name}"' for name in header.split())]
        if header
        else not written
    )
    assert (code == 2) == (not written)
    assert any(line == Saying(said) for line in [*out.splitlines(), *err.splitlines()])
    if "--harmless" not in options:
        assert not {"Mary", "Novak", "Jones"} & {*written.replace(" ", ",").replace('"', "").split(",")}


def test_what_if__takes_hierarchy_files_and_writes_those_searched(run: Run, tmp_path: Path) -> None:
    given, folder = tmp_path / "ages.csv", tmp_path / "hierarchies"
    given.write_text("30;low;*\n40;low;*\n50;high;*")
    arguments = (
        "--l",
        1,
        "--k",
        2,
        "--what-if",
        "--hierarchy",
        f"age={given}",
        "--write-hierarchies",
        folder,
    )
    more = ("--column-weight", "age=2", "--objective", "average_class_size", "--local-recoding")
    code, out, _ = run(*arguments, *more, "--json")
    document = json.loads(out)
    assert code in (0, 1)
    assert [each["name"] for each in document["inputs"] if each["role"] == "groups of values"] == ["ages.csv"]
    assert document["settings"]["objective"] == "average_class_size"
    assert document["settings"]["weights"] == {"age": 2.0}
    written = (folder / "hierarchy_01_age.csv").read_text().splitlines()
    assert sorted(written) == sorted(given.read_text().splitlines())
    code, _, err = run(*arguments)
    assert (code, "is there and not an empty folder" in err) == (2, True)


def test_read__says_how_much_of_a_text_was_read(run: Run, tmp_path: Path) -> None:
    note = "came with pain in bed {} and was told to rest"
    rows = [f"30,{'flu' if n % 2 else 'cold'},{note.format(n)}" for n in range(30)]
    path = tmp_path / "notes.csv"
    path.write_text("\n".join(["age,disease,note", *rows]))
    chosen = ("--quasi-identifier", "age", "--sensitive", "disease")
    for options, expected in (
        ((), ("NOT_ASSESSED", 29, 1.0)),
        (("--read", "note=30"), ("PASS", 29, 0.0)),
    ):
        code, out, _ = run(*options, "--json", file=path, chosen=chosen)
        document = json.loads(out)
        (found,) = document["texts"]
        assert (code, document["overall"], found["n_to_read"], found["upper_bound"]) == (0, *expected)
    for options, problem in (
        (("--read", "note=31"), "`note` has 30 cells, so 31 of them cannot have been read"),
        (("--text-model", "gliner"), "gliner is not installed"),
    ):
        code, _, err = run(*options, file=path, chosen=chosen)
        assert (code, problem in err) == (2, True)


COUNTS = "region,diagnosis,n\nA,flu,20\nA,cold,2\nA,Total,22\nB,flu,30\nB,cold,12\nB,Total,42\n"


def test_counts__are_not_judged_as_persons(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(COUNTS)
    code, out, _ = run("--quasi-identifier", "region", "--k", 2, "--l", 1, "--json", file=path, chosen=())
    document = json.loads(out)
    told = {each["check"]: each for each in document["findings"]}
    assert (code, document["overall"], told["table_of_counts"]["column"]) == (0, "NOT_ASSESSED", "n")
    code, out, _ = run("--counts", "n", "--json", file=path, chosen=())
    document = json.loads(out)
    assert (code, document["kind"]) == (1, "counts")
    (cells,) = (each for each in document["tables"] if each["key"] == "cells")
    assert [each["label"] for each in cells["columns"][:2]] == ["region", "diagnosis"]
    small = [each for each in document["cells"] if each["why"] == "small count"]
    assert [(each["cell_0"], each["cell_1"]) for each in small] == [("A", "cold")]
    code, out, _ = run("--counts", "n", "--k", 2, file=path, chosen=())
    assert (code, out.splitlines()[0][:6]) == (0, "PASS: ")


def test_counts__compare_tables_and_hold_amounts_against_rules(run: Run, tmp_path: Path) -> None:
    path, later = tmp_path / "counts.csv", tmp_path / "later.csv"
    path.write_text(COUNTS.replace(",2\n", ",9\n").replace(",22\n", ",29\n"))
    later.write_text(COUNTS.replace(",2\n", ",10\n").replace(",22\n", ",30\n"))
    largest = "the 3 largest contributors have more than 85.0 % of the sum"
    for options, expected, said in (
        (
            f"--counts n --also {later}",
            1,
            "that differ by 1 to 4 from that of the same cell in another table: 2.",
        ),
        ("--magnitude n --dominance-n 3 --leave-out diagnosis", 1, largest),
        *(
            (f"--magnitude n --{name} diagnosis", 2, f"A table of counts or amounts has no use for {what}; ")
            for name, what in {
                "weight": "a sampling weight",
                "person": "a person",
                "household": "a household",
            }.items()
        ),
        ("--counts n --leave-out region diagnosis", 2, "No column says which cell a row is."),
        ("--counts n --sensitive n", 2, "`n` cannot be both a sensitive attribute and a count; choose one."),
    ):
        code, out, err = run(*options.split(), file=path, chosen=())
        assert (code, said in out + err) == (expected, True), options
