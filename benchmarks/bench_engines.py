"""Tables larger than memory: Disclosure risk in DuckDB beside its own GROUP BY and in memory.

Each part runs in a process of its own, so that its peak of memory is its own. `ENGINES_BENCH_RECORDS` names
the sizes, with spaces between them; `ENGINES_BENCH_MEMORY` what DuckDB may take.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from benchmarks.measuring import worked_seconds
from core.delivery import DeliverySettings, DeliveryThresholds, audit_delivery
from core.delivery.in_engine import audit_delivery_in_engine
from core.engines import address_of, connected
from core.leakage import LeakageSettings, LeakageThresholds, count_row_matches, pair_tables
from core.leakage.chance import column_chance
from core.leakage.in_engine import audit_rows_in_engine
from core.leakage.nearest import pack_tables
from core.leakage.whole_rows import expected_full_matches
from core.risk import RiskSettings, RiskThresholds, judge_risk, measure_risk
from core.risk.in_engine import audit_in_engine, measure_in_engine
from core.tables import read_dataset

_SIZES = os.environ.get("ENGINES_BENCH_RECORDS", "1000000 10000000")
_MEMORY = os.environ.get("ENGINES_BENCH_MEMORY", "6GB")
_N_VALUES = {
    "age": 80,
    "sex": 2,
    "city": 40,
    "education": 12,
    "job": 30,
    "status": 6,
    "origin": 5,
    "country": 9,
}
_SETTINGS = RiskSettings(quasi_identifiers=tuple(_N_VALUES), sensitive=("disease",))
_THRESHOLDS = RiskThresholds(t=0.5)


def write_people(path: Path, n_records: int) -> None:
    """Write people with eight uneven quasi-identifiers and a disease, made by DuckDB."""
    columns = [f"floor({n} * power(random(), 2))::INTEGER AS {name}" for name, n in _N_VALUES.items()]
    columns.append(
        "(['flu', 'hiv', 'none', 'cough', 'pain', 'fever'])[1 + floor(6 * random())::INTEGER] AS disease"
    )
    with duckdb.connect(config={"memory_limit": _MEMORY}) as own:
        own.execute("SELECT setseed(0.5)").fetchall()
        people = own.sql(f"SELECT {', '.join(columns)} FROM range({n_records})")  # noqa: S608
        people.write_parquet(str(path))


def group_by(path: Path) -> None:
    """Group by the same columns, as DuckDB does it."""
    columns = ", ".join((*_N_VALUES, "disease"))
    with tempfile.TemporaryDirectory() as space, duckdb.connect(config={"memory_limit": _MEMORY}) as own:
        own.execute(f"SET temp_directory = '{space}'")
        grouped = f"SELECT count(*) AS n FROM '{path}' GROUP BY {columns}"  # noqa: S608
        print(own.execute(f"SELECT count(*), min(n) FROM ({grouped})").fetchall())  # noqa: S608


def in_engine(path: Path) -> None:
    """Measure and judge k, l, t and unique records in DuckDB."""
    with connected(address_of(f"duckdb:{path}"), memory=_MEMORY) as engine:
        measured = measure_in_engine(engine, settings=_SETTINGS, thresholds=_THRESHOLDS)
    audit = judge_risk(measured, _THRESHOLDS)
    print(audit.figures["k"], audit.figures["sample_unique_share"], measured.sensitive[0].figures["t"])


def in_memory(path: Path) -> None:
    """Measure and judge the same in memory."""
    audit = judge_risk(measure_risk(read_dataset(path), settings=_SETTINGS), _THRESHOLDS)
    print(
        audit.figures["k"], audit.figures["sample_unique_share"], audit.measurement.sensitive[0].figures["t"]
    )


def compared_in_engine(path: Path) -> None:
    """Measure and judge it, and the classes of its original, in DuckDB."""
    at, original = (address_of(f"duckdb:{each}") for each in (path, path.with_name(_ORIGINAL)))
    found = audit_in_engine(
        at, settings=_SETTINGS, thresholds=_THRESHOLDS, memory=_MEMORY, original=original
    ).audit
    print(found.measurement.comparison.discernibility_original)


def compared_in_memory(path: Path) -> None:
    """Measure and judge the same in memory, rows in order and closest values included."""
    table, original = map(read_dataset, (path, path.with_name(_ORIGINAL)))
    found = measure_risk(table, settings=_SETTINGS, original=original)
    other = measure_risk(original, settings=_SETTINGS)
    print(judge_risk(found, _THRESHOLDS).overall, judge_risk(other, _THRESHOLDS).overall)
    print(found.comparison.discernibility_original)


def write_keyed(path: Path) -> None:
    """Write the people with a key beside them, and the same with three columns moved."""
    with duckdb.connect(config={"memory_limit": _MEMORY}) as own:
        keyed = own.sql(f"SELECT row_number() OVER () AS pid, * FROM '{path}'")  # noqa: S608
        keyed.write_parquet(str(path.with_name("keyed.parquet")))
        moved = "*, (age + 7) % 80 AS a, 1 - sex AS s, (city * 3 + pid) % 40 AS c"
        columns = "* EXCLUDE (age, sex, city, a, s, c), a AS age, s AS sex, c AS city"
        scrambled = own.sql(f"SELECT {columns} FROM (SELECT {moved} FROM keyed)")  # noqa: S608
        scrambled.write_parquet(str(path.with_name("scrambled.parquet")))


def rows_in_engine(path: Path) -> None:
    """Apply the row rules, joined on a key, in DuckDB."""
    at = [address_of(f"duckdb:{path.with_name(name)}.parquet") for name in ("keyed", "scrambled")]
    found = audit_rows_in_engine(*at, settings=_KEYED, thresholds=LeakageThresholds(), memory=_MEMORY).audit
    print(found.rows.n_full, found.rows.n_partial)


def rows_in_memory(path: Path) -> None:
    """Read, pair and count the same in memory, and what chance gives each column."""
    tables = [read_dataset(path.with_name(f"{name}.parquet")) for name in ("keyed", "scrambled")]
    pair = pair_tables(*tables, key="pid")
    rows = count_row_matches(pair, pair.columns, _KEYED)
    packed = pack_tables(pair, pair.columns, _KEYED)
    column_chance(packed, pair.original_rows, pair.scrambled_rows)
    expected_full_matches(pair, pair.columns)
    print(rows.n_full, rows.n_partial)


def write_delivery(path: Path, n_visits: int) -> None:
    """Write a tenth as many persons as visits, and visits of persons drawn at random."""
    n = n_visits // 10
    person = "printf('P%07d', {})"
    persons = f"""SELECT {person.format("i")} AS id, floor(80 * power(random(), 1.2))::INTEGER AS age,
        (['f', 'm'])[1 + floor(2 * random())::INTEGER] AS sex, 'R' || floor(40 * power(random(), 2))::INTEGER
        AS region FROM range({n}) AS t(i)"""  # noqa: S608
    visits = f"""SELECT {person.format(f"floor({n} * random())::INTEGER")} AS patient,
        DATE '2024-01-01' + floor(365 * random())::INTEGER AS day,
        'W' || floor(30 * power(random(), 2))::INTEGER AS ward,
        floor(50 * power(random(), 2))::INTEGER AS reason FROM range({n_visits})"""  # noqa: S608
    with duckdb.connect(config={"memory_limit": _MEMORY}) as own:
        own.execute("SELECT setseed(0.5)").fetchall()
        for name, rows in (("persons", persons), ("visits", visits)):
            own.sql(rows).write_parquet(str(path.with_name(f"{name}.parquet")))


def delivery_in_engine(path: Path) -> None:
    """Join persons and visits, and count, in DuckDB."""
    at = [address_of(f"duckdb:{path.with_name(name)}.parquet") for name in ("persons", "visits")]
    found = audit_delivery_in_engine(at, settings=_JOINED, thresholds=_OF_JOINED, memory=_MEMORY).audit
    print(found.judged.n_below(11), found.measurement.known_by(None).n_below(2))


def delivery_in_memory(path: Path) -> None:
    """Read and audit the same in memory, with all that is not assessed in an engine."""
    tables = [read_dataset(path.with_name(f"{name}.parquet")) for name in ("persons", "visits")]
    found = audit_delivery(tables, _JOINED, _OF_JOINED)
    print(found.judged.n_below(11), found.measurement.known_by(None).n_below(2))


_JOINED, _OF_JOINED = DeliverySettings(keys=("persons.id=visits.patient",)), DeliveryThresholds(k=11)
_KEYED = LeakageSettings(key="pid")
_ORIGINAL = "original.parquet"
_PARTS = {
    "GROUP BY": group_by,
    "in DuckDB": in_engine,
    "in memory": in_memory,
    "compared in DuckDB": compared_in_engine,
    "compared in memory": compared_in_memory,
    "rows in DuckDB": rows_in_engine,
    "rows in memory": rows_in_memory,
    "delivery in DuckDB": delivery_in_engine,
    "delivery in memory": delivery_in_memory,
}


def run() -> None:
    """Print processor time, time by the clock, and memory of each part, and their ratios."""
    print(f"{'records':>12} {'part':>18} {'work':>8} {'clock':>8} {'memory':>8}")
    for n_records in map(int, _SIZES.split()):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "people.parquet"
            write_people(path, n_records)
            write_people(path.with_name(_ORIGINAL), n_records + 1)
            write_keyed(path)
            write_delivery(path, n_records)
            worked = {}
            for part in _PARTS:
                if "memory" in part and n_records > 10_000_000:
                    continue
                command = [sys.executable, "-m", "benchmarks.bench_engines", part, str(path)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                work, clock, memory = map(float, done.stdout.splitlines()[-1].split())
                worked[part] = work
                print(f"{n_records:>12,} {part:>18} {work:7.1f}s {clock:7.1f}s {memory:6.2f}GB", flush=True)
            print(f"{'':>12} in DuckDB / GROUP BY: {worked['in DuckDB'] / worked['GROUP BY']:.2f}")
            for part in ("", "compared ", "rows ", "delivery "):
                if f"{part}in memory" in worked:
                    ratio = worked[f"{part}in DuckDB"] / worked[f"{part}in memory"]
                    print(f"{'':>12} {part}in DuckDB / in memory: {ratio:.2f}")


if __name__ == "__main__":
    started = time.perf_counter(), worked_seconds()
    _PARTS[sys.argv[1]](Path(sys.argv[2]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(worked_seconds() - started[1], time.perf_counter() - started[0], peak)
