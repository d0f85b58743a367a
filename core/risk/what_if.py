"""What if: the cheapest generalizations that reach k (and l, t), and the table that comes out of one."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from core.datasets import Dataset, ReadOptions, read_dataset
from core.equivalence import EquivalenceClasses
from core.errors import AuditInputError
from core.pseudonyms import TokenSource
from core.risk.generalizing import (
    build_lattice,
    generalize,
    generalized_csv,
    protects_sensitive,
    verify_generalized,
)
from core.risk.judging import RiskAudit, judge_risk
from core.risk.lattice import ClassesAccepted, Lattice
from core.risk.lattice_search import Demand, SearchOutcome, search_frontier
from core.risk.measuring import RiskMeasurement, measure_risk, settings_for_other
from core.risk.records import BoolArray, CodedColumn, coded_columns, person_codes, persons_per_class
from core.risk.released import PersonReleased, released_columns, unreleased_columns, with_pseudonyms
from core.risk.sensitive import class_distances, sensitive_codes
from core.risk.settings import RiskThresholds
from core.verdict import Verdict

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
    l, entropy_l, t
        What every class has to reach in every sensitive attribute besides; None is not asked for.
    """

    ks: tuple[int, ...] = USUAL_KS
    suppression_limit: float = 0.05
    l: int | None = None  # noqa: E741 - the model's own letter
    entropy_l: float | None = None
    t: float | None = None

    @property
    def is_diverse(self) -> bool:
        """Return whether anything is asked of sensitive attributes."""
        return any(limit is not None for limit in (self.l, self.entropy_l, self.t))


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
        CSV, UTF-8; only columns that were chosen for something, persons under fresh pseudonyms or left out.
    n_suppressed
        Records of which no quasi-identifier is shown.
    k
        What the search asked for.
    measured
        The bytes read back and measured like any table, for any thresholds.
    columns, columns_left_out
        What it holds, and what it does not because nobody said what the columns are.
    settings
        How to repeat it, as JSON.
    """

    data: bytes
    n_suppressed: int
    k: int
    measured: RiskMeasurement
    columns: tuple[str, ...]
    columns_left_out: tuple[str, ...]
    settings: bytes


def what_if_settings(
    measured: RiskMeasurement, thresholds: RiskThresholds, *, suppression_limit: float, diverse: bool = True
) -> WhatIfSettings:
    """Return settings that reach k, and the usual sizes around it, and what is asked of sensitive attributes.

    Parameters
    ----------
    measured
        Of the table; where persons are counted, only `thresholds.k` is searched for.
    thresholds
        What to reach; an l of 1 is always met.
    suppression_limit
        Largest share of the assessed records that may be suppressed, in [0, 1).
    diverse
        Whether l, entropy l and t count as well as k.
    """
    diverse = diverse and bool(measured.sensitive)
    k, l = max(thresholds.k, 2), thresholds.l  # noqa: E741 - the model's own letter
    return WhatIfSettings(
        ks=(k,) if measured.persons is not None else tuple(sorted({*USUAL_KS, k})),
        suppression_limit=suppression_limit,
        l=l if diverse and l is not None and l > 1 else None,
        entropy_l=thresholds.entropy_l if diverse else None,
        t=thresholds.t if diverse else None,
    )


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
    n_questions = len(measured.settings.sensitive) * settings.is_diverse + (measured.persons is not None)
    options = search_frontier(
        lattice,
        Demand(
            k=min(settings.ks),
            suppression_limit=settings.suppression_limit,
            accepted=accepted,
            accepted_work=dataset.n_records * n_questions,
        ),
        ks=settings.ks,
        stop=stop,
    )
    return WhatIf(settings=settings, lattice=lattice, options=options, accepted=accepted)


def _conditions(
    measured: RiskMeasurement, dataset: Dataset, settings: WhatIfSettings
) -> ClassesAccepted | None:
    """Return which classes are protected well enough beyond their records; None where any is."""
    chosen = measured.settings
    sensitive = chosen.sensitive if settings.is_diverse else ()
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
    """Return the check of l and t of one sensitive attribute, by the distance it was measured with."""
    hierarchy = measured.hierarchies.get(column.name)
    distance, codes = sensitive_codes(column, measured.settings, hierarchy)
    return protects_sensitive(
        codes,
        l=settings.l,
        entropy_l=settings.entropy_l,
        t=settings.t,
        distance=lambda counts: class_distances(counts, column, distance, hierarchy),
    )


def release(
    what_if: WhatIf,
    option: int,
    measured: RiskMeasurement,
    dataset: Dataset,
    *,
    person: PersonReleased = "pseudonym",
    token_source: TokenSource = secrets.token_bytes,
) -> Release:
    """Make the table of one option, read its bytes back, and measure them.

    Only columns that somebody chose for something are in it, and never whose record it is.

    Parameters
    ----------
    what_if
        The search.
    option
        Position among its options.
    measured, dataset
        As for the search.
    person
        Whether fresh pseudonyms stand in the person column, or it is left out.
    token_source
        Returns so many random bytes, for the pseudonyms.

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
    named = with_pseudonyms(made.table, measured, token_source=token_source)
    kept = named.select(released_columns(measured, person=person))
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
        measured=_measured_again(data, measured, persons=_persons(named, measured)),
        columns=tuple(kept.column_names),
        columns_left_out=unreleased_columns(measured, person=person),
        settings=_settings_file(what_if, {**made.settings, **_told(measured, kept, person)}),
    )


