"""A table in PostgreSQL is audited as in memory; what goes wrong is one sentence without credentials."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from core.__main__ import main
from core.engines import address_of, connected
from core.engines.sources import Engine
from core.errors import AuditInputError
from core.leakage import LeakageSettings
from core.risk import RiskSettings, RiskThresholds
from core.risk.in_engine import AuditInEngine, audit_in_engine, measure_in_engine
from core.verdict import Verdict
from tests.engine_tables import (
    audits,
    comparison_differences,
    differences,
    few,
    pairs,
    released,
    row_differences,
)
from tests.kinds import Patch, Told

if TYPE_CHECKING:
    from tests.postgresql import Server

AGES = pa.table({"age": np.arange(60) % 6, "sex": ["f", "m"] * 30, "disease": ["flu", "hiv", "none"] * 20})
BY_AGE = RiskSettings(quasi_identifiers=("age",), sensitive=("disease",))


@pytest.mark.usefixtures("password")
@given(drawn=audits())
@few(4)
def test_measure__as_in_memory(server: "Server", drawn: tuple[pa.Table, RiskSettings]) -> None:
    table, chosen = drawn
    with connected(address_of(server.table(table))) as engine:
        assert differences(table, engine, chosen) == []


@pytest.mark.usefixtures("password")
@given(drawn=released())
@few(3)
def test_audit__compares_with_the_original_as_in_memory(
    server: "Server", drawn: tuple[pa.Table, pa.Table, RiskSettings]
) -> None:
    *tables, chosen = drawn
    assert comparison_differences(tables, [*map(server.table, tables)], chosen) == []


@pytest.mark.usefixtures("password")
@given(drawn=pairs())
@few(3)
def test_row_leakage__as_in_memory(
    server: "Server", drawn: tuple[pa.Table, pa.Table, LeakageSettings]
) -> None:
    *tables, chosen = drawn
    assert row_differences(tables, [*map(server.table, tables)], chosen) == []


@pytest.mark.slow
@pytest.mark.quick  # one database
@pytest.mark.usefixtures("password")
def test_command__prints_and_files_no_user(server: "Server", capsys: Told, tmp_path: Path) -> None:
    asked = ["--quasi-identifier", "age", "--sensitive", "disease", "--report", str(tmp_path)]
    assert main(["risk", server.table(AGES), *asked]) == 1  # a class has one disease
    printed = capsys.readouterr()
    assert "  Records assessed: 60\n  Groups (equivalence classes): 6\n" in printed.out
    filed = [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()]
    told = "".join([printed.out, printed.err, *filed])
    assert "PostgreSQL 1" in told
    assert "auditor" not in told
    assert "correct horse" not in told


def test_connected__takes_the_password_from_the_secrets(server: "Server", tmp_path: Path) -> None:
    place, _, table = server.table(AGES).rpartition("/")
    secrets = tmp_path / "secrets.toml"
    told = {"address": place, "user": "auditor", "password": "correct horse"}
    lines = [
        "[engines.registry]",
        *(f'{key} = "{value}"' for key, value in told.items()),
        f'tables = ["{table}"]',
    ]
    secrets.write_text("\n".join(lines), encoding="utf-8")
    with connected(address_of(f"{place}/{table}"), secrets=secrets) as engine:
        assert measure_in_engine(engine, settings=BY_AGE, thresholds=RiskThresholds()).classes.k == 10


def _problems(address: str) -> tuple[str, ...]:
    with (
        pytest.raises(AuditInputError) as raised,
        connected(address_of(address), secrets=Path("none")) as engine,
    ):
        measure_in_engine(engine, settings=BY_AGE, thresholds=RiskThresholds())
    assert "correct" not in str(raised.value)
    return raised.value.problems


@pytest.mark.usefixtures("password")
def test_connected__what_goes_wrong_is_one_sentence(server: "Server", monkeypatch: Patch) -> None:
    table = server.table(AGES)
    name = table.rpartition("/")[2]
    assert _problems(table[:-3]) == (f"{name[:-3]}: there is no such table, or not any more.",)
    server.execute(f"REVOKE SELECT ON {name} FROM auditor")  # noqa: S608
    assert _problems(table) == (f"{name}: the database does not let this user read the table.",)
    monkeypatch.setenv("PGPASSWORD", "not correct")
    assert _problems(table) == (f"{name}: the database refuses user or password.",)
    nobody = "s.t: the database does not answer. Check its address."
    assert _problems("postgresql://127.0.0.1:1/db/s.t") == (nobody,)


@pytest.mark.usefixtures("password")
@pytest.mark.parametrize("n_before", [2, 8])  # what is counted then: columns; classes and what they tell
@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        ("DROP TABLE {name}", "{name}: there is no such table, or not any more."),
        (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'auditor'",
            "{name}: the connection was lost before the answer. Try again.",
        ),
    ],
)
def test_measure__harm_in_the_middle_is_one_sentence(
    server: "Server", monkeypatch: Patch, harm: str, sentence: str, n_before: int
) -> None:
    table = server.table(AGES)
    name = table.rpartition("/")[2]
    answer, n_answers = Engine.answer, []

    def harmed(self: Engine, question: object, **options: int) -> object:
        n_answers.append(1)
        if len(n_answers) == n_before + 1:
            server.execute(harm.format(name=name))
        return answer(self, question, **options)

    monkeypatch.setattr(Engine, "answer", harmed)

    def audit() -> AuditInEngine:
        return audit_in_engine(address_of(table), settings=BY_AGE, thresholds=RiskThresholds(k=2, l=1))

    told = sentence.format(name=name)
    if n_before == 2:
        with pytest.raises(AuditInputError) as raised:
            audit()
        assert raised.value.problems == (told,)
        return
    found = audit()
    assert found.problems == (told,)
    assert found.audit.verdict is Verdict.NOT_ASSESSED
    assert found.audit.overall is not Verdict.PASS
    assert found.audit.measurement.classes.n_classes == 6


@pytest.mark.usefixtures("password")
def test_connected__ends_in_the_database_what_was_stopped(server: "Server") -> None:
    table = server.table(AGES)
    name = table.rpartition("/")[2]
    slow = f"{name.partition('.')[2]}_slow"
    server.execute(f"CREATE VIEW {slow} AS SELECT age, pg_sleep(2)::text AS sex FROM {name}")  # noqa: S608
    server.execute(f"GRANT SELECT ON {slow} TO auditor")
    began = time.monotonic()
    with pytest.raises(AuditInputError):
        audit_in_engine(
            address_of(table.replace(name, f"public.{slow}")),
            settings=RiskSettings(quasi_identifiers=("age", "sex")),
            thresholds=RiskThresholds(),
            is_stopped=lambda: time.monotonic() - began > 1,
        )
    assert 1 < time.monotonic() - began < 60  # the view alone takes 120 s
