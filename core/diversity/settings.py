"""What the person chooses: roles of the columns, ranges of k and l, how cells are made."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from core.settings.form import REQUIRED, Widget, check, said, setting
from core.words import Text, own, text

CellRule = Literal["proper", "quasi_identifiers", "all_features"]
DiversityRule = Literal["distinct", "entropy", "recursive"]
MajorityRule = Literal["records", "leaf_shares"]
Task = Literal["classification", "regression"]

_LARGEST_GRID = 200_000
_LARGEST_SEED = 2**32 - 1  # of NumPy's and scikit-learn's random states
_POINTS_BELOW = 5


@dataclass(frozen=True, kw_only=True)
class DiversitySettings:
    """Settings of the (k, l) grid search."""

    label: str = setting(REQUIRED, "Label", "The column that the model predicts.", metavar="COL")
    sensitive_attributes: tuple[str, ...] = setting(
        REQUIRED,
        "Sensitive attributes",
        "What nobody shall learn about a person from their cell. Each cell must hold enough different values "
        "of each.",
        "--sensitive",
        metavar="COL",
        widget=Widget(key="sensitive"),
    )
    quasi_identifiers: tuple[str, ...] = setting(
        REQUIRED,
        "Quasi-identifiers",
        "What others may know of a person, and could recognize them by. These columns are anonymized.",
        "--quasi-identifier",
        metavar="COL",
        widget=Widget(key="quasi"),
    )
    left_out: tuple[str, ...] = setting(
        (),
        "Leave out of features and release",
        "Names, record numbers and the like: the model does not use them and they are not released.",
        "--leave-out",
        metavar="COL",
    )
    categorical: tuple[str, ...] = setting(
        (), "Columns of categories", "All other features must hold numbers.", metavar="COL"
    )
    one_hot_groups: tuple[tuple[str, ...], ...] = setting(
        (),
        "One category in several 0/1 columns",
        "A category such as a job may be written as one column per value, with a 1 in one of them. Such "
        "quasi-identifiers are replaced together: a cell shows its most frequent row of the group, never two "
        "jobs at once.",
        "--one-hot-group",
        metavar="COL",
        widget=Widget(key="group"),
    )
    task: Task = setting(
        "classification",
        "The label is",
        "For numbers, accuracy is R².",
        choices={"classification": "a class", "regression": "a number"},
        widget=Widget(kind="segmented_control"),
    )
    k_min: int = setting(
        2,
        "Smallest k",
        "k is the records in a cell, at least: nobody can be told apart from k - 1 others by the "
        "quasi-identifiers.",
        least=2,
        any_size=True,
        metavar="K",
    )
    k_max: int = setting(
        12,
        "Largest k",
        "Up to the records to anonymize. More pairs take longer.",
        any_size=True,
        least=2,
        metavar="K",
    )
    l_min: int = setting(
        1,
        "Smallest ℓ",
        "ℓ is the different sensitive values in a cell, at least; cells with fewer are removed. It runs from "
        "here up to k.",
        least=1,
        any_size=True,
        metavar="L",
        widget=Widget(key="l"),
    )
    target_accuracy: float | None = setting(
        None,
        "Target accuracy",
        "Quasi-identifiers are generalized as far as the model keeps this agreement with itself, and pairs "
        "are offered from this accuracy on.",
        percent=True,
        none="5 points below the untouched model's",
        widget=Widget(kind="slider", key="target"),
    )
    n_splits: int = setting(
        20,
        "Splits that the pair is measured on",
        "The search takes one split of the kept records, and the best of many pairs is best partly by luck. "
        "The pair that is shown is measured on so many, and the range of its accuracy told.",
        "--splits",
        least=1,
        most=1_000,
        metavar="N",
    )
    cells: CellRule = setting(
        "proper",
        "Cells are made",
        "From the quasi-identifiers alone, neither the label nor the sensitive attribute decides who shares "
        "a cell with whom.",
        choices={
            "proper": "From the quasi-identifiers alone",
            "quasi_identifiers": "Quasi-identifiers, cut to separate the labels",
            "all_features": "All features, as published",
        },
        widget=Widget(kind="radio"),
    )
    diversity: DiversityRule = setting(
        "distinct",
        "A cell is diverse with",
        "",
        choices={
            "distinct": "at least ℓ different values",
            "entropy": "entropy of at least ℓ values",
            "recursive": "recursive (c, ℓ)",
        },
        widget=Widget(kind="radio", key="rule"),
    )
    recursive_c: float = setting(
        3.0,
        "c of recursive (c, ℓ)",
        "The most frequent value may occur fewer than c times as often as the ℓ-th and all rarer ones.",
        above=0,
        any_size=True,
        widget=Widget(span=(0.1, 100), key="c"),
    )
    sensitive_bins: int | None = setting(
        10,
        "Bins of a numeric sensitive attribute",
        "A continuous attribute looks diverse always; bins of about equal numbers of records are counted "
        "instead. 0 counts values as written.",
        "--bins",
        least=2,
        most=10_000,
        metavar="N",
        none="values as written",
        widget=Widget(span=(0, 100), none_at=0, key="bins"),
    )
    # The label of a merged cell in minimization: the most frequent prediction among its records, or every
    # leaf below counts the same, whatever its size, as in the published reference.
    majority: MajorityRule = "records"
    holdout_seed: int = 38  # of the outer split
    minimization_seed: int = 18  # of the inner split

    @property
    def target(self) -> float:
        """Return the target accuracy, which is known once the model is."""
        if self.target_accuracy is None:
            raise ValueError("The target is set when the search is prepared.")
        return self.target_accuracy

    @property
    def n_pairs(self) -> int:
        """Return the number of pairs, without making them."""
        first = max(self.k_min, self.l_min) - self.l_min + 1
        last = self.k_max - self.l_min + 1
        return max((first + last) * (last - first + 1) // 2, 0)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Return every (k, l) of the grid, k ascending and within it l ascending."""
        return tuple(
            (k, l)
            for k in range(self.k_min, self.k_max + 1)
            for l in range(self.l_min, k + 1)  # noqa: E741
        )


