"""The second opinion on 1,000,000 × 20 against reading both files as text with pyarrow.csv."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.measuring import csv_bytes, peak_bytes, read_as_text, timed
from core.roles import suggest_roles
from core.tables import Dataset, Reading, ReadOptions
from core.tabular.log import AnonymizationLog, LogEntry
from core.tabular.second_opinion import judge_second_opinion, measure_second_opinion

N_RECORDS = 1_000_000


def hospital(n: int) -> tuple[pa.Table, pa.Table, AnonymizationLog]:
    """Return an original table of 20 columns, its anonymized table, and the log."""
    rng = np.random.default_rng(0)
    original = {
        "patient_id": _numbered("P", rng.permutation(n)),
        "name": _numbered("Person ", rng.integers(0, n // 2, n)),
        "birth_date": _dates(rng.integers(-14_000, 18_000, n)),
        "zip": pa.array(np.char.zfill(rng.integers(1000, 9999, n).astype(str), 5)),
        "gender": _choice(rng, ["M", "F"], n),
        "marital_status": _choice(rng, ["single", "married", "divorced", "widowed"], n),
        "race": _choice(rng, ["white", "black", "asian", "native", "other"], n),
        "region": _choice(rng, [f"Region {i}" for i in range(20)], n),
        "visit_date": _dates(rng.integers(15_000, 19_000, n)),
        "diagnosis": _choice(rng, [f"{c}{i:02d}" for c in "ABCDEFGH" for i in range(50)], n),
        "medication": _choice(rng, [f"drug {i}" for i in range(300)], n),
        "systolic": pa.array(rng.integers(90, 190, n).astype(str)),
        "diastolic": pa.array(rng.integers(50, 110, n).astype(str)),
        "glucose": _decimals(rng.normal(5.5, 1, n), 1),
        "cost": _decimals(rng.gamma(2, 500, n), 2),
        "ward": _choice(rng, [f"W{i}" for i in range(40)], n),
        "phone": _numbered("010-", rng.integers(10_000_000, 99_999_999, n)),
        "smoker": _choice(rng, ["yes", "no", ""], n),
        "outcome": _choice(rng, ["home", "transfer", "died"], n),
        "los_days": pa.array(rng.integers(0, 60, n).astype(str)),
    }
    anonymized = original | {
        "patient_id": _hex_tokens(rng, n),
        "name": pa.nulls(n, pa.string()),
        "phone": pa.nulls(n, pa.string()),
        "birth_date": _floored(original["birth_date"], 3, "0-01-01"),
        "visit_date": _floored(original["visit_date"], 4, "-01-01"),
        "zip": _floored(original["zip"], 3, "00"),
        "cost": _decimals(rng.gamma(2, 500, n), 0),
    }
    actions = {
        "patient_id": ("patient_id", "pseudonymize"),
        "name": ("name", "drop"),
        "phone": ("phone", "drop"),
        "birth_date": ("birthdate", "date_floor_decade"),
        "visit_date": ("visit_date", "date_floor_year"),
        "zip": ("zipcode", "mask_zip_leading"),
        "gender": ("gender", "keep"),
        "marital_status": ("marital_status", "keep"),
        "race": ("race", "keep"),
    }
    entries = {
        column: LogEntry(column=column, semantic=semantic, action=action)
        for column in original
        for semantic, action in [actions.get(column, ("other", "keep"))]
    }
    return pa.table(original), pa.table(anonymized), AnonymizationLog(name="log.json", entries=entries)


def _numbered(prefix: str, numbers: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise(prefix, pa.array(numbers).cast(pa.string()), "")


def _dates(days: np.ndarray) -> pa.Array:
    return pa.array(days.astype("datetime64[D]")).cast(pa.string())


def _choice(rng: np.random.Generator, values: list[str], n: int) -> pa.Array:
    return pa.array([value or None for value in values]).take(pa.array(rng.integers(0, len(values), n)))


def _decimals(numbers: np.ndarray, places: int) -> pa.Array:
    return pa.array(np.round(numbers, places)).cast(pa.string())


def _floored(values: pa.Array, kept: int, ending: str) -> pa.Array:
    return pc.binary_join_element_wise(pc.utf8_slice_codeunits(values, 0, kept), ending, "")


def _hex_tokens(rng: np.random.Generator, n: int) -> pa.Array:
    data = rng.bytes(6 * n).hex()
    return pa.array([data[i : i + 12] for i in range(0, len(data), 12)])


def as_dataset(name: str, table: pa.Table) -> Dataset:
    """Return a table as if it had been read from a file."""
    reading = Reading(format="CSV", options=ReadOptions())
    return Dataset(name=name, table=table, fingerprint=name, sha256="", n_bytes=0, reading=reading)


def run() -> None:
    """Print how long measuring and judging take, as multiples of reading both files as text."""
    original, anonymized, log = hospital(N_RECORDS)
    files = [csv_bytes(table) for table in (original, anonymized)]
    reading, tables = timed(
        lambda: [read_as_text(file, strings_can_be_null=True, null_values=[""]) for file in files]
    )
    del original, anonymized
    datasets = [as_dataset(name, table) for name, table in zip("ab", tables, strict=True)]
    before = peak_bytes() / 1e9
    measuring, measured = timed(lambda: measure_second_opinion(*datasets, log))
    judging, opinion = timed(lambda: judge_second_opinion(measured))
    print(f"{N_RECORDS:,} × 20, second opinion: {opinion.verdict}, {len(opinion.findings)} findings")
    print(f"pyarrow.csv reads both files as text in {reading:.2f} s")
    print(f"measuring {measuring:.2f} s = {measuring / reading:.1f}×; judging again {1000 * judging:.0f} ms")
    suggesting, _ = timed(lambda: suggest_roles(tables[0]))
    print(f"suggesting roles of one table {suggesting:.2f} s = {suggesting / reading:.1f}×")
    print(f"peak memory {peak_bytes() / 1e9:.2f} GB, of which before measuring {before:.2f} GB")
