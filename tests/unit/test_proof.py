"""The commands of a proof, run as they stand, print what the proof says they print."""

import base64
import codecs
import gzip
import hashlib
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest
from markupsafe import escape

from core.__main__ import main
from core.commands.audit import audit_again
from core.delivery import DeliveryThresholds, audit_delivery
from core.delivery.proof import delivery_proof
from core.demo import LEAKAGE as SURVEYS
from core.demo import RISK as PATIENTS
from core.demo import TABULAR as HOSPITALS
from core.demo import VCF as COHORTS
from core.errors import AuditInputError
from core.files.named_files import alone
from core.leakage import LeakageSettings, audit_leakage
from core.leakage.proof import leakage_proof
from core.leakage.report import leakage_report
from core.reports import render
from core.result import Table
from core.risk import RiskSettings, RiskThresholds, audit_risk
from core.risk.proof import risk_proof
from core.tables import Dataset, ReadOptions, read_dataset
from core.tabular import audit_tabular, read_log
from core.tabular.proof import tabular_proof
from core.vcf import VcfSettings, pair_folders, run_pairs
from core.vcf.report import vcf_proof
from core.verdict import Verdict
from tests.hostile.repeats import TOOLS, files, random_words
from tests.vcf_files import bcf


def _written(demo: object, folder: Path) -> list[Path]:
    files = list(chain(*demo.make().values()))
    for file in files:
        (folder / file.name).write_bytes(file.data)
    return [folder / file.name for file in files]


