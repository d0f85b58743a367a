"""The parts of docs/ that come from the code: `python -m docs.generated` writes them."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from core.filed.reading import ReportParts
from core.settings.files import known_settings
from core.settings.form import Setting, described
from core.tools import TOOLS, tool

HERE = Path(__file__).parent
BEGIN, END = "<!-- settings: made by `make docs` -->", "<!-- end of settings -->"
_LINE = 110  # letters of a line of a schema
_ALL_AT_ONCE = (
    "`--settings FILE` reads them from a file, `--policy FILE|NAME` takes the limits of a policy: "
    "[Settings and policies](policies.md)."
)


def settings_table(key: str) -> str:
    """Return a Markdown table of all settings of a tool."""
    rows = ["| option | setting | may be | default |", "|---|---|---|---|"]
    rows += [
        f"| `{each.flag}` | {_words(each)} | {_allowed(each)} | {each.default_words} |"
        for each in settings_of(key)
    ]
    return "\n".join([*rows, "", _ALL_AT_ONCE])


def settings_of(key: str) -> list[Setting]:
    """Return all settings of a tool."""
    return [each for form in tool(key).forms for each in described(form).values()]


def with_settings(page: str, key: str) -> str:
    """Return a tool's page with its table of settings as it should be."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{settings_table(key)}\n{END}{after}"


def _words(told: Setting) -> str:
    return f"**{told.heading}** {told.about}".strip().replace("|", r"\|")


def _allowed(told: Setting) -> str:
    if told.kind is bool:
        return "given or not"
    if any(told.choices.values()):
        return "; ".join(f"`{value}` {word}".strip() for value, word in told.choices.items())
    return told.allowed or (f"{told.metavar}…" if told.is_several else told.metavar)


_TEXT = {"type": "string"}


def report_schema() -> dict[str, Any]:
    """Return the JSON schema of a report, which is what ``--json`` prints of an audit, from its types."""
    made = msgspec.json.schema(ReportParts)
    types = {name.lstrip("_"): _described(each) for name, each in made["$defs"].items()}
    further = {"description": "a figure by its measure, or the rows of a table by its key"}
    for name in ("ReportParts", "File"):
        types[name]["additionalProperties"] = {"type": ["number", "array", "null"], **further}
    report = types.pop("ReportParts")
    report["properties"] |= {
        "errors": {"type": "array", "description": "what could not be used; printed, not filed"},
        "seconds": {"type": "number", "description": "printed, not filed"},
        "release": {"type": "object", "description": "the table that was written; printed, not filed"},
        "stability": {"type": "object", "description": "over splits (--splits); printed, not filed"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A report as JSON, format 3, and what --json prints of an audit",
        **report,
        "$defs": types,
    }


def _described(made: Any) -> Any:
    """Return a part of a schema without names of ours that say nothing, on lines of its description."""
    if isinstance(made, dict):
        ours = {"default", *(("title",) if isinstance(made.get("title"), str) else ())}
        told = {key: _described(each) for key, each in made.items() if key not in ours}
        if isinstance(words := told.get("description"), str):
            told["description"] = words.split("\n\n")[0]
        if isinstance(ref := told.get("$ref"), str):
            told["$ref"] = ref.replace("/_", "/")
        return told
    return [*map(_described, made)] if isinstance(made, list) else made


def readable(made: Any, indent: str = "") -> str:
    """Write JSON with a line for each part that fits on one."""
    line = json.dumps(made, ensure_ascii=False)
    if len(indent + line) <= _LINE or not isinstance(made, dict | list) or not made:
        return line
    inner = indent + " "
    if isinstance(made, list):
        parts, (start, end) = [readable(each, inner) for each in made], "[]"
    else:
        parts = [f"{json.dumps(key)}: {readable(each, inner)}" for key, each in made.items()]
        start, end = "{}"
    return f"{start}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{end}"


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


def settings_schema(key: str) -> dict[str, Any]:
    """Return the JSON schema of a tool's settings file."""
    known = {name: _in_file(told) for name, told in known_settings(key).items()}
    settings = {"type": "object", "properties": known, "additionalProperties": False}
    properties = {"tool": {"const": key}, "version": _TEXT, "policy": _TEXT, "settings": settings}
    if tool(key).by_file:
        properties["files"] = {"type": "object", "additionalProperties": settings}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"python -m core {key} --settings FILE",
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
        return kept | {
            "items": {"type": "array", "items": _TEXT} if told.is_grouped else {"type": ["string", "integer"]}
        }
    if not told.may_be_none:
        return found
    description = found.pop("description")
    return {"description": description, "anyOf": [found, {"const": "none"}]}


if __name__ == "__main__":
    for name in TOOLS:
        path = HERE / f"{name}.md"
        path.write_text(with_settings(path.read_text(encoding="utf-8"), name), encoding="utf-8")
    (HERE / "schemas").mkdir(exist_ok=True)
    schemas = {f"settings_{key}": settings_schema(key) for key in TOOLS} | {"report": report_schema()}
    for name, made in schemas.items():
        (HERE / f"schemas/{name}.json").write_text(f"{readable(made)}\n", encoding="utf-8")
