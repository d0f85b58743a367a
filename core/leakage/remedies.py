"""What a finding of row leakage comes down to, and what to do: in which columns, how many rows."""

from collections.abc import Sequence

from core.leakage.measuring import LeakageMeasures
from core.leakage.near_copies import NearCopies
from core.leakage.whole_rows import WholeRows
from core.verdict import Finding, Verdict
from core.words import Text, listed, share_of, text

_MOST_NAMED = 3
_CELLS = frozenset({"partial_leakage", "matching_cells", "columns_above_chance"})
_MORE_CELLS = "Rows share more cells with their original row than chance gives."


def told(finding: Finding, measures: LeakageMeasures, in_place: Sequence[str]) -> Finding:
    """Return a finding with what it comes down to and a step that names columns and counts rows.

    `in_place`: columns that keep more cells than chance, the most of all first.
    """
    if finding.verdict is Verdict.PASS or finding.own_remedy:
        return finding
    columns = in_place or measures.columns_by_values
    check, n = finding.check, finding.n_affected or 0
    step = ""
    if check in ("whole_rows", "repeated_rows") and finding.verdict is not Verdict.NOT_ASSESSED:
        step = _scramble_again(columns, measures.whole_rows, only_unique=check == "whole_rows")
    elif check == "full_leakage":
        step = text(
            "Change or move the {n} row that stands as it was, in its own place.",
            "Change or move the {n} rows that stand as they were, each in its own place.",
            n=n,
        )
    elif check == "near_copies":
        step = text(
            "Take out the {n} row that points at one person, or change more of its cells.",
            "Take out the {n} rows that point at one person each, or change more of their cells.",
            n=n,
        )
    elif check == "without_columns" and measures.set_aside is not None:
        step = _scramble_others(columns, measures.set_aside.columns)
    elif check == "second_look" and measures.second_look is not None:
        again = measures.second_look
        undone = dict.fromkeys((*again.respelled, *again.rescaled, *again.recoded, *again.renamed))
        step = text(
            "Scramble the values of {columns}, and not only how they are written.",
            columns=listed(list(undone) or columns, at_most=_MOST_NAMED),
        )
    elif check in _CELLS or check.startswith("relinkage"):
        step = _step_of_cells(measures, in_place)
    return finding.told(short=_short(finding, measures), step=step)


def _short(finding: Finding, measures: LeakageMeasures) -> str:
    """Return what a finding comes down to; empty where its own sentence is short already."""
    found = finding.verdict is not Verdict.NOT_ASSESSED
    rest = _MORE_CELLS if finding.check in _CELLS else ""
    return finding.short or _of_rows(measures).get(finding.check, rest) if found else ""


def _of_rows(measures: LeakageMeasures) -> dict[str, Text]:
    """Return by check how many rows it found, in a sentence."""
    rows, whole = measures.rows, measures.whole_rows
    near, nearest = measures.near_copies, measures.nearest
    again, members = measures.second_look, measures.members
    return {
        "full_leakage": text(
            "{n} of {total} rows is the same as its original row.",
            "{n} of {total} rows are the same as their original row.",
            n=0 if rows is None else rows.n_full,
            total=0 if rows is None else rows.n_rows,
        ),
        "whole_rows": still_there(whole),
        "near_copies": _pointing(near),
        "members": text(
            "{n} person of the original is among those nearest to a scrambled row, more than chance "
            "explains.",
            "{n} persons of the original are among those nearest to a scrambled row, more than chance "
            "explains.",
            n=0 if members is None else members.n_members,
        ),
        **({} if again is None else {"second_look": _pointing(again.near_copies)}),
        "relinkage": _relinked(nearest.n_relinked, nearest.n_assessed),
        "relinkage_by_likeness": _relinked(near.n_relinked, near.n_own),
        "repeated_rows": text(
            "{n} of {total} original rows is still in the scrambled table.",
            "{n} of {total} original rows are still in the scrambled table.",
            n=whole.n_exact,
            total=whole.n_original,
        ),
    }


def still_there(whole: WholeRows) -> Text:
    """Return how many unique rows are whole, in a sentence."""
    return text(
        "{n} of {total} unique rows of the original is still in the scrambled table.",
        "{n} of {total} unique rows of the original are still in the scrambled table.",
        n=whole.n_unique_exact,
        total=whole.n_unique,
    )


def _pointing(found: NearCopies) -> Text:
    return text(
        "{n} of {total} scrambled rows points at one original person, more than chance explains.",
        "{n} of {total} scrambled rows point at one original person each, more than chance explains.",
        n=found.excess.n_observed,
        total=found.n_rows,
    )


def past_disguise(n: int, total: int) -> Text:
    """Return what a second look found, in a sentence."""
    return text(
        "Past spelling or a simple disguise, {n} of {total} original rows is still in the scrambled table.",
        "Past spelling or a simple disguise, {n} of {total} original rows are still in the scrambled table.",
        n=n,
        total=total,
    )


def without(columns: Sequence[str], n: int, total: int) -> Text:
    """Return what is found without columns that match nowhere, in a sentence."""
    return text(
        "Without {columns}, {n} of {total} original rows is still in the scrambled table.",
        "Without {columns}, {n} of {total} original rows are still in the scrambled table.",
        n=n,
        total=total,
        columns=listed(columns, at_most=_MOST_NAMED),
    )


def _relinked(n: int | None, total: int | None) -> Text:
    return text(
        "{n} of {total} rows can be re-linked with its original row, more than chance gives.",
        "{n} of {total} rows can be re-linked with their original row, more than chance gives.",
        n=n or 0,
        total=total or 0,
    )


def _scramble_again(columns: Sequence[str], found: WholeRows, *, only_unique: bool) -> Text:
    n, total = (found.n_unique_exact, found.n_unique) if only_unique else (found.n_exact, found.n_original)
    return text(
        "Do not share this table: scramble {columns} again, each on its own. {rows} is still whole.",
        "Do not share this table: scramble {columns} again, each on its own. {rows} are still whole.",
        n=n,
        columns=listed(columns, at_most=_MOST_NAMED),
        rows=share_of(n, total, "rows"),
    )


def _scramble_others(columns: Sequence[str], aside: Sequence[str]) -> Text:
    others = [name for name in columns if name not in aside]
    return text(
        "Scramble {columns} too, each on its own: new values of {aside} hide nobody.",
        columns=listed(others, at_most=_MOST_NAMED),
        aside=listed(aside, at_most=_MOST_NAMED),
    )


def _step_of_cells(measures: LeakageMeasures, in_place: Sequence[str]) -> Text:
    """Return one step for cells in place and rows found by them; without such, the columns of most values."""
    if measures.rows is None or not in_place:
        columns = listed(measures.columns_by_values, at_most=_MOST_NAMED)
        return text("Make {columns} coarser, or leave these columns out.", columns=columns)
    n = int(measures.rows.column_matches[measures.columns.index(in_place[0])])
    return text(
        "Scramble {columns} again, or make these columns coarser: {column} is the same in {rows}.",
        columns=listed(in_place, at_most=_MOST_NAMED),
        column=f"`{in_place[0]}`",
        rows=share_of(n, measures.rows.n_rows, "rows"),
    )
