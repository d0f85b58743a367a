"""Holding what releases tell together against the smallest group; cheap enough for a slider."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.releases.measuring import Compared, ReleasesMeasurement
from core.releases.persons import Candidates, Redrawn
from core.releases.renaming import Renaming
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import Text, counted, joined, listed, own, share_of, text

_SAID, _LONGEST = 3, 40  # words that are said of a column; characters of each
MANY_RELINKED = 0.05  # share of persons found under another pseudonym from which it fails


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasesAudit:
    """A measurement of releases held against the smallest group."""

    measurement: ReleasesMeasurement
    k: int
    findings: tuple[Finding, ...]  # the worst first

    @property
    def overall(self) -> Verdict:
        """Return the worst of the findings' verdicts."""
        return worst(finding.verdict for finding in self.findings)


def judge_releases(measurement: ReleasesMeasurement, *, k: int) -> ReleasesAudit:
    """Hold a measurement against the smallest group, with one finding of each kind: the gravest.

    FAIL: two releases leave somebody among fewer than k, or one sensitive value, that neither does alone; of
    5 % persons another pseudonym is found. WARN: so they would, if they hold the same people, which is not
    sure; an earlier release lacks quasi-identifiers, or is this one. NOT ASSESSED: it cannot be compared.
    """
    found: dict[str, Finding] = {}
    for finding in _each(measurement, k):
        former = found.get(finding.check)
        if former is None or _grave(finding) > _grave(former):
            found[finding.check] = finding
    is_found = any(each.n_affected and each.verdict is not Verdict.PASS for each in found.values())
    if not is_found and any(each.is_comparable for each in measurement.compared):
        found["releases"] = _nothing(measurement, k)
    findings = worst_first((*found.values(), *_not_compared(measurement), *measurement.elsewhere))
    return ReleasesAudit(measurement=measurement, k=k, findings=findings)


def _nothing(measured: ReleasesMeasurement, k: int) -> Finding:
    return Finding.of("releases", Verdict.PASS)(
        "Beside {releases} nobody is found among fewer than {k}, and no value follows, where one release "
        "alone does not tell.",
        releases=counted(len(measured.compared), "table of earlier releases", "tables of earlier releases"),
        k=k,
    )


def _grave(finding: Finding) -> tuple[int, int]:
    return finding.verdict.severity, finding.n_affected or 0


def _each(measured: ReleasesMeasurement, k: int) -> Iterator[Finding]:
    for each in measured.compared:
        yield from _facts(each)
        if not each.is_comparable:
            yield from _joined(each, k)
            continue
        if each.shifted is not None:
            yield _could_be_the_same(each)
        elif each.overlap is not None and each.overlap.is_unlikely:
            yield Finding.of("release_of_others", Verdict.PASS)(
                "{release} and {table} differ as releases of different people do: subtracting one from "
                "the other tells nothing sure.",
                release=each.release,
                table=f"`{each.table}`",
            )
        else:
            found = [*_sides(each, k), *_splits(each, k)]
            unsure = [] if each.is_sure else [finding for finding in found if finding.verdict is Verdict.WARN]
            yield from (finding for finding in found if finding not in unsure)
            yield from sorted(unsure, key=_grave)[-1:]
        yield from _of_persons(each, k)
    for (table, column), candidates in measured.candidates.items():
        if candidates.n_given_away:
            yield _candidates(table, column, candidates)


def _could_be_the_same(each: Compared) -> Finding:
    column, years = each.shifted or ("", 0)
    return Finding.of("release_of_others", Verdict.WARN, column=column)(
        "{release} and {table} differ as releases of different people do, and agree much better once "
        "{column} of {release} is {n} higher. It could not be told whether these are the same people; "
        "nothing was subtracted.",
        release=each.release,
        table=f"`{each.table}`",
        column=f"`{column}`",
        n=years,
    )


def _noise(each: Compared, found: Redrawn) -> Finding:
    return Finding.of("release_noise", Verdict.WARN, column=found.column, n_affected=found.n_changed)(
        "{release} and {table} have a pseudonym in common, and {column} differs for {found}: up as often "
        "as down, by {change} on average, as noise does that is drawn anew for each release. If it is "
        "that, averaging takes it away: of two releases 29 % of it, of ten 68 %.",
        release=each.release,
        table=f"`{each.table}`",
        column=f"`{found.column}`",
        found=share_of(found.n_changed, found.n_persons, "persons in both"),
        change=f"{found.mean_change:.3g}",
    )


