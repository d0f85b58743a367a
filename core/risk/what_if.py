"""What if: the cheapest generalizations that reach k (and l, t), and the table that comes out of one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.datasets import Dataset, ReadOptions, read_dataset
from core.equivalence import EquivalenceClasses
from core.errors import AuditInputError
from core.risk.generalizing import (
    GeneralizedTable,
    build_lattice,
    generalize,
    generalized_csv,
    protects_sensitive,
    verify_generalized,
)
from core.risk.lattice import ClassesAccepted, Lattice, SearchOutcome, search_frontier
from core.risk.measuring import RiskMeasurement, measure_risk, settings_for_other
from core.risk.records import BoolArray, CodedColumn, coded_columns, person_codes, persons_per_class
from core.risk.sensitive import sensitive_codes

USUAL_KS = (2, 3, 5, 11, 20)


@dataclass(frozen=True, kw_only=True)
class WhatIfSettings:
    """What a generalization has to reach.

    Attributes
    ----------
    ks
        Smallest class sizes to search for, each at least 2.
    suppression_limit
        Largest share of the assessed records that may be suppressed, in [0, 1).
    l, t
        What every class has to reach in every sensitive attribute besides; None is not asked for.
    """

    ks: tuple[int, ...] = USUAL_KS
    suppression_limit: float = 0.05
    l: int | None = None  # noqa: E741 - the model's own letter
    t: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class WhatIf:
    """The generalizations worth choosing from.

    Attributes
    ----------
    settings
        What was asked for.
    lattice
        All generalizations, to apply one of them.
    options
        Cheapest for each k without those that another one beats, by ascending smallest class.
    accepted
        The further conditions on classes; None without any.
    """

    settings: WhatIfSettings
    lattice: Lattice
    options: tuple[SearchOutcome, ...]
    accepted: ClassesAccepted | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """A generalized table as it would be given away.

    Attributes
    ----------
    data
        CSV, UTF-8; columns that are not released and direct identifiers are not in it.
    n_suppressed
        Records of which no quasi-identifier is shown.
    k
        What the search asked for.
    measured
        The bytes read back and measured like any table, for any thresholds.
    settings
        How to repeat it, as JSON.
    """

    data: bytes
    n_suppressed: int
    k: int
    measured: RiskMeasurement
    settings: bytes


def search_what_if(
    measured: RiskMeasurement,
    dataset: Dataset,
    *,
    settings: WhatIfSettings,
    stop: Callable[[], bool] | None = None,
) -> WhatIf:
    """Search the cheapest generalization for each k.

    A missing value is a value of its own here, and records left out of the measurement are suppressed.

    Parameters
    ----------
    measured
        Of the table; its quasi-identifiers are generalized.
    dataset
        The table.
    settings
        What to reach.
    stop
        Asked between two candidates; True ends the search, and the best found so far is kept.

    Raises
    ------
    AuditInputError
        No record is assessed, too many quasi-identifiers, or settings out of range.
    """
    if not settings.ks or min(settings.ks) < 2:
        raise AuditInputError(f"ks must be sizes of at least 2, received {settings.ks}.")
    lattice = build_lattice(
        dataset.table, measured.classes.quasi_identifiers, leave_out=measured.entry.leave_out
    )
    accepted = _conditions(measured, dataset, settings)
    options = search_frontier(
        lattice,
        ks=settings.ks,
        suppression_limit=settings.suppression_limit,
        accepted=accepted,
        stop=stop,
    )
    return WhatIf(settings=settings, lattice=lattice, options=options, accepted=accepted)


def _conditions(
    measured: RiskMeasurement, dataset: Dataset, settings: WhatIfSettings
) -> ClassesAccepted | None:
    """Return which classes are protected well enough beyond their records; None where any is."""
    chosen = measured.settings
    sensitive = chosen.sensitive if settings.l is not None or settings.t is not None else ()
    if not sensitive and chosen.person is None:
        return None
    names = (*sensitive, *((chosen.person,) if chosen.person else ()))
    coded = coded_columns(dataset.table, names)
    checks = [_protected(coded[name], measured, settings) for name in sensitive]
    person = person_codes(coded[chosen.person]) if chosen.person else None

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        fine = np.ones(classes.n_classes, dtype=bool)
        if person is not None:
            persons = persons_per_class(classes.class_of_record, person, n_classes=classes.n_classes)
            fine &= persons >= min(settings.ks)
        for check in checks:
            fine &= check(classes)
        return fine

    return accepted


def _protected(column: CodedColumn, measured: RiskMeasurement, settings: WhatIfSettings) -> ClassesAccepted:
    """Return the check of l and t of one sensitive attribute; the hierarchical distance counts as equal."""
    distance, codes = sensitive_codes(column, measured.settings)
    return protects_sensitive(
        codes, l=settings.l, t=settings.t, distance="ordered" if distance == "ordered" else "equal"
    )


def release(
    what_if: WhatIf,
    option: int,
    measured: RiskMeasurement,
    dataset: Dataset,
) -> Release:
    """Make the table of one option, read its bytes back, and measure them.

    Parameters
    ----------
    what_if
        The search.
    option
        Position among its options.
    measured, dataset
        As for the search.

    Raises
    ------
    AuditInputError
        The written table does not reach the option's k. It is never handed out then. A table that shows no
        quasi-identifier at all is: measured again, nothing of it is assessed.
    """
    found = what_if.options[option].best
    if found is None:
        raise AuditInputError("No generalization reaches what was asked for.")
    made = generalize(dataset.table, what_if.lattice, found, accepted=what_if.accepted)
    kept = _without(made, measured)
    data = generalized_csv(kept)
    names = measured.classes.quasi_identifiers
    if verify_generalized(data, names, columns=kept.column_names).holds(found.k) is False:
        raise AuditInputError(
            f"The written table does not reach k = {found.k}: values that the search told apart are written "
            "alike, or alike ones differently. It is not handed out."
        )
    return Release(
        data=data,
        n_suppressed=made.n_suppressed,
        k=found.k,
        measured=_measured_again(data, measured),
        settings=_settings_file(what_if, made.settings),
    )


def _without(made: GeneralizedTable, measured: RiskMeasurement) -> pa.Table:
    """Return the table without the columns that are not released and those that name people."""
    settings = measured.settings
    dropped = {*settings.leave_out, *settings.direct_identifiers}
    return made.table.select([name for name in made.table.column_names if name not in dropped])


def _measured_again(data: bytes, measured: RiskMeasurement) -> RiskMeasurement:
    options = ReadOptions(delimiter=",", encoding="utf-8", header="first_line", missing_spellings=())
    written = read_dataset(data, name=f"generalized {measured.name}", options=options)
    settings = settings_for_other(measured.settings, written.columns)
    if settings is None:
        raise AuditInputError("The written table has none of the quasi-identifiers under their names.")
    return measure_risk(written, settings=settings)


def _settings_file(what_if: WhatIf, made: Mapping[str, object]) -> bytes:
    asked = what_if.settings
    document = {
        **made,
        "suppression_limit": asked.suppression_limit,
        "l": asked.l,
        "t": asked.t,
        "algorithm": "full-domain generalization and suppression (Incognito, Flash)",
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
