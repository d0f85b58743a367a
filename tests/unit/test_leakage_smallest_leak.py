"""The smallest leak that could have been seen: how large it is, and what follows."""

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
    [(500, 500, 19), (8, 8, None), (20000, 20000, 19), (500, 8, None)],
)
def test_smallest_leak__counts_persons(n, m, smallest):
    assert NearerMembers(n_persons=n, n_outsiders=m, n_tried=40).smallest_leak(LEVEL) == smallest


def finding(audit: LeakageAudit) -> Finding | None:
    """Return the finding; None where there is none."""
    return next((each for each in audit.findings if each.check == "smallest_leak"), None)


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("n", "n_others", "smallest"), [(700, 700, 16), (700, 60, 126), (300, 400, 13)])
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
    audit = audited(1000, 900)
    assert (audit.verdict, finding(audit).verdict) == (Verdict.PASS, Verdict.PASS)
    assert finding(audit).message in audit.headline
    leaked = table(700, 1).sample(frac=1, random_state=1)
    audit = audited(700, 700, leaked)
    assert (audit.verdict, finding(audit).verdict) == (Verdict.FAIL, Verdict.PASS)
    audit = audited(700, 0)
    assert (audit.verdict, finding(audit).verdict) == (Verdict.PASS, Verdict.PASS)
    assert finding(audit).n_affected == 4


def visits(n: int, rng: np.random.Generator, names: str) -> pd.DataFrame:
    """Return persons with a day of their own, and some of their other columns."""
    days = rng.choice(pd.date_range("2000-01-01", "2015-12-31"), n, replace=False)
    age = rng.integers(18, 95, n)
    return pd.DataFrame(
        {
            "visit": pd.DatetimeIndex(days),
            "age": age,
            "sex": rng.choice(["F", "M"], n),
            "region": rng.choice([f"r{i}" for i in range(8)], n),
            "bmi": rng.normal(25 + age / 40, 4).round(1),
            "pressure": rng.normal(100 + age / 2, 14).round(),
        }
    )[names.split()]


def copied(n_copied: int, seed: int, *, names: str, written_as: str = "%d.%m.%Y") -> LeakageAudit:
    """Audit 400 persons of whom some stand among shuffled columns with the days written otherwise.

    The first column after the day is a number, that is moved in its last digit.
    """
    rng = np.random.default_rng(seed)
    original = visits(400, rng, names)
    released = pd.DataFrame({name: rng.permutation(original[name].to_numpy()) for name in original})
    released = pd.concat([original.sample(n_copied, random_state=seed), released[n_copied:]])
    moved = names.split()[1]
    step = np.where(np.arange(400) < n_copied, 0.1 if moved == "bmi" else 1, 0)
    released[moved] = (released[moved].astype(float) + step).round(1)
    released = released.sample(frac=1, random_state=seed)
    released["visit"] = pd.to_datetime(released["visit"]).dt.strftime(written_as)
    return audit_leakage(written(original, "original.csv"), written(released, "scrambled.csv"))


@pytest.mark.one_of(3)
@pytest.mark.parametrize("written_as", ["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y"])
def test_copies__with_a_day_of_their_own_are_told_however_it_is_written(written_as):
    names = "visit bmi age sex region pressure"
    told = copied(24, 1, names=names, written_as=written_as)
    assert finding_of(told, "near_copies").verdict is Verdict.FAIL
    none = copied(0, 1, names=names, written_as=written_as)
    assert none.verdict is Verdict.PASS
    assert "of 14 copied persons of 400 (3.5 %)" in none.headline


@pytest.mark.slow
def test_smallest_leak__without_a_holdout_is_about_what_near_copies_show() -> None:
    names = "visit age sex region"
    n_smallest, n_third, seeds = 0, 0, (0, 1, 2, 3, 4, 6)
    for seed in seeds:
        nothing = copied(0, seed, names=names)
        smallest = finding(nothing).n_affected
        assert nothing.verdict is finding(nothing).verdict is Verdict.NOT_ASSESSED
        assert 20 < smallest < 60
        for n, is_third in ((smallest, False), (smallest // 3, True)):
            is_told = finding_of(copied(n, seed, names=names), "near_copies").verdict is not Verdict.PASS
            n_third, n_smallest = n_third + (is_told and is_third), n_smallest + (is_told and not is_third)
    assert (n_smallest >= 4, n_third <= 2) == (True, True)


def finding_of(audit: LeakageAudit, check: str) -> Finding:
    """Return a check's finding."""
    return next(each for each in audit.findings if each.check == check)
