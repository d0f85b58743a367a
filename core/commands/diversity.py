"""``python -m core diversity``: which (k, l) keeps the model useful."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from core.commands.output import check_new_files
from core.demo.diversity import DEMO_NAMES
from core.errors import AuditInputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument("data", nargs="?", type=Path, metavar="DATA", help="table to anonymize")
    data.add_argument("--demo", choices=DEMO_NAMES, help="use one of scikit-learn's tables")
    parser.add_argument("--label", metavar="COL", help="column the model predicts")
    parser.add_argument("--sensitive", action="extend", nargs="+", metavar="COL", help="sensitive attributes")
    parser.add_argument(
        "--quasi-identifier", action="extend", nargs="+", metavar="COL", help="columns to anonymize"
    )
    parser.add_argument(
        "--categorical", action="extend", nargs="+", default=[], metavar="COL", help="columns of categories"
    )
    parser.add_argument(
        "--leave-out",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL",
        help="columns that are no features; not released",
    )
    parser.add_argument("--one-hot-group", nargs="+", action="append", default=[], metavar="COL",
                        help="quasi-identifiers that are one category in several 0/1 columns")  # fmt: skip
    _add_model_arguments(parser)
    _add_grid_arguments(parser)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="threads (1)")
    parser.add_argument("--repeats", type=int, default=0, metavar="N",
                        help="repeat the recommended pair over N seeds")  # fmt: skip
    parser.add_argument("--rank-columns", action="store_true",
                        help="rank the columns by records singled out; without roles only that")  # fmt: skip
    parser.add_argument("--release", type=Path, metavar="FILE", help="write the recommended anonymized table")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _add_model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="tree", metavar="tree|forest|boosting|logistic|FILE.skops",
                        help="model to train here, or a fitted one (tree)")  # fmt: skip
    parser.add_argument("--predictions", metavar="COL", help="column of predictions, instead of a model")
    parser.add_argument("--train", type=Path, metavar="TABLE", help="table to train on, instead of a split")
    parser.add_argument("--model-seed", type=int, default=10, metavar="N", help="random state (10)")
    parser.add_argument("--test-size", type=float, default=0.5, metavar="S", help="share to anonymize (0.5)")
    parser.add_argument("--split-seed", type=int, default=14, metavar="N", help="random state (14)")
    parser.add_argument("--regression", action="store_true", help="the label is a number; accuracy is R²")


def _add_grid_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--k-min", type=int, default=2, metavar="K", help="smallest k (2)")
    parser.add_argument("--k-max", type=int, default=7, metavar="K", help="largest k (7)")
    parser.add_argument("--l-min", type=int, default=1, metavar="L", help="smallest l (1)")
    parser.add_argument(
        "--target-accuracy", type=float, default=0.6, metavar="A", help="accuracy to keep (0.6)"
    )
    parser.add_argument("--diversity", choices=("distinct", "entropy", "recursive"), default="distinct")
    parser.add_argument("--recursive-c", type=float, default=3.0, metavar="C", help="c of (c, l) (3)")
    parser.add_argument("--bins", type=int, default=10, metavar="N",
                        help="bins of a numeric sensitive attribute, 0 for none (10)")  # fmt: skip
    parser.add_argument("--cells", choices=("proper", "quasi_identifiers", "all_features"), default="proper",
                        help="what the tree that makes the cells sees (proper)")  # fmt: skip
    parser.add_argument("--reference-cells", action="store_true",
                        help="cells, diversity and labels as in the published reference")  # fmt: skip
    parser.add_argument("--min-accuracy", type=float, metavar="A", help="smallest accuracy to list")
    parser.add_argument(
        "--max-deletion", type=float, default=1.0, metavar="D", help="largest deletion to list"
    )
    parser.add_argument("--sort", choices=("accuracy", "deletion_ratio"), default="accuracy")


_LARGEST_SEED = 2**32 - 1  # of NumPy's and scikit-learn's random states
_MOST_THREADS = 256
_Range = tuple[float, float]


def _ranges(arguments: argparse.Namespace) -> dict[str, tuple[float | None, _Range]]:
    """Return what each option with a number was given, and the range it must be in."""
    without_end = (0, math.inf)
    return {
        "--k-min": (arguments.k_min, (2, math.inf)),
        "--k-max": (arguments.k_max, (2, math.inf)),
        "--l-min": (arguments.l_min, (1, max(arguments.k_max, 1))),
        "--target-accuracy": (arguments.target_accuracy, (0, 1)),
        "--min-accuracy": (arguments.min_accuracy, (0, 1)),
        "--max-deletion": (arguments.max_deletion, (0, 1)),
        "--recursive-c": (arguments.recursive_c, without_end),
        "--bins": (arguments.bins, without_end),
        "--test-size": (arguments.test_size, (0, 1)),
        "--model-seed": (arguments.model_seed, (0, _LARGEST_SEED)),
        "--split-seed": (arguments.split_seed, (0, _LARGEST_SEED)),
        "--jobs": (arguments.jobs, (1, _MOST_THREADS)),
        "--repeats": (arguments.repeats, (0, 1000)),
    }


def check_options(arguments: argparse.Namespace) -> None:
    """Refuse numbers out of their range, and a release that cannot be written, before anything is read.

    Raises
    ------
    AuditInputError
        Names every such option, what is allowed, and what was received.
    """
    problems = [
        f"{option} must be {_in_words(low, high)}, received {value:g}."
        for option, (value, (low, high)) in _ranges(arguments).items()
        if value is not None and not (low <= value <= high and math.isfinite(value))
    ]
    if arguments.k_min > arguments.k_max:
        problems.append(
            f"--k-min must be at most --k-max, received {arguments.k_min:,} and {arguments.k_max:,}."
        )
    if arguments.bins == 1:
        problems.append("--bins must be 0 for none or at least 2, received 1.")
    if arguments.test_size in (0, 1):
        problems.append(f"--test-size must lie between 0 and 1, received {arguments.test_size:g}.")
    if arguments.recursive_c == 0:
        problems.append("--recursive-c must be above 0, received 0.")
    if problems:
        raise AuditInputError(*problems)
    if arguments.release is not None:
        check_new_files("--release", arguments.release)


def _in_words(low: float, high: float) -> str:
    return f"at least {low:,.0f}" if math.isinf(high) else f"from {low:,.0f} to {high:,.0f}"


def run(arguments: argparse.Namespace) -> int:
    """Search, print, return the exit code."""
    check_options(arguments)
    # scikit-learn takes a second to import; the other tools need not wait for it.
    from core.commands import diversity_search  # noqa: PLC0415

    return diversity_search.run(arguments)
