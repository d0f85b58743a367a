"""A published table of counts and what its authors say follows from its totals.

Federal Committee on Statistical Methodology, Statistical Policy Working Paper 22, "Report on Statistical
Disclosure Limitation Methodology" (1994), chapter IV: delinquent children by county and education of the head
of the household. Every row and column has two suppressed counts or more, and yet one follows: the totals of
the first two counties less those of the columns Medium and High leave that of county Alpha, Very High: 1.
"""

import pytest

from core.counts import audit_counts, bounds_of, propose_suppression, read_cube
from core.tables import Dataset, read_dataset
from core.verdict import Verdict

LEVELS = ("Low", "Medium", "High", "Very High", "Total")
COUNTS = {
    "Alpha": (15, 1, 3, 1, 20),
    "Beta": (20, 10, 10, 15, 55),
    "Gamma": (3, 10, 10, 2, 25),
    "Delta": (12, 14, 7, 2, 35),
    "Total": (50, 35, 30, 20, 135),
}
SUPPRESSED = frozenset(
    [
        *(("Alpha", level) for level in ("Medium", "High", "Very High")),
        *(("Beta", level) for level in ("Medium", "High")),
        *((county, level) for county in ("Gamma", "Delta") for level in ("Low", "Very High")),
    ]
)
DIMENSIONS = ("county", "education")


def _table(suppressed: frozenset[tuple[str, str]]) -> Dataset:
    lines = [
        f"{county},{level},{'D' if (county, level) in suppressed else n}"
        for county, counts in COUNTS.items()
        for level, n in zip(LEVELS, counts, strict=True)
    ]
    return read_dataset(("county,education,n\n" + "\n".join(lines) + "\n").encode(), name="table.csv")


def test_count_that_no_row_or_column_gives__follows_from_four_totals() -> None:
    cube = read_cube(_table(SUPPRESSED).table, DIMENSIONS, "n")
    exact = {
        (cube.categories[0][key[0]], cube.categories[1][key[1]]): each.least
        for key, each in bounds_of(cube).bounds.items()
        if each.least == each.most
    }
    assert exact == {("Alpha", "Very High"): 1}
    audit = audit_counts(_table(SUPPRESSED), counts=["n"], dimensions=DIMENSIONS)
    (finding,) = [each for each in audit.findings if each.check == "recoverable_counts"]
    assert (finding.verdict, finding.n_affected) == (Verdict.FAIL, 1)


@pytest.mark.parametrize("suppressed", [frozenset(), SUPPRESSED])
def test_suppression_proposed__leaves_no_count_to_follow(suppressed: frozenset[tuple[str, str]]) -> None:
    cube = read_cube(_table(suppressed).table, DIMENSIONS, "n")
    made = propose_suppression(cube, 3)
    again = bounds_of(cube.with_suppressed((*made.primary, *made.secondary)))
    assert made.holds
    assert min(each.n_values for each in again.bounds.values()) >= 3
