"""Settings that keep more of an event log."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from core.coding import sorted_distinct
from core.errors import AuditInputError
from core.events.log import EventLog
from core.events.mapping import BUILT_IN_MAPPING, OTHER_EVENT, EventMapping, event_mapping
from core.events.measuring import MeasuredEvents, anonymize_events, measure_events
from core.events.settings import AUTOMATIC, COARSER, DERIVED_COLUMNS, EventSettings, Rule
from core.events.stages import derived_column
from core.tables import Dataset
from core.words import Text, counted, percent, text

_KINDS = ("generalized_event", "event")
_MOST_EVENTS_LOOKED_AT = 4_000_000  # events times settings tried
_MOST_TRIED, _FEWEST_TRIED = 60, 4
_MOST_CLASSES = 30
_FIRST_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """Settings that reach k, and what they keep."""

    settings: EventSettings  # ready to be used
    n_events: int  # Released
    n_users: int
    # information lost in [0, 1], measured in the columns that were asked for: a column left out is lost
    # whole, a coarser one as in the normalized certainty penalty, and so are kinds that a mapping merges
    # which was not asked for
    lost_share: float


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """The best settings found, least loss first, of how many that were tried of how many ways."""

    best: tuple[Suggestion, ...]
    n_tried: int
    n_ways: int


def suggest_settings(dataset: Dataset, settings: EventSettings, rule: Rule) -> Suggestions:
    """Try coarser columns and flatten steps, and a mapping where the one in use tells nothing apart.

    Return three suggestions, each as coarse as what was asked for or coarser; fewer where few reach k with
    anything left.
    """
    base = measure_events(dataset, _with_fitting_mapping(dataset, settings, rule.k))
    is_new_mapping = base.log.settings.mapping != settings.mapping
    ways = list(_ways(base.log.settings))
    affordable = max(_MOST_EVENTS_LOOKED_AT // max(base.n_events_after_cleanup, 1), _FEWEST_TRIED)
    tried = ways[: min(affordable, _MOST_TRIED)]
    found = [_tried(dataset, base, way, rule, is_new_mapping=is_new_mapping) for way in tried]
    reaching = [suggestion for suggestion in found if suggestion is not None]
    best = sorted(reaching, key=lambda suggestion: (suggestion.lost_share, -suggestion.n_events))
    return Suggestions(best=tuple(best[:3]), n_tried=len(tried), n_ways=len(ways))


def suggested_mapping(log: EventLog, k: int) -> EventMapping:
    """Return a mapping of a log's kinds: those of k users as they are, rarer ones by their first word.

    What fewer have even so is ``other_event``. At most 30 classes, those of most users.
    """
    pairs = sorted_distinct(log.event_of_event * log.n_users + log.user_of_event)
    n_users = np.bincount(pairs // log.n_users, minlength=len(log.events))
    common = [name for name, n in zip(log.events, n_users, strict=True) if n >= k]
    class_of = dict(zip(common, common, strict=True))
    for name in log.events:
        word = _FIRST_WORD.search(name)
        class_of.setdefault(name, word[0].lower() if word else OTHER_EVENT)
    of_class = [class_of[name] for name in log.events]
    names = sorted(set(of_class))
    code = np.array([names.index(each) for each in of_class])
    pairs = sorted_distinct(code[log.event_of_event] * log.n_users + log.user_of_event)
    n_of_class = dict(
        zip(names, np.bincount(pairs // log.n_users, minlength=len(names)).tolist(), strict=True)
    )
    kept = sorted(names, key=lambda name: (-n_of_class[name], name))[:_MOST_CLASSES]
    kept = [name for name in kept if n_of_class[name] >= k]
    return event_mapping(
        (name, class_of[name] if class_of[name] in kept else OTHER_EVENT) for name in log.events
    )


def _with_fitting_mapping(dataset: Dataset, settings: EventSettings, k: int) -> EventSettings:
    """Return the settings with a mapping of the log's own where the one in use names none of its events."""
    log = measure_events(dataset, settings).log
    if "generalized_event" not in settings.columns or sum(log.unmapped.values()) < log.n_events:
        return settings
    mapping = suggested_mapping(log, k)
    known = {*mapping.classes, OTHER_EVENT}
    return replace(settings, mapping=mapping, leave_out=tuple(c for c in settings.leave_out if c in known))


