"""How a sceptic tells users apart in the export."""

import io
from collections.abc import Iterator

import pandas as pd

from core.events.judging import EventAudit
from core.reports.proof import Read, Session, Step, proof_tables
from core.result import Table
from core.verdict import Verdict
from core.words import text

EXPORT = "anonymized_events.csv"
MOST_EVENTS = 1_000_000  # of an export that steps are worked out for
_NOTE = (
    "Run each command in the folder of the export, under the name anonymized_events.csv, with Python 3 and "
    "pandas. No cell is printed."
)


def event_proof(audit: EventAudit) -> tuple[Table, ...]:
    """Return the steps that tell users apart in the export."""
    release = audit.release
    is_shown = (
        audit.overall is Verdict.FAIL
        and release.options.pseudonym_per == "user"
        and 0 < release.verification.n_events <= MOST_EVENTS
    )
    return proof_tables(_steps(release.events_csv), note=_NOTE) if is_shown else ()


def _steps(export: bytes) -> Iterator[Step]:
    frame = pd.read_csv(io.BytesIO(export), dtype=str, keep_default_na=False)
    session = Session(
        {"d": Read(f'pd.read_csv("{EXPORT}", dtype=str, keep_default_na=False)', frame)},
        "import collections",
        "u = collections.defaultdict(list)",
        "[u[r[0]].append(r[1:]) for r in d.itertuples(index=False, name=None)]",
    )
    by_combinations = session.step(
        lambda found, n: text(
            "{found} of {n} user is the only one with all combinations of their rows.",
            "{found} of {n} users are the only ones with all combinations of their rows.",
            n=n,
            found=found,
        ),
        *_alone("frozenset(v)"),
    )
    by_rows = session.step(
        lambda found, n: text(
            "{found} of {n} user is the only one with all their rows and how often each.",
            "{found} of {n} users are the only ones with all their rows and how often each.",
            n=n,
            found=found,
        ),
        *_alone("tuple(sorted(v))"),
    )
    told = [*by_combinations, *by_rows]
    yield from (each for each in told if each.prints != told[0].prints or each is told[0])


def _alone(known: str) -> tuple[str, str]:
    """Return the statements that count the users who are alone with what is known of their rows."""
    return (
        f"n = collections.Counter({known} for v in u.values()).values()",
        'print(sum(m == 1 for m in n), "of", len(u))',
    )