def just_below(untouched_accuracy: float) -> float:
    """Return the target for a model of this accuracy on untouched records: 5 points less, whole percent."""
    return max(math.floor(100 * untouched_accuracy + 1e-9) - _POINTS_BELOW, 0) / 100


def as_published(settings: DiversitySettings) -> DiversitySettings:
    """Return the settings with cells, diversity and majority as the published reference has them."""
    return replace(
        settings, cells="all_features", diversity="distinct", sensitive_bins=None, majority="leaf_shares"
    )


def check_settings(settings: DiversitySettings, columns: tuple[str, ...], *, source: str = "tree") -> None:
    """Check the settings on their own and against the columns of the table; `source` is the model's.

    Raises
    ------
    AuditInputError
        Names every parameter out of its range and every column that is absent or has two roles.
    """
    roles = _role_problems(settings, columns, needs_label=source != "none")
    check(settings, [*contradictions(settings), *roles])


def contradictions(settings: DiversitySettings) -> list[str]:
    """Return what is wrong with the grid, whatever the table."""
    k_min, k_max, l_min = (said(DiversitySettings, name) for name in ("k_min", "k_max", "l_min"))
    ends = ((k_min, settings.k_min, settings.k_max), (l_min, settings.l_min, max(settings.k_max, 1)))
    problems: list[str] = [
        text(
            "{setting} must be at most {largest_k}, received {received} and {k}.",
            setting=smallest,
            largest_k=k_max,
            received=received,
            k=settings.k_max,
        )
        for smallest, received, most in ends
        if received > most
    ]
    if not problems and settings.n_pairs > _LARGEST_GRID:
        problems.append(
            text(
                "The grid has {n} pair of k and ℓ; at most {most} are searched. Narrow the range of k "
                "({smallest_k}, {largest_k}), or raise the smallest ℓ ({smallest_l}).",
                "The grid has {n} pairs of k and ℓ; at most {most} are searched. Narrow the range of k "
                "({smallest_k}, {largest_k}), or raise the smallest ℓ ({smallest_l}).",
                n=settings.n_pairs,
                most=_LARGEST_GRID,
                smallest_k=k_min,
                largest_k=k_max,
                smallest_l=l_min,
            )
        )
    return problems


_ROLES = {
    "label": own("label"),
    "sensitive": own("sensitive attribute"),
    "quasi": own("quasi-identifier"),
    "categorical": own("categorical column"),
    "one_hot": own("column of a one-hot group"),
    "left_out": own("column left out"),
}
_EXCLUSIVE = ("label", "sensitive", "quasi", "left_out")