def _facts(each: Compared) -> Iterator[Finding]:
    names: dict[str, Any] = {"release": each.release, "table": f"`{each.table}`"}
    if each.is_same:
        yield Finding.of("same_release", Verdict.WARN)(
            "{release} has the same quasi-identifiers and sensitive values as {table}; nobody came.", **names
        )
    if each.missing_columns:
        yield Finding.of("release_other_columns", Verdict.WARN)(
            "{release} has no {columns}: it was compared with {table} by the other quasi-identifiers.",
            columns=listed(each.missing_columns),
            **names,
        )
    yield from (_noise(each, found) for found in each.redrawn)
    yield from _facts_of_words(each, names)
    if each.is_ledger:
        yield Finding.of("release_by_ledger", Verdict.PASS)(
            "{release} is a ledger: it tells who came and left by counts alone. Persons are followed "
            "over releases, and changed intervals looked at, only with the release itself.",
            **names,
        )


def _facts_of_words(each: Compared, names: dict[str, Any]) -> Iterator[Finding]:
    """Yield whether the releases write values alike."""
    if each.own_words:
        yield Finding.of("release_other_values", Verdict.NOT_ASSESSED)(
            "{release} and {table} each have words of their own in {columns}, such as {earlier} and "
            "{later}. Which of them mean the same is not clear from their counts, so that differences "
            "were not assessed.",
            **_words(each.own_words),
            **names,
        )
    elif not each.is_comparable:
        yield Finding.of("release_other_values", Verdict.NOT_ASSESSED)(
            "{release} and {table} have hardly a group in common: values are written or generalized "
            "otherwise, so that differences were not assessed.",
            **names,
        )
    if each.renamed:
        yield Finding.of("release_renamed", Verdict.PASS)(
            "{release} and {table} have other words in {columns} for what is the same by its counts, "
            "such as {earlier} and {later}; they were compared so.",
            **_words(each.renamed),
            **names,
        )


def _words(found: Sequence[Renaming]) -> dict[str, Any]:
    """Return the columns, and some of the words of the first of them."""
    later, earlier = (
        listed([word[:_LONGEST] for word in words[:_SAID]]) for words in (found[0].later, found[0].earlier)
    )
    return {"columns": listed([each.column for each in found]), "later": later, "earlier": earlier}


def _sides(each: Compared, k: int) -> Iterator[Finding]:
    sides = (
        (("release_newcomers", "release_newcomer_values"), each.came, _who_came),
        (("release_leavers", "release_leaver_values"), each.left, _who_left),
    )
    for (of_groups, of_values), moved, who in sides:
        if n_below := moved.groups.n_below(k):
            yield _finding(of_groups, each, n_below)(
                text(
                    "{release}: its difference to {table} leaves {found} among fewer than {k} in a group; "
                    "one release alone leaves them among {k} or more.",
                    release=each.release,
                    table=f"`{each.table}`",
                    found=who(n_below, each),
                    k=k,
                )
            )
        for column, n_away in moved.n_given_away.items():
            if not n_away:
                continue
            yield _finding(of_values, each, n_away)(
                text(
                    "{release}: subtracting it from {table} gives {column} of {found} away; each release "
                    "alone leaves several values.",
                    release=each.release,
                    table=f"`{each.table}`",
                    column=f"`{column}`",
                    found=who(n_away, each),
                )
            )


def _who_came(n: int, each: Compared) -> Text:
    total = each.came.n
    return share_of(n, total, "newcomers") if each.counts_persons else share_of(n, total, "new records")


def _who_left(n: int, each: Compared) -> Text:
    total = each.left.n
    return share_of(n, total, "leavers") if each.counts_persons else share_of(n, total, "records gone")


def _finding(check: str, each: Compared, n: int) -> Callable[[Text], Finding]:
    """Return what makes a finding; it only warns where the releases may hold other people."""
    verdict = Verdict.FAIL if each.is_sure else Verdict.WARN

    def found(message: Text) -> Finding:
        return Finding.of(check, verdict, n_affected=n)(message if each.is_sure else _if_same_people(message))

    return found


def _if_same_people(message: Text) -> Text:
    unsure = "That is so if both hold the same people, which their counts do not tell."
    return joined([message, unsure])


