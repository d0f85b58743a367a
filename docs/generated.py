"""The parts of docs/ that come from the code: `python -m docs.generated` writes them."""

import io
import json
import math
import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.__main__ import main
from core.commands import COMMANDS, OF_POLICIES
from core.settings_files import known_settings
from core.settings_form import Setting, described
from core.verdict import Verdict
from pages.components import navigation

HERE = Path(__file__).parent
BEGIN, END = "<!-- settings: made by `make docs` -->", "<!-- end of settings -->"
TOOLS = tuple(name for name in COMMANDS if hasattr(import_module(f"core.commands.{name}"), "FORMS"))
_ALL_AT_ONCE = (
    "`--settings FILE` reads them from a file, `--policy FILE|NAME` takes the limits of a policy: "
    "[Settings and policies](policies.md)."
)
_SETTINGS_ALONE = "`--settings FILE` reads them from a file: [Settings and policies](policies.md)."
ROLES = "--quasi-identifier age sex town --sensitive diagnosis days_in_hospital"
# Calls on the demos' files, whose documents show all that a schema has to name; the first word is the tool.
CALLS: Mapping[str, Sequence[str]] = {
    "tabular": (
        "tabular patients.csv visits.csv lab_results.csv survey.csv --json",
        "tabular survey.csv nowhere.csv --k 400 --evidence masked --json",
        "tabular survey.csv --policy hipaa-safe-harbor --json",
        "tabular survey.csv --policy hipaa-expert --k 3 --json",
    ),
    "vcf": (
        "vcf -o . -a . --json",
        "vcf -o . -a . --donors --json",
        "vcf -o . -a . --panel south.vcf.gz --severity other_id=FAIL --json",
    ),
    "leakage": (
        "leakage survey.csv survey_leaking.csv --json",
        "leakage survey.csv survey_shuffled.csv --policy hipaa-safe-harbor --json",
        "leakage survey.csv survey_leaking.csv --policy strict-open-data --max-full-leakage 0.1 --json",
        "leakage survey.csv survey_shuffled.csv --holdout survey_reversed.csv --json",
        "leakage survey.csv survey_reversed.csv --ignore-column 0 --json",
        "leakage keyed.csv others.csv --key id --json",
        "leakage survey.csv survey_leaking.csv --evidence masked --json",
        "leakage half.csv half_renumbered.csv --holdout other_half.csv --json",
    ),
    "leakage_in_engine": (
        "leakage duckdb:earlier.csv duckdb:later.csv --key id --json",
        "leakage duckdb:keyed.csv duckdb:keyed.csv --key id --json",
        "leakage duckdb:earlier.csv duckdb:later.csv --key id --ignore-value F --max-full-leakage 1 --json",
    ),
    "risk": (
        "risk demo_patients.csv --evidence masked --json",
        f"risk demo_patients_released.csv --original demo_patients.csv {ROLES} --suda --what-if --json",
        (
            f"risk demo_patients.csv --population demo_patients.csv {ROLES} --what-if --k-map 2 --suda --k 2 "
            "--entropy-l 1.1 --t 0.9 --average-risk 0.9 --alpha 0.99 --beta 9 --delta 9"
            " --release out.csv --json"
        ),
        (
            "risk demo_patients.csv --quasi-identifier age --person town --household sex "
            "--population-size 9000 "
            "--household-risk 0.9 --person-k 2 --what-if --objective discernibility "
            "--column-weight age=2 --json"
        ),
        (
            "risk later.csv --quasi-identifier age --sensitive disease --person id "
            "--earlier earlier.csv wards.csv --json"
        ),
        "risk later.csv --quasi-identifier age --sensitive disease --earlier recut.csv --json",
        "risk demo_patients.csv --policy hipaa-safe-harbor --json",
        "risk demo_patients.csv --policy strict-open-data --k 3 --json",
        "risk later.csv --quasi-identifier age --sensitive disease --person id --earlier recut.csv --json",
    ),
    "dataset": (
        "dataset persons.csv stays.csv tests.csv --json",
        (
            "dataset persons.csv stays.csv persons.csv --k 11 --known-records 3 --most-persons 50 "
            "--quasi-identifier persons.sex stays.admission --json"
        ),
        "dataset keyed.csv survey.csv --json",
        "dataset persons.csv stays.csv --policy hipaa-safe-harbor --json",
        "dataset persons.csv stays.csv --policy strict-open-data --k 3 --json",
        "dataset persons.csv stays.csv tests.csv --earlier persons.csv tests.csv later.csv wards.csv --json",
    ),
    "dataset_in_engine": (
        "dataset duckdb:persons.csv duckdb:stays.csv --key persons.pseudonym=stays.person --json",
        (
            "dataset duckdb:persons.csv duckdb:stays.csv duckdb:persons.csv --k 11 --known-records 3 "
            "--key persons.pseudonym=stays.person --quasi-identifier persons.sex stays.admission --json"
        ),
        (
            "dataset duckdb:persons.csv duckdb:stays.csv duckdb:tests.csv --person persons.pseudonym "
            "--key persons.pseudonym=stays.person stays.stay=tests.stay --policy strict-open-data --json"
        ),
        "dataset duckdb:persons.csv duckdb:stays.csv --key persons.region=stays.admission --json",
    ),
    "events": (
        "events demo_alarm_log.csv --json",
        "events demo_alarm_log.csv --policy strict-open-data --k 3 --json",
        "events demo_alarm_log.csv --policy gdpr-wp216 --json",
        (
            "events demo_alarm_log.csv --sensitive hour --strategy remove-users --cap 1 "
            "--max-trace-share 0.1 "
            "--pseudonym-seed 1 --flatten-steps auto --json"
        ),
    ),
    "events_suggestions": ("events demo_alarm_log.csv --suggest --json",),
    "diversity": (
        "diversity --demo iris --k-max 4 --target-accuracy 0.4 --repeats 2 --rank-columns --json",
        (
            "diversity iris.csv --label target --sensitive 'petal width (cm)' --quasi-identifier "
            "'sepal width (cm)' --predictions target --k-max 3 --bins 0 --json"
        ),
        "diversity --demo diabetes --k-max 2 --min-accuracy 1 --json",
        "diversity --demo iris --k-min 3 --k-max 4 --target-accuracy 0.4 --policy kr-pseudonymization --json",
        "diversity --demo iris --k-max 4 --target-accuracy 0.4 --policy hipaa-safe-harbor --json",
    ),
    "diversity_ranking": ("diversity iris.csv --rank-columns --json",),
}
MORE_FILES = {
    "keyed.csv": "id,a,b\n1,x,2\n2,y,3\n",
    "others.csv": "id,a,b\n8,x,2\n9,y,3\n",
    "wards.csv": "ward,floor\nA,1\nB,2\n",
    "later.csv": "id,age,disease,sex\n" + "".join(f"p{n},{n % 2}0-{n % 2}9,{n % 3},F\n" for n in range(30)),
    "earlier.csv": "id,age,disease,sex\n" + "".join(f"p{n},{n % 2}0-{n % 2}9,{n % 3},F\n" for n in range(25)),
    "recut.csv": "id,age,disease,sex\n"
    + "".join(f"q{n},{n % 2}5-{n % 2 + 1}4,{n % 3},F\n" for n in range(30)),
}
HALVES = ("half.csv", "half_renumbered.csv", "other_half.csv")
# Objects whose keys are names of columns, files, checks or events.
NAMED_BY_DATA = {
    "sensitive",
    "n_given_away",
    "renamed",
    "sensitive_bins",
    "severities",
    "unmapped_events",
    "weights",
    "ranges",
}


