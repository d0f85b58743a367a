"""``python -m core leakage``: whether a participant is still in the scrambled table."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from core.commands.output import print_json, print_lines, print_problems
from core.leakage import LeakageAudit, LeakageSettings, LeakageThresholds, audit_leakage
from core.leakage.attacks import AttackRate, Attacks
from core.leakage.measuring import SetAside
from core.leakage.near_copies import NearCopies
from core.leakage.second_look import SecondLook
from core.leakage.whole_rows import WholeRows
from core.settings_form import add_options, from_options, settings_document
from core.tables import read_dataset
from core.verdict import exit_code
from core.words import Text, Written, counted, own, text

FORMS = (LeakageSettings, LeakageThresholds)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files, what to ignore, and the thresholds."""
    parser.add_argument("original", type=Path, metavar="ORIGINAL", help="the original table")
    parser.add_argument("scrambled", type=Path, metavar="SCRAMBLED", help="the scrambled table")
    for form in FORMS:
        add_options(parser, form)
    parser.add_argument("--holdout", type=Path, metavar="FILE", help="records that were not scrambled")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Audit the pair, print the result, return the exit code."""
    settings = from_options(LeakageSettings, arguments)
    thresholds = from_options(LeakageThresholds, arguments)
    holdout = None if arguments.holdout is None else read_dataset(arguments.holdout)
    audit = audit_leakage(
        read_dataset(arguments.original),
        read_dataset(arguments.scrambled),
        settings=settings,
        thresholds=thresholds,
        holdout=holdout,
    )
    if arguments.json:
        print_json(leakage_document(audit))
    else:
        print_lines(leakage_lines(audit))
    no_pairs_by_key = audit.measures.settings.key is not None and bool(audit.measures.row_problem)
    if no_pairs_by_key:
        print_problems((audit.measures.row_problem,))
    return exit_code(audit.verdict, incomplete=no_pairs_by_key)


def leakage_document(audit: LeakageAudit) -> dict[str, object]:
    """Return the result as the JSON document; figures that could not be assessed are null."""
    measures, rows, whole = audit.measures, audit.measures.rows, audit.measures.whole_rows
    return {
        "tool": "leakage",
        "verdict": audit.verdict.value,
        "n_rows": whole.n_original if rows is None else rows.n_rows,
        "n_columns": len(measures.columns),
        "full_leakage_share": None if rows is None else rows.full_leakage_share,
        "partial_leakage_share": None if rows is None else rows.partial_leakage_share,
        "mean_matching_cells": None if rows is None else rows.mean_matching_cells,
        "std_matching_cells": None if rows is None else rows.std_matching_cells,
        "n_rows_without_valid_cells": None if rows is None else rows.n_without_valid_cells,
        "expected_matching_cells": measures.expected_matching_cells,
        "columns": _column_documents(audit),
        "n_exact_rows_anywhere": whole.n_exact,
        "expected_exact_rows_anywhere": whole.expected_exact,
        "n_unique_exact_rows_anywhere": whole.n_unique_exact,
        "expected_unique_exact_rows_anywhere": whole.expected_unique_exact,
        "relink_share": measures.nearest.relink_share,
        "near_copies": _near_copies_document(measures.near_copies),
        "without_columns": _set_aside_document(measures.set_aside),
        "second_look": _second_look_document(measures.second_look),
        "attacks": _attack_documents(measures.attacks),
        "membership": _membership_document(measures.attacks),
        "findings": [finding.document() for finding in audit.findings],
        "settings": settings_document(measures.settings, audit.thresholds),
    }


def _near_copies_document(found: NearCopies) -> dict[str, object]:
    """Return the rows that point at one person, and what chance gives."""
    return {
        "n_rows": found.n_rows,
        "n_references": found.n_references,
        "bits": found.excess.bits,
        "n_observed": found.excess.n_observed,
        "n_persons": found.excess.n_persons,
        "n_expected": found.excess.n_expected,
        "p_value": found.excess.p_value,
        "n_holdout": found.n_holdout,
        "relinked_share": found.relink_share,
    }


def _whole_rows_document(whole: WholeRows) -> dict[str, object]:
    """Return the unique whole rows found, and what chance gives."""
    return {
        "n_unique": whole.n_unique,
        "n_unique_exact": whole.n_unique_exact,
        "expected_unique_exact": whole.expected_unique_exact,
        "expected_among_strangers": whole.expected_among_strangers,
    }


def _set_aside_document(aside: SetAside | None) -> dict[str, object] | None:
    """Return what is left without the columns that match nowhere."""
    if aside is None:
        return None
    return {
        "columns": list(aside.columns),
        "full_leakage_share": None if aside.rows is None else aside.rows.full_leakage_share,
        "expected_full": aside.expected_full,
        **_whole_rows_document(aside.whole_rows),
    }


def _second_look_document(again: SecondLook | None) -> dict[str, object] | None:
    """Return the figures past spelling and simple disguises."""
    if again is None:
        return None
    return {
        "respelled": list(again.respelled),
        "rescaled": list(again.rescaled),
        "recoded": list(again.recoded),
        "renamed": dict(again.renamed),
        "full_leakage_share": None if again.rows is None else again.rows.full_leakage_share,
        **_whole_rows_document(again.whole_rows),
        "near_copies": _near_copies_document(again.near_copies),
    }


def _attack_documents(attacks: Attacks | None) -> list[dict[str, object]]:
    """Return a document an attack."""
    return [
        {
            "attack": rate.attack,
            "column": rate.column or None,
            "n_guesses": rate.n_guesses,
            "n_successes": rate.n_successes,
            "share": rate.share,
            "interval": list(rate.interval),
            "naive_share": rate.naive_share,
            "control_share": rate.control_share,
            "risk": rate.risk,
        }
        for rate in (() if attacks is None else attacks.rates)
    ]


def _membership_document(attacks: Attacks | None) -> dict[str, object] | None:
    """Return how well members are told; None without a hold-out."""
    found = None if attacks is None else attacks.membership
    if found is None:
        return None
    return {
        "auc": found.auc,
        "interval": list(found.interval),
        "n_members": found.n_members,
        "n_others": found.n_others,
        "smallest_shown": found.smallest_shown,
    }


def _column_documents(audit: LeakageAudit) -> list[dict[str, object]]:
    """Return a document for every column compared."""
    rows, chance = audit.measures.rows, audit.measures.column_chance
    if rows is None or chance is None:
        return [
            {"column": name, "match_share": None, "expected_share": None, "z": None}
            for name in audit.measures.columns
        ]
    return [
        {
            "column": name,
            "match_share": int(n_matches) / rows.n_rows,
            "expected_share": float(expected) / rows.n_rows,
            "z": None if math.isnan(z) else float(z),
        }
        for name, n_matches, expected, z in zip(
            audit.measures.columns,
            rows.column_matches,
            chance.expected_matches,
            audit.measures.column_z(),
            strict=True,
        )
    ]


def leakage_lines(audit: LeakageAudit) -> list[str]:
    """Return the result as lines for people."""
    measures = audit.measures
    return [
        *_row_lines(audit),
        *_whole_row_lines(audit),
        *(text("Note: {note}", note=own(note)) for note in measures.notes),
        *(
            text("{verdict}: {message}", verdict=finding.verdict.word, message=own(finding.message))
            for finding in audit.findings
        ),
        text("Verdict: {verdict}", verdict=audit.verdict.word),
    ]


def _row_lines(audit: LeakageAudit) -> list[str]:
    """Return the usual lines of the row rules, then chance; nothing where rows were not compared."""
    rows, orders = audit.measures.rows, audit.measures.random_orders
    if rows is None or orders is None:
        return []
    both_missing = audit.measures.settings.missing_on_both
    return [
        text("Partial Leakage: {share}", share=_percent(rows.partial_leakage_share)),
        text("Full Leakage: {share}", share=_percent(rows.full_leakage_share)),
        text("Average Matching Cells per Row: {cells}", cells=_decimals(rows.mean_matching_cells)),
        text(
            "Standard Deviation of Matching Cells per Row: {cells}", cells=_decimals(rows.std_matching_cells)
        ),
        text(
            "Rows Without Valid Cells: {found} of {total}",
            found=rows.n_without_valid_cells,
            total=rows.n_rows,
        ),
        text("Cells Missing in Both Tables: {treated}", treated=both_missing),
        text(
            "Partial Leakage by Chance: {mean} ({low} to {high}, {orders})",
            mean=_percent(orders.partial_share.mean),
            low=_percent(orders.partial_share.low),
            high=_percent(orders.partial_share.high),
            orders=counted(orders.n_permutations, "random order"),
        ),
        text(
            "Full Leakage by Chance: {mean} ({low} to {high})",
            mean=_percent(orders.full_share.mean),
            low=_percent(orders.full_share.low),
            high=_percent(orders.full_share.high),
        ),
        text(
            "Average Matching Cells per Row by Chance: {cells}",
            cells=_decimals(audit.measures.expected_matching_cells or 0),
        ),
    ]


def _percent(share: float, decimals: int = 2) -> Text:
    return Written(f"{share:.{decimals}%}")


def _decimals(value: float, decimals: int = 2) -> Text:
    return Written(f"{value:,.{decimals}f}")


def _whole_row_lines(audit: LeakageAudit) -> list[Text]:
    """Return the lines of what does not depend on the order of rows."""
    whole, nearest, distances = audit.measures.whole_rows, audit.measures.nearest, audit.measures.distances
    lines = [
        text(
            "Whole Rows Found Anywhere: {found} of {total} (by chance {expected})",
            found=whole.n_exact,
            total=whole.n_original,
            expected=_decimals(whole.expected_exact),
        ),
        text(
            "Unique Whole Rows Found Anywhere: {found} of {total} (by chance {expected})",
            found=whole.n_unique_exact,
            total=whole.n_unique,
            expected=_decimals(whole.expected_unique_exact),
        ),
    ]
    if nearest.relink_share is not None:
        how = (
            "Re-linked Rows: {share} (of all rows)"
            if nearest.is_exact
            else "Re-linked Rows: {share} (of a random sample of {n} rows)"
        )
        lines.append(text(how, share=_percent(nearest.relink_share), n=nearest.n_assessed))
    lines += _found_lines(audit)
    lines.append(
        text(
            "Median Distance to Closest Record: {distance} ({rows})",
            distance=_decimals(distances.to_original.median_distance, 4),
            rows=counted(distances.n_rows, "scrambled row"),
        )
    )
    return lines


def _found_lines(audit: LeakageAudit) -> list[Text]:
    """Return the lines of persons found and of attacks."""
    measures = audit.measures
    near, aside, attacks = measures.near_copies, measures.set_aside, measures.attacks
    lines = [
        text(
            "Rows That Point at One Person: {found} of {total} (by chance {expected})",
            found=near.excess.n_observed,
            total=near.n_rows,
            expected=_decimals(near.excess.n_expected),
        )
    ]
    if aside is not None and aside.rows is not None:
        share = _percent(aside.rows.full_leakage_share)
        lines.append(text("Full Leakage Without Columns Set Aside: {share}", share=share))
    lines += [_attack_line(rate) for rate in (() if attacks is None else attacks.rates)]
    if attacks is not None and attacks.membership is not None:
        low, high = attacks.membership.interval
        lines.append(
            text(
                "Membership (Area Under the Curve): {auc} ({low} to {high}; smallest that would show "
                "{smallest})",
                auc=_decimals(attacks.membership.auc),
                low=_decimals(low),
                high=_decimals(high),
                smallest=_decimals(attacks.membership.smallest_shown),
            )
        )
    return lines


def _attack_line(rate: AttackRate) -> Text:
    low, high = rate.interval
    return text(
        "Attack, {attack}: {share} ({low} to {high}; naive {naive})"
        if rate.control_share is None
        else "Attack, {attack}: {share} ({low} to {high}; naive {naive}, hold-out {control})",
        attack=rate.named,
        share=_percent(rate.share, 1),
        low=_percent(low, 1),
        high=_percent(high, 1),
        naive=_percent(rate.naive_share, 1),
        control=_percent(rate.control_share or 0, 1),
    )
