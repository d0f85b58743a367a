"""Functions called in another process: the same result and errors, and an end to what takes too much."""

import pytest

from core.errors import AuditInputError
from core.processes import bounded_process
from core.processes.bounded_process import called_apart
from core.tabular.second_opinion import SecondOpinionSettings, measure_second_opinion
from core.tabular.second_opinion.opinion import SecondOpinionMeasurement
from tests.second_opinion_examples import dataset, log_of

N = 40_000
ORIGINAL = {"person": [f"p{i}" for i in range(N)], "age": [str(20 + i % 50) for i in range(N)]}
LOG = log_of(person=("name", "drop"), age=("age", "keep"))


@pytest.mark.slow
@pytest.mark.parametrize("is_shared", [True, False])
def test_called_apart__gives_what_measuring_here_gives(
    is_shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_process, "HAS_SHARED_MEMORY", is_shared)
    tables = dataset(ORIGINAL), dataset({"age": ORIGINAL["age"], "note": ORIGINAL["person"]})
    here = measure_second_opinion(*tables, LOG)
    there = called_apart(measure_second_opinion, *tables, LOG)
    assert isinstance(there, SecondOpinionMeasurement)
    assert repr(there) == repr(here)


@pytest.mark.slow
def test_called_apart__a_problem_comes_back_word_for_word() -> None:
    table = dataset({"age": ORIGINAL["age"]})
    settings = SecondOpinionSettings(quasi_identifiers=("town",))
    with pytest.raises(AuditInputError) as here:
        measure_second_opinion(table, table, LOG, settings=settings)
    with pytest.raises(AuditInputError) as there:
        called_apart(measure_second_opinion, table, table, LOG, settings=settings)
    assert str(there.value) == str(here.value) != ""
