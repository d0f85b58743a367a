"""Dates that were shifted by one number of days per person: known by the days between them."""

from collections.abc import Iterable

import numpy as np
import pytest

from core.errors import AuditInputError
from core.verdict import Verdict
from tests.risk_examples import DISEASE, judged, tells


def _shifted(gaps: Iterable[int]) -> str:
    """Return three visits of 200 persons, of a table with age groups; the second follows by one of `gaps`."""
    rng = np.random.default_rng(3)
    first = np.datetime64("2021-01-01") + rng.integers(0, 900, 200)
    second = first + np.resize(list(gaps), 200)
    lines = [
        f"P{rng.integers(10**9)},{'AB'[n % 2]},{day},{'xyz'[n % 3]}"
        for n in range(200)
        for day in (first[n], second[n])
    ]
    return "person,group,visit,disease\n" + "\n".join(lines)


def _of_persons(text: str) -> str:
    """Give both visits of a person its number."""
    header, *lines = text.split("\n")
    return "\n".join([header, *(f"P{n // 2},{line.split(',', 1)[1]}" for n, line in enumerate(lines))])


@pytest.mark.parametrize(
    ("gaps", "found"),
    [
        ([30], None),  # everybody comes again after thirty days
        ([30, 60, 90], None),
        (range(1, 201), Verdict.FAIL),  # everybody after another number of days
    ],
)
def test_shifted_dates__are_known_by_intervals_and_not_by_date(
    gaps: list[int], found: Verdict | None
) -> None:
    text = _of_persons(_shifted(gaps))
    as_they_are = judged(text, quasi="group", person="person", **DISEASE)
    assert any(each.check.startswith("further_") for each in as_they_are.all_findings)
    audit = judged(text, quasi="group", person="person", shifted=("visit",), **DISEASE)
    assert not any(each.check.startswith("further_") for each in audit.all_findings)
    tells(audit, taken_as_shifted="PASS: `visit` was taken as shifted, by one number of days for each …")
    intervals = [each.verdict for each in audit.all_findings if "interval" in str(each.message)]
    assert [each for each in intervals if each is not Verdict.PASS] == ([found] if found else [])


def test_shifted_dates__have_to_be_dates_and_nothing_else() -> None:
    text = _of_persons(_shifted([30]))
    with pytest.raises(AuditInputError, match="`disease` holds no dates"):
        judged(text, quasi="group", person="person", shifted=("disease",))
    with pytest.raises(AuditInputError, match="cannot be both a quasi-identifier and a shifted date"):
        judged(text, quasi="visit", person="person", shifted=("visit",))
