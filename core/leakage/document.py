"""An audit of row leakage as one JSON document."""

import math
from collections.abc import Sequence

from core.free_text import reading_words, texts_document
from core.leakage.attacks import Attacks
from core.leakage.chance import ColumnChance
from core.leakage.in_engine import RowsInEngine
from core.leakage.judging import LeakageAudit
from core.leakage.measuring import SetAside
from core.leakage.near_copies import NearCopies
from core.leakage.second_look import SecondLook
from core.leakage.whole_rows import RowLeakage
from core.plain import plain_fields
from core.settings_form import option_words, settings_document

USUAL_FIGURES = ("full_leakage_share", "partial_leakage_share", "mean_matching_cells", "std_matching_cells")


def leakage_document(audit: LeakageAudit) -> dict[str, object]:
    """Return the result as the JSON document; figures that could not be assessed are null."""
    measures, rows, whole = audit.measures, audit.measures.rows, audit.measures.whole_rows
    return {
        "tool": "leakage",
        "verdict": audit.verdict.value,
        "n_rows": whole.n_original if rows is None else rows.n_rows,
        "n_columns": len(measures.columns),
        **leakage_figures(audit),
        "columns": _column_documents(audit),
        "expected_exact_rows_anywhere": whole.expected_exact,
        "expected_unique_exact_rows_anywhere": whole.expected_unique_exact,
        "near_copies": _near_copies_document(measures.near_copies),
        "without_columns": _set_aside_document(measures.set_aside),
        "second_look": _second_look_document(measures.second_look),
        "attacks": [
            {"attack": rate.attack, "column": rate.column or None, **plain_fields(rate, *_OF_RATE)}
            for rate in (() if measures.attacks is None else measures.attacks.rates)
        ],
        "membership": _membership_document(measures.attacks),
        "texts": texts_document(measures.texts, audit.read),
        "findings": [finding.document() for finding in audit.findings],
        "settings": settings_document(measures.settings, audit.thresholds),
    }


def rows_document(audit: RowsInEngine) -> dict[str, object]:
    """Return the row rules of two tables in an engine as the JSON document; other keys are not there."""
    rows, chance = audit.rows, audit.chance
    return {
        "tool": "leakage",
        "verdict": audit.verdict.value,
        "n_rows": rows.n_rows,
        "n_columns": len(audit.columns),
        **{key: getattr(rows, key) for key in USUAL_FIGURES},
        "n_rows_without_valid_cells": rows.n_without_valid_cells,
        "expected_matching_cells": None if chance is None else chance.expected_total / rows.n_rows,
        "expected_full": audit.expected_full,
        "n_original_alone": audit.n_alone[0],
        "n_scrambled_alone": audit.n_alone[1],
        "columns": _chance_documents(audit.columns, rows, chance),
        "findings": [finding.document() for finding in audit.findings],
        "settings": settings_document(audit.settings, audit.thresholds),
    }


def leakage_figures(audit: LeakageAudit) -> dict[str, float | None]:
    """Return the figures of rows and of whole rows by measure; None where rows could not be paired."""
    measures, rows = audit.measures, audit.measures.rows
    return {
        **{key: getattr(rows, key, None) for key in USUAL_FIGURES},
        "n_rows_without_valid_cells": None if rows is None else rows.n_without_valid_cells,
        "expected_matching_cells": measures.expected_matching_cells,
        "n_exact_rows_anywhere": measures.whole_rows.n_exact,
        "n_unique_exact_rows_anywhere": measures.whole_rows.n_unique_exact,
        "relink_share": measures.nearest.relink_share,
    }


def _near_copies_document(found: NearCopies) -> dict[str, object]:
    return {
        **plain_fields(found, "n_rows", "n_references", "n_holdout"),
        **plain_fields(found.excess, "bits", "n_observed", "n_persons", "n_expected", "p_value"),
        "relinked_share": found.relink_share,
    }


_OF_WHOLE_ROWS = ("n_unique", "n_unique_exact", "expected_unique_exact", "expected_among_strangers")


def _set_aside_document(aside: SetAside | None) -> dict[str, object] | None:
    """Return what is left without the columns that match nowhere."""
    if aside is None:
        return None
    return {
        **plain_fields(aside, "columns", "expected_full"),
        "full_leakage_share": getattr(aside.rows, "full_leakage_share", None),
        **plain_fields(aside.whole_rows, *_OF_WHOLE_ROWS),
    }


def _second_look_document(again: SecondLook | None) -> dict[str, object] | None:
    """Return the figures past spelling and simple disguises."""
    if again is None:
        return None
    return {
        **plain_fields(again, "respelled", "rescaled", "recoded"),
        "renamed": dict(again.renamed),
        "full_leakage_share": getattr(again.rows, "full_leakage_share", None),
        **plain_fields(again.whole_rows, *_OF_WHOLE_ROWS),
        "near_copies": _near_copies_document(again.near_copies),
    }


_OF_RATE = ("n_guesses", "n_successes", "share", "interval", "naive_share", "control_share", "risk")


def _membership_document(attacks: Attacks | None) -> dict[str, object] | None:
    """Return how well members are told; None without a hold-out."""
    found = None if attacks is None else attacks.membership
    if found is None:
        return None
    told = ("auc", "interval", "n_members", "n_others", "smallest_shown", "searched_share")
    return plain_fields(found, *told, "smallest_leak", "smallest_leak_share")


def _column_documents(audit: LeakageAudit) -> list[dict[str, object]]:
    """Return a document for every column compared."""
    rows, chance = audit.measures.rows, audit.measures.column_chance
    if rows is None or chance is None:
        return [
            {"column": name, "match_share": None, "expected_share": None, "z": None}
            for name in audit.measures.columns
        ]
    return _chance_documents(audit.measures.columns, rows, chance)


def _chance_documents(
    columns: Sequence[str], rows: RowLeakage, chance: ColumnChance | None
) -> list[dict[str, object]]:
    expected = [None] * len(columns) if chance is None else (chance.expected_matches / rows.n_rows).tolist()
    z_scores = [math.nan] * len(columns) if chance is None else chance.z(rows.column_matches).tolist()
    return [
        {
            "column": name,
            "match_share": int(n_matches) / rows.n_rows,
            "expected_share": share,
            "z": None if math.isnan(z) else z,
        }
        for name, n_matches, share, z in zip(columns, rows.column_matches, expected, z_scores, strict=True)
    ]


def leakage_arguments(audit: LeakageAudit, files: Sequence[str]) -> tuple[str, ...]:
    """Return the words that repeat the audit of an original, a scrambled and perhaps a hold-out table."""
    holdout = ["--holdout", files[2]] if files[2:] else []
    words = [*option_words(audit.measures.settings), *option_words(audit.thresholds)]
    return (*files[:2], *holdout, *words, *reading_words(audit.read, audit.measures.texts))
