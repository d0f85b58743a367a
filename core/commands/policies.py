"""``--policy``: whose limits a command takes, and whether its result meets them."""

import argparse
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from core import policies
from core.holding import read_unchanged
from core.policies.identifiers import kinds_of_columns
from core.policies.judging import Columns, read_word
from core.reports.model import Report
from core.result import Col, Table
from core.settings_files import ToolSettings, fill
from core.tables import Dataset
from core.words import input_error, own, text


def add_policy_option(parser: argparse.ArgumentParser) -> None:
    """Declare whose limits are taken."""
    parser.add_argument(
        "--policy",
        metavar="FILE|NAME",
        help="take the limits of a policy, a file of your own (TOML) or one of "
        f"{', '.join(policies.shipped_names())}; options and settings file come before it",
    )


def named_policy(given: str) -> policies.Policy:
    """Return a policy by the name of one that comes along, or by its file."""
    if given in policies.shipped_names():
        return policies.shipped_policies()[given]
    path = Path(given)
    try:
        return policies.read_policy(read_unchanged(path), name=path.name)
    except OSError:
        neither = "--policy must be one of {names}, or a file that can be read; {given} is neither."
        raise input_error(neither, names=", ".join(policies.shipped_names()), given=given) from None


def shipped_policy(name: str) -> policies.Policy:
    """Return a policy that comes along; no file is opened."""
    if name not in policies.shipped_names():
        raise input_error("The policy {name} does not come along with this version.", name=name)
    return policies.shipped_policies()[name]


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


def with_policy(arguments: argparse.Namespace, named: str, typed: Collection[str]) -> argparse.Namespace:
    """Return the arguments with the policy, and with its limits where no option was given."""
    policy = named_policy(named)
    limits = ToolSettings(tool=arguments.tool, values=policies.policy_settings(policy, arguments.tool))
    filled = fill(arguments, limits, typed)
    filled.policy = policy
    return filled


def looks(arguments: argparse.Namespace, dataset: Dataset, left_out: Iterable[str] = ()) -> Columns:
    """Return what the columns of a table that is released look like, as far as the policy asks."""
    policy = _asked(arguments)
    return kinds_of_columns(dataset.table, policy.kinds, left_out) if policy is not None else {}


def looks_of_all(arguments: argparse.Namespace, datasets: Iterable[Dataset]) -> Columns:
    """Return the same of several tables, each column named with its table."""
    return {
        f"{dataset.name}: {name}": kinds
        for dataset in datasets
        for name, kinds in looks(arguments, dataset).items()
    }


def judged(
    arguments: argparse.Namespace, report: Report, columns: Columns | None = None
) -> policies.PolicyOutcome | None:
    """Hold a result against the policy asked for; None where none is.

    Parameters
    ----------
    columns
        What the columns of the release look like; None where they were not looked at.
    """
    policy = _asked(arguments)
    return None if policy is None else policies.judge_policy(policy, report, columns)


def _asked(arguments: argparse.Namespace) -> policies.Policy | None:
    return getattr(arguments, "policy", None)
