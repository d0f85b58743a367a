"""Commands for a sceptic run as they stand, whatever files, sheets, columns and records are called."""

import json
import random
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.__main__ import main
from core.commands.audit import audit_again
from core.delivery import DeliverySettings, DeliveryThresholds, audit_delivery
from core.delivery.proof import delivery_proof
from core.files.plain_text import printable, shell_word
from core.leakage import LeakageSettings, audit_leakage
from core.leakage.proof import leakage_proof
from core.reports.proof import Step, literal, proof_tables
from core.result import Table
from core.risk import RiskSettings, RiskThresholds, audit_risk
from core.risk.proof import risk_proof
from core.tables import Dataset, ReadOptions, read_dataset
from core.tabular import audit_tabular, read_log
from core.tabular.proof import tabular_proof
from core.vcf import VcfFile, VcfPair, VcfSettings, run_pairs
from core.vcf.report import vcf_proof
from tests.vcf_files import bcf, bgzf, vcf_text

NAMES = (
    "it's", 'say "x"', "`touch pwned`", "$(touch pwned)", "'; touch pwned; '", "\u2019; touch pwned; \u2018",
    "a & touch pwned & b", "%PATH%", "!x", "\u202eevil\u202c", "\u2066x", "-rf", "--help", "a  b", "a\tb",
    "a\nb", "back\\slash\\", "\x1b[2J", "\x7f\x08", "#", "##", "0", "_x0041_", "Unnamed: 3", "a.1", "a_2",
    "index", "level_0", "size", "u\u2028v", "{x}", "{0}", "né", "가나", "\U0001d4b3", "\u200bz", "r[0]",
    "x, y", "nan", "None",
)  # fmt: skip
FILES = (
    "it's.csv", "-rf", "~", "~root.csv", "http:x.csv", "file:x.csv", "$(touch pwned).csv", "a\nb.csv",
    "\x1b[2J.csv", "\u202evsc.exe", "a.gz", "a.zip", "CON", "x|y", "`id`.csv", "\u2018a\u2019.csv",
    "pandas.csv", "-", "data:,x", "a\\b",
)  # fmt: skip


# Runs code after code as `python3 -c` does, from the folder, so that the libraries are loaded once.
_ONE_BY_ONE = """
import sys
at_first = sys.path
sys.path = [*filter(None, at_first)]
import contextlib, io, json
printed = []
for code in json.load(sys.stdin):
    sys.path = [*at_first]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {"__name__": "__main__"})
    printed.append(out.getvalue().encode().decode())
print(json.dumps(printed))
"""
_LOADING = "import pandas as pd; "


def _run(tables: Iterable[Table], folder: Path) -> list[tuple[str, str, str]]:
    """Run every command beside files that are called as Python's own; none may be imported, none written.

    A shell takes each apart, and the first runs as it stands. Those that load the same in the same way are
    run by one Python.
    """
    for name in ("pandas", "sys", "re", "gzip", "collections"):
        (folder / f"{name}.py").write_text("raise SystemExit(9)")
    for name, program in (("bin", f'exec "{sys.executable}" "$@"'), ("said", "printf '%s\\0' \"$@\"")):
        (folder / name).mkdir()
        (folder / name / "python3").write_text(f"#!/bin/sh\n{program}\n")
        (folder / name / "python3").chmod(0o755)
    before = {*folder.iterdir()}
    (table,) = tables
    assert table.name.split()[0] == "Proof"
    codes = [_code(command, folder) for _, _, command, _ in table.rows]
    first = codes[0].partition(_LOADING)[0] + _LOADING
    alike = [code for code in codes[1:] if code.startswith(first)]
    together = _done(["python3", "-c", _ONE_BY_ONE], folder, json.dumps(alike)) if alike else "[]"
    printed = dict(zip(alike, json.loads(together), strict=True))
    found = []
    for _, what, command, prints in table.rows:
        code = shlex.split(command)[-1]
        said = printed[code] if code in printed else _done(["/bin/sh", "-c", command], folder)
        found.append((str(what), str(prints), said.strip()))
    assert {*folder.iterdir()} == before
    return found


def _code(command: str, folder: Path) -> str:
    """Return the code of a command, as a shell hands it to Python."""
    program, option, code = shlex.split(command)
    assert (program, option) == ("python3", "-c")
    assert code.isprintable()
    assert printable(command) == command
    assert _done(["/bin/sh", "-c", command], folder, programs="said") == f"-c\0{code}\0"
    return code


