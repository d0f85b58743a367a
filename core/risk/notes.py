"""How searches went: how many records stand out, what was generalized, and what was left out."""

import math

from core.risk.suda import Suda
from core.risk.what_if import WhatIf
from core.words import Text, counted, joined, listed, own, text


def suda_note(suda: Suda) -> Text:
    """Say how many records have a set of few values that nobody shares, and what was not searched."""
    sentences: list[str] = []
    if not suda.max_size:
        sentences.append("No set of values was searched.")
    elif not len(suda.scored_records):
        sentences.append(
            text("No record is singled out by up to {values}.", values=counted(suda.max_size, "value"))
        )
    else:
        sizes = [
            text("{found} of {values}", found=n, values=counted(size, "value"))
            for size, n in enumerate(suda.n_by_size.tolist(), start=1)
        ]
        sentences.append(
            text(
                "{n} of {records} has a set of up to {values} that no other record has and that gets shared "
                "when any of them is left out. Such sets: {sizes}.",
                "{n} of {records} have a set of up to {values} that no other record has and that gets shared "
                "when any of them is left out. Such sets: {sizes}.",
                n=len(suda.scored_records),
                records=counted(suda.n_records, "record"),
                values=counted(suda.max_size, "value"),
                sizes=joined(sizes, ", "),
            )
        )
    if not suda.is_complete:
        sentences.append(_bounded(suda))
    if suda.max_size and suda.dis_of_record is None:
        sentences.append(
            "DIS-SUDA, the chance that a match is right, is not assessed: it needs a table of the population "
            "or its size."
        )
    return joined(sentences)


def _bounded(suda: Suda) -> Text:
    if suda.was_stopped:
        return text(
            "The search was stopped before all sets of {next} were looked at; only sets of up to {size} were "
            "searched."
            if suda.max_size
            else "The search was stopped before all sets of {next} were looked at; none was finished.",
            next=suda.max_size + 1,
            size=suda.max_size,
        )
    return text(
        "The table is too large for sets of {asked}; only sets of up to {size} were searched."
        if suda.max_size
        else "The table is too large for sets of {asked}; none was finished.",
        asked=suda.requested_size,
        size=suda.max_size,
    )


def what_if_note(what_if: WhatIf) -> Text:
    """Say how many generalizations there are, which were left out, and whether a cheaper one may exist."""
    left_out = _left_out(what_if)
    if not what_if.options:
        none = _STOPPED_BEFORE if what_if.is_stopped else _NOTHING_REACHES
        return joined([none, *left_out])
    if not what_if.lattice.is_listed:
        return text(
            "These columns can be generalized in {possible} ways, too many to try. From showing nothing, one "
            "column at a time was shown finer, as long as that helped: one that loses less may exist. Of "
            "fewer quasi-identifiers all ways are tried.",
            possible=_how_many(what_if.lattice.n_nodes),
        )
    exact = all(each.is_exact for each in what_if.options)
    searched = text(
        "Of {n} way to generalize these columns, {found}.",
        "Of {n} ways to generalize these columns, {found}.",
        n=what_if.lattice.n_nodes,
        found=own(_CHEAPER[exact, what_if.settings.objective]),
    )
    return joined([searched, *left_out])


_LARGEST_EXACT = 2**53  # a larger whole number is not read exactly from JSON
_NOTHING_REACHES = (
    "No generalization reaches what was asked for within the suppression limit, not even showing no "
    "quasi-identifier at all. Allow more suppression, or ask for less."
)
_STOPPED_BEFORE = (
    "Nothing useful found yet: the search was stopped before it found more than a table in which no "
    "quasi-identifier is shown. Start again and let it run longer."
)
# By whether the search went to its end, and by what was made as small as possible.
_CHEAPER = {
    (True, "ncp"): "none that does what was asked loses less",
    (True, "discernibility"): "none that does what was asked loses less (by discernibility)",
    (True, "average_class_size"): "none that does what was asked loses less (by average group size)",
    (False, "ncp"): "not all were tried, so one that loses less may exist",
    (False, "discernibility"): "not all were tried, so one that loses less may exist (by discernibility)",
    (False, "average_class_size"): (
        "not all were tried, so one that loses less may exist (by average group size)"
    ),
}


def _how_many(n: int) -> int | Text:
    """Return a number of any size, in words where it is not exact."""
    return n if n < _LARGEST_EXACT else text("over 10^{power}", power=math.floor(math.log10(n)))


def _left_out(what_if: WhatIf) -> list[Text]:
    lattice = what_if.lattice
    if not lattice.thinned_columns:
        return []
    return [
        text(
            "Altogether there are {possible} ways, too many to try: those with levels in the middle of "
            "{columns} were left out, and one that loses less may be among them. Fewer quasi-identifiers "
            "leave more levels of each.",
            possible=_how_many(lattice.n_nodes_possible),
            columns=listed(lattice.thinned_columns),
        )
    ]
