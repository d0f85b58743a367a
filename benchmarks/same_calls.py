"""What `make same` asks: demos, calls of the documents, golden figures, people's cases, real files.

Inputs are written into one folder, a folder a call where names could meet; a call is a folder in it, the
words of the command there, and the name under which its answer is filed.
"""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

import pysam

from tests.vcf_files import bgzf
from tests.vcf_masker import How, mask

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
TOOLS = ("tabular", "vcf", "leakage", "risk", "dataset", "events", "diversity")
EVERY = 12  # of the hundred golden settings of event logs, which tests hold one by one
IRIS = "iris.csv --label target --sensitive 'petal width (cm)' --quasi-identifier 'sepal width (cm)'"
# Options as the documents show them, on the files of a demo; `demo` and its name come first.
DOCUMENTED = (
    "demo tabular hospital: . --anonymized-dir . --k 10",
    "demo tabular hospital: patients.csv --quasi-identifier region --quasi-identifier gender --k 10",
    "demo tabular hospital: . --no-quasi-identifiers --warn-share 0.2",
    "demo tabular hospital: . --evidence masked --left-unchanged 0.9",
    "demo vcf cohort: -o . -a . --maf 0.05 --min-motif 1 --max-motif 6 --min-repeat 7 --jobs 2",
    "demo vcf cohort: -o . -a . --severity other_id=FAIL --severity header_date=PASS",
    "demo leakage leaking: survey.csv survey_leaking.csv --ignore-value -999 --ignore-column 0",
    "demo leakage leaking: survey.csv survey_leaking.csv --seed 7 --random-orders 50 --evidence masked",
    "demo leakage safe: survey.csv survey.csv",
    "demo risk untouched: demo_patients.csv --quasi-identifier age sex --sensitive diagnosis --k 11",
    "demo risk untouched: demo_patients.csv --quasi-identifier age town --missing wildcard --t 0.2",
    "demo risk untouched: demo_patients.csv --policy cms-cell-11 --quasi-identifier age sex town",
    "demo risk untouched: demo_patients.csv --policy hipaa-safe-harbor",
    "demo risk untouched: demo_patients.csv --quasi-identifier age sex town --what-if --max-suppression 0.1",
    "demo risk untouched: demo_patients.csv --earlier demo_patients.csv --quasi-identifier age sex",
    "demo dataset linked: . --k 11",
    "demo dataset linked: . --policy iso-27559",
    "demo events alarms: demo_alarm_log.csv --flatten-steps auto --strategy remove-users",
    "demo events alarms: demo_alarm_log.csv --columns generalized_event,month,time_period --flatten month",
    "demo events alarms: demo_alarm_log.csv --cap 1 --near-equal-users join --any-value 100",
    "demo events alarms: demo_alarm_log.csv --pseudonym-per day --pseudonym-seed 3 --sensitive hour",
    "demo events alarms: demo_alarm_log.csv --suggest",
    f"demo diversity iris: {IRIS} --k-max 20 --target-accuracy 0.85",
    f"demo diversity iris: {IRIS} --cells proper --diversity entropy --k-max 6",
    f"demo diversity iris: {IRIS} --model logistic --k-max 4 --rank-columns",
    "demo diversity diabetes: diabetes.csv --label target --sensitive s5 --quasi-identifier age sex",
    "demo risk untouched: duckdb:demo_patients.csv --quasi-identifier age sex --sensitive diagnosis --k 11",
    "demo dataset linked: duckdb:persons.csv duckdb:stays.csv --key persons.pseudonym=stays.person --k 11",
)


class Call(NamedTuple):
    """One question: where it is asked, its words, and the name of its answer."""

    name: str
    folder: Path
    words: tuple[str, ...]


def calls(inputs: Path, python: Sequence[str]) -> list[Call]:
    """Write all inputs below a folder, and return what is asked of them.

    `python`: the words that start the command line whose demos are taken. Folders of figures and files from
    outside that are not there are left out.
    """
    return [
        *_demos(inputs / "demo", python),
        *_documented(inputs / "demo"),
        *_golden(inputs / "golden"),
        *_cases(inputs / "cases"),
        *_real(inputs / "real"),
    ]


def _demos(folder: Path, python: Sequence[str]) -> Iterator[Call]:
    for tool in TOOLS:
        names = _asked([*python, "demo", tool, str(folder), "--name", "-"], r"one of (.+), received")
        for name in names.split(", "):
            place = folder / f"{tool}_{name}"
            words = _asked([*python, "demo", tool, str(place), "--name", name], r"python -m core (.+)")
            yield Call(f"demo_{tool}_{name}", place, tuple(shlex.split(words)))


