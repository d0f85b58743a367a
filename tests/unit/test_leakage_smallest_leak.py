"""The smallest leak that could have been seen beside a hold-out: how large it is, and what follows."""

import numpy as np
import pandas as pd
import pytest
import scipy

from core.leakage import LeakageAudit, audit_leakage
from core.leakage.attacks import Membership
from core.leakage.judging import LARGEST_UNSEEN, judge_leakage
from core.leakage.result import leakage_result
from core.leakage.settings import LeakageThresholds
from core.tables import Dataset, read_dataset
from core.verdict import Finding, Verdict


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
    """Return how often the test that is run shows a leak of some members who are told."""
    rng, seen = np.random.default_rng(7), 0
    for _ in range(draws):
        likeness = rng.normal(size=n + m)
        likeness[:n_leaked] += 100
        u = scipy.stats.rankdata(likeness)[:n].sum() - n * (n + 1) / 2
        found = Membership(n_members=n, n_others=m, auc=u / (n * m))
        seen += found.interval[0] > 0.5 and found.auc >= found.smallest_shown
    return seen / draws


@pytest.mark.parametrize(("n", "m"), [(500, 500), (500, 60), (80, 300), (3000, 2000)])
def test_smallest_leak__is_what_the_test_shows_in_four_of_five_samples(n, m):
    smallest = Membership(n_members=n, n_others=m, auc=0.5).smallest_leak
    assert smallest is not None
    assert 0.74 <= shown(n, m, smallest) <= 0.9
    assert shown(n, m, smallest // 2) < 0.5


@pytest.mark.parametrize(
    ("n", "m", "searched", "smallest"),
    [
        (500, 500, 1.0, 67),
        (500, 500, 0.5, 134),
        (500, 500, 0.1, None),
        (8, 8, 1.0, None),
        (20000, 20000, 1.0, 421),
    ],
)
def test_smallest_leak__counts_persons(n, m, searched, smallest):
    found = Membership(n_members=n, n_others=m, auc=0.5, searched_share=searched)
    assert found.smallest_leak == smallest
    assert found.smallest_leak_share == (None if smallest is None else smallest / n)


def finding(audit: LeakageAudit) -> Finding | None:
    """Return the finding; None where there is none."""
    return next((each for each in audit.findings if each.check == "smallest_leak"), None)


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("n", "n_others", "smallest"), [(700, 700, 67), (700, 60, 24), (300, 400, 52)])
def test_audit__that_saw_nothing_among_few_is_not_assessed(n, n_others, smallest):
    audit = audited(n, n_others)
    found = finding(audit)
    assert {each.verdict for each in audit.findings if each is not found} == {Verdict.PASS}
    assert (audit.verdict, found.verdict, found.n_affected) == (*(Verdict.NOT_ASSESSED,) * 2, smallest)
    assert audit.headline == found.gist
    assert audit.measures.attacks.membership.smallest_leak == smallest
    figure = next(
        each
        for each in leakage_result(audit).group("attacks").figures
        if each.measure == "smallest_leak_share"
    )
    assert figure.value > LARGEST_UNSEEN
    assert figure.verdict is Verdict.NOT_ASSESSED


@pytest.mark.slow
def test_audit__says_it_beside_a_pass_and_is_otherwise_as_before() -> None:
    measures = audited(700, 700).measures
    enough = Membership(n_members=30_000, n_others=30_000, auc=0.5)
    object.__setattr__(measures.attacks, "membership", enough)
    audit = judge_leakage(measures, LeakageThresholds())
    assert (audit.verdict, finding(audit).verdict) == (Verdict.PASS, Verdict.PASS)
    assert finding(audit).message in audit.headline
    leaked = table(700, 1).sample(frac=1, random_state=1)
    audit = audited(700, 700, leaked)
    assert (audit.verdict, finding(audit).verdict) == (Verdict.FAIL, Verdict.PASS)
    audit = audited(700, 0)
    assert finding(audit) is None
    assert audit.verdict is Verdict.PASS
