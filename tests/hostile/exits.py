"""Run every command many times on tiny input: each run must end by itself, with an exit code of ours.

Native threads and processes that read files end with the program; where one of them ends it instead, that
is once in many runs.
"""

import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from core.__main__ import main
from core.demo import DATASET, VCF

ROOT = Path(__file__).parents[2]
CODES = (0, 1)  # the verdict is FAIL or it is not
SECONDS = 600
N_PEOPLE = 40
RUN = "{run}"  # stands for the number of a run in the names of what it writes


def commands(folder: Path) -> Mapping[str, list[str]]:
    """Write tiny input and return the arguments of each command."""
    people = {
        "age": [str(30 + i % 5) for i in range(N_PEOPLE)],
        "sex": ["fm"[i % 2] for i in range(N_PEOPLE)],
        "score": [str(i * 7 % 13) for i in range(N_PEOPLE)],
        "disease": [("flu", "cold", "gout")[i % 3] for i in range(N_PEOPLE)],
    }
    moved = people | {"score": people["score"][::-1]}
    rows = [",".join(row) for row in zip(*people.values(), strict=True)]
    (folder / "people.csv").write_text("\n".join([",".join(people), *rows]), encoding="utf-8")
    parquet.write_table(pa.table(people), folder / "people.parquet")
    parquet.write_table(pa.table(moved), folder / "people_anonymized.parquet")
    entries = {name: {"semantic": "other", "action": "keep"} for name in people}
    log = {"_meta": {"mode": "low"}, "log_info": entries}
    (folder / "people_anonymized_log.json").write_text(json.dumps(log), encoding="utf-8")
    events = [f"2024-01-{8 + i % 3:02d}T10:00;u{i % 9};X.FALL_DETECTED" for i in range(N_PEOPLE)]
    (folder / "log.csv").write_text("\n".join(["OD_ISO;GUID;dogodek", *events]), encoding="utf-8")
    for file in DATASET[0].make()["tables"]:
        (folder / "delivery").mkdir(exist_ok=True)
        (folder / "delivery" / file.name).write_bytes(file.data)
    for file in (each for files in VCF[0].make().values() for each in files):
        side = folder / ("anonymized" if "anony_" in file.name else "originals")
        side.mkdir(exist_ok=True)
        (side / file.name).write_bytes(file.data)
    csv, table, moved_table = (
        str(folder / name) for name in ("people.csv", "people.parquet", "people_anonymized.parquet")
    )
    risk = [table, "--quasi-identifier", "age", "sex", "--sensitive", "disease"]
    report, decided = _reports(folder, risk)
    search = "--label disease --sensitive score --quasi-identifier age --categorical sex --model boosting"
    return {
        "tabular": [table],
        "vcf": [
            *("-o", str(folder / "originals"), "-a", str(folder / "anonymized"), "--jobs", "2"),
            *("--report-dir", str(folder / "reports")),
        ],
        "leakage": [csv, moved_table],
        "risk": risk,
        "dataset": [str(folder / "delivery")],
        "events": [str(folder / "log.csv"), "--k", "2"],
        "diversity": [csv, *search.split(), "--k-max", "3", "--jobs", "2"],
        "decide": [decided, "--check"],
        "keys": [str(folder / f"keys_{RUN}"), "--name", "ana@hospital.example"],
        "demo": ["risk", str(folder / f"demo_{RUN}")],
        "measures": [],
        "verify": [report, table],
        "compare": [report, report],
    }


def _reports(folder: Path, risk: list[str]) -> tuple[str, str]:
    """File a report of a table, and another that holds it and what was decided; return their paths."""
    run_here("risk", [*risk, "--report", str(folder / "filed"), "--formats", "json"])
    (report,) = map(str, (folder / "filed").glob("*.json"))
    decided = str(folder / "decided.json")
    run_here("decide", [report, "--reject", "--by", "Ana", "--reason", "Too many alone.", "--out", decided])
    return report, decided


def run_here(tool: str, arguments: list[str]) -> int:
    """Run a command in this process; return its exit code."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return main([tool, *(word.replace(RUN, "here") for word in arguments)])


def _run(tool: str, arguments: list[str]) -> int:
    return subprocess.run(
        [sys.executable, "-m", "core", tool, *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
    ).returncode


def exit_codes(tool: str, arguments: list[str], n_runs: int) -> Counter[int]:
    """Run a command so many times, as many at once as there are processors; return its exit codes."""

    def run(number: int) -> int:
        return _run(tool, [word.replace(RUN, str(number)) for word in arguments])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return Counter(pool.map(run, range(n_runs)))


def table_of_exits(counts: Mapping[str, Counter[int]]) -> str:
    """Return the counts as a Markdown table; codes below 0 are signals."""
    rows = ["| command | runs | exit codes | ended otherwise |", "|---|---|---|---|"]
    for tool, codes in counts.items():
        said = ", ".join(f"{code}: {n:,}" for code, n in sorted(codes.items()))
        rows.append(f"| {tool} | {codes.total():,} | {said} | {n_otherwise(codes):,} |")
    return "\n".join(rows)


def n_otherwise(codes: Counter[int]) -> int:
    """Return how many runs ended with another code than those of a verdict."""
    return sum(n for code, n in codes.items() if code not in CODES)