def settings_table(tool: str) -> str:
    """Return a Markdown table of all settings of a tool."""
    rows = ["| option | setting | may be | default |", "|---|---|---|---|"]
    rows += [
        f"| `{each.flag}` | {_words(each)} | {_allowed(each)} | {each.default_words} |"
        for each in settings_of(tool)
    ]
    return "\n".join([*rows, "", _ALL_AT_ONCE if tool in OF_POLICIES else _SETTINGS_ALONE])


def settings_of(tool: str) -> list[Setting]:
    """Return all settings of a tool."""
    forms = import_module(f"core.commands.{tool}").FORMS
    return [each for form in forms for each in described(form).values()]


def with_settings(page: str, tool: str) -> str:
    """Return a tool's page with its table of settings as it should be."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{settings_table(tool)}\n{END}{after}"


def _words(told: Setting) -> str:
    return f"**{told.heading}** {told.about}".strip().replace("|", r"\|")


def _allowed(told: Setting) -> str:
    if told.kind is bool:
        return "given or not"
    if any(told.choices.values()):
        return "; ".join(f"`{value}` {word}".strip() for value, word in told.choices.items())
    return told.allowed or (f"{told.metavar}…" if told.is_several else told.metavar)


def documents(calls: Iterable[str]) -> list[dict[str, Any]]:
    """Return what calls on the demos' files print."""
    found = []
    with TemporaryDirectory() as folder:
        names = [
            file.name
            for tool in navigation.TOOLS
            for demo in tool.demos
            for several in demo.make().values()
            for file in several
            if (Path(folder) / file.name).write_bytes(file.data)
        ]
        for name, text in MORE_FILES.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        _write_halves(Path(folder))
        here = {*names, *MORE_FILES, *HALVES, ".", "nowhere.csv", "out.csv"}
        for call in calls:
            words = shlex.split(call)
            with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()):
                main([_placed(word, Path(folder), here) for word in words])
            found.append(json.loads(printed.getvalue()))
    return found


