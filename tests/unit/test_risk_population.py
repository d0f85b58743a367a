"""Risk against a population and by weights, as the risk tool composes it."""

import pytest

from core.errors import AuditInputError
from core.risk import RiskSettings, judge_risk, measure_risk, risk_document, settings_for_other
from tests.risk_examples import PEOPLE, judged, measured, messages, table

# Classes of the sample: (30, F) of 3, (40, M) of 2, (50, F) of 1.
POPULATION = "age,sex\n" + "30,F\n" * 6 + "40,M\n" * 2 + "50,F\n" * 4 + "60,F\n"


def test_population_table__gives_journalist_marketer_and_presence() -> None:
    settings = RiskSettings(quasi_identifiers=("age", "sex"))
    figures = judge_risk(
        measure_risk(table(PEOPLE), settings=settings, population=table(POPULATION, "population.csv"))
    ).figures
    assert (figures["population_size"], figures["k_map"]) == (13, 2.0)
    assert figures["journalist_highest_risk"] == 0.5
    assert figures["marketer_risk"] == pytest.approx((3 / 6 + 2 / 2 + 1 / 4) / 6)
    assert (figures["delta_presence_lower"], figures["delta_presence_upper"]) == (0.0, 1.0)
    assert "population_unique_share" not in figures


def test_population_table__counts_a_person_once_in_a_class() -> None:
    text = "age,who\n30,a\n30,a\n30,b\n"
    found = measure_risk(
        table(text),
        settings=RiskSettings(quasi_identifiers=("age",), person="who"),
        population=table("age\n30\n30\n30\n30\n", "population.csv"),
    )
    assert found.population is not None
    assert found.population.marketer_risk == pytest.approx(2 / 4 / 2)


def test_population_size__estimates_uniques_by_three_models() -> None:
    audit = judged(population_size=60)
    figures = audit.figures
    assert figures["k_map"] == 1
    assert (figures["journalist_highest_risk"], figures["marketer_risk"]) == (1.0, 0.5)  # the prosecutor's
    assert 0 < figures["marketer_risk_weights"] < 0.5
    assert figures["delta_presence_upper"] is None
    assert 0 <= figures["population_unique_share"] <= 1
    document = risk_document(audit)["population_uniques"]
    assert document["sampling_fraction"] == pytest.approx(0.1)
    assert {"zayatz", "pitman", "snb", "chosen_model"} <= set(document)
    assert messages(audit)["population_by_size"].startswith(
        "WARN: Only the size of the population is known, of which the table holds 10.0 %. Against it risks "
        "are bounds, those of somebody known to be in the table: at most 100 % for a journalist, 50.0 % "
        "for a "
        "marketer. Estimated for a random sample: "
    )
    large = judged("age\n" + "30\n" * 6, quasi="age", population_size=60)
    assert messages(large)["population_by_size"].startswith("PASS: Only the size")


def test_population_size__with_wildcards_uses_classes_that_do_not_overlap() -> None:
    found = measured("age,sex\n30,F\n30,\n40,M\n", missing="wildcard", population_size=30)
    assert found.population is not None
    assert found.population.sample_sizes.tolist() == [1, 1, 1]


def test_population__smaller_than_the_sample_is_refused() -> None:
    with pytest.raises(AuditInputError):
        measured(population_size=5)


def test_population__as_table_and_size_is_refused() -> None:
    with pytest.raises(AuditInputError) as raised:
        measure_risk(
            table(PEOPLE),
            settings=RiskSettings(quasi_identifiers=("age",), population_size=100),
            population=table(POPULATION, "population.csv"),
        )
    assert str(raised.value) == "Give a table of the population or its size, not both."


def test_population__that_misses_a_class_is_refused() -> None:
    with pytest.raises(AuditInputError):
        measure_risk(
            table(PEOPLE),
            settings=RiskSettings(quasi_identifiers=("age", "sex")),
            population=table(POPULATION.replace("50,F\n", "51,F\n"), "population.csv"),
        )


def test_population__of_no_assessed_record_is_not_assessed() -> None:
    found = measured("age,sex,w\n,,1\n", population_size=10, weight="w")
    assert (found.population, found.uniques, found.individual) == (None, None, None)


def test_weights__give_individual_risk() -> None:
    figures = judged("age,w\n30,2\n30,2\n40,10\n", quasi="age", weight="w").figures
    assert 0 < figures["individual_average_risk"] <= figures["individual_highest_risk"] <= 1
    assert figures["expected_reidentifications"] == pytest.approx(3 * figures["individual_average_risk"])


def test_settings_for_other__keep_what_the_second_table_has() -> None:
    settings = RiskSettings(
        quasi_identifiers=("age", "sex"), sensitive=("disease",), person="who", weight="w", population_size=9
    )
    assert settings_for_other(settings, ("age", "disease")) == RiskSettings(
        quasi_identifiers=("age",), sensitive=("disease",)
    )
    assert settings_for_other(settings, ("disease",)) is None