def _ways(settings: EventSettings) -> Iterator[EventSettings]:
    """Yield settings with some columns coarser or left out, those with fewest changes first."""
    choices = [_choices(column) for column in settings.columns]
    changed = sorted(
        product(*(range(len(each)) for each in choices)), key=lambda levels: (sum(levels), levels)
    )
    for levels in changed:
        chosen = (each[level] for each, level in zip(choices, levels, strict=True))
        columns = tuple(dict.fromkeys(column for column in chosen if column is not None))
        if not columns or (settings.sensitive in columns):
            continue
        flattens = [column for column in columns if column not in _KINDS] or list(columns)
        flatten = settings.flatten if settings.flatten in columns else flattens[0]
        for steps in ((AUTOMATIC,), ()):
            yield replace(settings, columns=columns, flatten=flatten, flatten_steps=steps)


def _choices(column: str) -> list[str | None]:
    """Return the column, what is coarser and can be released instead, and to leave it out."""
    coarser = [level for level in COARSER.get(column, ()) if level in DERIVED_COLUMNS]
    return [column, *coarser, *([] if column in _KINDS else [None])]


def _tried(
    dataset: Dataset, base: MeasuredEvents, settings: EventSettings, rule: Rule, *, is_new_mapping: bool
) -> Suggestion | None:
    try:
        anonymized = anonymize_events(measure_events(dataset, settings), rule)
    except AuditInputError:
        return None  # k is above the users, or a value is written like a coarser one
    reduced = anonymized.reduced
    if not reduced.n_events:
        return None
    n_all, n_asked = base.n_events_after_cleanup, len(base.log.settings.columns)
    n_gone = n_all - reduced.n_events
    merged = anonymized.merging_penalty if is_new_mapping else 0.0
    within = (reduced.penalty_share * n_all - n_gone + merged) * len(settings.columns)
    before = reduced.n_events * sum(
        _loss_of_coarsening(base.log, column, settings.columns) for column in base.log.settings.columns
    )
    return Suggestion(
        settings=settings,
        n_events=reduced.n_events,
        n_users=reduced.n_users,
        lost_share=(within + before + n_gone * n_asked) / (n_all * n_asked),
    )


def _loss_of_coarsening(log: EventLog, column: str, released: tuple[str, ...]) -> float:
    """Return the mean loss of a column asked for: 0 as it is, 1 left out, else by the coarser one."""
    if column in released:
        return 0.0
    coarser = [level for level in COARSER.get(column, ()) if level in released]
    if not coarser:
        return 1.0
    fine = derived_column(log, column)
    coarse = derived_column(log, coarser[0]).codes[log.kept_after_cleanup]
    codes = fine.codes[log.kept_after_cleanup]
    n_coarse = int(coarse.max(initial=-1)) + 1
    covered = np.bincount(sorted_distinct(codes * n_coarse + coarse) % n_coarse, minlength=n_coarse)
    n_fine = len(sorted_distinct(codes))
    return float(np.where(covered > 1, covered / n_fine, 0.0)[coarse].mean())


def suggestions_document(found: Suggestions) -> dict[str, object]:
    """Return what ``python -m core events --suggest --json`` prints; the mapping where it is a new one."""
    return {
        "tool": "events",
        "n_tried": found.n_tried,
        "n_ways": found.n_ways,
        "suggestions": [
            {
                "columns": list(suggestion.settings.columns),
                "flatten": suggestion.settings.flatten,
                "flatten_steps": list(suggestion.settings.flatten_steps),
                "mapping": dict(suggestion.settings.mapping.pairs),
                "events_after": suggestion.n_events,
                "users_after": suggestion.n_users,
                "penalty_share": suggestion.lost_share,
            }
            for suggestion in found.best
        ],
    }


def tried_text(found: Suggestions) -> Text:
    """Say how many ways were tried."""
    return text(
        "{tried} of {n} way was tried, those with fewest changes first.",
        "{tried} of {n} ways were tried, those with fewest changes first.",
        n=found.n_ways,
        tried=found.n_tried,
    )


NONE_REACHES = "None of them reaches k with anything left. Choose a smaller k."


def suggestion_lines(found: Suggestions) -> list[str]:
    """Return the suggestions as options of the command line, a line each."""
    lines: list[str] = [tried_text(found)]
    for suggestion in found.best:
        settings = suggestion.settings
        steps = f" --flatten-steps {','.join(settings.flatten_steps)}" if settings.flatten_steps else ""
        lines.append(
            text(
                "{options}: {events} of {users}, {lost} of the information lost",
                options=f"--columns {','.join(settings.columns)} --flatten {settings.flatten}{steps}",
                events=counted(suggestion.n_events, "event"),
                users=counted(suggestion.n_users, "user"),
                lost=percent(suggestion.lost_share),
            )
        )
    if not found.best:
        lines.append(NONE_REACHES)
    elif found.best[0].settings.mapping != BUILT_IN_MAPPING:
        lines.append("With an event mapping that fits the log; --suggest --json prints it.")
    return lines