def _placed(word: str, folder: Path, here: Container[str]) -> str:
    engine, colon, name = word.rpartition(":")
    return f"{engine}{colon}{folder / name}" if name in here else word


def _write_halves(folder: Path) -> None:
    """Write half of the survey, the same with new numbers and other spelling, and the other half."""
    header, *rows = (folder / "survey.csv").read_text(encoding="utf-8").splitlines()
    numbered = [f"{row},p{number}" for number, row in enumerate(rows)]
    renumbered = [f"{row},q{number}".replace("Town", "TOWN") for number, row in enumerate(rows[:300])]
    for name, half in zip(HALVES, (numbered[:300], renumbered, numbered[300:]), strict=True):
        (folder / name).write_text("\n".join([f"{header},pid", *half]), encoding="utf-8")


def schema(name: str, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the JSON schema of a command's documents."""
    tool = name.partition("_")[0]
    made = _of_objects(found, _of_settings(tool))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"python -m core {tool} --json",
        **made,
    }


_TEXT, _VERDICT = {"type": "string"}, {"enum": [verdict.value for verdict in Verdict]}
_COUNT, _MAYBE = {"type": ["integer", "null"]}, {"type": ["string", "null"]}


def report_schema() -> dict[str, Any]:
    """Return the JSON schema of a report, whose result is what the tool's command prints."""
    figure = dict.fromkeys(
        ("measure", "of", "label", "text", "unit", "threshold", "definition", "source"), _TEXT
    )
    table = {"name": _TEXT, "title": _TEXT, "note": _TEXT, "columns": _list(_TEXT), "rows": _list(_list({}))}
    facts = {"role": _TEXT, "name": _TEXT, "n_bytes": {"type": "integer"}, "sha256": _TEXT, "reading": _TEXT}
    facts |= {"path": _TEXT, "options": {"type": ["object", "null"]}}
    said = {"type": ["object", "null"]}
    finding = {"check": _TEXT, "verdict": _VERDICT, "column": _MAYBE, "message": _TEXT}
    finding |= {"message_said": said, "n_affected": _COUNT}
    finding |= {"columns": _list(_TEXT), "remedy": _TEXT, "remedy_said": said}
    number = {"type": ["number", "null"]}
    judged = {"anyOf": [_VERDICT, {"type": "null"}]}
    results = [
        {
            "if": {"properties": {"tool": {"const": tool}}},
            "then": {"properties": {"result": {"anyOf": [{"$ref": f"{tool}.json"}, {"const": {}}]}}},
        }
        for tool in TOOLS
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A report as JSON",
        **_closed(
            {
                "report_format": {"type": "integer"},
                **dict.fromkeys(("tool", "title", "question", "headline", "created_at", "command"), _TEXT),
                "headline_said": said,
                "verdict": _VERDICT,
                "verdicts": {"type": "object", "additionalProperties": _VERDICT},
                "inputs": _list(_closed(facts)),
                "settings": {"type": "object"},
                "figures": _list(_closed({**figure, "value": number, "verdict": judged})),
                "findings": _list(_closed(finding)),
                "tables": _list(_closed(table)),
                "limits": _list(_TEXT),
                "versions": {"type": "object", "additionalProperties": _TEXT},
                "seeds": {"type": "object", "additionalProperties": {"type": ["integer", "string", "null"]}},
                "result": {"type": "object"},
                "platform": _TEXT,
                "policy": {"type": "object"},
                "arguments": _list(_list(_TEXT)),
                "digests": {"type": "object", "additionalProperties": _TEXT},
                "content_digest": _TEXT,
            }
        ),
        "allOf": results,
    }


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _of_settings(tool: str) -> dict[str, Any]:
    properties = {told.name: _of_setting(told) for told in settings_of(tool)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _of_setting(told: Setting) -> dict[str, Any]:
    found: dict[str, Any] = {"description": f"{told.heading} {told.about}".strip()}
    if told.kind not in (bool, int, float, str):
        return found
    if isinstance(told.default, Mapping):
        return found | {"type": "object"}
    types = {bool: "boolean", int: "integer", float: "number", str: "string"}
    value: dict[str, Any] = {"enum": list(told.choices)} if told.choices else {"type": types[told.kind]}
    bounds = {
        "minimum": told.least,
        "maximum": told.most,
        "exclusiveMinimum": told.above,
        "exclusiveMaximum": told.below,
    }
    value |= {key: bound for key, bound in bounds.items() if math.isfinite(bound)}
    if told.is_several:
        value = {"type": "array", "items": value}
    elif told.secret:
        value = {"const": "given"}
    return found | ({"anyOf": [value, {"type": "null"}]} if told.is_optional else value)


def settings_schema(tool: str) -> dict[str, Any]:
    """Return the JSON schema of a tool's settings file."""
    known = {name: _in_file(told) for name, told in known_settings(tool).items()}
    settings = {"type": "object", "properties": known, "additionalProperties": False}
    properties = {"tool": {"const": tool}, "version": _TEXT, "policy": _TEXT, "settings": settings}
    if tool == "tabular":
        properties["files"] = {"type": "object", "additionalProperties": settings}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"python -m core {tool} --settings FILE",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _in_file(told: Setting) -> dict[str, Any]:
    """Return the schema of a setting in a file: pairs as the option takes them, "none" for no number."""
    found = _of_setting(replace(told, is_optional=False, secret=False))
    if not told.is_plain:
        return found | {"type": "object", "additionalProperties": _TEXT}
    if told.is_several and "items" not in found:
        kept = {"description": found["description"], "type": "array"}
        return kept | {"items": _list(_TEXT) if told.is_grouped else {"type": ["string", "integer"]}}
    if not told.may_be_none:
        return found
    description = found.pop("description")
    return {"description": description, "anyOf": [found, {"const": "none"}]}


def _of_objects(values: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> dict[str, Any]:
    keys = dict.fromkeys(key for value in values for key in value)
    return {
        "type": "object",
        "properties": {
            key: settings if key == "settings" else _of(key, [v[key] for v in values if key in v], settings)
            for key in keys
        },
        "required": [key for key in keys if key != "seconds" and all(key in value for value in values)],
        "additionalProperties": False,
    }


def _of(key: str, values: Sequence[Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the values seen under a key; a figure may always be null, not assessed."""
    verdicts = {verdict.value for verdict in Verdict}
    objects = [value for value in values if isinstance(value, dict)]
    items = [item for value in values if isinstance(value, list) for item in value]
    scalars = [value for value in values if not isinstance(value, dict | list)]
    if values and all(isinstance(value, str) and value in verdicts for value in values):
        return {"enum": sorted(verdicts)}
    parts = [{"type": kind} for kind in _kinds(scalars)]
    if key == "rows":  # cells of a table
        return _list(_list({}))
    if objects and key in NAMED_BY_DATA:
        inner = _of("", [each for value in objects for each in value.values()], settings)
        parts.append({"type": "object", "additionalProperties": inner})
    elif objects:
        parts.append(_of_objects(objects, settings))
    if any(isinstance(value, list) for value in values):
        parts.append({"type": "array", "items": _of(key, items, settings)} if items else {"type": "array"})
    if not [part for part in parts if part != {"type": "null"}]:
        return {}  # only ever seen without a value
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _kinds(scalars: Sequence[object]) -> list[str]:
    kinds = {type(value).__name__ for value in scalars}
    found = [word for kind, word in (("bool", "boolean"), ("str", "string")) if kind in kinds]
    if kinds & {"int", "float"}:
        found.append("number" if "float" in kinds else "integer")
    return [*found, "null"] if "NoneType" in kinds or "float" in kinds else found


if __name__ == "__main__":
    for name in TOOLS:
        path = HERE / f"{name}.md"
        path.write_text(with_settings(path.read_text(encoding="utf-8"), name), encoding="utf-8")
    (HERE / "schemas").mkdir(exist_ok=True)
    schemas = {name: schema(name, documents(calls)) for name, calls in CALLS.items()}
    schemas |= {f"settings_{tool}": settings_schema(tool) for tool in TOOLS}
    for name, made in {**schemas, "report": report_schema()}.items():
        text = json.dumps(made, ensure_ascii=False, indent=1)
        (HERE / f"schemas/{name}.json").write_text(f"{text}\n", encoding="utf-8")