def _splits(each: Compared, k: int) -> Iterator[Finding]:
    for split in each.splits:
        n_below, n_away = split.groups.n_below(k), max(split.n_given_away.values(), default=0)
        if not (n_below or n_away):
            continue
        is_same = split.is_shown or each.is_sure
        persons, records = share_of(n_below, split.n, "persons"), share_of(n_below, split.n, "records")
        message = text(
            _SURE if split.is_sure else _NOT_SURE,
            release=each.release,
            table=f"`{each.table}`",
            column=listed(split.columns),
            below=persons if each.counts_persons else records,
            k=k,
            away=n_away,
        )
        yield Finding.of(
            "release_boundaries",
            Verdict.FAIL if is_same and split.is_sure else Verdict.WARN,
            column=split.columns[0] if len(split.columns) == 1 else None,
            n_affected=max(n_below, n_away),
        )(message if is_same else _if_same_people(message))


_SURE = (
    "{release} and {table} cut {column} at different places. What lies between two cuts follows: {below} are "
    "among fewer than {k}, and of {away} a sensitive value follows, which neither release alone tells."
)
_NOT_SURE = (
    "{release} and {table} cut {column} at different places. If no more came and left than the counts show, "
    "at most {below} lie between two cuts among fewer than {k}, and of {away} a sensitive value follows, "
    "which neither release alone tells."
)


def _of_persons(each: Compared, k: int) -> Iterator[Finding]:
    names: dict[str, Any] = {"release": each.release, "table": f"`{each.table}`"}
    if each.alike is not None:
        if n_below := each.alike.groups.n_below(k):
            yield Finding.of("release_alike", Verdict.FAIL, n_affected=n_below)(
                "{release} and {table} have a pseudonym in common: {found} share their groups of both "
                "with fewer than {k}; each release alone leaves them among {k} or more.",
                found=share_of(n_below, each.alike.n, "persons in both"),
                k=k,
                **names,
            )
        for column, n_away in each.alike.n_given_away.items():
            if not n_away:
                continue
            yield Finding.of("release_alike_values", Verdict.FAIL, n_affected=n_away)(
                "{release} and {table}: all who share the groups of both have one {column}, of "
                "{found}; {table} alone leaves several.",
                column=f"`{column}`",
                found=share_of(n_away, each.alike.n, "persons in both"),
                **names,
            )
    yield from _joined(each, k)
    linked = each.relinked
    if linked is None or not linked.n:
        return
    is_many = linked.n >= MANY_RELINKED * linked.n_persons
    if linked.is_shown or is_many:
        yield Finding.of(
            "release_relinked",
            Verdict.FAIL if is_many and linked.is_shown else Verdict.WARN,
            n_affected=linked.n,
        )(
            "{release} and {table} have pseudonyms of their own, yet {found} are found again by "
            "{columns}, which fit one person in each.",
            found=share_of(linked.n, linked.n_persons, "persons"),
            columns=listed(linked.columns),
            **names,
        )


def _joined(each: Compared, k: int) -> Iterator[Finding]:
    """Yield who is found where records of both releases are joined without a pseudonym."""
    if each.joined is None or not (n_below := each.joined.alike.groups.n_below(k)):
        return
    names: dict[str, Any] = {
        "release": each.release,
        "table": f"`{each.table}`",
        "found": share_of(n_below, each.joined.alike.n, "records"),
        "k": k,
    }
    yield Finding.of("release_joined", Verdict.FAIL, n_affected=n_below)(
        text(
            "{release} and {table} have no pseudonym in common, and yet their records are joined by "
            "{columns}, which name one in each: {found} share their groups of both with fewer than {k}; "
            "each release alone leaves them among {k} or more.",
            columns=listed(each.joined.columns),
            **names,
        )
        if each.joined.columns
        else text(
            "The records of {release} and {table} stand in one order, which joins them: {found} share their "
            "groups of both with fewer than {k}; each release alone leaves them among {k} or more.",
            **names,
        )
    )


def _candidates(table: str, column: str, found: Candidates) -> Finding:
    n = found.n_given_away
    return Finding.of("release_candidates", Verdict.FAIL, n_affected=n)(
        "{column} in {table}: of {persons}, the values that their groups have in all releases come down "
        "to one; each release alone leaves several.",
        column=f"`{column}`",
        table=f"`{table}`",
        persons=share_of(n, found.n_persons, "persons in several releases"),
    )


def _not_compared(measured: ReleasesMeasurement) -> Iterator[Finding]:
    for each in measured.not_compared:
        yield Finding.of("release_not_compared", Verdict.NOT_ASSESSED)(each.reason)


def releases_sentence(audit: ReleasesAudit) -> Text:
    """Say what was compared, in a sentence."""
    n = audit.measurement.n_earlier
    return text(
        "Held against {releases}: {verdict}.",
        releases=counted(n, "table of earlier releases", "tables of earlier releases"),
        verdict=own(audit.overall.word),
    )
