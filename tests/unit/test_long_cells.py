"""Cells of any length: what looks at them takes time as their letters do, and what was not read is said."""

import io
import time
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.coding import LONGEST_READ, LONGEST_SHAPE, CodedTable, coded
from core.people.free_text import measure_texts, text_findings
from core.people.patterns import ALL_PATTERNS, scan_values
from core.people.roles import suggest_roles
from core.people.roles.values import _RECOGNIZERS, ColumnProfile, match_other_people, profile_column
from core.risk import RiskSettings, audit_risk
from core.tables import read_dataset
from core.verdict import Verdict

_UNITS = ("[(", "a", "7", "Ana ", "가 ", "@", "A. ", '{"a":', "&#6", "0x4a", "/x", "1,", "zero ")
_GROWTH = 8
_ALLOWED = 28  # eight times the letters: eight times the work, 64 times where it grows with the square
_TOO_SHORT = 0.04  # seconds in which a clock says nothing


def _cells(unit: str, n_letters: int) -> list[str]:
    return [unit * (n_letters // len(unit)) + str(number) for number in range(12)]


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _grows_as_letters_do(look: Callable[[list[str]], object], unit: str) -> bool:
    """Whether a detector needs no more than in proportion, at best of three tries."""
    for _ in range(3):
        long = _seconds(lambda: look(_cells(unit, 2_000 * _GROWTH)))
        if long < _TOO_SHORT or long <= _ALLOWED * _seconds(lambda: look(_cells(unit, 2_000))):
            return True
    return False


def _profile(cells: list[str]) -> ColumnProfile:
    return ColumnProfile(n_nonblank=40, n_distinct=40, sample=tuple(cells))


@pytest.mark.one_of(3)
@pytest.mark.parametrize("unit", _UNITS)
def test_every_detector__takes_time_as_the_letters_of_a_cell_do(unit: str) -> None:
    detectors: list[Callable[[list[str]], object]] = [
        *(lambda cells, one=one: one(_profile(cells)) for one in (*_RECOGNIZERS, match_other_people)),
        lambda cells: measure_texts(pa.table({"x": cells})),
        lambda cells: scan_values(coded(pa.chunked_array([cells])), ALL_PATTERNS),
    ]
    slow = [number for number, look in enumerate(detectors) if not _grows_as_letters_do(look, unit)]
    assert slow == []


def test_profile_column__hands_on_the_beginning_of_long_cells_alone() -> None:
    table = pa.table({"x": [f"{number}-" + "x" * 3 * LONGEST_SHAPE for number in range(30)]})
    profile = profile_column(CodedTable(table=table)["x"], seed=0, sample_size=500)
    assert profile.n_distinct == 30
    assert {len(value) for value in profile.sample} == {LONGEST_SHAPE}


@pytest.mark.parametrize(
    ("before", "unit", "n_cells"),
    [("", "[(", 20), ("the patient came in and was well ", "and was well ", 40), ("", "Q", 1)],
)
def test_text_findings__says_what_was_not_read(before: str, unit: str, n_cells: int) -> None:
    long = before + unit * (LONGEST_READ // len(unit) + 1) + " Ana Novak, ana.novak@example.org"
    table = pa.table({"note": [*(f"{number} {long}" for number in range(n_cells)), "short"]})
    (found,) = measure_texts(table)
    assert found.n_cut == n_cells
    told = [each for each in text_findings([found]) if each.check == "text_not_read"]
    assert [each.verdict for each in told] == [Verdict.NOT_ASSESSED]
    assert "100,000" in str(told[0].message)


@pytest.mark.parametrize("n_letters", [10, 3 * LONGEST_SHAPE, LONGEST_READ - 10])
def test_text_findings__says_nothing_of_cells_that_were_read(n_letters: int) -> None:
    codes = [f"{number:06d}" + "0" * (n_letters - 6) for number in range(20)]
    assert measure_texts(pa.table({"code": codes})) == ()


def test_measure_texts__finds_somebody_far_into_a_cell() -> None:
    notes = [f"{number} the patient was well " + "and well again " * 5_000 for number in range(20)]
    notes[3] += "so says Dr Ana Novak, ana.novak@example.org"
    (found,) = measure_texts(pa.table({"note": notes}))
    assert (found.n_cut, found.n_found) == (0, 1)


def _packed() -> bytes:
    packed = io.BytesIO()
    notes = [f"{number} " + "Lorem ipsum dolor sit amet " * 80_000 for number in range(20)]
    pq.write_table(pa.table({"note": notes, "sex": ["m", "f"] * 10}), packed, compression="zstd")
    return packed.getvalue()


def _brackets() -> bytes:
    return b"note,sex\n" + b"".join(b"[(" * 50_000 + b"%d,m\n" % number for number in range(20))


@pytest.mark.parametrize(("data", "name"), [(_packed(), "notes.parquet"), (_brackets(), "notes.csv")])
def test_audit_risk__of_a_small_file_of_long_cells_ends(data: bytes, name: str) -> None:
    dataset, settings = read_dataset(data, name=name), RiskSettings(quasi_identifiers=("sex",))
    assert _seconds(lambda: (suggest_roles(dataset.table), audit_risk(dataset, settings=settings))) < 30
