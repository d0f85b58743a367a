"""The program of test_spark: every audit of tables in Spark held against the one in memory.

One session audits one table with a column of every kind, and what was released of it.
"""

import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from core.delivery import DeliverySettings
from core.engines import address_of, connected
from core.leakage import LeakageSettings
from core.releases import Roles
from core.risk import RiskSettings
from tests import engine_tables as tables

N = 39
_DATES = ["2020/1/2", "2020-01-02", "2020-01-02 00:00", "\u0663-2020-1-2 x"]
WORDS = ["flu", "Flu", " flu", "NA", "", "*", "c\u0301", "\u0107", None, "1", "1.0", "1e0", ".5", "0.50"]
WORDS += [*_DATES, "-inf", "NaN", "\uae40\ucca0\uc218\u2028", " a@b.org", "x\n", "Z" * 60]
NUMBERS = [1e-7, 0.1, 1e10, -0.0, float("nan"), 31778.0, 1e12, -2.5, None, 1.5e300, 7.0]
BEFORE = pa.table(
    {
        "rid": range(N),
        "id": [f"9001{n:02d}-1234{n:03d}" for n in range(N)],
        "age": [30 + n % 4 for n in range(N)],
        "town": [WORDS[n % 7] for n in range(N)],
        "born": pa.array([18_262 + n % 2 for n in range(N)], pa.date32()),
        "disease": [WORDS[n * n % len(WORDS)] for n in range(N)],
        "pay": [NUMBERS[n % len(NUMBERS)] for n in range(N)],
        "p": [n % 17 for n in range(N)],
    }
)
AFTER = BEFORE.slice(0, 33).set_column(
    1, "id", [[*BEFORE["id"].to_pylist()[:1], *[f"P-{n}" for n in range(32)]]]
)
_NAMES = [*"abcdefghijklmnopqr", "1", "02", "3.0", "4e1", "2020/1/2"]
PAIR = [
    pa.table({"id": _NAMES, "c0": WORDS[1:], "c1": range(23), "c2": [n / 2 for n in range(23)]}),
    pa.table({"id": _NAMES[::-1], "c0": WORDS[:-1], "c1": WORDS[1:], "c2": range(23)}),
]
DELIVERY = {
    "persons": pa.table({"pid": [*range(12), None], "sex": [*"fmfmfmfmfmf", None, " f"]}),
    "visits": pa.table(
        {
            "patient": [str(each * each % 13) for each in range(40)],
            "visit": [f"v{each:02}" for each in range(40)],
            "ward": [["flu", " flu", "NA", "*", None][each % 5] for each in range(40)],
            "day": pa.array([18_000 + each % 3 for each in range(40)], pa.date32()),
        }
    ),
    "tests": pa.table(
        {"visit_number": [f"v{each:02}" for each in range(0, 50, 3)], "kind": [*"abc"] * 5 + ["d", None]}
    ),
}
KEYS = ("persons.pid=visits.patient", "visits.visit=tests.visit_number")
QUASI = ("persons.sex", "visits.ward", "visits.day", "tests.kind")


def _put(folder: Path, **each: pa.Table) -> list[str]:
    for name, table in each.items():
        (folder / f"{name}.parquet").write_bytes(tables.parquet_bytes(table))
    return [f"spark:{folder / name}.parquet" for name in each]


def differences(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Return the differences of each audit, by its name."""
    before, after = at = _put(folder, before=BEFORE, after=AFTER)
    chosen = RiskSettings(quasi_identifiers=("age", "town"), sensitive=("disease",), person="p")
    with connected(address_of(after)) as engine:
        yield "risk", tables.differences(AFTER, engine, chosen)
    yield "risk of a release", tables.comparison_differences((BEFORE, AFTER), at, chosen)
    roles = Roles(quasi_identifiers=("age", "town", "born"), sensitive=("disease",))
    yield "releases", tables.releases_differences((AFTER, BEFORE), [after, before], roles)
    pair = _put(folder, one=PAIR[0], other=PAIR[1])
    settings = LeakageSettings(key="id", ignore_values=("1", "x"))
    yield "leakage", tables.row_differences(PAIR, pair, settings)
    delivered = DeliverySettings(keys=KEYS, person="persons.pid", quasi_identifiers=QUASI)
    yield "dataset", tables.delivery_differences(DELIVERY, _put(folder, **DELIVERY), delivered)


def _session(folder: str) -> None:
    options: Mapping[str, str] = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": folder,
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than these few rows
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
    }
    SparkSession.builder.master("local[1]").config(map=options).getOrCreate()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    _session(sys.argv[1])
    sys.stdout.write(json.dumps(dict(differences(Path(sys.argv[1])))))
