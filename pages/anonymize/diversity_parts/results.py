"""What a (k, l) search found: the trade-off, the result list, what can be taken away."""

import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts import on_page
from core.diversity import (
    Configuration,
    DiversityAudit,
    DiversitySearch,
    DiversityThresholds,
    judge_diversity,
    minimized_sources,
    released_table,
)
from core.diversity.charts import GRID_TITLES, grid_drawing
from core.diversity.judging import accuracy_word
from core.diversity.report import configurations_csv, diversity_report, kept_records_csv
from core.diversity.tool import TOOL
from core.files.plain_text import table_csv
from core.reports import Report
from core.result import Drawing
from core.words import percent, say
from pages.anonymize.diversity_parts.pair import ask_for_pair, pick
from pages.components import results
from pages.components.asking import ask_for_form
from pages.components.parts import show_part
from pages.components.shown import Shown
from pages.components.text import short_digest
from pages.components.tool_page import show_found

_HOW_TO_READ_POINTS = (
    "A point is one release; pairs that release the same are one point, named by the strongest. "
    "Nothing beats the outlined points in accuracy, removed records and precision at once; the line "
    "joins those that nothing beats in accuracy and removed records alone. "
    "Click a point or a cell to look at it below; the ring shows where you are."
)


def judge_live(shown: Shown) -> None:
    """Show the trade-off beside the limits that filter it, and ask for the pair to look at."""
    measured: DiversitySearch = shown.measured
    mark = shown.found["mark"] = short_digest(shown.found["identity"])  # another search, other pairs
    st.header(say("The trade-off"), anchor=False, help=say(_HOW_TO_READ_POINTS))
    limits, *places = st.columns([1, 2, 2], gap="medium")
    with limits:
        thresholds = _ask_for_limits(measured)
    found, pair = st.container(), st.container()
    with pair:
        picked = shown.found["picked"] = ask_for_pair(judge_diversity(measured, thresholds), mark)
    judged = judge_diversity(measured, thresholds, pair=(picked.k, picked.l), earlier=shown.earlier.releases)
    shown.found["audit"] = judged
    shown.judge(thresholds)
    shown.depends_on = [shown.found["identity"], picked.k, picked.l]
    with found:
        show_found(shown, at_once=1)
    _show_trade_off(shown, places)


def _ask_for_limits(measured: DiversitySearch) -> DiversityThresholds:
    """Ask what the person can live with; nothing is computed again.

    The most records that any pair removes limit nothing.
    """
    target, task = measured.problem.settings.target, measured.problem.settings.task
    removed = [each.deletion_ratio or 0.0 for each in measured.configurations if each.accuracy is not None]
    most = max(math.ceil(100 * max(removed, default=1.0)) / 100, 0.01)
    words = {"accuracy": accuracy_word(task, begins=False), "deletion_ratio": "records removed"}
    applies = "On top of the search's target of {target}, which applies in any case."
    given: dict[str, dict[str, Any]] = {
        "min_accuracy": {
            "mark": str(target),  # another target, another least
            "span": (target, 1),
            "start": target,
            "none_at": target,
            "label": say("{name} at least", name=accuracy_word(task)),
            "help": say(applies, target=percent(target)),
        },
        "max_deletion": {"mark": str(most), "span": (0, most), "start": most, "none_at": most},
        "sort": {"format_func": lambda each: say(words[each])},
    }
    ask = partial(ask_for_form, TOOL.key, DiversityThresholds, per_row=1, given=given)
    limits = ask("min_accuracy", "max_deletion")
    with st.popover(say("Further options"), icon=":material/more_horiz:"):
        return DiversityThresholds(**limits, **ask("sort"))


def _show_trade_off(shown: Shown, places: Sequence[DeltaGenerator]) -> None:
    group, (points, grid), mark = shown.result.group("trade_off"), places, shown.found["mark"]
    if not group.parts:
        st.markdown(say(group.empty))
        return
    with points:
        for part in group.parts:
            if isinstance(part, Drawing):
                st.markdown(f"**{say(part.title)}**")
                _show_selectable(part, "trade_off", mark)
            else:
                show_part(part, key="diversity_trade_off")
    with grid:
        figure = st.segmented_control(
            say("Over k and ℓ"),
            list(GRID_TITLES),
            default="accuracy",
            format_func=lambda name: say(GRID_TITLES[name]),
            key="diversity_grid_figure",
            required=True,
            persist_state="session",
        )
        _show_selectable(grid_drawing(shown.audit, figure, shown.found["picked"]), "grid", mark)


def _show_selectable(drawing: Drawing, name: str, mark: str) -> None:
    key = f"diversity_{name}_{mark}"
    drawn = on_page(drawing.chart())
    st.vega_lite_chart(
        drawn,
        alt=results.alternative(drawing.title, drawing.alt, drawn),
        key=key,
        on_select=partial(_take_click, key, mark),
        selection_mode="picked",
    )


def _take_click(key: str, mark: str) -> None:
    clicked: Sequence[dict[str, Any]] = st.session_state[key].selection.get("picked", [])
    if clicked:
        pick(mark, int(clicked[0]["k"]), int(clicked[0]["l"]))


def report(shown: Shown, created_at: datetime) -> Report:
    """Return the report of the search and the pair."""
    return diversity_report(
        shown.audit, shown.found["picked"], created_at=created_at, earlier=shown.earlier.facts()
    )


def downloads(shown: Shown) -> list[results.Download]:
    """Offer the released tables, the kept record numbers, and all configurations."""
    audit, picked, digest = shown.audit, shown.found["picked"], short_digest(shown.identity())
    made = partial(configurations_csv, audit)
    found = [results.Download("All pairs as CSV", f"pairs_{digest}.csv", made, is_further=True)]
    if picked.kept_set is None or picked.verification is None:
        return found
    stem = f"{audit.search.problem.data.name.rsplit('.', maxsplit=1)[0]}_k{picked.k}_l{picked.l}"
    return [*_release_downloads(audit, picked, stem, digest), *found]


def _release_downloads(
    audit: DiversityAudit, picked: Configuration, stem: str, digest: str
) -> Iterator[results.Download]:
    yield results.Download(
        "Anonymized table",
        f"{stem}_anonymized_{digest}.csv",
        partial(_release, audit, picked, minimized=False),
        "Kept records with the representatives of their cells: the bytes that were verified.",
    )
    if picked.evaluation is not None:
        yield results.Download(
            "Anonymized and minimized table",
            f"{stem}_minimized_{digest}.csv",
            partial(_release, audit, picked, minimized=True),
            "Quasi-identifiers generalized as far as the model allows; the accuracy shown belongs to it.",
            is_further=True,
        )
    yield results.Download(
        "Kept record numbers",
        f"{stem}_kept_{digest}.csv",
        partial(kept_records_csv, audit.search.problem, picked),
        "Which records of your table are in it, the first being 1. Keep this list to yourself.",
        is_further=True,
    )


def _release(audit: DiversityAudit, picked: Configuration, *, minimized: bool) -> bytes:
    problem = audit.search.problem
    if picked.kept_set is None:
        raise ValueError("Nothing is kept.")
    cells = picked.kept_set.kept_cells
    if minimized and picked.evaluation is not None:
        cells = minimized_sources(problem, cells, picked.evaluation)
    return table_csv(released_table(problem, cells))
