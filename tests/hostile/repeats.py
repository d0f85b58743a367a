"""Reports of random settings on small files, repeated: each has to come to the same."""

import hashlib
import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache

import numpy as np

from benchmarks.demos.delivery import make_delivery
from benchmarks.demos.vcf import make_cohort
from core.commands.audit import audit_again, repeated_report
from core.errors import AuditInputError
from core.filed import Sameness, read_report
from core.files.named_files import Source, alone
from core.policies import shipped_names
from core.reports import render_json
from core.reports.as_json import json_bytes
from core.settings.form import Setting, described
from core.tools import tool as declared

TOOLS = ("tabular", "vcf", "leakage", "risk", "dataset", "events", "diversity")
_OFTEN = 0.3  # records are shown, or a policy is asked for
_EVERY = 10  # so often a report is changed by hand too
REFUSED = "refused"  # settings that contradict each other, or that the tool does not take together
_COLUMNS: Mapping[str, Sequence[str]] = {
    "tabular": ("age", "sex", "town"),
    "leakage": ("age", "sex", "score"),
    "risk": ("age", "sex", "town", "score", "disease"),
    "dataset": ("persons.sex", "persons.born", "stays.ward", "stays.admission"),
    "events": ("event", "weekday", "hour", "generalized_event"),
    "diversity": ("age", "score", "town"),
}
_BASE: Mapping[str, Sequence[str]] = {
    "tabular": ("people.csv",),
    "vcf": ("-o", "originals", "-a", "anonymized"),
    "leakage": ("people.csv", "people_anonymized.csv"),
    "risk": ("people.csv",),
    "dataset": (),
    "events": ("log.csv",),
    "diversity": (
        *("people.csv", "--label", "disease", "--sensitive", "score", "--quasi-identifier", "age"),
        *("--categorical", "sex", "town"),
    ),
}
_MOST = {"k_max": 4, "l_max": 3, "n_permutations": 60, "most_persons": 60, "most_comparisons": 10_000}
_NOT_DRAWN = (
    *("severities", "mapping", "one_hot_groups", "weights", "keys", "label", "file", "predictions_column"),
    *("time_column", "user_column", "event_column", "time_format", "source", "categorical", "left_out"),
    *("columns", "flatten", "flatten_steps", "leave_out", "population_size"),
)


@cache
def files(tool: str) -> dict[str, Source]:
    """Return a tool's small files by their paths."""
    if tool == "vcf":
        made_up = [file for several in make_cohort().values() for file in several]
        sides = [("anonymized" if "anony_" in file.name else "originals") for file in made_up]
        return {
            f"{side}/{file.name}": Source(file.name, file.data)
            for side, file in zip(sides, made_up, strict=True)
        }
    if tool == "dataset":
        tables = make_delivery(coarse=False)["tables"]
        return {file.name: Source(file.name, b"\n".join(file.data.split(b"\n")[:60])) for file in tables}
    rng = np.random.default_rng(5)
    rows = [
        f"{rng.integers(20, 40)},{'fm'[rng.integers(2)]},{'ABC'[rng.integers(3)]},{rng.integers(9)},"
        f"{('flu', 'cold')[rng.integers(2)]}"
        for _ in range(50)
    ]
    coarse = [f"{row[0]}0{row[2:]}" for row in rows]
    head = "age,sex,town,score,disease"
    log = (
        '{"_meta": {"mode": "low"}, "log_info": {"age": {"semantic": "other", "action": "generalize"}, '
        '"sex": {"semantic": "other", "action": "keep"}}}'
    )
    events = [f"2024-01-{8 + i % 3:02d}T1{i % 5}:00;u{i % 9};X.{'AB'[i % 2]}" for i in range(60)]
    made = {
        "people.csv": "\n".join([head, *rows]),
        "people_anonymized.csv": "\n".join([head, *coarse]),
        "people_anonymized_log.json": log,
        "log.csv": "\n".join(["OD_ISO;GUID;dogodek", *events]),
    }
    lone = {"events": ["log.csv"], "risk": ["people.csv"], "diversity": ["people.csv"]}
    return {name: Source(name, made[name].encode()) for name in lone.get(tool, [*made][:3])}


def random_words(tool: str, seed: int) -> list[str]:
    """Return words of the command with a few settings drawn at random."""
    rng = np.random.default_rng([seed, TOOLS.index(tool)])
    told = [each for form in declared(tool).forms for each in described(form).values()]
    drawn = [each for each in told if each.name not in _NOT_DRAWN and rng.random() < 0.25]
    words = [*_BASE[tool], *(files(tool) if tool == "dataset" else ())]
    for each in drawn:
        if each.flag not in words:
            words += _words(each, tool, rng)
    if tool not in ("vcf", "events") and rng.random() < _OFTEN:
        words += ["--evidence", "masked"]
    if rng.random() < _OFTEN:
        words += ["--policy", str(rng.choice([*shipped_names()]))]
    return words


