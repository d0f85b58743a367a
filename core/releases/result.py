"""What a release beside earlier ones says: figures, the earlier ones, and how many each of them tells of."""

from collections.abc import Iterator, Mapping, Sequence

from core.measures import keys_of
from core.releases.counts import Moved
from core.releases.judging import MANY_RELINKED, ReleasesAudit, releases_sentence
from core.releases.measuring import Compared
from core.releases.persons import Alike
from core.releases.splits import Split
from core.result import Col, Figure, Group, Note, Part, Table
from core.verdict import Verdict
from core.words import Text, own, percent, text

MEASURE_KEYS = keys_of("releases")
LIMITS = (
    "Only the earlier releases given are compared; what others hold of the same people finds more.",
    "Without a common pseudonym who came and left is read off counts, where coming and leaving cancel.",
)
_COLUMNS = (
    Col("release", "Earlier release"),
    Col("table", "Table"),
    Col("counted", "Counted", kind="words"),
    Col("n_earlier", "In it", "number"),
    Col("n_in_both", "In both", "number"),
    Col("n_newcomers", "Came", "number"),
    Col("n_newcomers_below_k", "Of them among fewer than k", "number"),
    Col("n_newcomers_given_away", "Of them a value follows", "number"),
    Col("n_leavers", "Left", "number"),
    Col("n_leavers_below_k", "Of them among fewer than k (left)", "number"),
    Col("n_leavers_given_away", "Of them a value follows (left)", "number"),
)
_TOLD = (
    Col("release", "Earlier release"),
    Col("table", "Table"),
    Col("who", "Who", kind="words"),
    Col("columns", "Columns"),
    Col("n", "How many", "number"),
    Col("n_below_k", "Of them among fewer than k", "number"),
    Col("attribute", "Sensitive attribute"),
    Col("n_given_away", "Of them a value follows", "number"),
)
_NOT_COMPARED = (Col("release", "Earlier release"), Col("reason", "Why", kind="words"))


def earlier_table(audit: ReleasesAudit) -> Table:
    """Return the earlier tables compared, a row each."""
    k = audit.k
    rows = [
        (
            each.release,
            each.table,
            own("persons") if each.counts_persons else own("records"),
            each.n_earlier,
            each.n_common,
            each.came.n,
            each.came.groups.n_below(k),
            max(each.came.n_given_away.values(), default=None),
            each.left.n,
            each.left.groups.n_below(k),
            max(each.left.n_given_away.values(), default=None),
        )
        for each in audit.measurement.compared
    ]
    return Table("earlier_releases", "Earlier releases", _COLUMNS, rows)


def releases_limits(audit: ReleasesAudit | None) -> tuple[str, ...]:
    """Return what the comparison cannot tell; nothing without earlier releases."""
    return () if audit is None else LIMITS


def releases_groups(audit: ReleasesAudit | None) -> Iterator[Group]:
    """Yield what a report says, and what stands in its appendix; nothing without earlier releases."""
    if audit is not None:
        told = Note(releases_sentence(audit))
        limits = [Note(limit) for limit in LIMITS]
        parts: tuple[Part, ...] = (*releases_figures(audit), told, earlier_table(audit), *limits)
        yield Group("releases", "Earlier releases", parts)
        details = tuple(_details(audit))
        yield Group("releases_further", "Earlier releases", details, where="report", is_detail=True)


def _details(audit: ReleasesAudit) -> Iterator[Table]:
    """Yield who is told of by what, and what was not compared; each where there is some."""
    told = [row for each in audit.measurement.compared for row in _told(each, audit.k)]
    told += [
        (None, table, own("in several releases"), None, each.n_persons, None, column, each.n_given_away)
        for (table, column), each in audit.measurement.candidates.items()
    ]
    if told:
        yield Table("releases_told", "Whom each earlier release tells of", _TOLD, told)
    reasons = [(each.release, each.reason) for each in audit.measurement.not_compared]
    if reasons:
        yield Table("releases_not_compared", "Earlier releases not compared", _NOT_COMPARED, reasons)


