"""Three intruders, in plain words: what each knows, wants, and finds."""

from __future__ import annotations

from dataclasses import dataclass

from core.reports import Figure
from core.risk import RiskAudit
from core.risk.population_estimates import estimates_note
from core.risk.words import counted, listed, percent


@dataclass(frozen=True, kw_only=True)
class Intruder:
    """One kind of intruder."""

    name: str  # as the literature calls it
    wants: str  # what the intruder knows and wants, a sentence
    measure: str  # key of the measure that `risk` is
    risk: float | None  # highest or expected risk in [0, 1]; None where not assessed
    finds: str  # what the intruder finds in this table, one or two sentences


def intruders(audit: RiskAudit) -> tuple[Intruder, Intruder, Intruder]:
    """Return prosecutor, journalist and marketer with what they find in this table."""
    return _prosecutor(audit), _journalist(audit), _marketer(audit)


def known_facts(audit: RiskAudit) -> str:
    """Return such as "these 2 facts about somebody (`age`, `sex`)"."""
    names = audit.measurement.classes.quasi_identifiers
    facts = "this fact" if len(names) == 1 else f"these {len(names)} facts"
    return f"{facts} about somebody ({listed(names)})"


def _prosecutor(audit: RiskAudit) -> Intruder:
    measured = audit.measurement
    finds = "No record is assessed."
    if measured.highest_risk is not None and measured.average_risk is not None:
        finds = (
            f"{_singled_out(audit)} A guess among the {measured.unit}s of the class is right with "
            f"{percent(measured.average_risk)} on average over all records, and with "
            f"{percent(measured.highest_risk)} at worst."
        )
    return Intruder(
        name="Prosecutor",
        wants=f"Knows {known_facts(audit)}, and that the person is in the table; looks for that one record.",
        measure="prosecutor_highest_risk",
        risk=measured.highest_risk,
        finds=finds,
    )


def _singled_out(audit: RiskAudit) -> str:
    persons = audit.measurement.persons
    if persons is not None and persons.n_persons:
        n, total, what = persons.n_below(2), persons.n_persons, "person"
    else:
        n, total, what = (
            audit.measurement.classes.n_records_below(2),
            audit.measurement.classes.n_records,
            "record",
        )
    if not n:
        return "Finds nobody for certain."
    return f"Finds {percent(n / total)} for certain: {n:,} of {counted(total, what)} are alone in a class."


def _journalist(audit: RiskAudit) -> Intruder:
    measured, population = audit.measurement, audit.measurement.population
    wants = (
        f"Knows {known_facts(audit)} from a register of the population, not who is in the table; wants to "
        "show that somebody can be found."
    )
    if population is None:
        worst = (
            ""
            if measured.highest_risk is None
            else f" At most it is the prosecutor's {percent(measured.highest_risk)}."
        )
        return Intruder(
            name="Journalist",
            wants=wants,
            measure="journalist_highest_risk",
            risk=None,
            finds=f"Not assessed: give a table of the population or its size.{worst}",
        )
    if population.based_on == "size":
        return Intruder(
            name="Journalist",
            wants=wants,
            measure="journalist_highest_risk",
            risk=population.journalist_highest_risk,
            finds=f"Of the population only the size is known ({population.population_size:,}), so the "
            "smallest "
            "class of the table may be all there is of it: the best guess is right with at most "
            f"{percent(population.journalist_highest_risk)}.{_unique_in_population(audit)}",
        )
    n_alone = population.n_records_at_risk(2)
    return Intruder(
        name="Journalist",
        wants=wants,
        measure="journalist_highest_risk",
        risk=population.journalist_highest_risk,
        finds=f"In the population of {population.population_size:,} the smallest class that somebody of the "
        f"table is in has {_people(population.k_map)}; the best guess is right with "
        f"{percent(population.journalist_highest_risk)}. {counted(n_alone, 'record')} stand for fewer than "
        "two people.",
    )


def _unique_in_population(audit: RiskAudit) -> str:
    uniques = audit.measurement.uniques
    n = None if uniques is None else uniques.n_records_population_unique
    if uniques is None or n is None or not uniques.n_sample_uniques:
        return ""
    return (
        f" Of {counted(uniques.n_sample_uniques, 'unique record')} about {n:,.0f} are estimated to be "
        "unique in "
        "the population too."
    )


def _people(n: float) -> str:
    return f"{n:,.0f} {'person' if n == 1 else 'people'}"


def _marketer(audit: RiskAudit) -> Intruder:
    measured, population = audit.measurement, audit.measurement.population
    wants = "Matches every record with a register, and is content when many of the matches are right."
    if population is None:
        worst = (
            ""
            if measured.average_risk is None
            else f" At most {percent(measured.average_risk)} are matched rightly, the average risk."
        )
        return Intruder(
            name="Marketer",
            wants=wants,
            measure="marketer_risk",
            risk=None,
            finds=f"Not assessed: give a table of the population or its size.{worst}",
        )
    if population.based_on == "size":
        return Intruder(
            name="Marketer",
            wants=wants,
            measure="marketer_risk",
            risk=population.marketer_risk,
            finds=f"At most {percent(population.marketer_risk)} of the matches are right, as of somebody "
            "known to "
            f"be in the table. {estimates_note(population.estimates)}".strip(),
        )
    expected = population.marketer_risk * population.n_records
    return Intruder(
        name="Marketer",
        wants=wants,
        measure="marketer_risk",
        risk=population.marketer_risk,
        finds=f"Expects {percent(population.marketer_risk)} of the matches to be right: about "
        f"{expected:,.0f} of {counted(population.n_records, 'record')}.",
    )


def intruder_figure(intruder: Intruder) -> Figure:
    """Return the intruder's risk as a figure; None, never 0, where not assessed."""
    return Figure(measure=intruder.measure, value=intruder.risk, of=intruder.name.lower())