def _run(tables: Iterable[Table], folder: Path) -> list[tuple[str, str, str]]:
    """Run every command of a proof; return its sentence, what it should print and what it printed."""
    (table,) = tables
    assert table.name.split()[0] == "Proof"
    (tools := folder / "tools").mkdir(exist_ok=True)
    (tools / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tools / "python3").chmod(0o755)
    plain = {"PATH": f"{tools}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    found = []
    for _, what, command, prints in table.rows:
        words = ["/bin/sh", "-c", command]
        done = subprocess.run(words, cwd=folder, env=plain, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found.append((str(what), str(prints), done.stdout.strip()))
    assert found
    return found


def _agreed(tables: Iterable[Table], folder: Path) -> list[tuple[str, str]]:
    """Return the sentences of a proof and what they print, which is what they should."""
    found = _run(tables, folder)
    assert [(what, printed) for what, prints, printed in found if printed != prints] == []
    return [(what, prints) for what, prints, _ in found]


def _tabular(folder: Path, stem: str, log: str = "") -> list[tuple[str, str]]:
    """Audit a table and its anonymized one; return the steps of the proof."""
    tables = [read_dataset(folder / f"{stem}{end}.csv") for end in ("", "_anonymized")]
    audit = audit_tabular(*tables, read_log(folder / (log or f"{stem}_anonymized_log.json")))
    return _agreed(tabular_proof(audit, *tables), folder)


def _risk(dataset: Dataset, folder: Path, k: int = 5, **settings: object) -> list[tuple[str, str]]:
    asked = RiskSettings(**settings) if settings else None
    audit = audit_risk(dataset, settings=asked, thresholds=RiskThresholds(k=k))
    return _agreed(risk_proof(audit, dataset), folder)


def _surveys(which: int, folder: Path) -> list[Dataset]:
    return [read_dataset(path) for path in _written(SURVEYS[which], folder)]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("which", [0, 2])
def test_leakage_proof__prints_what_it_says(which: int, tmp_path: Path) -> None:
    tables = _surveys(which, tmp_path)
    audit = audit_leakage(*tables, settings=LeakageSettings(ignore_values=("-999",)))
    found = _agreed(leakage_proof(audit, *tables), tmp_path)
    if which == 0:
        assert found[0][1].startswith("18 rows: ")
        assert audit.measures.rows.n_full == 18
    else:
        assert found[-1][1] == "600 found: 1 2 3 4 5 6 7 8 9 10"


@pytest.mark.slow
def test_leakage_proof__follows_rows_to_their_nearest(tmp_path: Path) -> None:
    original = _surveys(0, tmp_path)[0]
    frame = pd.read_csv(tmp_path / "survey.csv", dtype=str)
    frame["bmi"] = frame["bmi"].str.replace(".", "9.", regex=False)
    frame["age"] = frame["age"].str[::-1]
    frame.to_csv(tmp_path / "near.csv", index=False)
    tables = (original, read_dataset(tmp_path / "near.csv"))
    found = _agreed(leakage_proof(audit_leakage(*tables), *tables), tmp_path)
    assert "candidate" in found[-1][0]


@pytest.mark.slow
def test_risk_proof__prints_what_it_says(tmp_path: Path) -> None:
    (path,) = _written(PATIENTS[0], tmp_path)
    dataset = read_dataset(path)
    found = _risk(dataset, tmp_path)
    classes = audit_risk(dataset).measurement.classes
    assert found[0][1] == f"{classes.n_records_below(5)} of 360"
    assert found[1][1].startswith(f"{classes.n_records_below(2)} alone: ")
    assert "99, A, AAAAAAAAA" in found[1][0]


@pytest.mark.one_of(6)
@pytest.mark.parametrize("seed", range(6))
def test_risk_proof__reads_files_as_the_audit_does(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable
    delimiter, encoding = rng.choice(",;\t|"), rng.choice(["utf-8-sig", "cp1250", "utf-8"])
    names = ["it's “age”" if encoding != "cp1250" else "it's age", "n", "naïve" if seed % 2 else "index"]
    cells = ["", " ", "NA", " null ", "a b", "Žan", "00123", "1.0", "'x'", 'say "y"', "#", " a b"]
    rows = [[rng.choice(cells) for _ in names] for _ in range(60)]
    lines = [f"Title{delimiter}{delimiter}"] * (seed % 3 == 0) + [delimiter.join(names)]
    lines += [delimiter.join(f'"{c.replace(chr(34), 2 * chr(34))}"' for c in row) for row in rows]
    path = tmp_path / "a table's.csv"
    path.write_bytes("\r\n".join(lines).encode(encoding if "naïve" not in names else "utf-8", "replace"))
    dataset = read_dataset(path, options=ReadOptions(delimiter=delimiter))
    asked = {"quasi_identifiers": tuple(dataset.columns), "roles_suggested": False}
    found = _risk(dataset, tmp_path, 3, **asked)
    classes = audit_risk(dataset, settings=RiskSettings(**asked)).measurement.classes
    assert found[0][1] == f"{classes.n_records_below(3)} of {classes.class_sizes.sum()}"


@pytest.mark.slow
def test_risk_proof__reads_a_table_without_names_and_a_workbook(tmp_path: Path) -> None:
    rows = [("a", "x"), ("a", "x"), ("b", "y"), ("b", "z")]
    (tmp_path / "none.csv").write_text("\n".join(",".join(row) for row in rows))
    pd.DataFrame(rows, columns=["p", "q"]).to_excel(tmp_path / "book.xlsx", index=False, sheet_name="S 1")
    pd.DataFrame(rows, columns=["p", "q"]).to_parquet(tmp_path / "file.parquet")
    for name, header in (("none.csv", "none"), ("book.xlsx", "auto"), ("file.parquet", "auto")):
        dataset = read_dataset(tmp_path / name, options=ReadOptions(header=header))
        found = _risk(dataset, tmp_path, 2, quasi_identifiers=tuple(dataset.columns))
        assert [prints for _, prints in found] == ["2 of 4", "2 alone: 3 4"]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("stem", ["lab_results", "survey"])
def test_tabular_proof__prints_what_it_says(stem: str, tmp_path: Path) -> None:
    _written(HOSPITALS[0], tmp_path)
    found = _tabular(tmp_path, stem)
    told = [what for what, _ in found]
    if stem == "lab_results":
        assert found[0] == ("2 values are left in `name`, which the log says was dropped.", "2")
        assert any("matches exactly one" in what or "match exactly one" in what for what in told)
    else:
        assert any("cells of `street` are as in the original" in what for what in told)


def _vcf_lines(folder: Path) -> list[tuple[str, list[str]]]:
    """Return the sentences of a proof about genomes, and the lines that they print."""
    outcomes = [*run_pairs(pair_folders(folder, folder).pairs, VcfSettings(), n_jobs=1)]
    told = [
        (what, prints, printed.splitlines()) for what, prints, printed in _run(vcf_proof(outcomes), folder)
    ]
    assert all(prints in (f"{len(lines)} lines", f"{len(lines)} line") for _, prints, lines in told)
    return [(what, lines) for what, _, lines in told]


@pytest.mark.slow
def test_vcf_proof__shows_what_is_left_at_masked_sites_and_reads_bcf(tmp_path: Path) -> None:
    _written(COHORTS[0], tmp_path)
    for what, lines in _vcf_lines(tmp_path):
        if "keep an ID of a public database" in what:
            assert all(re.search(r" ALT [.N]+ as in the original: ID", line) for line in lines), lines
    for path in [*tmp_path.glob("*.vcf.gz")]:
        text = gzip.decompress(path.read_bytes()).decode()
        named = re.sub(r"(?m)^([^#\t][^\t]*\t)(\d+)\t[^\t]+", r"\1\2\trs\2", text)
        if "north" in path.name:
            (tmp_path / path.name.replace(".vcf.gz", ".bcf")).write_bytes(bcf(named.encode()))
        path.unlink()
    of_ids = [lines for what, lines in _vcf_lines(tmp_path) if "ID of a public database" in what]
    assert of_ids
    assert all("as in the original: ID" in lines[0] for lines in of_ids)


@pytest.mark.slow
def test_proof__is_of_what_failed(tmp_path: Path) -> None:
    tables = _surveys(1, tmp_path)
    assert leakage_proof(audit_leakage(*tables), *tables) == ()
    _written(HOSPITALS[0], tmp_path)
    tables = [read_dataset(tmp_path / f"patients{end}.csv") for end in ("", "_anonymized")]
    log = read_log(tmp_path / "patients_anonymized_log.json")
    assert tabular_proof(audit_tabular(*tables, log), *tables) == ()
    (safe := tmp_path / "safe.csv").write_text("a,b\n" + "x,1\n" * 20)
    dataset = read_dataset(safe)
    audit = audit_risk(dataset, settings=RiskSettings(quasi_identifiers=("a",), other=("b",)))
    assert risk_proof(audit, dataset) == ()


@pytest.mark.one_of(7)
@pytest.mark.parametrize("tool", TOOLS)
def test_report__proves_only_what_failed(tool: str) -> None:
    told = []
    for seed in range(1_000, 1_006):
        try:
            with alone(files(tool)):
                made = audit_again(tool, [random_words(tool, seed)]).full_report(datetime.now(UTC))
        except AuditInputError:  # settings that contradict each other
            continue
        told.append(made.verdict)
        is_proven = any(table.name.startswith("Proof") for table in made.tables)
        assert made.verdict is Verdict.FAIL or not is_proven
        assert "was not tried" in made.limits[-1]
    assert told


@pytest.mark.slow
def test_proof__stands_whole_in_html(tmp_path: Path) -> None:
    original, scrambled = _surveys(0, tmp_path)
    audit = audit_leakage(original, scrambled)
    (table,) = tables = leakage_proof(audit, original, scrambled)
    report = leakage_report(audit, inputs=[], created_at=datetime(2026, 11, 23, tzinfo=UTC))
    page = render(report.with_tables(tables), "html").decode()
    assert [each for _, _, each, _ in table.rows if f"<code>{escape(each)}</code>" not in page] == []


def _disguised(folder: Path, name: str, disguise: Callable[[str], object]) -> list[tuple[str, str]]:
    """Audit a table whose column is disguised; return the steps of its proof."""
    rng = random.Random(3)  # noqa: S311 - repeatable
    people = [f"Ann-{rng.randrange(10**6):06d}x" for _ in range(120)]
    ages = [str(rng.randrange(10_000, 99_999)) for _ in range(120)]
    days = [f"19{rng.randrange(50, 99)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 28):02d}" for _ in ages]
    original = pd.DataFrame({"person": people, "amount": ages, "born": days})
    actions = {each: "generalize" if each == name else "keep" for each in original}
    info = {each: {"semantic": "other", "action": action} for each, action in actions.items()}
    original.to_csv(folder / "t.csv", index=False)
    other = original.assign(**{name: [disguise(value) for value in original[name]]})
    other.to_csv(folder / "t_anonymized.csv", index=False)
    (folder / "t_anonymized_log.json").write_text(json.dumps({"_meta": {"mode": "low"}, "log_info": info}))
    return _tabular(folder, "t")


def _digest(kind: str) -> Callable[[str], str]:
    return lambda v: hashlib.new(kind, v.encode(), usedforsecurity=False).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "disguise", "told"),
    [
        ("person", lambda v: v[::-1], "written backwards"),
        ("person", lambda v: base64.b64encode(v.encode()).decode(), "in Base64"),
        ("person", lambda v: v.encode().hex(), "in hexadecimal"),
        ("person", lambda v: codecs.encode(v, "rot13"), "in ROT13"),
        ("person", _digest("md5"), "as their MD5 digests"),
        ("person", _digest("sha256"), "as their SHA-256 digests"),
        ("person", str.upper, "in capital letters"),
        ("amount", lambda v: int(v) + 7031, "and one constant"),
        ("born", lambda v: date.fromisoformat(v) + timedelta(days=33), "and one constant"),
        ("person", lambda v: random.Random(v).randrange(10**9), None),  # noqa: S311 - drawn anew
    ],
)
def test_tabular_proof__undoes_disguises(
    name: str, disguise: Callable[[str], object], told: str | None, tmp_path: Path
) -> None:
    found = _disguised(tmp_path, name, disguise)
    if told:
        assert [prints for what, prints in found if told in what] == ["120 of 120"], found
    else:
        assert not any("the original column `person`" in what for what, _ in found)


@pytest.mark.slow
def test_proof__points_at_cells_of_free_text_and_quotes_none(tmp_path: Path) -> None:
    notes = [f"Visit {i}: blood pressure as before, no pain, back in {i % 7 + 2} weeks." for i in range(60)]
    notes[4] = "Patient John Smith called and asked for Dr. Mary Brown about the results."
    notes[41] = "She may be reached at anna.kovac@example.org after five, she said."
    cells = "sex,note\n" + "".join(f'{"fm"[i % 2]},"{n}"\n' for i, n in enumerate(notes))
    for name in ("t.csv", "t_anonymized.csv"):
        (tmp_path / name).write_text(cells)
    dataset = read_dataset(tmp_path / "t.csv")
    audit = audit_risk(dataset, settings=RiskSettings(quasi_identifiers=("sex",), other=("note",)))
    tables = risk_proof(audit, dataset)
    (what, prints) = _agreed(tables, tmp_path)[-1]
    assert what.startswith("2 cells of `note` say in their words who somebody is.")
    assert prints == f"5:{len(notes[4])} 42:{len(notes[41])}"
    assert "Smith" not in "".join(str(table.cells()) for table in tables)
    info = {"note": {"semantic": "other", "action": "keep"}}
    (tmp_path / "t_anonymized_log.json").write_text(json.dumps({"_meta": {"mode": "low"}, "log_info": info}))
    assert any("cells of `note` say in their words" in what for what, _ in _tabular(tmp_path, "t"))


def _delivery(folder: Path, tables: dict[str, str]) -> list[Dataset]:
    for name, cells in tables.items():
        (folder / name).write_text(cells, encoding="utf-8")
    return [read_dataset(folder / name) for name in tables]


def _of_persons(n: int, *, visits: Callable[[int], str]) -> dict[str, str]:
    persons = "".join(f"P{person:04},{30 + person % 4},{'FM'[person % 2]}\n" for person in range(n))
    of_visits = "".join(f"P{person:04} ,{visits(person)},{person % 3}\n" for person in range(n) for _ in "12")
    return {"persons.csv": f"pid,age,sex\n{persons}", "visits.csv": f"pid,ward,days\n{of_visits}"}


@pytest.mark.slow
def test_delivery_proof__finds_who_is_alone_by_the_tables_together(tmp_path: Path) -> None:
    datasets = _delivery(tmp_path, _of_persons(400, visits=lambda person: f"W{person // 2}"))
    audit = audit_delivery(datasets, thresholds=DeliveryThresholds(k=3))
    assert audit.overall is Verdict.FAIL
    found = _agreed(delivery_proof(audit, datasets), tmp_path)
    assert found[0][1].endswith(" alone")
    assert not found[0][1].startswith("0 ")
    datasets = _delivery(tmp_path, _of_persons(400, visits=lambda _: "W1"))  # which tell nobody
    audit = audit_delivery(datasets, thresholds=DeliveryThresholds(k=3))
    assert delivery_proof(audit, datasets) == ()


@pytest.mark.slow
def test_risk_proof__counts_persons_by_all_their_records(tmp_path: Path) -> None:
    stays = "".join(f"P{n // 2:03},{'AB'[n % 2]},{n % 9}\n" for n in range(120))
    (dataset,) = _delivery(tmp_path, {"stays.csv": f"pid,ward,days\n{stays}"})
    asked = {"quasi_identifiers": ("ward", "days"), "person": "pid", "roles_suggested": False}
    audit = audit_risk(dataset, settings=RiskSettings(**asked), thresholds=RiskThresholds(k=9))
    assert audit.overall is Verdict.FAIL
    assert _risk(dataset, tmp_path, 9, **asked)[0][1].startswith("60 of 60")


_COLUMNS = ("--user-column", "user", "--time-column", "time", "--event-column", "event")


def _proof_of_events(folder: Path, rows: Iterable[str]) -> tuple[Table, ...]:
    (folder / "log.csv").write_text("\n".join(["user,time,event", *rows]), encoding="utf-8")
    words = [str(folder / "log.csv"), "--k", "2", *_COLUMNS, "--columns", "week_number,event"]
    made = audit_again("events", [words]).full_report(datetime.now(UTC))
    assert main(["events", *words, "--out-dir", str(folder / "export")]) in (0, 1)
    return tuple(table for table in made.tables if table.name == "Proof")


@pytest.mark.slow
def test_event_proof__tells_users_apart_in_the_export(tmp_path: Path) -> None:
    several = [
        f"u{user},2024-01-02 08:{10 + event}:00,e{event}"
        for user in range(24)
        for event in (user % 4, 4 + user // 4, 10 + user % 3)
    ]
    found = _agreed(_proof_of_events(tmp_path, several), tmp_path / "export")
    assert found[0][1] == "24 of 24"
    counted = [f"u{user},2024-01-02 08:00:{n:02},e1" for user in range(24) for n in range(user + 1)]
    found = _agreed(_proof_of_events(tmp_path, counted), tmp_path / "export")  # rows, where events are alike
    assert [prints for _, prints in found] == ["24 of 24"]
    alike = [f"u{user},2024-01-01 08:00:00,e1" for user in range(24)]
    assert _proof_of_events(tmp_path, alike) == ()
