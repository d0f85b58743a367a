"""Codes such as Namibia's, which may have been taken for missing cells when a table was read."""

from collections.abc import Iterator, Sequence

from core.tables import Dataset
from core.verdict import Finding, Verdict


def about_missing_codes(dataset: Dataset, chosen: Sequence[str]) -> Iterator[Finding]:
    """Yield the chosen columns in which a code may have been taken for a missing cell."""
    for column in dict.fromkeys(chosen):
        if column not in dataset.reading.codes_missing:
            continue
        n = dataset.table[column].null_count
        yield Finding.of("codes_missing", Verdict.NOT_ASSESSED, column=column, n_affected=n)(
            "`NA` in `{column}` was read as missing, and every other value there is a code of two letters: "
            "it may be one, such as Namibia's. The figures may lack {n} record that has it.",
            "`NA` in `{column}` was read as missing, and every other value there is a code of two letters: "
            "it may be one, such as Namibia's. The figures may lack up to {n} records that have it.",
            n=n,
            column=column,
        )
