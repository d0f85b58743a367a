"""What a search for generalizations found, as JSON-able values and as lines of text."""

from __future__ import annotations

import math
from collections.abc import Mapping

from core.measures import MEASURES, format_value
from core.risk.judging import RiskAudit
from core.risk.lattice import Generalization, Objective
from core.risk.lattice_search import SearchOutcome
from core.risk.what_if import Release, WhatIf
from core.risk.words import counted, listed, percent

OBJECTIVE_WORDS: Mapping[Objective, str] = {
    "ncp": "precision lost",
    "discernibility": "discernibility",
    "average_class_size": "average class size",
}
_LARGEST_EXACT = 2**53  # a larger whole number is not read exactly from JSON


def option_for(what_if: WhatIf, k: int) -> int:
    """Return the position of the first option that reaches k, of the last where none does."""
    sizes = [each.best.smallest_class if each.best else 0 for each in what_if.options]
    reached = [number for number, size in enumerate(sizes) if size >= k]
    return reached[0] if reached else len(what_if.options) - 1


def what_if_note(what_if: WhatIf) -> str:
    """Say how many generalizations there are, which were left out, and how many had to be counted."""
    left_out = _left_out(what_if)
    if not what_if.options:
        return (
            "No generalization reaches what was asked for within the suppression limit, not even showing no "
            f"quasi-identifier at all. Allow more suppression, or ask for less.{left_out}"
        )
    n_measured = sum(each.n_measured for each in what_if.options)
    if not what_if.lattice.is_listed:
        return (
            f"The columns allow {_how_many(what_if.lattice.n_nodes)} generalizations, too many to search. "
            "From showing nothing, one column at a time was shown finer, the one that saved most for the "
            f"classes it split, until none could be: {n_measured:,} generalizations were counted, and a "
            "cheaper one may exist. Fewer quasi-identifiers are searched whole."
        )
    exact = all(each.is_exact for each in what_if.options)
    found = (
        "no cheaper one exists among them" if exact else "the search was bounded, so a cheaper one may exist"
    )
    if what_if.settings.objective != "ncp":
        found += f" (cheapest by {OBJECTIVE_WORDS[what_if.settings.objective]})"
    return (
        f"{counted(what_if.lattice.n_nodes, 'generalization')} of the columns' values were searched, "
        f"{n_measured:,} of them counted; {found}.{left_out}"
    )


def _how_many(n: int) -> str:
    """Return a number of any size in words."""
    return f"{n:,}" if n < _LARGEST_EXACT else f"over 10^{math.floor(math.log10(n))}"


def _left_out(what_if: WhatIf) -> str:
    lattice = what_if.lattice
    if not lattice.thinned_columns:
        return ""
    return (
        f" The columns allow {_how_many(lattice.n_nodes_possible)}, too many to search: levels in the middle "
        f"of {listed(lattice.thinned_columns)} were left out, so a cheaper one may exist among those. Fewer "
        "quasi-identifiers leave more levels of each."
    )


def what_if_document(what_if: WhatIf, *, k: int) -> dict[str, object]:
    """Return the search as JSON-able values; the chosen option is the cheapest that reaches k."""
    asked, lattice = what_if.settings, what_if.lattice
    options = [_option(what_if, outcome) for outcome in what_if.options]
    return {
        "ks": list(asked.ks),
        "max_suppression_share": asked.suppression_limit,
        **vars(asked.limits),
        "average_risk": asked.average_risk,
        "k_map": asked.k_map,
        "objective": asked.objective,
        "weights": dict(asked.weights),
        "local_recoding": asked.locally,
        "own_hierarchies": list(what_if.own_hierarchies),
        "n_generalizations": lattice.n_nodes if lattice.n_nodes < _LARGEST_EXACT else None,
        "n_generalizations_possible": lattice.n_nodes_possible
        if lattice.n_nodes_possible < _LARGEST_EXACT
        else None,
        "columns_with_levels_left_out": list(lattice.thinned_columns),
        "options": options,
        "chosen": options[option_for(what_if, k)] if reaches(what_if, k) else None,
        "note": what_if_note(what_if),
    }


def reaches(what_if: WhatIf, k: int) -> bool:
    """Return whether any option reaches k."""
    return any(each.best is not None and each.best.smallest_class >= k for each in what_if.options)


def _option(what_if: WhatIf, outcome: SearchOutcome) -> dict[str, object]:
    best = outcome.best
    if best is None:
        return {}
    return {
        "k": best.k,
        "smallest_class": best.smallest_class,
        "highest_risk": best.highest_risk,
        "generalization_loss": best.loss,
        "discernibility": best.discernibility,
        "average_class_size": best.average_class_size,
        "average_risk": best.average_risk,
        "n_suppressed": best.n_suppressed,
        "suppressed_share": best.suppressed_share,
        "is_exact": is_exact(what_if, outcome),
        "columns": _columns(what_if, best),
    }


def is_exact(what_if: WhatIf, outcome: SearchOutcome) -> bool:
    """Return whether no cheaper one exists: the search went to its end, and no level was left out."""
    return outcome.is_exact and not what_if.lattice.thinned_columns


def _columns(what_if: WhatIf, best: Generalization) -> list[dict[str, object]]:
    return [
        {
            "column": ladder.column,
            "generalization": ladder.levels[level].description,
            "n_groups": ladder.levels[level].n_groups,
        }
        for ladder, level in zip(what_if.lattice.ladders, best.levels, strict=True)
    ]


def what_if_lines(what_if: WhatIf, *, k: int) -> list[str]:
    """Return the search as lines for a terminal: the frontier, and the cheapest option that reaches k."""
    lines = ["what if columns were made coarser", f"  {what_if_note(what_if)}"]
    if what_if.options:
        lines.append(f"  {'k':>5} {'smallest':>9} {'highest risk':>13} {'loss':>8} {'suppressed':>11}")
    for outcome in what_if.options:
        if (best := outcome.best) is not None:
            lines.append(
                f"  {best.k:>5,} {best.smallest_class:>9,} "
                f"{format_value(MEASURES['prosecutor_highest_risk'], best.highest_risk):>13} "
                f"{percent(best.loss):>8} {percent(best.suppressed_share):>11}"
            )
    if what_if.options and not reaches(what_if, k):
        lines.append(f"  no generalization reaches k = {k:,}")
    elif what_if.options and (best := what_if.options[option_for(what_if, k)].best) is not None:
        lines.append(f"  cheapest for k = {k:,}:")
        lines += [
            f"    {each['column']}: {each['generalization']}, {each['n_groups']:,} different values"
            for each in _columns(what_if, best)
        ]
    return lines


def release_document(made: Release, again: RiskAudit) -> dict[str, object]:
    """Return the generalized table's figures as JSON-able values, measured in its bytes read back.

    Parameters
    ----------
    made
        The table.
    again
        Its bytes held against the thresholds.
    """
    return {
        "k_asked": made.k,
        "k": again.figures["k"],
        "k_map": made.k_map,
        "n_suppressed": made.n_suppressed,
        "columns": list(made.columns),
        "columns_left_out": list(made.columns_left_out),
        "sensitive": {
            each.column: {key: each.figures[key] for key in ("distinct_l", "entropy_l", "t")}
            for each in again.measurement.sensitive
        },
        "verdict": again.verdict.value,
        "findings": [
            {"check": each.check, "verdict": each.verdict.value, "message": each.message}
            for each in again.findings
        ],
    }