def _asked(words: Sequence[str], wanted: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(wanted, done.stdout + done.stderr)
    if found is None:
        raise SystemExit(f"{shlex.join(words[-4:])} says nothing of {wanted}: {done.stderr[-500:]}")
    return found[1]


def _documented(demos: Path) -> Iterator[Call]:
    for number, line in enumerate(DOCUMENTED, start=1):
        where, _, words = line.partition(": ")
        _, tool, name = where.split()
        yield Call(f"documents_{number:02}_{tool}", demos / f"{tool}_{name}", (tool, *shlex.split(words)))


def _golden(folder: Path) -> Iterator[Call]:
    golden = SHARED / "golden"
    if not golden.is_dir():
        return
    shutil.copytree(golden, folder, ignore=shutil.ignore_patterns("vcf"), copy_function=shutil.copy)
    _let_write(folder)
    yield Call("golden_tabular", folder / "tabular", ("tabular", "."))
    yield from _golden_leakage(folder / "leakage")
    yield from _golden_events(folder / "events")
    yield from _golden_risk(folder / "risk")
    yield from _golden_diversity(folder)
    yield from _golden_vcf(golden / "vcf", folder / "vcf")


def _golden_leakage(folder: Path) -> Iterator[Call]:
    for number, case in enumerate(_json(folder / "expected.json")):
        value = [] if case["ignore_value"] is None else ["--ignore-value", str(case["ignore_value"])]
        columns = ["--ignore-column", *map(str, case["ignore_columns"])] if case["ignore_columns"] else []
        yield Call(
            f"golden_leakage_{number}",
            folder,
            ("leakage", case["original"], case["scrambled"], *value, *columns),
        )


def _golden_events(folder: Path) -> Iterator[Call]:
    for number, case in list(enumerate(_json(folder / "expected.json")))[::EVERY]:
        words = ["--k", str(case["k"]), "--columns", ",".join(case["contributing_columns"])]
        words += ["--flatten", case["flatten_column"], "--strategy", case["strategy"].replace("_", "-")]
        words += ["--leave-out", *case["generalized_events_removed"]]
        yield Call(f"golden_events_{number}", folder, ("events", case["file"], *words))


def _golden_risk(folder: Path) -> Iterator[Call]:
    for case in _json(folder / "expected.json"):
        words = ["--quasi-identifier", *case["quasi_identifiers"], "--sensitive", case["sensitive_attribute"]]
        yield Call(f"golden_risk_{Path(case['file']).stem}", folder, ("risk", case["file"], *words))


def _golden_diversity(folder: Path) -> Iterator[Call]:
    for path in sorted((folder / "diversity").glob("*.json")):
        case = _json(path)
        words = ["--label", "target", "--sensitive", case["sensitive_attribute"]]
        words += ["--quasi-identifier", *case["quasi_identifiers"]]
        words += ["--k-min", str(case["k_min"]), "--k-max", str(case["k_max"]), "--l-min", str(case["l_min"])]
        words += ["--target-accuracy", str(case["target_accuracy"]), "--model", case["model"]]
        words += ["--test-size", str(case["split"]["test_size"])]
        words += ["--split-seed", str(case["split"]["random_state"])]
        data = folder.parent / "demo" / f"diversity_{case['dataset']}"
        yield Call(f"golden_{path.stem}", data, ("diversity", f"{case['dataset']}.csv", *words))


def _golden_vcf(golden: Path, folder: Path) -> Iterator[Call]:
    """Put all cases into one folder of originals and one of anonymized files."""
    for case in (path for path in sorted(golden.iterdir()) if path.is_dir()):
        for path in case.iterdir():
            is_masked = path.name.startswith(("high_", "strong_", "low_"))
            target = folder / ("anonymized" if is_masked else "originals") / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".gz":
                shutil.copy(path, target)
            else:
                pysam.tabix_compress(str(path), f"{target}.gz", force=True)
    for threshold in ("0.01", "0.05", "0.3"):
        words = ("vcf", "-o", "originals", "-a", "anonymized", "--maf", threshold)
        yield Call(f"golden_vcf_{threshold}", folder, words)


def _cases(folder: Path) -> Iterator[Call]:
    cases = SHARED / "cases"
    if not cases.is_dir():
        return
    shutil.copytree(cases, folder, copy_function=shutil.copy)
    _let_write(folder)
    for path in sorted(folder.glob("*/case.json")):
        case = _json(path)
        for number, words in enumerate([case["command"], *case["also"]]):
            given = tuple(word for word in words if word != "--json")
            yield Call(f"case_{path.parent.name}_{number}", path.parent, given)


def _real(folder: Path) -> Iterator[Call]:
    """Mask every real file in every style, a folder a style."""
    files = [path for path in sorted((SHARED / "real" / "vcf").glob("*")) if path.suffix != ".tsv"]
    for how in get_args(How):
        place = folder / how.replace(" ", "_")
        for path in files:
            _write_masked(path, how, place)
        if files:
            words = ("vcf", "-o", "originals", "-a", "anonymized", "--maf", "0.3")
            yield Call(f"real_vcf_{place.name}", place, words)


def _write_masked(path: Path, how: How, folder: Path) -> None:
    for name in ("originals", "anonymized"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    try:
        masked = mask(path, how, threshold=0.3)
    except (ValueError, OSError):  # what htslib cannot read is asked as it is: it has an answer too
        data = path.read_bytes()
        content = data if data.startswith(b"\x1f\x8b") else bgzf(data)
        for name in ("originals/", "anonymized/high_0.3_anony_"):
            (folder / f"{name}{path.name.split('.vcf')[0]}.vcf.gz").write_bytes(content)
        return
    for name, file in (("originals", masked.original), ("anonymized", masked.anonymized)):
        (folder / name / file.name).write_bytes(file.content or b"")


def _json(path: Path) -> list[dict[str, object]] | dict[str, object]:
    return json.loads(path.read_text(encoding="utf-8"))


def _let_write(folder: Path) -> None:
    """Let what was copied without leave to write be deleted again."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
