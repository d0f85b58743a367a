"""Which columns of a table go into a release, and what stands in the place of persons."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa

from core.coding import coded_column
from core.errors import AuditInputError
from core.pseudonyms import TokenSource, new_pseudonyms
from core.risk.measuring import RiskMeasurement
from core.risk.words import listed
from core.roles import Role

PersonReleased = Literal["pseudonym", "left_out"]
PERSON_RELEASED: tuple[PersonReleased, ...] = ("pseudonym", "left_out")


def released_columns(measured: RiskMeasurement, *, person: PersonReleased = "pseudonym") -> tuple[str, ...]:
    """Return the columns that a release holds, in the table's order.

    Those that somebody chose for something and that may be seen: quasi-identifiers, sensitive attributes,
    weights, columns said to be harmless, and, with pseudonyms in them, households and the person column. A
    column that nobody said anything of is never released.
    """
    settings = measured.settings
    chosen = {
        *settings.quasi_identifiers,
        *settings.sensitive,
        *settings.other,
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

    Raises
    ------
    AuditInputError
        Names the columns and the options that declare them.
    """
    settings = measured.settings
    declared = {*settings.direct_identifiers, *settings.other}
    found = [
        each.column
        for each in measured.unassigned
        if each.role is Role.DIRECT_IDENTIFIER and each.column not in declared
    ]
    if found:
        one = len(found) == 1
        look, them = (
            ("looks like a direct identifier", "it") if one else ("look like direct identifiers", "them")
        )
        raise AuditInputError(
            f"{listed(found)} {look} and nobody said what to do with {them}: name each with "
            "--direct-identifier or --leave-out to leave it out of the release, or with --harmless to keep "
            "it."
        )


def with_pseudonyms(table: pa.Table, measured: RiskMeasurement, *, token_source: TokenSource) -> pa.Table:
    """Return the table with a fresh random pseudonym for each person and household; a missing one stays so.

    Without such a column the table is returned as it is. The same person has the same pseudonym in every
    record of this table, and another one in every other table.
    """
    for column in filter(None, (measured.settings.person, measured.settings.household)):
        codes = coded_column(table, column).known_codes
        names = new_pseudonyms(int(codes.max(initial=-1)) + 1, token_source)
        pseudonyms = pa.array(names, pa.string()).take(pa.array(np.maximum(codes, 0), mask=codes < 0))
        table = table.set_column(table.column_names.index(column), column, pseudonyms)
    return table
