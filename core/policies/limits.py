"""What a policy can limit: what each limit is called, which settings it sets, and where its figure stands."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Document = Mapping[str, Any]  # what a command prints as JSON
_GROUPS = ("k", "smallest_class*", "joined_k", "table_k", "k_anonymity", "hidden_persons", "few_in_table")


@dataclass(frozen=True, kw_only=True)
class LimitKind:
    """One thing that can be limited.

    Attributes
    ----------
    label
        In words.
    is_floor
        Whether the figure has to be at least, not at most, so large.
    least, most, whole
        What the limit itself may be.
    settings
        Tool to the settings that it sets; a tool that is not among them is not concerned, unless
        it has a figure.
    figures
        Tool to the figures in its document that are held against the limit; None is not assessed.
    checks
        Checks whose findings decide too: what they FAIL is not met, what they do not assess cannot be told.
        A name that ends in ``*`` stands for all that begin so.
    to_setting
        Makes the setting's value of the limit.
    """

    label: str
    is_floor: bool = False
    least: float = 0
    most: float = 1
    whole: bool = False
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    figures: Mapping[str, Callable[[Document], Sequence[float | None]]] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    to_setting: Callable[[Any], Any] = field(default=lambda value: value)
    is_floor_of_setting: bool = False  # whether the setting is stricter the larger it is

    @property
    def tools(self) -> set[str]:
        """Return the tools that the limit concerns."""
        return {*self.settings, *self.figures}


def _files(document: Document, key: str) -> list[Any]:
    return [file.get(key) for file in document.get("files", ())]


def _known(document: Document, key: str) -> list[Any]:
    """Return a figure of the data set audit for each number of records that somebody may know."""
    at_most = document["thresholds"]["known_records"]
    some = (each for each in document["known"] if each["n_records_known"] is not None)  # not all of them
    return [each[key] for each in some if each["n_records_known"] <= at_most]


def _of_tables(document: Document) -> Iterator[Any]:
    return (each["smallest_class"] for each in document["tables"] if each["quasi_identifiers"])


def _recommended(document: Document, key: str) -> list[Any]:
    chosen = document.get("recommended") or {}
    found = [
        each[key]
        for each in document.get("configurations", ())
        if (each["k"], each["l"]) == (chosen.get("k"), chosen.get("l"))
    ]
    return found or [None]


def _sensitive(document: Document, *keys: str) -> list[Any]:
    return [each[key] for each in document["sensitive"].values() for key in keys if key in each] or [None]


def _masked_share(pair: Document) -> float | None:
    """Return the share of a variant file's targets that are masked; None where it has none."""
    masked, targets = (
        sum(int(pair[f"{part}_{what}"]) for part in ("metadata", "variant")) for what in ("masked", "targets")
    )
    return masked / targets if targets else None


def _is_of_counts(document: Document) -> bool:
    return document.get("kind") == "counts"


def _of_records(read: Callable[[Document], list[Any]]) -> Callable[[Document], list[Any]]:
    """Return what a document says of records; of a table of counts nothing."""
    return lambda document: [] if _is_of_counts(document) else read(document)


_K: Mapping[str, Callable[[Document], Sequence[float | None]]] = {
    "risk": _of_records(lambda document: [document["k"]]),
    "tabular": lambda document: _files(document, "min_k") or [None],
    "dataset": lambda document: [*_known(document, "smallest_class"), *_of_tables(document)] or [None],
    "events": lambda document: [document["smallest_combination"]],
    "diversity": lambda document: _recommended(document, "min_k"),
}
_K_SETTINGS = {
    "risk": ("k",),
    "tabular": ("smallest_k",),
    "dataset": ("k",),
    "events": ("k",),
    "diversity": ("k_min",),
}


def _highest_risks(tool: str) -> Callable[[Document], list[float | None]]:
    return lambda document: [k and 1 / k for k in _K[tool](document)]


LIMITS: Mapping[str, LimitKind] = {
    "k": LimitKind(
        label="Smallest group",
        is_floor=True,
        is_floor_of_setting=True,
        least=2,
        most=math.inf,
        whole=True,
        settings=_K_SETTINGS,
        figures=_K,
        checks=_GROUPS,
    ),
    "highest_risk": LimitKind(
        label="Highest risk of being found",
        settings=_K_SETTINGS,
        figures={tool: _highest_risks(tool) for tool in _K},
        checks=_GROUPS,
        to_setting=lambda risk: math.ceil(1 / risk - 1e-9),
        is_floor_of_setting=True,
    ),
    "average_risk": LimitKind(
        label="Average risk of being found",
        settings={"risk": ("average_risk",)},
        figures={"risk": _of_records(lambda document: [document["prosecutor_average_risk"]])},
        checks=("average_risk",),
    ),
    "unique_share": LimitKind(
        label="Share who are alone",
        settings={"events": ("max_rows_unique_share", "max_whole_trace_share")},
        figures={
            "risk": _of_records(lambda document: [document["sample_unique_share"]]),
            "tabular": lambda document: (
                [None if file["min_k"] is None else file["share_k_lt_2"] for file in document["files"]]
                or [None]
            ),
            "dataset": lambda document: _known(document, "share_unique") or [None],
            "events": lambda document: [
                document["multiset_unique_share"],
                document["sequence_unique_share"],
                document["whole_trace_unique_share"],
            ],
        },
    ),
    "l": LimitKind(
        label="Different sensitive values in each group",
        is_floor=True,
        is_floor_of_setting=True,
        least=1,
        most=math.inf,
        whole=True,
        settings={"risk": ("l",), "diversity": ("l_min",)},
        figures={
            "risk": _of_records(lambda document: _sensitive(document, "distinct_l", "folded_distinct_l")),
            "diversity": lambda document: _recommended(document, "distinct_l"),
        },
        checks=("distinct_l", "folded_distinct_l", "homogeneous_classes"),
    ),
    "t": LimitKind(
        label="Distance t of a group's sensitive values",
        settings={"risk": ("t",)},
        figures={"risk": _of_records(lambda document: _sensitive(document, "t", "folded_t"))},
        checks=("t", "folded_t"),
    ),
    "smallest_cell": LimitKind(
        label="Smallest count in a cell",
        is_floor=True,
        is_floor_of_setting=True,
        least=2,
        most=math.inf,
        whole=True,
        settings={"risk": ("k",)},
        figures={
            "risk": lambda document: (
                [each["smallest"] for each in document["counts"] if each["n_cells"]]
                if _is_of_counts(document)
                else []
            )
        },
        checks=(
            "small_counts",
            "recoverable_counts",
            "narrow_counts",
            "small_differences",
            "counts_together",
            "counts_not_bounded",
        ),
    ),
    "relinked_share": LimitKind(
        label="Share of records found again",
        settings={"tabular": ("relinkage_fail_share",)},
        figures={"leakage": lambda document: [document["relink_share"]]},
        checks=("relinkage*",),
    ),
    "full_leakage_share": LimitKind(
        label="Share of rows that stayed as they were",
        settings={"leakage": ("max_full_leakage_share",)},
        figures={"leakage": lambda document: [document["full_leakage_share"]]},
        checks=("full_leakage", "without_columns", "second_look"),
    ),
    "masked_share": LimitKind(
        label="Share of targets that are masked",
        is_floor=True,
        figures={
            "vcf": lambda document: [_masked_share(pair) for pair in document["pairs"]] or [None],
        },
        checks=("targets_left",),
    ),
    "findings": LimitKind(label="Findings that there must not be"),
    "identifiers": LimitKind(label="Columns that there must not be"),
}