def _role_problems(
    settings: DiversitySettings, columns: tuple[str, ...], *, needs_label: bool
) -> Iterator[str]:
    if not needs_label and settings.cells != "proper":
        yield "Without a model cells are made from the quasi-identifiers alone: choose proper cells."
    if not settings.label and needs_label:
        yield "Choose the label: the column that the model predicts."
    if not settings.quasi_identifiers:
        yield "Choose at least one quasi-identifier."
    if not settings.sensitive_attributes:
        yield "Choose at least one sensitive attribute."
    named = {
        "label": (settings.label,) if settings.label else (),
        "sensitive": settings.sensitive_attributes,
        "quasi": settings.quasi_identifiers,
        "categorical": settings.categorical,
        "one_hot": tuple(c for group in settings.one_hot_groups for c in group),
        "left_out": settings.left_out,
    }
    known = set(columns)
    for role, names in named.items():
        yield from (
            text("The {role} “{column}” is not a column of the table.", role=_ROLES[role], column=name)
            for name in names
            if name not in known
        )
        yield from (
            text("“{column}” is given twice as {role}.", column=name, role=_ROLES[role])
            for name in sorted(name for name, n_times in Counter(names).items() if n_times > 1)
        )
    yield from _clashes(named)


def _clashes(named: dict[str, tuple[str, ...]]) -> list[Text]:
    members = {role: set(names) for role, names in named.items()}
    problems = [
        text(
            "“{column}” cannot be both {first} and {second}.",
            column=name,
            first=_ROLES[first],
            second=_ROLES[second],
        )
        for position, first in enumerate(_EXCLUSIVE)
        for second in _EXCLUSIVE[position + 1 :]
        for name in named[first]
        if name in members[second]
    ]
    problems += [
        text(
            "“{column}” is in a one-hot group and must be a quasi-identifier that is not categorical.",
            column=name,
        )
        for name in named["one_hot"]
        if name not in members["quasi"] or name in members["categorical"]
    ]
    return problems


Sort = Literal["accuracy", "deletion_ratio"]


@dataclass(frozen=True, kw_only=True)
class DiversityThresholds:
    """What the person can live with; judged anew at once when it changes."""

    min_accuracy: float | None = setting(
        None,
        "Accuracy at least",
        "On top of the search's target, which applies in any case.",
        percent=True,
        none="the target",
        widget=Widget(kind="slider"),
    )
    max_deletion: float = setting(
        1.0,
        "Records removed at most",
        "Share of the records that a pair of k and ℓ removes because their cells are not diverse.",
        percent=True,
        widget=Widget(kind="slider"),
    )
    sort: Sort = setting(
        "accuracy",
        "Sort the result list by",
        "The best first.",
        choices={"accuracy": own("accuracy"), "deletion_ratio": "records removed"},
        widget=Widget(kind="segmented_control"),
    )

    def __post_init__(self) -> None:
        check(self)


ModelKind = Literal["tree", "forest", "boosting", "logistic"]  # trained here
ModelSource = Literal["tree", "forest", "boosting", "logistic", "file", "predictions", "none"]


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """Where the model comes from."""

    source: ModelSource = setting(
        "tree",
        "Where the model comes from",
        "A model trained here learns from a part of the table, or from a table of its own, and the rest is "
        "anonymized.",
        "--model",
        choices={
            "tree": "Train a decision tree here",
            "forest": "Train a random forest here",
            "boosting": "Train gradient boosting here",
            "logistic": "Train a linear model here",
            "file": "My model, as a skops file",
            "predictions": "Only its predictions, in a column",
            "none": "No model: k and ℓ alone",
        },
        metavar="tree|forest|boosting|logistic|none|FILE.skops",
        widget=Widget(key="model"),
    )
    predictions_column: str | None = setting(
        None,
        "Column with the predictions",
        "Instead of a model; accuracy of anonymized records cannot be assessed without the model itself.",
        "--predictions",
        metavar="COL",
        widget=Widget(key="predictions"),
    )
    test_size: float = setting(
        0.5,
        "Part of the table to anonymize",
        "The rest trains the model. Not used with a training table of its own.",
        percent=True,
        least=-math.inf,
        most=math.inf,
        above=0,
        below=1,
        widget=Widget(kind="slider", span=(0.1, 0.9)),
    )
    split_seed: int = setting(
        14, "Seed of the split", "The same seed gives the same split.", least=0, most=_LARGEST_SEED
    )
    seed: int = setting(
        10,
        "Seed of the model",
        "The same seed trains the same model.",
        "--model-seed",
        least=0,
        most=_LARGEST_SEED,
    )
    file_name: str = ""  # the model file
    file: bytes = field(default=b"", repr=False)
    given: object = field(default=None, repr=False)  # a model of one's own in Python, in place of a file

    @property
    def file_digest(self) -> str:
        """Return the SHA-256 of the model file; of no file that of nothing."""
        return hashlib.sha256(self.file).hexdigest()

    @property
    def is_trained_here(self) -> bool:
        """Return whether the model is fitted on records of ours."""
        return self.source in get_args(ModelKind)
