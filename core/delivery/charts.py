"""The tables of a delivery and the keys between them as a picture, and what knowledge and facts find."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from core.charts import COLORS, TEXT_COLOR, alt, horizontal_bars, layered, meaning
from core.delivery.attack import Attack
from core.delivery.judging import DeliveryAudit
from core.delivery.measuring import Link, TableFacts
from core.known import Known
from core.result import Drawing
from core.verdict import Verdict
from core.words import Text, amount, counted, joined, own, percent, say, text

_BOX = 0.66  # width of a box as a share of its column
_ROW, _LOW_ROW = 100, 34  # pixels of a row, and of one of many, with nothing but the table's name
_MANY_ROWS = 6


class _Found(NamedTuple):
    """Whether a table finds people, in a verdict and in words; None where nobody can be told."""

    verdict: Verdict | None
    words: Text


class _Box(NamedTuple):
    table: TableFacts
    found: _Found
    level: int  # column of the picture: 0 for persons, then by how many keys it is away
    row: int


def tables_drawing(audit: DeliveryAudit) -> Drawing:
    """Draw the tables as boxes, tinted by whom they find, and the keys from persons on as arrows."""
    boxes, arrows = _laid_out(audit)
    described = [
        *(_box_words(each) for each in boxes.values()),
        *(_arrow_words(*each) for each in arrows),
    ]
    return Drawing(
        title="Tables, whom each finds, and the keys between them (dashed: proposed)",
        chart=partial(
            _drawn, list(boxes.values()), [(boxes[one], boxes[other], link) for one, other, link in arrows]
        ),
        alt=joined(described),
    )


def _laid_out(audit: DeliveryAudit) -> tuple[dict[str, _Box], list[tuple[str, str, Link]]]:
    """Return the box of each table, and the keys that lead from one to the next, away from persons."""
    tables = {table.name: table for table in audit.measurement.tables}
    order = sorted(
        tables.values(), key=lambda table: (table.person_column is None, table.repeats, -table.n_persons)
    )
    found: dict[str, _Box] = {}
    arrows: list[tuple[str, str, Link]] = []
    used: dict[int, int] = {}

    def place(name: str, level: int) -> None:
        found[name] = _Box(tables[name], _found(tables[name], audit), level, used.get(level, 0))
        used[level] = found[name].row + 1

    for start in order:
        if start.name in found:
            continue
        place(start.name, 0)
        edge = [start.name]
        while edge:
            here = edge.pop(0)
            for link in audit.measurement.links:
                ends = (link.one.table, link.other.table)
                other = next((each for each in ends if each != here), here)
                if here in ends and other not in found:
                    place(other, found[here].level + 1)
                    arrows.append((here, other, link))
                    edge.append(other)
    return found, arrows


def _found(table: TableFacts, audit: DeliveryAudit) -> _Found:
    """Return whether a table leaves persons among fewer than k, by itself or with what the others tell."""
    k, judged = audit.thresholds.k, audit.judged
    if table.person_column is None or judged is None:
        return _Found(None, own(""))
    if n_below := table.n_below(k):
        told = text("{persons} among fewer than {k}", persons=counted(n_below, "person"), k=k)
        return _Found(Verdict.FAIL, told)
    is_known = table.quasi_identifiers and (judged.n_events or not table.repeats)
    if is_known and judged.n_below(k):
        return _Found(Verdict.WARN, text("fewer than {k} with the others", k=k))
    return _Found(Verdict.PASS, text("nobody among fewer than {k}", k=k))


def _drawn(boxes: Sequence[_Box], arrows: Sequence[tuple[_Box, _Box, Link]]) -> alt.LayerChart:
    """Return boxes and arrows; a dashed arrow is a key that was proposed, a whole one was named."""
    n_levels, n_rows = max(box.level for box in boxes) + 1, max(box.row for box in boxes) + 1

    def at(x: str, y: str) -> dict[str, Any]:
        return {
            "x": alt.X(f"{x}:Q", axis=None, scale={"domain": [0, n_levels], "nice": False}),
            "y": alt.Y(f"{y}:Q", axis=None, scale={"domain": [n_rows, 0], "nice": False}),
        }

    def words(rows: alt.Chart, column: str, x: str, y: str, shift: int, **looks: Any) -> alt.Chart:
        marks = rows.mark_text(**{"color": TEXT_COLOR, "dy": shift, "fontSize": 11, **looks})
        return marks.encode(**at(x, y), text=alt.Text(f"{column}:N"))

    grey = COLORS["neutral"]
    is_low = n_rows > _MANY_ROWS
    inside = f"(width / {n_levels} * {_BOX} - 4)"  # pixels; where these are few, letters are smaller
    limit = {"limit": {"expr": inside}, "fontSize": {"expr": f"clamp({inside} / 8, 7, 11)"}}
    title = {**limit, "fontSize": {"expr": f"clamp({inside} / 6, 8, 13)"}, "fontWeight": "bold"}
    about = alt.Tooltip("about:N")
    keys = alt.Chart(pd.DataFrame([_arrow_row(*each) for each in arrows])).encode(tooltip=about)
    tables = alt.Chart(pd.DataFrame([_box_row(each, is_low=is_low) for each in boxes])).encode(tooltip=about)
    named = {"test": "datum.named", "value": [1, 0]}
    line = keys.mark_rule(strokeWidth=2, color=grey).encode(
        strokeDash=alt.StrokeDashValue([6, 4], condition=named)
    )
    fill = meaning("meaning:N", (*Verdict.__members__, "neutral"), legend=None)
    box = tables.mark_rect(fillOpacity=0.2, stroke=grey, strokeWidth=1.5, cornerRadius=6)
    head = keys.mark_point(shape="triangle-right", filled=True, size=90, opacity=1, color=grey)
    layers = [
        box.encode(**at("left", "top"), x2=alt.X2("right"), y2=alt.Y2("bottom"), color=fill),
        words(tables, "name", "middle", "y", 0 if is_low else -24, **title),
        line.encode(**at("from", "y_from"), x2=alt.X2("bend")),
        line.encode(**at("bend", "y_from"), y2=alt.Y2("y_to")),
        line.encode(**at("bend", "y_to"), x2=alt.X2("tip")),
        head.encode(**at("tip", "y_to")),
        words(keys, "share", "middle", "y_to", -9),
    ]
    if not is_low:
        layers += [
            words(tables, "records", "middle", "y", -6, **limit),
            words(tables, "role", "middle", "y", 10, **limit),
            words(tables, "found", "middle", "y", 26, **{**limit, "fontWeight": "bold"}),
            words(keys, "ends", "middle", "y_to", 11),
        ]
    return layered(*layers, height=(_LOW_ROW if is_low else _ROW) * n_rows)


def _box_row(box: _Box, *, is_low: bool) -> dict[str, object]:
    verdict, words = box.found
    symbol = "" if verdict is None else verdict.symbol
    return {
        "left": box.level + (1 - _BOX) / 2,
        "right": box.level + (1 + _BOX) / 2,
        "middle": box.level + 0.5,
        "top": box.row + 0.12,
        "bottom": box.row + 0.88,
        "y": box.row + 0.5,
        "name": f"{symbol} {box.table.name}" if is_low and symbol else box.table.name,
        "meaning": verdict or "neutral",
        "found": f"{symbol} {say(words)}" if symbol else "",
        "records": say(counted(box.table.n_records, "record")),
        "role": say(_joined_to(box.table)),
        "about": say(_box_words(box)),
    }


def _arrow_row(one: _Box, other: _Box, link: Link) -> dict[str, object]:
    bend, tip = one.level + (1 + _BOX) / 2 + 0.08, other.level + (1 - _BOX) / 2 - 0.015
    return {
        "from": one.level + (1 + _BOX) / 2,
        "bend": bend,
        "tip": tip,
        "middle": (bend + tip) / 2,
        "y_from": one.row + 0.5,
        "y_to": other.row + 0.5,
        "share": say(amount("share", link.share_found)),
        "ends": _ends(one.table.name, link),
        "about": say(_arrow_words(one.table.name, other.table.name, link)),
        "named": link.is_given,
    }


def _joined_to(table: TableFacts) -> Text:
    if table.person_column is None:
        return text("joined to nobody")
    return counted(table.n_persons, "person")


def _role(table: TableFacts) -> Text:
    if table.person_column is None:
        return text("joined to nobody")
    if table.repeats:
        return text("{persons}, several records each", persons=counted(table.n_persons, "person"))
    return text("{persons}, one record each", persons=counted(table.n_persons, "person"))


def _ends(start: str, link: Link) -> str:
    """Return how many records are at each end of a key, the start first, such as 1 : n."""
    unique = (link.one_is_unique, link.other_is_unique)
    first, second = unique if link.one.table == start else unique[::-1]
    return f"{'1' if first else 'n'} : {'1' if second else 'n'}"


def _box_words(box: _Box) -> Text:
    table = box.table
    message = (
        "{table}: {records}, {role}." if box.found.verdict is None else "{table}: {records}, {role}; {found}."
    )
    return text(
        message,
        table=f"`{table.name}`",
        records=counted(table.n_records, "record"),
        role=_role(table),
        found=box.found.words,
    )


def _arrow_words(start: str, end: str, link: Link) -> Text:
    return text(
        "{start} to {end} by {one} = {other} ({ends}): {share} of the values found, {how}.",
        start=f"`{start}`",
        end=f"`{end}`",
        one=f"`{link.one}`",
        other=f"`{link.other}`",
        ends=_ends(start, link),
        share=percent(link.share_found),
        how=own("named by you") if link.is_given else own("proposed"),
    )


def attacks_drawing(audit: DeliveryAudit) -> Drawing:
    """Draw which facts from which tables find how many persons, a bar for each number of facts."""
    rows = [(say(_facts(attack)), attack.share_found) for attack in audit.measurement.attacks]
    return Drawing(
        title="The cheapest attacks: which facts find how many persons",
        chart=partial(
            horizontal_bars,
            rows,
            value_title="Persons found",
            label_title="Known",
        ),
    )


def _facts(attack: Attack) -> Text:
    names = ", ".join(place.column for place in (*attack.of_person, *attack.of_record))
    return text("{facts}: {names}", facts=counted(attack.n_facts, "fact"), names=names)


def known_drawing(audit: DeliveryAudit) -> Drawing:
    """Draw how many persons are among fewer than k, by what is known of them."""
    known, k = audit.measurement.known, audit.thresholds.k
    rows = [(say(_short_known(each)), each.share_below(k)) for each in known if each.n_looked_at]
    return Drawing(
        title=text("Persons among fewer than {k} by what is known of them", k=k),
        chart=partial(
            horizontal_bars,
            rows,
            value_title="Share of persons",
            label_title="Known beside quasi-identifiers",
        ),
    )


def _short_known(known: Known) -> Text:
    """Return what is known, for an axis."""
    if known.n_events is None:
        return text("all records")
    if not known.n_events:
        return text("no record")
    return text("{n} record", "{n} records", n=known.n_events)
