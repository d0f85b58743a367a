"""A report with what a policy makes of it, and what a policy asks of the columns that are released."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from core import policies
from core.policies.identifiers import kinds_of_columns
from core.policies.judging import Columns, read_word
from core.reports.model import Report
from core.result import Col, Table
from core.tables import Dataset
from core.words import own, text


def with_outcome(report: Report, outcome: policies.PolicyOutcome) -> Report:
    """Return a report with what a policy makes of it, and the words that name one that comes along."""
    digest = outcome.policy.digest

    known = next((each for each in policies.shipped_policies().values() if each.digest == digest), None)
    words = () if known is None else ("--policy", known.name)
    rows = [
        (
            each.word,
            text(each.limit.says),
            text("{label}, {asked}", label=own(each.limit.kind.label), asked=each.asked),
            each.seen,
            text(each.limit.clause),
            f"{each.limit.source} {each.limit.year}",
            read_word(each.limit),
        )
        for each in outcome.outcomes
    ]
    table = Table(policies.LIMITS_KEY, "Policy", _COLUMNS, rows, outcome.sentence, name="Policy")
    return replace(
        report,
        policy=outcome.document(),
        tables=(table, *report.tables),
        arguments=tuple((*run, *words) for run in report.arguments),
    )


_COLUMNS = (
    Col("outcome", "Outcome", kind="words"),
    Col("says", "The policy asks", kind="words"),
    Col("limit", "Limit", kind="words"),
    Col("found", "Found", kind="words"),
    Col("clause", "Clause", kind="words"),
    Col("source", "Source"),
    Col("read", "Read by whoever wrote it", kind="words"),
)


def looks(policy: policies.Policy | None, *released: Dataset, left_out: Iterable[str] = ()) -> Columns:
    """Return what the columns of tables that are released look like, as far as the policy asks."""
    if policy is None:
        return {}
    found = [(each, kinds_of_columns(each.table, policy.kinds, left_out)) for each in released]
    return named_columns(found)


def named_columns(found: Collection[tuple[Dataset, Mapping[str, frozenset[str]]]]) -> Columns:
    """Return what columns look like by their names; of several tables each is named with its table."""
    return {
        f"{dataset.name}: {name}" if len(found) > 1 else name: kinds
        for dataset, columns in found
        for name, kinds in columns.items()
    }
