"""Cells whose reading is a guess: `NA` that may be a code, marks that may be of thousands or decimals."""

from collections.abc import Iterator, Mapping

import pyarrow as pa

from core.tables import Dataset
from core.values.numbers import plain_numbers
from core.verdict import Finding, Verdict


def about_doubtful_cells(dataset: Dataset, chosen: Mapping[str, pa.Array]) -> Iterator[Finding]:
    """Yield the chosen columns in which cells may say something else than they were read as.

    `chosen`: by column its distinct values, shape (n_values,).
    """
    for column, values in chosen.items():
        if column in dataset.reading.codes_missing:
            yield _missing_code(dataset, column)
        yield from about_doubtful_numbers(column, values)


def about_doubtful_numbers(column: str, values: pa.Array) -> Iterator[Finding]:
    """Yield a column of which the distinct values, shape (n_values,), may be other numbers than was read."""
    numbers = plain_numbers(values)
    if numbers is not None and numbers.is_ambiguous:
        yield Finding.of("ambiguous_numbers", Verdict.WARN, column=column)(
            "Numbers of {column} such as 1.234 or 1,234 stand beside others without a mark, and nothing "
            "tells thousands from decimals: they were read as thousands where the mark is a comma.",
            column=f"`{column}`",
        )


def _missing_code(dataset: Dataset, column: str) -> Finding:
    n = dataset.table[column].null_count
    return Finding.of("codes_missing", Verdict.NOT_ASSESSED, column=column, n_affected=n)(
        "`NA` in `{column}` was read as missing, and every other value there is a code of two letters: "
        "it may be one, such as Namibia's. The figures may lack {n} record that has it.",
        "`NA` in `{column}` was read as missing, and every other value there is a code of two letters: "
        "it may be one, such as Namibia's. The figures may lack up to {n} records that have it.",
        n=n,
        column=column,
    )
