"""Synthetic demo input of our own for every tool, as files in `demo/`; no person is behind any record."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from core.words import input_error

FOLDER = Path(__file__).parents[1] / "demo"
LABEL = "target"  # column of the tables for the (k, l) search


@dataclass(frozen=True, kw_only=True)
class DemoFile:
    """A file as a person would upload it."""

    name: str
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Demo:
    """One set of demo files."""

    tool: str  # whose folder holds the files
    key: str  # stable name, in snake_case, unique within its tool
    label: str  # what the button says
    description: str  # what the set shows, in a sentence
    files: Mapping[str, tuple[str, ...]]  # by the role they play on the tool's page, such as ``original``

    def make(self) -> Mapping[str, tuple[DemoFile, ...]]:
        """Return the files by role."""
        return {
            role: tuple(demo_file(self.tool, name) for name in names) for role, names in self.files.items()
        }


def demo_file(tool: str, name: str) -> DemoFile:
    """Return a demo file of a tool."""
    return DemoFile(name=name, data=(FOLDER / tool / name).read_bytes())


_HOSPITAL = ("patients", "visits", "lab_results", "survey")
TABULAR = (
    Demo(
        tool="tabular",
        key="hospital",
        label="Synthetic hospital",
        description="Four tables with their logs: one passes, one warns, one fails, and one passes the rule "
        "although names and addresses are untouched.",
        files={
            "files": tuple(
                f"{name}{ending}"
                for name in _HOSPITAL
                for ending in (".csv", "_anonymized.csv", "_anonymized_log.json")
            )
        },
    ),
)
VCF = (
    Demo(
        tool="vcf",
        key="cohort",
        label="Two synthetic cohorts",
        description="Six made-up donors each: one file masked cleanly, one with leftovers, one of low level.",
        files={
            "files": (
                "north.vcf.gz",
                "high_0.01_anony_north.vcf.gz",
                "low_anony_north.vcf.gz",
                "south.vcf.gz",
                "high_0.01_anony_south.vcf.gz",
            )
        },
    ),
)
LEAKAGE = (
    Demo(
        tool="leakage",
        key="leaking",
        label="Leaking scramble",
        description="A survey of which one column and 18 rows stayed in place, and 12 rows moved unchanged.",
        files={"original": ("survey.csv",), "scrambled": ("survey_leaking.csv",)},
    ),
    Demo(
        tool="leakage",
        key="safe",
        label="Safe scramble",
        description="Every column shuffled on its own: matching cells are no more than chance.",
        files={"original": ("survey.csv",), "scrambled": ("survey_shuffled.csv",)},
    ),
    Demo(
        tool="leakage",
        key="reversed",
        label="Reversed copy",
        description="The same rows upside down: the usual figures see nothing, and everybody is still there.",
        files={"original": ("survey.csv",), "scrambled": ("survey_reversed.csv",)},
    ),
)
RISK = (
    Demo(
        tool="risk",
        key="untouched",
        label="Patients, names removed",
        description="360 synthetic patients without names: most are alone in their group all the same.",
        files={"table": ("demo_patients.csv",), "original": ()},
    ),
    Demo(
        tool="risk",
        key="generalized",
        label="Patients, generalized",
        description="The same patients with coarser ages and regions, beside their original.",
        files={"table": ("demo_patients_released.csv",), "original": ("demo_patients.csv",)},
    ),
)
_OMOP = ("person", "visit_occurrence", "condition_occurrence")
DATASET = (
    Demo(
        tool="dataset",
        key="linked",
        label="Three linked tables",
        description="Persons, stays and tests: each is fine by itself; together they find nearly everybody.",
        files={"tables": ("persons.csv", "stays.csv", "tests.csv")},
    ),
    Demo(
        tool="dataset",
        key="coarse",
        label="Coarser tables",
        description="The same kind of persons, stays by year alone: one known stay finds nobody.",
        files={"tables": ("persons_by_year.csv", "stays_by_year.csv")},
    ),
    Demo(
        tool="dataset",
        key="declared",
        label="Shifted dates",
        description="OMOP tables with their originals, mapping and rules: the diagnoses of four persons keep "
        "their dates, and twelve keep the words of the source.",
        files={
            "tables": tuple(f"{name}.csv" for name in _OMOP),
            "originals": tuple(f"{name}_original.csv" for name in _OMOP),
            "mapping": ("persons_mapping.csv",),
            "rules": ("what_was_done.toml",),
        },
    ),
)
EVENTS = (
    Demo(
        tool="events",
        key="alarms",
        label="Alarm log of a care service",
        description="240 synthetic users, 9,000 events in 13 weeks: k = 5 is reached and yet it fails, "
        "because one pseudonym per user shows how many events each had, and all of them together.",
        files={"log": ("demo_alarm_log.csv",)},
    ),
)
DIVERSITY = (
    Demo(
        tool="diversity",
        key="breast_cancer",
        label="Breast cancer",
        description="569 tumours with 30 measurements, benign or malignant.",
        files={"data": ("breast_cancer.csv",)},
    ),
    Demo(
        tool="diversity",
        key="wine",
        label="Wine",
        description="178 wines with 13 measurements, from three growers.",
        files={"data": ("wine.csv",)},
    ),
    Demo(
        tool="diversity",
        key="iris",
        label="Iris",
        description="150 flowers with 4 measurements, of three species.",
        files={"data": ("iris.csv",)},
    ),
    Demo(
        tool="diversity",
        key="diabetes",
        label="Diabetes",
        description="442 patients with 10 measurements, in three classes of disease progression.",
        files={"data": ("diabetes.csv",)},
    ),
)
DEMOS: Mapping[str, tuple[Demo, ...]] = MappingProxyType(
    {each[0].tool: each for each in (TABULAR, VCF, LEAKAGE, RISK, DATASET, EVENTS, DIVERSITY)}
)


@dataclass(frozen=True, kw_only=True)
class DemoRoles:
    """Roles to start from, for a demo whose columns say little by themselves."""

    sensitive_attribute: str
    quasi_identifiers: tuple[str, ...]


DEMO_NAMES = tuple(demo.key for demo in DIVERSITY)
DEMO_ROLES: Mapping[str, DemoRoles] = {
    "breast_cancer": DemoRoles(
        sensitive_attribute="mean radius",
        quasi_identifiers=("mean texture", "mean perimeter", "mean smoothness"),
    ),
    "wine": DemoRoles(sensitive_attribute="proline", quasi_identifiers=("alcohol", "color_intensity", "hue")),
    "iris": DemoRoles(
        sensitive_attribute="petal width (cm)", quasi_identifiers=("sepal length (cm)", "sepal width (cm)")
    ),
    "diabetes": DemoRoles(sensitive_attribute="bp", quasi_identifiers=("age", "sex", "bmi")),
}


SHOWN_ROLES: Mapping[str, DemoRoles] = {
    **DEMO_ROLES,
    "breast_cancer": DemoRoles(
        sensitive_attribute="mean radius",
        quasi_identifiers=("worst perimeter", "area error", "worst concave points"),
    ),
    "wine": DemoRoles(sensitive_attribute="alcohol", quasi_identifiers=("proline", "flavanoids", "hue")),
}
"""Roles the page starts from: quasi-identifiers that a model does look at, so that minimization shows."""


def diversity_table(name: str) -> DemoFile:
    """Return one of the tables for the (k, l) search, the label last, in the column ``target``.

    Raises
    ------
    AuditInputError
        There is no such demo.
    """
    if name not in DEMO_NAMES:
        names = ", ".join(DEMO_NAMES)
        raise input_error("The demo must be one of {names}; it is {name}.", names=names, name=name)
    return demo_file("diversity", f"{name}.csv")
