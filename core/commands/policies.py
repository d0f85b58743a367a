"""``--policy``: whose limits a command takes, and whether its result meets them."""

from collections.abc import Iterable
from dataclasses import replace

from core import policies
from core.asked import Asked
from core.policies.identifiers import kinds_of_columns
from core.policies.judging import Columns, read_word
from core.reports.model import Column, Report, ReportTable, table_of
from core.tables import Dataset
from core.words import Text, own, text


def with_outcome(report: Report, outcome: policies.PolicyOutcome) -> Report:
    """Return a report with what a policy makes of it, and the words that name one that comes along."""
    digest = outcome.policy.digest

    known = next((each for each in policies.shipped_policies().values() if each.digest == digest), None)
    words = () if known is None else ("--policy", known.name)
    rows: list[list[Text | str]] = [
        [
            each.word,
            text(each.limit.says),
            text("{label}, {asked}", label=own(each.limit.kind.label), asked=each.asked),
            each.seen,
            text(each.limit.clause),
            f"{each.limit.source} {each.limit.year}",
            read_word(each.limit),
        ]
        for each in outcome.outcomes
    ]
    table = ReportTable(
        name="Policy",
        title="Policy",
        frame=table_of(rows, _COLUMNS),
        note=outcome.sentence,
        key=policies.LIMITS_KEY,
    )
    return replace(
        report,
        policy=outcome.document(),
        tables=(table, *report.tables),
        arguments=tuple((*run, *words) for run in report.arguments),
    )


_COLUMNS = (
    Column("outcome", "Outcome", kind="words"),
    Column("says", "The policy asks", kind="words"),
    Column("limit", "Limit", kind="words"),
    Column("found", "Found", kind="words"),
    Column("clause", "Clause", kind="words"),
    Column("source", "Source"),
    Column("read", "Read by whoever wrote it", kind="words"),
)


def looks(arguments: Asked, dataset: Dataset, left_out: Iterable[str] = ()) -> Columns:
    """Return what the columns of a table that is released look like, as far as the policy asks."""
    policy = _asked(arguments)
    return kinds_of_columns(dataset.table, policy.kinds, left_out) if policy is not None else {}


def looks_of_all(arguments: Asked, datasets: Iterable[Dataset]) -> Columns:
    """Return the same of several tables, each column named with its table."""
    return {
        f"{dataset.name}: {name}": kinds
        for dataset in datasets
        for name, kinds in looks(arguments, dataset).items()
    }


def judged(arguments: Asked, report: Report, columns: Columns | None = None) -> policies.PolicyOutcome | None:
    """Hold a result against the policy asked for; None where none is.

    Parameters
    ----------
    columns
        What the columns of the release look like; None where they were not looked at.
    """
    policy = _asked(arguments)
    return None if policy is None else policies.judge_policy(policy, report, columns)


def _asked(arguments: Asked) -> policies.Policy | None:
    return getattr(arguments, "policy", None)
