"""Tables of the (k, l) grid search, and the files for programs that are made of them."""

from collections.abc import Callable, Sequence

import pandas as pd

from core.diversity import Configuration, DiversityAudit, SearchProblem, SinglingOut, released_generalizations
from core.diversity.minimized import known_as, ranges
from core.diversity.views.charts import STATUS_WORDS
from core.languages import ENGLISH
from core.reports.model import Column, said_table, table_of
from core.words import speaking, text

SINGLING_OUT_COLUMNS = (
    Column("column", "Column"),
    Column("values", "Different values"),
    Column("alone", "Records it singles out", "share"),
    Column("together", "Together with those above", "share"),
)


GENERALIZATION_COLUMNS = (
    Column("column", "Quasi-identifier"),
    Column("known_as", "May be known as", kind="words"),
)


BIN_COLUMNS = (
    Column("attribute", "Sensitive attribute"),
    Column("values", "Different values"),
    Column("counted_as", "Counted as"),
    Column("bins", "Bins", kind="words"),
)


def configurations_table(configurations: Sequence[Configuration]) -> pd.DataFrame:
    """Return a row per configuration, shares in [0, 1], None where not assessed."""
    rows = [[value(each) for _, value in _READ] for each in configurations]
    return table_of(rows, [column for column, _ in _READ])


def _of(part: str, name: str, *, decimals: int | None = None) -> Callable[[Configuration], object]:
    """Return what reads a figure of a part of a configuration, None where it has no such part."""

    def read(configuration: Configuration) -> object:
        value = getattr(getattr(configuration, part), name, None)
        return value if value is None or decimals is None else round(value, decimals)

    return read


_READ: Sequence[tuple[Column, Callable[[Configuration], object]]] = (
    (Column("k", "k"), lambda each: each.k),
    (Column("l", "ℓ"), lambda each: each.l),
    (Column("result", "Result", kind="words"), lambda each: STATUS_WORDS[each.status]),
    (Column("accuracy", "Accuracy", "share"), lambda each: each.accuracy),
    (Column("accuracy_low", "Interval from", "share"), _of("evaluation", "accuracy_low")),
    (Column("accuracy_high", "Interval to", "share"), _of("evaluation", "accuracy_high")),
    (Column("balanced", "Balanced", "share"), _of("evaluation", "balanced_accuracy")),
    (Column("baseline", "Most frequent label", "share"), _of("evaluation", "baseline_accuracy")),
    (Column("untouched", "Same records untouched", "share"), _of("evaluation", "untouched_accuracy")),
    (Column("n_holdout", "Held out"), _of("evaluation", "n_holdout")),
    (Column("deletion", "Removed", "share"), lambda each: each.deletion_ratio),
    (Column("n_kept", "Kept"), _of("kept_set", "n_kept")),
    (Column("ncp", "NCP", "share"), _of("kept_set", "ncp")),
    (Column("minimization_ncp", "NCP of minimization", "share"), _of("evaluation", "minimization_ncp")),
    (Column("smallest_class", "Smallest class"), _of("verification", "k")),
    (Column("distinct_l", "Distinct ℓ"), _of("verification", "distinct_l")),
    (Column("entropy_l", "Entropy ℓ"), _of("verification", "entropy_l", decimals=3)),
    (Column("t", "t"), _of("verification", "t", decimals=4)),
    (Column("alpha", "α", "share"), _of("verification", "alpha")),
)


def generalizations_table(problem: SearchProblem, configuration: Configuration) -> pd.DataFrame:
    """Return a row per quasi-identifier: what minimization leaves of it, in words."""
    found = released_generalizations(problem, configuration)
    rows = [(each.feature, known_as(each)) for each in found]
    return table_of(rows, GENERALIZATION_COLUMNS)


def singling_out_table(ranked: Sequence[SinglingOut]) -> pd.DataFrame:
    """Return a row per column: how many records it singles out alone and with those before it."""
    rows = [(e.column, e.n_values, e.unique_share, e.unique_share_with_former) for e in ranked]
    return table_of(rows, SINGLING_OUT_COLUMNS)


def bins_table(problem: SearchProblem) -> pd.DataFrame:
    """Return a row per sensitive attribute: how its values are counted."""
    rows = [
        (
            each.name,
            each.n_distinct,
            each.n_values,
            "as written" if each.edges is None else ranges(each.edges.tolist()),
        )
        for each in problem.sensitive
    ]
    return table_of(rows, BIN_COLUMNS)


def configurations_csv(audit: DiversityAudit) -> bytes:
    """Return all configurations as CSV, in English; numbers and our own words only."""
    with speaking(ENGLISH):
        table = said_table(configurations_table(audit.search.configurations), [column for column, _ in _READ])
    return table.rename(columns=_of_programs).to_csv(index=False).encode()


def _of_programs(heading: str) -> str:
    return heading.replace("ℓ", "l")


def kept_records_csv(problem: SearchProblem, configuration: Configuration) -> bytes:
    """Return the record numbers of the kept records in the uploaded table, the first record being 1."""
    kept_set = configuration.kept_set
    kept = problem.records[kept_set.kept] + 1 if kept_set else problem.records[:0]
    return pd.DataFrame({"record": kept}).to_csv(index=False).encode()


def model_of(problem: SearchProblem) -> str:
    """Return what the model is, in words."""
    if problem.inputs.model is None:
        return text("predictions in column {column}", column=problem.choice.predictions_column)
    return problem.inputs.model.description
