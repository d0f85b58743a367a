"""Sensitive attributes of a table in an engine: their values come here, classes are counted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import numpy as np

from core.classes import CountedClasses, Items
from core.coding import CodedColumn, IntArray
from core.engines import Values, distinct_values, n_too_many
from core.risk.in_engine.classes import Records
from core.risk.sensitive import (
    GUESSED_GROUPS,
    MOST_ATTRIBUTES,
    Related,
    SensitiveMeasurement,
    group_of_code,
    measure_sensitive,
    n_known_groups,
    related_of,
    sensitive_codes,
)
from core.words import input_error


@dataclass(frozen=True, kw_only=True, eq=False)
class Attribute:
    """One sensitive attribute: its values came here, its classes are counted in the engine."""

    table: Records
    name: str
    values: Values
    counted: dict[bytes, Items] = field(default_factory=dict)
    n_assessed: IntArray  # shape (n_values + 1,): the assessed records of each value, last of a missing one

    @cached_property
    def column(self) -> CodedColumn:
        """Return the distinct values, a code each, with the records of each in the whole table."""
        return self.values.column(self.name)

    def items(self, code: IntArray) -> Items:
        """Return the items of classes by a code of each value, counted once."""
        key = code.tobytes()
        if key not in self.counted:
            self.counted[key] = self.table.items(self.name, self.values, code)
        return self.counted[key]

    def items_as_written(self) -> Items:
        """Return the items of classes by the values as written."""
        return self.items(sensitive_codes(self.column, self.table.settings)[1])

    def measure(self, classes: CountedClasses) -> SensitiveMeasurement:
        """Return what classes give away about the attribute."""
        return measure_sensitive(
            self.column, classes, self.items, settings=self.table.settings, n_assessed=self.n_assessed
        )


def sensitive_attribute(table: Records, name: str) -> Attribute:
    """Take the values of an attribute out of the engine; AuditInputError: too many of them."""
    key, engine = table.columns[name], table.engine
    if n_values := n_too_many(engine, key):
        raise input_error(
            "{column} has {n} different values, too many to take them out of the engine. Make it "
            "coarser, such as by rounding, or do not choose it as sensitive.",
            column=f"`{name}`",
            n=n_values,
        )
    values = distinct_values(engine, key, ~table.left_out)
    return Attribute(table=table, name=name, values=values, n_assessed=values.of_each(values.counts[1]))


def related_in_engine(measured: Sequence[tuple[Attribute, SensitiveMeasurement]]) -> tuple[Related, ...]:
    """Find pairs of sensitive attributes that tell one another.

    As :func:`core.risk.sensitive.related_attributes`, over all assessed records, where that draws some.
    """
    found = []
    for (known, of_known), (guessed, of_guessed) in permutations(measured[:MOST_ATTRIBUTES], 2):
        n_groups = n_known_groups(int(known.n_assessed.sum()))
        items = known.table.told(
            (known.name, known.values, _codes(known, of_known, n_groups)),
            (guessed.name, guessed.values, _codes(guessed, of_guessed, GUESSED_GROUPS)),
        )
        found.append(related_of(known.name, guessed.name, items))
    return tuple(each for each in found if each is not None)


def _codes(attribute: Attribute, measured: SensitiveMeasurement, n_groups: int) -> IntArray:
    """Return shape (n_values + 1,): what each value means, numbers in groups; -1 for an unknown one."""
    code = measured.folded.group_of_value
    if measured.folded.numbers is None or not (code >= 0).any():
        return code
    weights = attribute.n_assessed[code >= 0]
    counts = np.trim_zeros(np.bincount(code[code >= 0], weights=weights), "b").astype(np.int64)
    group = np.full(int(code.max()) + 2, -1, dtype=np.int64)  # the last one is that of an unknown value
    group[: len(counts)] = group_of_code(counts, n_groups)
    return group[code]
