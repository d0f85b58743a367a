"""What the search for special uniques (SUDA2) found, as JSON-able values, a sentence, and lines of text."""

from __future__ import annotations

from core.risk.suda import Suda
from core.risk.words import counted, number, percent


def suda_note(suda: Suda) -> str:
    """Say how many records have a set of few values that nobody shares, and what was not searched."""
    bounded = _bounded(suda)
    if not suda.max_size:
        return f"No set of values was searched.{bounded}"
    dis = ""
    if suda.dis_of_record is None:
        dis = (
            " DIS-SUDA, the chance that a match is right, is not assessed: it needs a table of the "
            "population or its size."
        )
    if not len(suda.scored_records):
        return f"No record is singled out by up to {counted(suda.max_size, 'value')}.{bounded}{dis}"
    by_size = ", ".join(
        f"{n:,} of {counted(size, 'value')}" for size, n in enumerate(suda.n_by_size.tolist(), start=1)
    )
    return (
        f"{len(suda.scored_records):,} of {counted(suda.n_records, 'record')} have a set of up to "
        f"{counted(suda.max_size, 'value')} that no other record has and that gets shared when any of them "
        f"is left out. Such sets: {by_size}.{bounded}{dis}"
    )


def _bounded(suda: Suda) -> str:
    if suda.is_complete:
        return ""
    only = f"only sets of up to {suda.max_size} were searched" if suda.max_size else "none was finished"
    if suda.was_stopped:
        return f" The search was stopped before all sets of {suda.max_size + 1} were looked at; {only}."
    return f" The table is too large for sets of {suda.requested_size}; {only}."


def suda_document(suda: Suda) -> dict[str, object]:
    """Return the search as JSON-able values; null where DIS-SUDA is not assessed."""
    dis = suda.dis_of_record
    return {
        "max_size": suda.max_size,
        "requested_size": suda.requested_size,
        "was_stopped": suda.was_stopped,
        "n_minimal_sample_uniques": suda.n_by_size.tolist(),
        "n_records_with_score": len(suda.scored_records),
        "suda_score": float(suda.score_of_record.max(initial=0.0)),
        "dis_suda": None if dis is None else float(dis.max(initial=0.0)),
        "suda_contribution_share": dict(
            zip(suda.quasi_identifiers, suda.column_contribution.tolist(), strict=True)
        ),
        "note": suda_note(suda),
    }


def suda_lines(suda: Suda) -> list[str]:
    """Return the search as lines for a terminal."""
    lines = ["special uniques (SUDA2)", f"  {suda_note(suda)}"]
    if len(suda.scored_records):
        lines.append(f"  highest SUDA score: {number(float(suda.score_of_record.max()))}")
        lines += [
            f"  part of all scores with {column}: {percent(min(float(part), 1.0))}"
            for column, part in zip(suda.quasi_identifiers, suda.column_contribution, strict=True)
        ]
    return lines
