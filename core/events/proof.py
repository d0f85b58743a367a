"""How a sceptic tells users apart in the export."""

import io
from collections import Counter, defaultdict
from collections.abc import Iterator

import pandas as pd

from core.events.judging import EventAudit
from core.events.result import risk_figures
from core.reports import ReportTable
from core.reports.proof import Step, Tried, figure_tried, proof_tables, python_command, tried_tables
from core.verdict import Verdict
from core.words import counted, text

EXPORT = "anonymized_events.csv"
MOST_EVENTS = 1_000_000  # of an export that steps are worked out for
_NOTE = (
    "Run each command in the folder of the export, under the name anonymized_events.csv, with Python 3 and "
    "pandas. No cell is printed."
)


def event_proof(audit: EventAudit) -> tuple[ReportTable, ...]:
    """Return the steps that tell users apart in the export, or what was tried."""
    return proof_tables(_steps(audit), note=_NOTE) or tried_tables(_tried(audit))


def _steps(audit: EventAudit) -> Iterator[Step]:
    release = audit.release
    if (
        audit.overall is not Verdict.FAIL
        or release.options.pseudonym_per != "user"
        or not 0 < release.verification.n_events <= MOST_EVENTS
    ):
        return
    export = pd.read_csv(io.BytesIO(release.events_csv), sep=";", dtype=str, keep_default_na=False)
    rows: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for user, *cells in export.itertuples(index=False, name=None):
        rows[user].append(tuple(cells))
    by_set = sum(n == 1 for n in Counter(map(frozenset, rows.values())).values())
    by_all = sum(n == 1 for n in Counter(tuple(sorted(each)) for each in rows.values()).values())
    if by_set:
        yield _step(
            by_set,
            len(rows),
            text(
                "{found} of {n} user is the only one with all combinations of their rows.",
                "{found} of {n} users are the only ones with all combinations of their rows.",
                n=len(rows),
                found=by_set,
            ),
            "frozenset(v)",
        )
    if by_all > by_set:
        yield _step(
            by_all,
            len(rows),
            text(
                "{found} of {n} user is the only one with all their rows and how often each.",
                "{found} of {n} users are the only ones with all their rows and how often each.",
                n=len(rows),
                found=by_all,
            ),
            "tuple(sorted(v))",
        )


def _step(found: int, n_users: int, what: str, key: str) -> Step:
    command = python_command(
        "import collections",
        f'd = pd.read_csv("{EXPORT}", sep=";", dtype=str, keep_default_na=False)',
        "u = collections.defaultdict(list)",
        "[u[r[0]].append(r[1:]) for r in d.itertuples(index=False, name=None)]",
        f"n = collections.Counter({key} for v in u.values()).values()",
        'print(sum(m == 1 for m in n), "of", len(u))',
    )
    return Step(what, command, f"{found} of {n_users}")


def _tried(audit: EventAudit) -> Iterator[Tried]:
    """Yield what was tried to tell users apart in the export, and how far."""
    users = counted(audit.traces_after.n_users, "user")
    for figure in risk_figures(audit):
        is_known = figure.measure == "trace_unique_share" and figure.value is not None
        is_sample = is_known and figure.total is None
        message = "{users}, estimated from a sample" if is_sample else "{users}"
        yield figure_tried(figure, text(message, users=users))