def release_reaching(
    what_if: WhatIf,
    measured: RiskMeasurement,
    dataset: Dataset,
    *,
    thresholds: RiskThresholds,
    person: PersonReleased = "pseudonym",
) -> tuple[Release, RiskAudit]:
    """Make the table of the cheapest option whose bytes, read back and measured, meet the thresholds.

    Parameters
    ----------
    what_if, measured, dataset, person
        As for :func:`release`.
    thresholds
        All of them are held against the written table.

    Returns
    -------
    tuple
        The table, and its bytes held against the thresholds.

    Raises
    ------
    AuditInputError
        No option reaches k, or none of those that do meets the other thresholds when counted again.
    """
    missed = ""
    for option, outcome in enumerate(what_if.options):
        if outcome.best is None or outcome.best.smallest_class < thresholds.k:
            continue
        made = release(what_if, option, measured, dataset, person=person)
        audit = judge_risk(made.measured, thresholds)
        failed = [each for each in audit.findings if each.verdict is Verdict.FAIL]
        if not failed:
            return made, audit
        missed = missed or f" Of the cheapest one: {failed[0].message}"
    raise AuditInputError(
        f"No generalization found keeps classes of {thresholds.k:,} and the other thresholds once it is "
        f"written and counted again, so no table is written.{missed} Allow more suppression, or ask for less."
    )


def _persons(table: pa.Table, measured: RiskMeasurement) -> pa.ChunkedArray | None:
    column = measured.settings.person
    return None if column is None else table[column]


def _told(measured: RiskMeasurement, kept: pa.Table, person: PersonReleased) -> dict[str, object]:
    """Return what the settings file says of the columns."""
    named = measured.settings.person is not None
    return {"released_columns": kept.column_names, "person_column": person if named else None}


def _measured_again(
    data: bytes, measured: RiskMeasurement, *, persons: pa.ChunkedArray | None
) -> RiskMeasurement:
    """Measure the bytes; where the person column was left out, persons are counted all the same."""
    options = ReadOptions(delimiter=",", encoding="utf-8", header="first_line", missing_spellings=())
    written = read_dataset(data, name=f"generalized {measured.name}", options=options)
    settings = settings_for_other(measured.settings, written.columns)
    if settings is None:
        raise AuditInputError("The written table has none of the quasi-identifiers under their names.")
    column = measured.settings.person
    if persons is not None and column is not None and settings.person is None:
        written = replace(written, table=written.table.append_column(column, persons))
        settings = replace(settings, person=column)
    groups = {name: each for name, each in measured.hierarchies.items() if name in settings.sensitive}
    return measure_risk(written, settings=settings, hierarchies=groups)


def _settings_file(what_if: WhatIf, made: Mapping[str, object]) -> bytes:
    asked = what_if.settings
    document = {
        **made,
        "suppression_limit": asked.suppression_limit,
        "l": asked.l,
        "entropy_l": asked.entropy_l,
        "t": asked.t,
        "algorithm": "full-domain generalization and suppression (Incognito, Flash)",
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
