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
from core.settings.form import Setting
from core.tools import TOOLS, tool
from docs.reference import PAGES, page

HERE = Path(__file__).parent
_LINE = 110  # letters of a line of a schema

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
    for name in PAGES:
        (HERE / f"reference/{name}.md").write_text(page(name), encoding="utf-8")
    schemas = {f"settings_{key}": settings_schema(key) for key in TOOLS} | {"report": report_schema()}
    for name, made in schemas.items():
        (HERE / f"schemas/{name}.json").write_text(f"{readable(made)}\n", encoding="utf-8")
