"""What is released beside the audit: persons not declared, and the records that violate the rules."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from core.attribute_disclosure import LIMITS
from core.coding import BoolArray, coded_column
from core.files.plain_text import table_csv
from core.people.pseudonyms import TokenSource, new_pseudonyms
from core.people.roles import Role
from core.risk.judging import RiskAudit
from core.risk.measuring import RiskMeasurement
from core.risk.sensitive import SensitiveMeasurement
from core.risk.settings import RiskThresholds
from core.tables import Dataset
from core.words import input_error, listed

PersonReleased = Literal["pseudonym", "left_out"]
PERSON_RELEASED: tuple[PersonReleased, ...] = ("pseudonym", "left_out")


def released_columns(measured: RiskMeasurement, *, person: PersonReleased = "pseudonym") -> tuple[str, ...]:
    """Return the columns that a release holds, in the table's order.

    Those that somebody chose for something and that may be seen: quasi-identifiers, sensitive attributes,
    weights, columns said to be harmless, shifted dates, and, with pseudonyms in them, households and the
    person column. A column that nobody said anything of is never released.
    """
    settings = measured.settings
    chosen = {
        *settings.quasi_identifiers,
        *settings.sensitive,
        *settings.harmless,
        settings.weight,
        settings.household,
    }
    if person == "pseudonym":
        chosen.add(settings.person)
    return tuple(column for column in measured.columns if column in chosen)


def unreleased_columns(measured: RiskMeasurement, *, person: PersonReleased = "pseudonym") -> tuple[str, ...]:
    """Return the columns that a release leaves out although nobody said that it should."""
    settings = measured.settings
    said = {*settings.leave_out, *settings.direct_identifiers, settings.person}
    kept = released_columns(measured, person=person)
    return tuple(column for column in measured.columns if column not in kept and column not in said)


def check_undeclared(measured: RiskMeasurement) -> None:
    """Refuse to release beside columns that look like direct identifiers and that nobody declared.

    Of the columns that say whose a record is, a release has fresh pseudonyms at most.
    """
    settings = measured.settings
    declared = {*settings.direct_identifiers, *settings.harmless, settings.person, settings.household}
    found = [
        each.column
        for each in measured.unassigned
        if each.role is Role.DIRECT_IDENTIFIER and each.column not in declared
    ]
    if found:
        raise input_error(
            "{columns} looks like a direct identifier and nobody said what to do with it: name it with "
            "--direct-identifier or --leave-out to leave it out of the release, or with --harmless to "
            "keep it.",
            "{columns} look like direct identifiers and nobody said what to do with them: name each with "
            "--direct-identifier or --leave-out to leave it out of the release, or with --harmless to "
            "keep it.",
            n=len(found),
            columns=listed(found),
        )


def with_pseudonyms(table: pa.Table, measured: RiskMeasurement, *, token_source: TokenSource) -> pa.Table:
    """Return the table with a fresh random pseudonym for each person and household; a missing one stays so.

    Without such a column the table is returned as it is. The same person has the same pseudonym in every
    record of this table, and another one in every other table.
    """
    for column in filter(None, (measured.settings.person, measured.settings.household)):
        codes = coded_column(table, column).codes
        names = new_pseudonyms(int(codes.max(initial=-1)) + 1, token_source)
        pseudonyms = pa.array(names, pa.string()).take(pa.array(np.maximum(codes, 0), mask=codes < 0))
        table = table.set_column(table.column_names.index(column), column, pseudonyms)
    return table


def violating_records(audit: RiskAudit) -> pd.DataFrame:
    """Return a row per record that misses a threshold of classes, in the table's order, without values.

    The average risk is of no record, and records left out are in no class: neither is here.

    Returns ``record`` is the position in the table from 1, ``class_size`` in records or persons, ``misses``
    the thresholds that its class misses, separated by commas.
    """
    classes = audit.measurement.classes
    found: dict[str, BoolArray] = {}
    if audit.thresholds.k > 1:
        assessed = classes.class_of_record >= 0
        found["k"] = assessed & (classes.size_of_record < audit.thresholds.k)
    for sensitive in audit.measurement.sensitive:
        for name, missed in _missed_classes(sensitive, audit.thresholds):
            found[f"{name} of {sensitive.column}"] = np.append(missed, False)[
                sensitive.classes.class_of_record
            ]
    any_missed = np.zeros(len(classes.class_of_record), dtype=bool)
    for mask in found.values():
        any_missed |= mask
    records = np.flatnonzero(any_missed)
    misses = np.full(len(records), "", dtype=object)
    for name, mask in found.items():
        here = mask[records]
        misses[here] = [f"{before}, {name}" if before else name for before in misses[here]]
    return pd.DataFrame(
        {"record": records + 1, "class_size": classes.size_of_record[records], "misses": misses}
    )


def _missed_classes(
    sensitive: SensitiveMeasurement, limits: RiskThresholds
) -> Iterator[tuple[str, BoolArray]]:
    """Yield each threshold that is set, and the classes that miss it as written or by what values mean."""
    written, meant = sensitive.by_class.figures, sensitive.folded_by_class.figures
    for limit in LIMITS:
        asked = getattr(limits, limit.threshold)
        if asked is not None:
            missed = limit.missed(written[limit.figure], asked) | limit.missed(meant[limit.figure], asked)
            yield limit.symbol, missed


_HEADINGS = {"record": "Record", "class_size": "Group size", "misses": "Misses"}  # of a file for programs


def violations_csv(audit: RiskAudit, dataset: Dataset | None = None) -> bytes:
    """Return the violating records as CSV, formulas defused, with quasi-identifiers if given `dataset`."""
    frame = violating_records(audit)
    columns: dict[str, object] = {
        heading: pa.array(frame[key].astype(str), pa.string()) for key, heading in _HEADINGS.items()
    }
    if dataset is not None:
        shown = dataset.table.take(pa.array(frame["record"].to_numpy() - 1))
        for name in audit.measurement.classes.quasi_identifiers:
            columns[f"{name} (quasi-identifier)"] = shown[name]
    return table_csv(pa.table(columns))
