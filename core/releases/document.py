"""What releases tell together, as JSON-able values and as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.plain import plain_fields
from core.releases.counts import Moved
from core.releases.judging import ReleasesAudit
from core.releases.measuring import Compared
from core.releases.persons import Alike
from core.releases.renaming import Renaming
from core.releases.settings import EARLIER
from core.releases.splits import Split

if TYPE_CHECKING:
    from core.reports import InputFacts


def releases_document(audit: ReleasesAudit) -> dict[str, object]:
    """Return what earlier releases tell beside this one; shares in [0, 1], null for what was not measured."""
    measured = audit.measurement
    return {
        "verdict": audit.overall.value,
        "k": audit.k,
        "n_earlier": measured.n_earlier,
        "compared": [_compared(each, audit.k) for each in measured.compared],
        "candidates": [
            {"table": table, "column": column, "n_persons": each.n_persons, "n_given_away": each.n_given_away}
            for (table, column), each in measured.candidates.items()
        ],
        "not_compared": [{"release": each.release, "reason": each.reason} for each in measured.not_compared],
    }


def _compared(each: Compared, k: int) -> dict[str, object]:
    overlap, alike, relinked = each.overlap, each.alike, each.relinked
    return {
        **plain_fields(each, "table", "release", "is_ledger"),
        "counts": "person" if each.counts_persons else "record",
        "quasi_identifiers": list(each.roles.quasi_identifiers),
        "missing_columns": list(each.missing_columns),
        "changed_columns": list(each.changed_columns),
        "renamed": [_renaming(found) for found in each.renamed],
        "own_words": [_renaming(found) for found in each.own_words],
        "n": each.n_later,
        "n_earlier": each.n_earlier,
        "n_in_both": each.n_common,
        "is_same": each.is_same,
        "is_comparable": each.is_comparable,
        "share_in_common_classes": each.found_share,
        "holds_the_same_people": None
        if overlap is None
        else {
            "is_sure": overlap.is_sure,
            "one_holds_the_other": overlap.is_included,
            "deviations": overlap.deviations,
        },
        "newcomers": _moved(each.came, k),
        "leavers": _moved(each.left, k),
        "alike_in_both": None
        if alike is None
        else _in_groups(alike, k) | {"n_given_away": dict(alike.n_given_away)},
        "joined": None
        if each.joined is None
        else {"columns": list(each.joined.columns)} | _in_groups(each.joined.alike, k),
        "boundaries": [_split(split, k) for split in each.splits],
        "relinked": None
        if relinked is None
        else {"n": relinked.n, "n_persons": relinked.n_persons, "columns": list(relinked.columns)},
    }


def _in_groups(found: Alike, k: int) -> dict[str, object]:
    return {"n": found.n, "n_below_k": found.groups.n_below(k)}


def _renaming(found: Renaming) -> dict[str, object]:
    return {"column": found.column, "later": list(found.later), "earlier": list(found.earlier)}


def _split(split: Split, k: int) -> dict[str, object]:
    return {
        "column": ", ".join(split.columns),
        **plain_fields(split, "columns", "is_sure", "n"),
        "n_below_k": split.groups.n_below(k),
        "n_given_away": dict(split.n_given_away),
    }


def earlier_words(audit: ReleasesAudit | None, inputs: Sequence[InputFacts]) -> list[str]:
    """Return the options that name the earlier releases on the command line."""
    paths = [facts.path for facts in inputs if facts.role == EARLIER]
    return ["--earlier", *paths] if audit is not None and paths else []


def _moved(moved: Moved, k: int) -> dict[str, object]:
    return {"n": moved.n, "n_below_k": moved.groups.n_below(k), "n_given_away": dict(moved.n_given_away)}
