"""Judging what tables tell together without a key: by values met, totals, masks and other columns."""

from collections.abc import Iterator

import numpy as np

from core.coding import IntArray
from core.delivery.measuring import DeliveryMeasurement
from core.delivery.refilled import Refilled
from core.verdict import Finding, Verdict
from core.words import Text, share_of, text


def told_together(measured: DeliveryMeasurement, k: int) -> Iterator[Finding]:
    """Yield what values, totals and masks tell together: FAIL where persons are among fewer than k."""
    for met in measured.met:
        n_below = _n_below(met.alike, k)
        yield Finding.of("met_values", Verdict.FAIL if n_below else Verdict.WARN, n_affected=n_below)(
            "{one} and {other} join tables that no key joins: {values} stand once in both, by chance "
            "{by_chance}. Joined so, {n} record is among fewer than {k} by the quasi-identifiers of both.",
            "{one} and {other} join tables that no key joins: {values} stand once in both, by chance "
            "{by_chance}. Joined so, {n} records are among fewer than {k} by the quasi-identifiers of both.",
            n=n_below,
            one=f"`{met.one}`",
            other=f"`{met.other}`",
            values=share_of(met.n_met, met.n_once, "values"),
            by_chance=round(met.n_by_chance),
            k=k,
        )
    for both in measured.intersections:
        yield Finding.of("composition", Verdict.WARN, n_affected=both.n_told)(
            "Who is in both tables has a value that {one} and {other} share: it is one alone in {n} "
            "group of {groups}, though each table has several there.",
            "Who is in both tables has a value that {one} and {other} share: it is one alone in {n} "
            "groups of {groups}, though each table has several there.",
            n=both.n_told,
            groups=both.n_groups,
            one=f"`{both.one}`",
            other=f"`{both.other}`",
        )
    for each in measured.residuals:
        yield Finding.of("told_by_total", Verdict.FAIL, n_affected=each.n_told)(
            "{total} minus the released values of {values} gives the one that is missing, in {n} group "
            "of {groups}.",
            "{total} minus the released values of {values} gives the one that is missing, in {n} groups "
            "of {groups}.",
            n=each.n_told,
            groups=each.n_groups,
            total=f"`{each.total}`",
            values=f"`{each.values}`",
        )
    for found in measured.refilled:
        n_new = int(np.count_nonzero((found.alike < k) & (found.alike_before >= k)))
        if n_new:
            yield Finding.of("refilled", Verdict.FAIL, n_affected=n_new)(_refilled(found, n_new, k))
    for overlay in measured.overlays:
        n_below = _n_below(overlay.alike, k)
        yield Finding.of("masks_together", Verdict.FAIL if n_below else Verdict.WARN, n_affected=n_below)(
            "{one} and {other} mask one number: {first} and {second} of {places} places are shown, and {n} "
            "by both together. {persons} are among fewer than {k} by these.",
            one=f"`{overlay.one}`",
            other=f"`{overlay.other}`",
            first=overlay.n_shown[0],
            second=overlay.n_shown[1],
            places=overlay.n_places,
            n=overlay.n_together,
            persons=share_of(n_below, len(overlay.alike), "persons"),
            k=k,
        )


def _refilled(found: Refilled, n_new: int, k: int) -> Text:
    by, column = f"`{found.by}`", f"`{found.place}`"
    if not found.n_empty:
        return text(
            "{by} says {column} more finely: {n} person is among fewer than {k} then, and was not before.",
            "{by} says {column} more finely: {n} persons are among fewer than {k} then, and were not before.",
            n=n_new,
            by=by,
            column=column,
            k=k,
        )
    return text(
        "{by} gives back {cells} of {column} that are empty: {n} person is among fewer than {k} then, "
        "and was not before.",
        "{by} gives back {cells} of {column} that are empty: {n} persons are among fewer than {k} then, "
        "and were not before.",
        n=n_new,
        by=by,
        cells=share_of(len(found.alike), found.n_empty, "cells"),
        column=column,
        k=k,
    )


def _n_below(alike: IntArray, size: int) -> int:
    """Return how many of some records are alike with fewer than so many."""
    return int(np.count_nonzero(alike < size))