def _told(each: Compared, k: int) -> Iterator[tuple[object, ...]]:
    """Yield a row for those of whom a pair of releases tells, for each attribute of which a value follows."""
    for who, columns, found, values in _those_told_of(each):
        counts = (each.release, each.table, who, ", ".join(columns) or None, found.n, found.groups.n_below(k))
        yield from ((*counts, *value) for value in values.items() or [(None, None)])
    if (found_again := each.relinked) is not None:
        by = ", ".join(found_again.columns) or None
        yield each.release, each.table, own("found again"), by, found_again.n, None, None, None


def _those_told_of(
    each: Compared,
) -> Iterator[tuple[Text, Sequence[str], Moved | Alike | Split, Mapping[str, int]]]:
    """Yield who they are, by which columns, how many, and of how many a value follows."""
    if each.came.n:
        yield own("newcomers"), (), each.came, each.came.n_given_away
    if each.left.n:
        yield own("leavers"), (), each.left, each.left.n_given_away
    if each.alike is not None:
        yield own("in both"), (), each.alike, each.alike.n_given_away
    if each.joined is not None:
        yield own("in both"), each.joined.columns, each.joined.alike, {}
    for split in each.splits:
        who = own("between cuts") if split.is_sure else own("between cuts, if nobody came and left")
        yield who, split.columns, split, split.n_given_away


def releases_figures(audit: ReleasesAudit | None) -> tuple[Figure, ...]:
    """Return each figure of the earlier release of which it tells most; none of what nobody could be in."""
    if audit is None:
        return ()
    most: dict[str, tuple[int, int, str]] = {}
    for each in audit.measurement.compared:
        for key, n, total in _counts(each, audit.k):
            if total and n >= most.get(key, (0, 0, ""))[0]:
                most[key] = n, total, each.release
    for (table, column), found in audit.measurement.candidates.items():
        if found.n_persons:
            key = "candidates_value_share"
            most[key] = max(
                most.get(key, (0, 0, "")), (found.n_given_away, found.n_persons, f"{table}.{column}")
            )
    return tuple(
        Figure(
            key,
            most[key][0] / most[key][1],
            total=most[key][1],
            of=most[key][2],
            threshold=own("none allowed")
            if key != "relinked_share"
            else text("less than {share}", share=percent(MANY_RELINKED)),
            verdict=_verdict(audit, key, most[key][0]),
        )
        for key in MEASURE_KEYS
        if key in most
    )


_CHECKS = {
    "newcomers_below_k_share": "release_newcomers",
    "newcomers_value_share": "release_newcomer_values",
    "leavers_below_k_share": "release_leavers",
    "leavers_value_share": "release_leaver_values",
    "alike_below_k_share": "release_alike",
    "candidates_value_share": "release_candidates",
    "recut_below_k_share": "release_boundaries",
    "relinked_share": "release_relinked",
}


def _verdict(audit: ReleasesAudit, key: str, n: int) -> Verdict | None:
    """Return what the finding of a figure says; None where there is none, and yet somebody is found."""
    found = next((each.verdict for each in audit.findings if each.check == _CHECKS[key]), None)
    return Verdict.PASS if found is None and (not n or key == "relinked_share") else found


def _counts(each: Compared, k: int) -> Iterator[tuple[str, int, int]]:
    """Yield how many of how many each figure is."""
    tells = each.is_comparable and not (each.overlap is not None and each.overlap.is_unlikely)
    sides = (("newcomers", each.came), ("leavers", each.left)) if tells else ()
    for name, moved in sides:
        yield f"{name}_below_k_share", moved.groups.n_below(k), moved.n
        if moved.n_given_away:
            yield f"{name}_value_share", max(moved.n_given_away.values()), moved.n
    if each.alike is not None:
        yield "alike_below_k_share", each.alike.groups.n_below(k), each.alike.n
    for split in each.splits if tells else ():
        if split.is_sure:
            yield "recut_below_k_share", split.groups.n_below(k), split.n
    if each.relinked is not None:
        yield "relinked_share", each.relinked.n, each.relinked.n_persons
