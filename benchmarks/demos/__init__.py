"""How the files in `demo/` were made: seeded, synthetic, and scikit-learn's own tables."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.demos.delivery import make_delivery
from benchmarks.demos.diversity import make_table
from benchmarks.demos.events import make_alarm_log
from benchmarks.demos.leakage import PAIRS, make_pair
from benchmarks.demos.risk import make_patients, make_released_patients
from benchmarks.demos.tabular import make_hospital
from benchmarks.demos.vcf import make_cohort
from core.demo import DEMO_NAMES, DemoFile


def made() -> Iterator[tuple[Path, bytes]]:
    """Yield each demo file, by its path in `demo/`, as it is made anew."""
    pairs = (make_pair(scramble, name) for name, scramble in PAIRS.items())
    files: dict[str, list[DemoFile]] = {
        "tabular": [*make_hospital()["files"]],
        "vcf": [*make_cohort()["files"]],
        "leakage": [file for pair in pairs for files in pair.values() for file in files],
        "risk": [
            DemoFile(name="demo_patients.csv", data=make_patients()),
            DemoFile(name="demo_patients_released.csv", data=make_released_patients()),
        ],
        "dataset": [file for coarse in (False, True) for file in make_delivery(coarse=coarse)["tables"]],
        "events": [DemoFile(name="demo_alarm_log.csv", data=make_alarm_log())],
        "diversity": [make_table(name) for name in DEMO_NAMES],
    }
    for tool, several in files.items():
        for file in several:
            yield Path(tool) / file.name, file.data