def _words(told: Setting, tool: str, rng: np.random.Generator) -> list[str]:
    if told.kind is bool:
        return [told.flag]
    n = int(rng.integers(1, 3)) if told.is_several else 1
    values = [_value(told, tool, rng) for _ in range(n)]
    return [told.flag, *dict.fromkeys(values)]


def _value(told: Setting, tool: str, rng: np.random.Generator) -> str:
    if told.choices:
        return str(rng.choice([*told.choices]))
    if told.kind not in (int, float):
        return str(rng.choice([*_COLUMNS.get(tool, ("x",))]))
    low = max(told.least, told.above, 0.0)
    high = min(told.most, told.below, low + 8)
    high = min(high, _MOST.get(told.name, math.inf))
    if told.kind is int:
        return str(int(rng.integers(math.ceil(low), max(math.ceil(low), int(high)) + 1)))
    return f"{rng.uniform(low, high):.3f}"


def outcome(tool: str, seed: int) -> str:
    """Make a report of random settings, repeat it, and say what that came to."""
    given = files(tool)
    try:
        with alone(given):
            made = audit_again(tool, [random_words(tool, seed)])
            report = render_json(made.full_report(datetime.now(UTC)))
    except AuditInputError:
        return REFUSED
    repeat = repeated_report(read_report(report, name=f"{tool}.json"), list(given.values()))
    if repeat.sameness is not Sameness.SAME:
        return f"{repeat.sameness}: {tool} {seed} {repeat.differences[:3]}"
    return Sameness.SAME


def not_told(tool: str, seed: int) -> list[str]:
    """Change a bit of an input, a setting and a figure of a report; return what of it nobody is told."""
    rng = np.random.default_rng([seed, len(TOOLS)])
    given = files(tool)
    with alone(given):
        made = audit_again(tool, [random_words(tool, seed)])
        written = render_json(made.full_report(datetime.now(UTC)))
    filed = read_report(written, name=f"{tool}.json")
    hit = filed.inputs[int(rng.integers(len(filed.inputs)))]
    sources = [_with_a_bit(each, hit.sha256, rng) for each in given.values()]
    missed = []
    try:
        repeated_report(filed, sources)
        missed.append(f"a bit of {hit.name}")
    except AuditInputError as error:
        missed += [] if f"{hit.name} is not what was audited" in str(error) else [f"which file: {error}"]
    document = json.loads(written)
    setting = str(rng.choice([*document["settings_said"]]))
    document["settings_said"][setting] = "changed"
    known = [number for number, each in enumerate(document["figures"]) if each["value"] is not None]
    if known:
        document["figures"][int(rng.choice(known))]["value"] += 1
    repeat = repeated_report(read_report(json_bytes(document), name="r.json"), list(given.values()))
    places = [each.where for each in repeat.differences]
    wanted = [f"settings_said › {setting}", *(["figures › "] if known else [])]
    missed += [each for each in wanted if not any(place.startswith(each) for place in places)]
    parts = {"settings_said", *(["figures"] if known else [])}
    is_told = repeat.sameness is Sameness.DIFFERENT and {*repeat.filed.changed} == parts
    return missed if is_told else [*missed, f"the parts: {repeat.filed.changed}"]


def _with_a_bit(source: Source, digest: str, rng: np.random.Generator) -> Source:
    """Return a file with one bit changed, if it is the one of a digest."""
    data = bytearray(bytes(source.data))  # type: ignore[arg-type]
    if hashlib.sha256(data).hexdigest() == digest:
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    return source._replace(data=bytes(data))


def _not_told(tool: str, seed: int) -> list[str]:
    try:
        return not_told(tool, seed)
    except AuditInputError:  # settings that the tool refuses
        return []


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(n: int = 200) -> int:
    """Repeat so many reports of every tool, print a table, and return 1 where one came to something else."""
    wrong: list[str] = []
    _say("| tool | reports | the same | settings refused |\n|---|---|---|---|")
    for tool in TOOLS:
        found: Counter[str] = Counter()
        for seed in range(20 * n):
            found[outcome(tool, seed)] += 1
            if not seed % _EVERY and found[Sameness.SAME]:
                wrong += [f"{tool} {seed}: {each}" for each in _not_told(tool, seed)]
            if found.total() - found[REFUSED] >= n:
                break
        wrong += [each for each in found if each not in (Sameness.SAME, REFUSED)]
        made = found.total() - found[REFUSED]
        _say(f"| {tool} | {made} | {found[Sameness.SAME]} | {found[REFUSED]} |")
    _say("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
