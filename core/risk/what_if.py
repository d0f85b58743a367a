"""What if: the cheapest generalizations that reach k (and l, t), and the table that comes out of one."""

import json
import math
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from core.attribute_disclosure import LIMITS
from core.classes import EquivalenceClasses
from core.coding import BoolArray, coded_columns
from core.errors import AuditInputError, refuse
from core.files.plain_text import plain_fields, table_csv
from core.people.pseudonyms import TokenSource
from core.risk import generalizing
from core.risk.judging import RiskAudit, judge_risk
from core.risk.ladders import ladder_csv
from core.risk.lattice import ClassesAccepted, Lattice, Objective
from core.risk.lattice_search import Demand, SearchOutcome, search_frontier
from core.risk.measuring import RiskMeasurement, measure_risk, settings_for_other
from core.risk.released import PersonReleased, released_columns, unreleased_columns, with_pseudonyms
from core.risk.settings import Hierarchy, RiskThresholds
from core.settings.form import Widget, check, setting
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict
from core.words import Text, Written, input_error, joined, own, text

USUAL_KS = (2, 3, 5, 11, 20)


@dataclass(frozen=True, kw_only=True)
class WhatIfSettings:
    """What a generalization has to reach."""

    ks: tuple[int, ...] = USUAL_KS  # smallest class sizes to search for, each at least 1
    suppression_limit: float = setting(
        0.05,
        "Records that may be suppressed, at most",
        "Records that stand out after all columns are made coarser lose their quasi-identifiers instead.",
        "--max-suppression",
        percent=True,
        most=math.inf,
        below=1,
        widget=Widget(kind="slider", span=(0, 0.5)),
    )
    # what every class has to reach in every sensitive attribute besides
    limits: generalizing.ClassLimits = field(default_factory=generalizing.ClassLimits)
    # largest mean over the records shown of 1 / class size, in (0, 1]; None is not asked for
    average_risk: float | None = None
    k_map: int | None = setting(
        None,
        "People of the population in every group (k-map)",
        "Every group shown has to hold at least so many; needs a table of the population.",
        least=1,
        any_size=True,
        metavar="K",
        none="not asked for",
        widget=Widget(key="what_if_k_map"),
    )
    objective: Objective = setting(
        "ncp",
        "Keep as small as possible",
        "What the search makes as small as it can.",
        choices={
            "ncp": "Precision lost",
            "discernibility": "Discernibility",
            "average_class_size": "Average group size",
        },
        widget=Widget(key="what_if_objective"),
    )
    weights: tuple[tuple[str, float], ...] = setting(
        (),
        "How much each column counts in the precision lost",
        "1 for a column that is not named.",
        "--column-weight",
        metavar="COL=WEIGHT",
        plain=dict,
        none="1",
    )
    locally: bool = setting(
        False,
        "Generalize further what would be suppressed",
        "Local recoding: records that stand out are made coarser among themselves instead of losing all "
        "quasi-identifiers. The written table is counted again either way.",
        "--local-recoding",
        widget=Widget(kind="toggle", key="what_if_locally"),
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def is_diverse(self) -> bool:
        """Return whether anything is asked of sensitive attributes."""
        return self.limits.is_set

    def check(self, quasi_identifiers: Sequence[str]) -> None:
        """Refuse what no search can be made with, naming every such setting."""
        problems = []
        if not self.ks or min(self.ks) < 1:
            problems.append(text("ks must be sizes of at least 1, received {ks}.", ks=str(self.ks)))
        for column, weight in self.weights:
            if column not in quasi_identifiers:
                no_quasi = "There is a weight for {column}, which is no quasi-identifier."
                problems.append(text(no_quasi, column=f"`{column}`"))
            if not 0 < weight < math.inf:
                above = "The weight of {column} must be above 0, received {weight}."
                problems.append(text(above, column=f"`{column}`", weight=Written(f"{weight:g}")))
        refuse(problems)


@dataclass(frozen=True, kw_only=True, eq=False)
class WhatIf:
    """The generalizations worth choosing from."""

    settings: WhatIfSettings  # what was asked for
    lattice: Lattice  # all generalizations, to apply one of them
    # cheapest for each k without those that another one beats, by ascending smallest class; of a search that
    # was stopped without those that show everybody alike
    options: tuple[SearchOutcome, ...]
    is_stopped: bool = False  # whether somebody ended the search
    accepted: ClassesAccepted | None = None  # the further conditions on classes; None without any
    own_hierarchies: tuple[str, ...] = ()  # Quasi-identifiers whose ladders somebody gave

    def hierarchy_files(self) -> dict[str, bytes]:
        """Return the ladders as hierarchy files, by name; they hold the table's values."""
        return {
            f"hierarchy_{number:02d}_{_file_name(ladder.column)}.csv": ladder_csv(ladder)
            for number, ladder in enumerate(self.lattice.ladders, start=1)
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """A generalized table as it would be given away."""

    # CSV, UTF-8; only columns that were chosen for something, persons under fresh pseudonyms or left out
    data: bytes
    n_suppressed: int  # records of which no quasi-identifier is shown
    k: int  # what the search asked for
    # people of the population in the smallest class, counted from the bytes; None where not asked for
    k_map: int | None
    measured: RiskMeasurement  # the bytes read back and measured like any table, for any thresholds
    columns: tuple[str, ...]  # what it holds, and what it does not because nobody said what the columns are
    columns_left_out: tuple[str, ...]
    settings: bytes  # how to repeat it, as JSON


def what_if_settings(
    measured: RiskMeasurement,
    thresholds: RiskThresholds,
    *,
    diverse: bool = True,
    choices: WhatIfSettings | None = None,
) -> WhatIfSettings:
    """Return settings that reach k, and the usual sizes around it, and what is asked of sensitive attributes.

    Where persons are counted, only `thresholds.k` is searched for; an l of 1 is always met. `diverse`:
    whether what is asked of sensitive attributes counts as well as k. `choices`: what else was chosen.
    """
    k, asked = thresholds.k, {each.threshold: getattr(thresholds, each.threshold) for each in LIMITS}
    limits = generalizing.ClassLimits(**asked | ({"l": None} if thresholds.l == 1 else {}))
    is_asked = diverse and bool(measured.sensitive)
    return replace(
        choices or WhatIfSettings(),
        ks=(k,) if measured.persons is not None else tuple(sorted({*USUAL_KS, k})),
        limits=limits if is_asked else generalizing.ClassLimits(),
        average_risk=thresholds.average_risk or None,
    )


def search_what_if(
    measured: RiskMeasurement,
    dataset: Dataset,
    *,
    settings: WhatIfSettings,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    population: Dataset | None = None,
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
    hierarchies
        Groups of the values of some quasi-identifiers, in place of what their values suggest.
    population
        A table of everybody the records were drawn from; needed for k-map, generalized alike.
    stop
        Asked between two candidates; True ends the search, and the best found so far is kept, unless it
        shows everybody alike.
    """
    names = measured.classes.quasi_identifiers
    settings.check(names)
    table, counted = _with_population(dataset, names, settings, population)
    lattice = _lattice(measured, table, counted, settings, hierarchies)
    checks = _conditions(measured, dataset, settings)
    accepted = generalizing.all_of(checks)
    demand = _demand(settings, accepted, accepted_work=table.num_rows * len(checks))
    stopped: list[bool] = []
    found = search_frontier(lattice, demand, ks=settings.ks, stop=stop and _noting(stop, stopped))
    return WhatIf(
        settings=settings,
        lattice=lattice,
        options=tuple(each for each in found if not stopped or _is_of_use(each)),
        is_stopped=bool(stopped),
        accepted=accepted,
        own_hierarchies=tuple(name for name in names if name in (hierarchies or {})),
    )


def _noting(stop: Callable[[], bool], stopped: list[bool]) -> Callable[[], bool]:
    """Return the question, which notes that it was answered by yes."""

    def asked() -> bool:
        if is_over := stop():
            stopped.append(True)
        return is_over

    return asked


def _is_of_use(outcome: SearchOutcome) -> bool:
    """Return whether an outcome shows anything, or was shown to be the cheapest."""
    return outcome.is_exact or (outcome.best is not None and not outcome.best.tells_nobody_apart)


def _demand(settings: WhatIfSettings, accepted: ClassesAccepted | None, *, accepted_work: int) -> Demand:
    return Demand(
        k=min(settings.ks),
        suppression_limit=settings.suppression_limit,
        accepted=accepted,
        accepted_work=accepted_work,
        average_risk=settings.average_risk,
        objective=settings.objective,
    )


def _lattice(
    measured: RiskMeasurement,
    table: pa.Table,
    counted: BoolArray,
    settings: WhatIfSettings,
    hierarchies: Mapping[str, Hierarchy] | None,
) -> Lattice:
    """Return every generalization of the quasi-identifiers; `counted` tells the table from its population."""
    names, own = measured.classes.quasi_identifiers, measured.entry.leave_out
    leave_out = np.concatenate([own, np.zeros(table.num_rows - len(own), bool)])
    weights = dict(settings.weights)
    return generalizing.build_lattice(
        table,
        names,
        hierarchies=hierarchies,
        leave_out=leave_out,
        counted=counted if len(counted) > len(own) else None,
        weights=[weights.get(name, 1.0) for name in names],
    )


def _with_population(
    dataset: Dataset, names: Sequence[str], settings: WhatIfSettings, population: Dataset | None
) -> tuple[pa.Table, BoolArray]:
    """Return the quasi-identifiers, of the population as well below, and which records are the table's."""
    own = dataset.table.select(list(dict.fromkeys(names)))
    if settings.k_map is None:
        return own, np.ones(dataset.n_records, dtype=bool)
    if population is None:
        raise AuditInputError("k-map needs a table of the population.")
    absent = [name for name in own.column_names if name not in population.columns]
    if absent:
        raise input_error(
            "{file} lacks the quasi-identifiers {columns}.", file=population.name, columns=", ".join(absent)
        )
    everybody = pa.concat_tables(
        [own, population.table.select(own.column_names)], promote_options="permissive"
    )
    return everybody, np.arange(everybody.num_rows) < dataset.n_records


def _conditions(
    measured: RiskMeasurement, dataset: Dataset, settings: WhatIfSettings
) -> list[ClassesAccepted]:
    """Return what says which classes are protected enough; a population's records have no sensitive value."""
    chosen = measured.settings
    sensitive = chosen.sensitive if settings.is_diverse else ()
    names = (*sensitive, *((chosen.person,) if chosen.person else ()))
    coded = coded_columns(dataset.table, names)
    assessed = ~measured.entry.leave_out
    checks = [
        check
        for name in sensitive
        for check in generalizing.protects_column(
            coded[name], chosen, settings.limits, hierarchy=measured.hierarchies.get(name), assessed=assessed
        )
    ]
    if chosen.person:
        checks.append(generalizing.has_persons(coded[chosen.person].codes, min(settings.ks)))
    if settings.k_map is None:
        return checks
    of_the_table = [_of_the_first(check, dataset.n_records) for check in checks]
    return [*of_the_table, _in_population(dataset.n_records, settings.k_map)]


def _of_the_first(check: ClassesAccepted, n_records: int) -> ClassesAccepted:
    """Return the check, asked of the first records only."""
    return lambda classes: check(replace(classes, class_of_record=classes.class_of_record[:n_records]))


def _in_population(n_records: int, k_map: int) -> ClassesAccepted:
    """Return the check of whether so many records after the first ones are in a class."""

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        others = classes.class_of_record[n_records:]
        return np.bincount(others[others >= 0], minlength=classes.n_classes) >= k_map

    return accepted


def _file_name(column: str) -> str:
    return re.sub(r"[^\w-]+", "_", column)[:60]


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
    """
    found = what_if.options[option].best
    if found is None:
        raise AuditInputError("No generalization reaches what was asked for.")
    made = generalizing.generalize(
        dataset.table, what_if.lattice, found, accepted=what_if.accepted, locally=what_if.settings.locally
    )
    named = with_pseudonyms(made.table, measured, token_source=token_source)
    kept = named.select(released_columns(measured, person=person))
    data = table_csv(kept)
    names = measured.classes.quasi_identifiers
    again = generalizing.verify_generalized(data, names, columns=kept.column_names)
    if again.holds(found.k) is False:
        raise _not_reached(f"k = {found.k}")
    k_map = None
    if what_if.settings.k_map is not None and again.shown.num_rows:
        k_map = generalizing.smallest_population_class(
            again.shown, what_if.lattice, made.nodes, first=dataset.n_records
        )
        if k_map < what_if.settings.k_map:
            raise _not_reached(f"k-map = {what_if.settings.k_map}")
    return Release(
        data=data,
        n_suppressed=made.n_suppressed,
        k=found.k,
        k_map=k_map,
        measured=_measured_again(data, measured, persons=_persons(named, measured)),
        columns=tuple(kept.column_names),
        columns_left_out=unreleased_columns(measured, person=person),
        settings=_settings_file(what_if, {**made.settings, **_told(measured, kept, person)}),
    )


def _not_reached(what: str) -> AuditInputError:
    return input_error(
        "The written table does not reach {what}: values that the search told apart are written alike, "
        "or alike ones differently. It is not handed out.",
        what=what,
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

    Return the table, and its bytes held against the thresholds. AuditInputError: no option reaches k, or none
    of those that do meets the other thresholds when counted again. The rest as for :func:`release`.
    """
    missed: list[Text] = []
    if person == "left_out":  # nothing tells which records belong together
        thresholds = replace(thresholds, person_k=None)
    for option, outcome in enumerate(what_if.options):
        if outcome.best is None or outcome.best.smallest_class < thresholds.k:
            continue
        made = release(what_if, option, measured, dataset, person=person)
        audit = judge_risk(made.measured, thresholds)
        failed = [each for each in audit.findings if each.verdict is Verdict.FAIL]
        if not failed:
            return made, audit
        missed = missed or [text("Of the cheapest one: {finding}", finding=own(failed[0].message))]
    none_found = text(
        "No generalization found keeps groups of {k} and the other thresholds once it is written and "
        "counted again, so no table is written.",
        k=thresholds.k,
    )
    raise AuditInputError(joined([none_found, *missed, "Allow more suppression, or ask for less."]))


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
        **vars(asked.limits),
        **plain_fields(asked, "average_risk", "k_map", "objective"),
        "weights": dict(asked.weights),
        "own_hierarchies": list(what_if.own_hierarchies),
        "algorithm": "full-domain generalization and suppression (Incognito, Flash)"
        + (
            ", records that this would suppress generalized further (local recoding)" if asked.locally else ""
        ),
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def option_for(what_if: WhatIf, k: int) -> int:
    """Return the position of the first option that reaches k, of the last where none does."""
    sizes = [each.best.smallest_class if each.best else 0 for each in what_if.options]
    reached = [number for number, size in enumerate(sizes) if size >= k]
    return reached[0] if reached else len(what_if.options) - 1


def is_exact(what_if: WhatIf, outcome: SearchOutcome) -> bool:
    """Return whether no cheaper one exists: the search went to its end, and no level was left out."""
    return outcome.is_exact and not what_if.lattice.thinned_columns
