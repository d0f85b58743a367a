"""What a prosecutor, a journalist and a marketer want, risk and find."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.risk.judging import RiskAudit
from core.risk.population_estimates import estimates_note
from core.words import Text, counted, joined, listed, percent, share_of, text

_ASK_FOR_POPULATION = "Not assessed: give a table of the population or its size."


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


def _prosecutor(audit: RiskAudit) -> Intruder:
    measured = audit.measurement
    names = measured.classes.quasi_identifiers
    finds = "No record is assessed."
    if measured.highest_risk is not None and measured.average_risk is not None:
        guess = text(
            "A guess among the records of the group is right with {average} on average over all records, and "
            "with {highest} at worst."
            if measured.persons is None
            else "A guess among the persons of the group is right with {average} on average over all "
            "records, and with {highest} at worst.",
            average=percent(measured.average_risk),
            highest=percent(measured.highest_risk),
        )
        finds = joined([_singled_out(audit), guess])
    return Intruder(
        name="Prosecutor",
        wants=text(
            "Knows this fact about somebody ({columns}), and that the person is in the table; looks for that "
            "one record.",
            "Knows these {n} facts about somebody ({columns}), and that the person is in the table; looks "
            "for that one record.",
            n=len(names),
            columns=listed(names),
        ),
        measure="prosecutor_highest_risk",
        risk=measured.highest_risk,
        finds=finds,
    )


def _singled_out(audit: RiskAudit) -> str:
    persons = audit.measurement.persons
    if persons is not None and persons.n_persons:
        n = persons.n_below(2)
        found = share_of(n, persons.n_persons, "persons")
    else:
        classes = audit.measurement.classes
        n = classes.n_records_below(2)
        found = share_of(n, classes.n_records, "records")
    if not n:
        return "Finds nobody for certain."
    return text(
        "Finds {found} for certain: it is alone in a group.",
        "Finds {found} for certain: they are alone in a group.",
        n=n,
        found=found,
    )


def _journalist(audit: RiskAudit) -> Intruder:
    population, highest = audit.measurement.population, audit.measurement.highest_risk
    names = audit.measurement.classes.quasi_identifiers
    found: list[str]
    if population is None:
        found = [_ASK_FOR_POPULATION]
        if highest is not None:
            found.append(text("At most it is the prosecutor's {risk}.", risk=percent(highest)))
    elif population.based_on == "size":
        bound = text(
            "Of the population only the size is known ({size}), so the smallest group of the table may be "
            "all there is of it: the best guess is right with at most {risk}.",
            size=population.population_size,
            risk=percent(population.journalist_highest_risk),
        )
        found = [bound, *_unique_in_population(audit)]
    else:
        smallest = text(
            "In the population of {size} the smallest group that somebody of the table is in has {people}; "
            "the best guess is right with {risk}.",
            size=population.population_size,
            people=counted(round(population.k_map), "person", "people"),
            risk=percent(population.journalist_highest_risk),
        )
        at_risk = text(
            "{n} record stands for fewer than two people.",
            "{n} records stand for fewer than two people.",
            n=population.n_records_at_risk(2),
        )
        found = [smallest, at_risk]
    return Intruder(
        name="Journalist",
        wants=text(
            "Knows this fact about somebody ({columns}) from a register of the population, not who is in the "
            "table; wants to show that somebody can be found.",
            "Knows these {n} facts about somebody ({columns}) from a register of the population, not who is "
            "in the table; wants to show that somebody can be found.",
            n=len(names),
            columns=listed(names),
        ),
        measure="journalist_highest_risk",
        risk=None if population is None else population.journalist_highest_risk,
        finds=joined(found),
    )


def _unique_in_population(audit: RiskAudit) -> Iterator[Text]:
    uniques = audit.measurement.uniques
    n = None if uniques is None else uniques.n_records_population_unique
    if uniques is None or n is None or not uniques.n_sample_uniques:
        return
    yield text(
        "Of {records} about {n} is estimated to be unique in the population too.",
        "Of {records} about {n} are estimated to be unique in the population too.",
        n=round(n),
        records=counted(uniques.n_sample_uniques, "unique record"),
    )


def _marketer(audit: RiskAudit) -> Intruder:
    population, average = audit.measurement.population, audit.measurement.average_risk
    found: list[str]
    if population is None:
        found = [_ASK_FOR_POPULATION]
        if average is not None:
            most = "At most {share} are matched rightly, the average risk."
            found.append(text(most, share=percent(average)))
    elif population.based_on == "size":
        bound = text(
            "At most {share} of the matches are right, as of somebody known to be in the table.",
            share=percent(population.marketer_risk),
        )
        found = [bound, *filter(None, [estimates_note(population.estimates)])]
    else:
        expects = text(
            "Expects {share} of the matches to be right: about {n} of {records}.",
            share=percent(population.marketer_risk),
            n=round(population.marketer_risk * population.n_records),
            records=counted(population.n_records, "record"),
        )
        found = [expects]
    return Intruder(
        name="Marketer",
        wants="Matches every record with a register, and is content when many of the matches are right.",
        measure="marketer_risk",
        risk=None if population is None else population.marketer_risk,
        finds=joined(found),
    )
