"""A chart as an SVG element: drawn on this machine, with nothing in it but what draws."""

import hashlib
import json
import re
from typing import cast
from xml.etree import ElementTree as ET

from core.charts import alt, for_report
from core.files.plain_text import JsonValue, json_value, printable
from core.processes.drawing import svg_of

_LONGEST_LABEL = 300

_DRAWN = frozenset(
    [
        "svg",
        "g",
        "path",
        "line",
        "rect",
        "circle",
        "text",
        "tspan",
        "defs",
        "clipPath",
        "linearGradient",
        "stop",
    ]
)
_BEYOND_PLANE_0 = re.compile("[\U00010000-\U0010ffff]")
_REFERENCE = re.compile(r"url\(#([\w-]+)\)")


def chart_svg(chart: "alt.LayerChart", *, prefix: str, width: int, height: int | None = None) -> str | None:
    """Draw a chart as an SVG element without namespace, script, link or reference to anything outside.

    None where the process that draws ended or took too long. `prefix` is put before every id, so that charts
    of one page stay apart; the page holds the chart's name and description in elements with the ids
    ``<prefix>-title`` and ``<prefix>-text``. `width` and `height`, its height at most, are in pixels, of a
    chart that is as wide as what it stands in.
    """
    specification = cast(
        "dict[str, object]", _drawable(json_value(for_report(chart, width=width, height=height)))
    )
    drawn = _svg(specification)
    if drawn is None:
        return None
    root = ET.fromstring(printable(drawn))  # noqa: S314 - our own drawing, without entities
    _strip(root)
    _renumber_ids(root, prefix)
    box = f"0 0 {root.attrib['width']} {root.attrib['height']}"
    root.attrib.clear()
    root.attrib |= {
        "viewBox": box,
        "role": "img",
        "aria-labelledby": f"{prefix}-title",
        "aria-describedby": f"{prefix}-text",
    }
    return ET.tostring(root, encoding="unicode")


def _svg(specification: dict[str, object]) -> str | None:
    try:
        return svg_of(specification)
    except ValueError:
        # Vega shortens long labels by UTF-16 units; one cut inside a character cannot be measured.
        plain = json.loads(
            _BEYOND_PLANE_0.sub("\N{REPLACEMENT CHARACTER}", json.dumps(specification, ensure_ascii=False))
        )
        return svg_of(plain)


def _drawable(part: JsonValue) -> JsonValue:
    """Return a specification without control characters, which end vl-convert 1.9.0, and texts too long."""
    if isinstance(part, dict):
        return {printable(name): _drawable(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_drawable(value) for value in part]
    return _short(printable(part)) if isinstance(part, str) else part


def _short(text: str) -> str:
    """Cut a text that no label can show and that takes seconds to measure; distinct texts stay distinct."""
    if len(text) <= _LONGEST_LABEL:
        return text
    return f"{text[:_LONGEST_LABEL]}… {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _strip(element: ET.Element) -> None:
    """Keep only what draws, in the element and below it."""
    element.tag = element.tag.rpartition("}")[2]
    element.attrib = {name: value for name, value in element.attrib.items() if _is_plain(name)}
    for child in list(element):
        _strip(child)
        if child.tag not in _DRAWN:
            element.remove(child)


def _renumber_ids(root: ET.Element, prefix: str) -> None:
    """Give ids numbers in the order of the drawing: Vega counts gradients over the life of the process."""
    ids = (element.attrib["id"] for element in root.iter() if "id" in element.attrib)
    renamed = {old: f"{prefix}-{number}" for number, old in enumerate(ids, start=1)}
    for element in root.iter():
        for name, value in element.attrib.items():
            element.attrib[name] = (
                renamed[value]
                if name == "id"
                else _REFERENCE.sub(lambda found: f"url(#{renamed.get(found[1], prefix)})", value)
            )


def _is_plain(name: str) -> bool:
    return not name.startswith(("{", "aria-", "on")) and name not in ("role", "href", "class")
