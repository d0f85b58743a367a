"""Judging what tables tell together without a key: by values met, totals, masks and other columns."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.delivery.masks import Overlay
from core.delivery.measuring import DeliveryMeasurement
from core.delivery.met_values import Met
from core.delivery.refilled import Refilled
from core.delivery.sensitive import Intersection
from core.delivery.totals import Residual
from core.verdict import Finding, Verdict
from core.words import Text, share_of, text


def told_together(measured: DeliveryMeasurement, k: int) -> Iterator[Finding]:
    """Yield what values, totals, masks and other columns tell: FAIL of a value, and of persons below k."""
    for met in measured.met:
        n_below = int(np.count_nonzero(met.alike < k))
        remedy = text("Round these values, or leave them out of one of the tables.")
        yield _found(n_below, _met(met, n_below, k), remedy)
    for both in measured.intersections:
        remedy = text("Make the quasi-identifiers of both tables coarser, or release only one of them.")
        yield _found(0, _shared(both), remedy)
    for each in measured.residuals:
        remedy = text("Leave the total out, round it, or empty a second value of each group.")
        yield _found(each.n_told, _left(each), remedy)
    for found in measured.refilled:
        if n_new := int(np.count_nonzero((found.alike < k) & (found.alike_before >= k))):
            remedy = text("Empty the other column there too, make it as coarse, or leave it out.")
            yield _found(n_new, _refilled(found, n_new, k), remedy)
    for overlay in measured.overlays:
        n_below = int(np.count_nonzero(overlay.alike < k))
        remedy = text("Mask the same places everywhere, or replace the number by a random pseudonym.")
        yield _found(n_below, _overlay(overlay, n_below, k), remedy)


def _found(n_told: int, message: Text, remedy: Text) -> Finding:
    verdict = Verdict.FAIL if n_told else Verdict.WARN
    return replace(Finding.of("told_together", verdict, n_affected=n_told)(message), own_remedy=remedy)


def _met(met: Met, n_below: int, k: int) -> Text:
    return text(
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


def _shared(both: Intersection) -> Text:
    return text(
        "Who is in both tables has a value that {one} and {other} share: it is one alone in {n} "
        "group of {groups}, though each table has several there.",
        "Who is in both tables has a value that {one} and {other} share: it is one alone in {n} "
        "groups of {groups}, though each table has several there.",
        n=both.n_told,
        groups=both.n_groups,
        one=f"`{both.one}`",
        other=f"`{both.other}`",
    )


def _left(found: Residual) -> Text:
    return text(
        "{total} minus the released values of {values} gives the one that is missing, in {n} group "
        "of {groups}.",
        "{total} minus the released values of {values} gives the one that is missing, in {n} groups "
        "of {groups}.",
        n=found.n_told,
        groups=found.n_groups,
        total=f"`{found.total}`",
        values=f"`{found.values}`",
    )


def _overlay(overlay: Overlay, n_below: int, k: int) -> Text:
    return text(
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
