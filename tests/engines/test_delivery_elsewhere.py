"""The tables of a delivery in PostgreSQL, and in Spark, are read together as in memory."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from core.delivery import DeliverySettings
from tests.engine_tables import deliveries, delivery_differences

if TYPE_CHECKING:
    from tests.postgresql import Server

ROOT = Path(__file__).parents[2]
_PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
from pathlib import Path
import pyarrow as pa
from pyspark.sql import SparkSession
from core.delivery import DeliverySettings
from tests.engine_tables import delivery_differences, parquet_bytes

SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
    "spark.sql.shuffle.partitions", "2").config("spark.sql.warehouse.dir", sys.argv[1]).getOrCreate()
words = ["flu", " flu", "NA", "*", None]
delivery = {
    "persons": pa.table({"pid": [*range(12), None], "sex": [*"fmfmfmfmfmf", None, " f"]}),
    "visits": pa.table({
        "patient": [str(each * each % 13) for each in range(40)],
        "visit": [f"v{each:02}" for each in range(40)],
        "ward": [words[each % 5] for each in range(40)],
        "day": pa.array([18_000 + each % 3 for each in range(40)], pa.date32()),
    }),
    "tests": pa.table({
        "visit_number": [f"v{each:02}" for each in range(0, 50, 3)], "kind": [*"abc"] * 5 + ["d", None]}),
}
at = []
for name, each in delivery.items():
    at.append(f"spark:{sys.argv[1]}/{name}.parquet")
    Path(at[-1].removeprefix("spark:")).write_bytes(parquet_bytes(each))
chosen = DeliverySettings(
    keys=("persons.pid=visits.patient", "visits.visit=tests.visit_number"), person="persons.pid",
    quasi_identifiers=("persons.sex", "visits.ward", "visits.day", "tests.kind"))
print(delivery_differences(delivery, at, chosen))
"""


@pytest.mark.usefixtures("password")
@given(drawn=deliveries())
@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[*HealthCheck],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_postgresql__as_in_memory(
    server: "Server", drawn: tuple[dict[str, pa.Table], DeliverySettings]
) -> None:
    tables, chosen = drawn
    at = [
        server.table(each, name) for name, each in tables.items()
    ]  # what is called persons counts as theirs
    assert delivery_differences(tables, at, chosen) == []


@pytest.mark.slow
def test_spark__as_in_memory(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    if not shutil.which("java"):
        pytest.skip("Java is not installed")
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=550,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "[]"
