"""A table in Spark is audited as in memory, in a process of its own: Spark warns of pandas at every turn."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.engines import address_of, connected
from core.errors import AuditInputError

ROOT = Path(__file__).parents[2]
_PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
from pathlib import Path
import pyarrow as pa
from pyspark.sql import SparkSession
from core.engines import address_of, connected
from core.leakage import LeakageSettings
from core.releases import Roles
from core.risk import RiskSettings
from tests.engine_tables import comparison_differences, differences, parquet_bytes, releases_differences
from tests.engine_tables import row_differences

SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
    "spark.sql.shuffle.partitions", "2").config("spark.sql.warehouse.dir", sys.argv[1]).getOrCreate()
words = ["flu", "Flu", " flu", "NA", "", "*", "c\\u0301", "\\u0107", None, "cold"]
table = pa.table({
    "age": [30 + n % 4 for n in range(60)],
    "town": [words[n % 7] for n in range(60)],
    "born": pa.array([18_000 + n % 2 for n in range(60)], pa.date32()),
    "disease": [words[n * n % 10] for n in range(60)],
    "other": [n / 2 for n in range(60)],
    "p": [n % 23 for n in range(60)],
})
file = Path(sys.argv[1]) / "t.parquet"
file.write_bytes(parquet_bytes(table))
for n, person in enumerate((None, "p"), start=1):
    chosen = RiskSettings(quasi_identifiers=("age", "town"), sensitive=("disease",), person=person)
    with connected(address_of(f"spark:{file}")) as engine:
        found = differences(table, engine, chosen)
        assert not found, found
before = pa.concat_tables([table, table.slice(0, 7)])
(Path(sys.argv[1]) / "before.parquet").write_bytes(parquet_bytes(before))
at = [f"spark:{sys.argv[1]}/{name}.parquet" for name in ("before", "t")]
found = comparison_differences((before, table), at, chosen)
assert not found, found
roles = Roles(quasi_identifiers=("age", "town", "born"), sensitive=("disease",))
found = releases_differences((table, before), at[::-1], roles)
assert not found, found
words = ["1", "1.0", "1e0", " x", "x", "2020/1/2", "2020-01-02", "2020-01-02 00:00"]
words += ["-inf", "NaN", "0.50", ".5", None]
keys = [*"abcdefgh", "1", "02", "3.0", "4e1", "2020/1/2"]
pair = (
    pa.table({"id": keys, "c0": words, "c1": range(13), "c2": [n / 2 for n in range(13)]}),
    pa.table({"id": keys[::-1], "c0": words[3:] + words[:3], "c1": words, "c2": range(13)}),
)
at = [f"spark:{sys.argv[1]}/pair{side}.parquet" for side in range(2)]
for place, each in zip(at, pair, strict=True):
    Path(place.removeprefix("spark:")).write_bytes(parquet_bytes(each))
for ignored in ((), ("1", "x")):
    found = row_differences(pair, at, LeakageSettings(key="id", ignore_values=ignored))
    assert not found, found
print(n)
"""

_RULE = """
import sys, warnings
warnings.simplefilter("ignore")
from pathlib import Path
import pyarrow as pa
from pyspark.sql import SparkSession
from core.tabular import AnonymizationLog, LogEntry
from tests.engine_tables import parquet_bytes, rule_differences
SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
    "spark.sql.shuffle.partitions", "2").config("spark.sql.warehouse.dir", sys.argv[1]).getOrCreate()
words = ["1", "1.0", "1e0", " x", "x", "2020/1/2", "2020-01-02", "2020-01-02 00:00"]
words += ["-inf", "NaN", "0.50", ".5", None]
ids = [f"9001{n:02d}-1234{n:03d}" for n in range(13)]
names = ["\\uae40\\ucca0\\uc218", "\\ub0a8\\uc131", "\\uae40\\ucca0\\uc218\\u2028", " a@b.org", None]
names += ["x\\n", "\\u0663-2020-1-2 x", "Z" * 60]
numbers = [1e-7, 0.1, 1e10, 123456789.0, -0.0, float("nan"), 31778.0, 1e12, -2.5, None, 1.5e300]
numbers += [0.00001, 7.0]
pair = (
    pa.table({"rid": range(13), "id": ids, "born": words, "name": (names * 2)[:13], "pay": numbers}),
    pa.table({
        "rid": range(13), "id": [*ids[:1], *[f"P-{n}" for n in range(12)]],
        "born": pa.array([18_262, 18_263] * 6 + [None], pa.date32()),
        "name": (names * 2)[:13], "pay": numbers,
    }),
)
at = [f"spark:{sys.argv[1]}/pair{side}.parquet" for side in range(2)]
for place, each in zip(at, pair, strict=True):
    Path(place.removeprefix("spark:")).write_bytes(parquet_bytes(each))
actions = {"id": "pseudonymize", "born": "date_floor_year", "name": "keep", "pay": "date_floor_decade"}
entries = {name: LogEntry(column=name, semantic="age", action=action) for name, action in actions.items()}
found = rule_differences(pair, at, AnonymizationLog(name="log.json", entries=entries), "rid")
assert not found, found
print("equal")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("program", "said"), [(_PROGRAM, "2"), (_RULE, "equal")], ids=["risk", "tabular"])
def test_measure__as_in_memory(tmp_path: Path, program: str, said: str) -> None:
    pytest.importorskip("pyspark")
    if not shutil.which("java"):
        pytest.skip("Java is not installed")
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=550,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == said


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_connected__java_missing_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with (
        pytest.raises(AuditInputError, match=r"^Spark needs Java, and there is none here\."),
        connected(address_of("spark:t")),
    ):
        pass
