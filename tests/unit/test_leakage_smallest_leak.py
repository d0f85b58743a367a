"""The smallest leak that could have been seen beside a hold-out: how large it is, and what follows."""

import numpy as np
import pandas as pd
import pytest

from core.leakage import LeakageAudit, audit_leakage
from core.leakage.members import NearerMembers, most_beyond
from core.leakage.person_findings import LARGEST_UNSEEN, member_level
from core.leakage.result import leakage_result
from core.leakage.settings import LeakageThresholds
from core.tables import Dataset, read_dataset
from core.verdict import Finding, Verdict

LEVEL = member_level(LeakageThresholds())


def written(frame: pd.DataFrame, name: str) -> Dataset:
    """Return a table as it is read from CSV."""
    return read_dataset(frame.to_csv(index=False).encode(), name=name)


def table(n: int, seed: int) -> pd.DataFrame:
    """Return people of nobody else's table."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.normal(size=n).round(3) for name in "abcdef"}).astype(str)


def audited(n: int, n_others: int, scrambled: pd.DataFrame | None = None) -> LeakageAudit:
    """Audit a table that knows nothing of the original's persons beside a hold-out."""
    return audit_leakage(
        written(table(n, 1), "original.csv"),
        written(table(n, 2) if scrambled is None else scrambled, "scrambled.csv"),
        holdout=None if not n_others else written(table(n_others, 3), "holdout.csv"),
    )


def shown(n: int, m: int, n_leaked: int, *, draws: int = 400) -> float:
    """Return how often the test that is run tells a leak of some members who are nearest of all."""
    rng, seen = np.random.default_rng(7), 0
    for _ in range(draws):
        distance = rng.permutation(n + m).astype(np.uint16) + 1
        distance[:n_leaked] = 0
        found = most_beyond(distance[:n], distance[n:], share=n / (n + m))
        seen += found.p_value <= LEVEL
    return seen / draws


@pytest.mark.parametrize(("n", "m"), [(500, 500), (500, 60), (80, 300), (3000, 2000)])
def test_smallest_leak__is_what_the_test_shows_in_four_of_five_samples(n, m):
    tried = most_beyond(*np.split(np.arange(n + m, dtype=np.uint16), [n]), share=n / (n + m)).n_tried
    smallest = NearerMembers(n_persons=n, n_outsiders=m, n_tried=tried).smallest_leak(LEVEL)
    assert smallest is not None
    assert shown(n, m, smallest) >= 0.78
    assert shown(n, m, smallest // 2) < 0.5


@pytest.mark.parametrize(
    ("n", "m", "smallest"),
    [(500, 500, 16), (8, 8, None), (20000, 20000, 16), (500, 20, None)],
)
def test_smallest_leak__counts_persons(n, m, smallest):
    assert NearerMembers(n_persons=n, n_outsiders=m, n_tried=40).smallest_leak(LEVEL) == smallest


def finding(audit: LeakageAudit) -> Finding | None:
    """Return the finding; None where there is none."""
    return next((each for each in audit.findings if each.check == "smallest_leak"), None)


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("n", "n_others", "smallest"), [(700, 700, 16), (700, 60, 128), (300, 400, 15)])
def test_audit__that_saw_nothing_among_few_is_not_assessed(n, n_others, smallest):
    audit = audited(n, n_others)
    found = finding(audit)
    assert {each.verdict for each in audit.findings if each is not found} == {Verdict.PASS}
    assert (audit.verdict, found.verdict, found.n_affected) == (*(Verdict.NOT_ASSESSED,) * 2, smallest)
    assert audit.headline == found.gist
    assert audit.measures.members.smallest_leak(LEVEL) == smallest
    figure = next(
        each
        for each in leakage_result(audit).group("persons").figures
        if each.measure == "smallest_leak_share"
    )
    assert figure.value > LARGEST_UNSEEN
    assert figure.verdict is Verdict.NOT_ASSESSED


@pytest.mark.slow
def test_audit__says_it_beside_a_pass_and_is_otherwise_as_before() -> None:
    audit = audited(900, 700)
    assert (audit.verdict, finding(audit).verdict) == (Verdict.PASS, Verdict.PASS)
    assert finding(audit).message in audit.headline
    leaked = table(700, 1).sample(frac=1, random_state=1)
    audit = audited(700, 700, leaked)
    assert (audit.verdict, finding(audit).verdict) == (Verdict.FAIL, Verdict.PASS)
    audit = audited(700, 0)
    assert finding(audit) is None
    assert audit.verdict is Verdict.PASS