def _done(words: Sequence[str], folder: Path, given: str = "", *, programs: str = "bin") -> str:
    """Return what a command prints that ends well."""
    path = f"{folder / programs}:/usr/bin:/bin"
    done = subprocess.run(
        words if words[0].startswith("/") else [folder / programs / words[0], *words[1:]],
        cwd=folder,
        env={"PATH": path, "LC_ALL": "C.UTF-8"},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (words, done.stderr[-600:])
    return done.stdout


def _agree(found: Sequence[tuple[str, str, str]]) -> None:
    assert found
    for what, prints, printed in found:
        assert prints == printed, what


def _people(n: int = 40) -> pd.DataFrame:
    rng = random.Random(7)  # noqa: S311 - repeatable
    cells = ["", " ", "$(id)", "`x`", "it's", "a\tb", "=1+1", "\u202ex", "0", "é"]
    return pd.DataFrame(
        {name: [rng.choice(cells) + str(rng.randrange(9)) for _ in range(n)] for name in NAMES}
    )


def _read(path: Path, **options: object) -> Dataset:
    return read_dataset(path, options=ReadOptions(**options))  # type: ignore[arg-type]


def _risk(dataset: Dataset) -> tuple[Table, ...]:
    settings = RiskSettings(quasi_identifiers=tuple(dataset.columns), roles_suggested=False)
    return risk_proof(audit_risk(dataset, settings=settings, thresholds=RiskThresholds(k=3)), dataset)


@pytest.mark.parametrize("kind", ["csv", "none", "xlsx", "parquet"])
def test_risk_proof__runs_whatever_columns_are_called(kind: str, tmp_path: Path) -> None:
    people = _people()
    if kind == "xlsx":
        people = people[[name for name in people if name.isprintable()]]
        people.to_excel(tmp_path / "t.xlsx", index=False, sheet_name="it's $(x) `y`")
    elif kind == "parquet":
        people["n"] = pd.array([1, None] * 20, dtype="Int64")
        people.to_parquet(tmp_path / "t.parquet")
    else:
        people.to_csv(tmp_path / f"t.{kind}", index=False, header=kind == "csv")
    options = {"header": "none"} if kind == "none" else {}
    _agree(_run(_risk(_read(tmp_path / f"t.{kind}", **options)), tmp_path))


@pytest.mark.parametrize("name", FILES)
def test_risk_proof__runs_whatever_a_file_is_called(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / name).write_text("a,b\n1,2\n1,3\n2,2\n")
    _agree(_run(_risk(_read(folder / name)), folder))


@pytest.mark.parametrize("name", ["/etc/passwd", "../t.csv", "a/../../t.csv", "a\0b", "\udcff.csv", ""])
def test_proof__is_not_given_where_no_command_can_open_a_file(name: str) -> None:
    dataset = read_dataset(b"a,b\n1,2\n1,3\n2,2\n", name=name or "x")
    object.__setattr__(dataset, "name", name)
    assert _risk(dataset) == ()


def test_proof__gives_no_command_that_a_program_cannot_take() -> None:
    steps = [Step("a", "x" * 32_001, "1"), Step("b", "y" * 32_000, "2")]
    (table,) = proof_tables(steps)
    assert [prints for *_, prints in table.rows] == ["2"]
    assert proof_tables(steps[:1]) == ()


def test_leakage_proof__runs_whatever_columns_are_called(tmp_path: Path) -> None:
    people = _people()
    people.to_csv(tmp_path / "'a'.csv", index=False)
    people.to_csv(tmp_path / "b.csv", index=False, sep=";")
    tables = _read(tmp_path / "'a'.csv"), _read(tmp_path / "b.csv")
    ignored = ("'; touch pwned; '", "\n", "\u202e")
    audit = audit_leakage(*tables, settings=LeakageSettings(ignore_values=ignored))
    _agree(_run(leakage_proof(audit, *tables), tmp_path))


def test_tabular_proof__runs_whatever_columns_are_called(tmp_path: Path) -> None:
    people = _people(60)
    rng = random.Random(5)  # noqa: S311 - repeatable
    people["$(id) `x`"] = [f"Ann-{rng.randrange(10**6):06d}x" for _ in range(60)]
    other = people.copy()
    other["$(id) `x`"] = [each[::-1] for each in people["$(id) `x`"]]
    people.to_csv(tmp_path / "t.csv", index=False)
    other.to_csv(tmp_path / "t_anonymized.csv", index=False)
    entry = {"semantic": "other", "action": "keep"}
    log = {name: entry | ({"action": "generalize"} if name == "$(id) `x`" else {}) for name in people}
    log |= {name: {"semantic": "name", "action": "drop"} for name in NAMES[:5]}
    (tmp_path / "log.json").write_text(json.dumps({"_meta": {"mode": "low"}, "log_info": log}))
    tables = _read(tmp_path / "t.csv"), _read(tmp_path / "t_anonymized.csv")
    audit = audit_tabular(*tables, read_log(tmp_path / "log.json"))
    found = _run(tabular_proof(audit, *tables), tmp_path)
    _agree(found)
    assert any("written backwards" in what for what, _, _ in found)
    assert any("is left in" in what or "are left in" in what for what, _, _ in found)


def test_delivery_proof__runs_whatever_tables_and_columns_are_called(tmp_path: Path) -> None:
    person, ward = "'p' $(id)", "ward\n# `x`"
    persons = pd.DataFrame({person: [f"P{n:04}" for n in range(300)]})
    visits = pd.DataFrame({person: [f"P{n // 2:04}" for n in range(600)]})
    persons["'; x"], visits[ward] = [str(n % 9) for n in range(300)], [f"W{n // 4}" for n in range(600)]
    persons.to_csv(tmp_path / "it's `p`.csv", index=False)
    visits.to_csv(tmp_path / "$(touch pwned).csv", index=False)
    datasets = [_read(tmp_path / "it's `p`.csv"), _read(tmp_path / "$(touch pwned).csv")]
    settings = DeliverySettings(
        person=f"it's `p`.{person}",
        keys=(f"it's `p`.{person}=$(touch pwned).{person}",),
        quasi_identifiers=("it's `p`.'; x", f"$(touch pwned).{ward}"),
    )
    audit = audit_delivery(datasets, settings=settings, thresholds=DeliveryThresholds(k=3))
    _agree(_run(delivery_proof(audit, datasets), tmp_path))


def test_event_proof__runs_whatever_events_are_called(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    cells = [
        f'"{name.replace(chr(34), chr(34) * 2)}"' for name in NAMES[:-2]
    ]  # the last are spellings of none
    rows = [
        f"u{user},2024-01-02 08:{10 + n}:00,{cells[(user * 3 + n) % len(cells)]}"
        for user in range(20)
        for n in range(3)
    ]
    (tmp_path / "it's.csv").write_text("\n".join(["user,time,event", *rows]), encoding="utf-8")
    words = ["--user-column", "user", "--time-column", "time", "--event-column", "event", "--k", "2"]
    words = [str(tmp_path / "it's.csv"), *words, "--columns", "week_number,event"]
    report = audit_again("events", [words]).full_report(datetime.now(UTC))
    assert main(["events", *words, "--out-dir", str(folder)]) in (0, 1)
    _agree(_run((table for table in report.tables if table.name == "Proof"), folder))


@pytest.mark.parametrize("how", ["plain", "bgzf", "bcf"])
def test_vcf_proof__runs_whatever_files_and_contigs_are_called(how: str, tmp_path: Path) -> None:
    contig = "chr1" if how == "bcf" else "chr$(touch`x`)'"
    header = (
        "##fileformat=VCFv4.2",
        f"##contig=<ID={contig},length=9999>",
        '##INFO=<ID=MAF,Number=1,Type=Float,Description="x">',
    )
    records = [f"{contig} {n * 7 + 10} rs{n} A G . PASS MAF=0.0001" for n in range(12)]
    masked = [record.replace(" A G ", " A . ") for record in records]
    files = []
    for name, lines in (("it's `x`.vcf", records), ("high_anony_it's `x`.vcf", masked)):
        data = vcf_text(lines, header=header)
        data = data if how == "bcf" else data.replace(b"PASS", b"caf\xe9")
        (tmp_path / name).write_bytes({"plain": bytes, "bgzf": bgzf, "bcf": bcf}[how](data))
        files.append(VcfFile(name=name, path=tmp_path / name))
    pair = VcfPair(original=files[0], anonymized=files[1], level="high")
    found = _run(vcf_proof([*run_pairs([pair], VcfSettings(), n_jobs=1)]), tmp_path)
    for _, prints, printed in found:
        lines = printed.splitlines()
        assert prints == f"{len(lines)} line{'s' * (len(lines) > 1)}"
        assert all(line.startswith(contig) for line in lines)


_WORDS = st.text(min_size=1, max_size=12) | st.sampled_from([*NAMES, *FILES])


@given(_WORDS)
def test_literal__is_the_text_and_nothing_that_a_shell_or_a_terminal_takes_for_more(words: str) -> None:
    code = literal(words)
    assert eval(code) == words  # noqa: S307 - what a command evaluates
    assert code.isprintable()
    assert not {*code[1:-1]} & {*"'\"`$!%&|<>^~\u2018\u2019\u201a\u201b\u201c\u201d\u201e"}
    assert "  " not in code


@given(_WORDS.filter(lambda words: "\0" not in words))
def test_shell_word__is_read_as_the_word(words: str) -> None:
    shown = shell_word(words)
    assert shown.isprintable()
    said = subprocess.run(["bash", "-c", f"printf %s {shown}"], capture_output=True, check=True).stdout
    assert said == words.encode()
