"""Whether an audit meets the limits that a policy names, cannot tell, or does not."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.checks import is_among
from core.files.plain_text import plain_fields
from core.people.roles import PERHAPS_NAMES
from core.policies.identifiers import FREE_TEXT, PERSONS_NAME
from core.policies.reading import Limit, Policy
from core.reports.model import Report
from core.verdict import Finding, Verdict
from core.words import Text, Written, joined, listed, own, text

_TO_BE_LOOKED_AT = {"direct_identifiers": ("perhaps_names", "doubtful_identifiers")}  # may be, or may not
_MOST_TOLD = 3  # findings of one limit, in a line
Columns = Mapping[str, Collection[str]]  # of what is released: name to the kinds that it looks like


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What an audit says of one limit."""

    limit: Limit
    is_met: bool | None  # None where it cannot be told
    found: float | None = None  # the figure that is farthest from the limit, where there is one
    named: tuple[str, ...] = ()  # checks or columns that miss it, or that a person has to look at
    messages: tuple[str, ...] = ()  # of these findings, the gravest first
    set_to: float | None = None  # what the audit was asked with, where that differs from the policy

    @property
    def word(self) -> Text:
        """Return the outcome in words."""
        if self.is_met is None:
            return text("cannot be told")
        return text("met") if self.is_met else text("not met")

    @property
    def code(self) -> str:
        """Return the outcome as JSON has it."""
        return "cannot tell" if self.is_met is None else "met" if self.is_met else "not met"

    @property
    def asked(self) -> Text:
        """Return what the limit asks for, in words."""
        if self.limit.value is None:
            return text("none")
        amount = Written(f"{self.limit.value:,.15g}")
        return text("at least {number}" if self.limit.kind.is_floor else "at most {number}", number=amount)

    @property
    def demand(self) -> Text:
        """Return what is asked for, and by whom, before anything is judged."""
        return text(
            "{says} {label}, {asked}. ({clause}, {source} {year})",
            says=text(self.limit.says),
            label=own(self.limit.kind.label),
            asked=self.asked,
            clause=text(self.limit.clause),
            source=text(self.limit.source),
            year=str(self.limit.year),
        )

    @property
    def seen(self) -> Text:
        """Return what was found, in words."""
        if self.messages:
            told = joined(self.messages[:_MOST_TOLD])
            rest = len(self.messages) - _MOST_TOLD
            return text("{sentences} And {n} more.", sentences=told, n=rest) if rest > 0 else told
        if self.named:
            return listed(self.named, at_most=5)
        if self.limit.value is None:
            return text("none") if self.is_met else text("not looked for")
        return text("no figure") if self.found is None else Written(f"{self.found:.4g}")

    @property
    def line(self) -> Text:
        """Return what was asked and found, and who asks for it, on one line."""
        limit = self.limit
        return text(
            "{says} Found: {seen}. ({clause}, {source} {year}; {read})"
            if limit.value is None
            else "{says} {label}, {asked}: {seen}. ({clause}, {source} {year}; {read})",
            says=text(limit.says),
            label=own(limit.kind.label),
            asked=self.asked,
            seen=self.seen,
            clause=text(limit.clause),
            source=text(limit.source),
            year=str(limit.year),
            read=read_word(limit),
        )

    def document(self) -> dict[str, object]:
        """Return the outcome as plain data."""
        limit = self.limit
        return {
            "key": limit.key,
            "value": limit.value,
            "outcome": self.code,
            **plain_fields(self, "found", "named", "messages", "set_to"),
            **plain_fields(limit, "clause", "says", "source", "year", "read", "read_in"),
        }


@dataclass(frozen=True, kw_only=True)
class PolicyOutcome:
    """What an audit says of a policy: of each of its limits that the tool can be held against."""

    policy: Policy
    outcomes: tuple[Outcome, ...]

    @property
    def is_met(self) -> bool | None:
        """Return whether all limits are met; None where that cannot be told, or there is none."""
        met = [each.is_met for each in self.outcomes]
        return False if False in met else None if None in met or not met else True

    @property
    def sentence(self) -> Text:
        """Return what can be said of all limits together; never that anything is compliant."""
        if not self.outcomes:
            return text("The policy “{title}” names nothing for this tool.", title=text(self.policy.title))
        named: dict[str, Any] = {"title": text(self.policy.title), "day": Written(self.policy.read_on)}
        if self.is_met:
            return text("Meets the limits that the policy “{title}” names, as read on {day}.", **named)
        n_missed, n_unknown = (sum(each.is_met is kind for each in self.outcomes) for kind in (False, None))
        return text(
            "Limits that the policy “{title}” names, as read on {day}: {n} in all. Not met: {missed}. Cannot "
            "be told: {unknown}.",
            n=len(self.outcomes),
            missed=n_missed,
            unknown=n_unknown,
            **named,
        )

    @property
    def lines(self) -> list[Text]:
        """Return the result for a terminal: the sentence, each limit, and what is left to people."""
        if not self.outcomes:
            return [self.sentence]
        limits = [text("  {outcome}: {limit}", outcome=each.word, limit=each.line) for each in self.outcomes]
        differs = [text("  {note}", note=note) for note in self.differences]
        left = [text("  Left to judgement: {what}", what=text(what)) for what in self.policy.judgement]
        return [self.sentence, *limits, *differs, *left]

    @property
    def differences(self) -> list[Text]:
        """Return a sentence for each limit that was set otherwise than the policy has it."""
        return [
            text(
                "{label} differs from the policy: {set_to} was asked for, not {value}.",
                label=own(each.limit.kind.label),
                set_to=Written(f"{each.set_to:,.15g}"),
                value=Written(f"{each.limit.kind.to_setting(each.limit.value):,.15g}"),
            )
            for each in self.outcomes
            if each.set_to is not None
        ]

    def document(self) -> dict[str, object]:
        """Return the result as plain data."""
        policy = self.policy
        return {
            **plain_fields(policy, "name", "title", "version", "digest", "read_on"),
            "outcome": "cannot tell" if self.is_met is None else "met" if self.is_met else "not met",
            "sentence": str(self.sentence),
            "limits": [each.document() for each in self.outcomes],
            "judgement": list(policy.judgement),
        }


def read_word(limit: Limit) -> Text:
    """Return whether the clause itself was read, and in which text, in words."""
    word = text("the clause was read") if limit.read else text("the clause itself was not read")
    return text("{read} ({what})", read=word, what=text(limit.read_in)) if limit.read_in else word


def judge_policy(policy: Policy, report: Report, columns: Columns | None) -> PolicyOutcome:
    """Hold the report of an audit against the limits that a policy names for its tool.

    What is not assessed is never met, nor is a limit whose figure the report does not have. A finding that
    FAILs on a limit's subject misses it, unless more was asked of the audit than the policy does; where less
    was asked, only a figure can miss it, and nothing meets it. `columns`: of what is released, to what each
    looks like; None where nothing was looked at.
    """
    told = _Told(report)
    judged = (_judge(limit, told, columns) for limit in policy.for_tool(report.tool))
    outcomes = [each for each in judged if each is not None]
    if not report.is_whole:  # what was left out may be anything
        outcomes = [replace(each, is_met=None) if each.is_met else each for each in outcomes]
    return PolicyOutcome(policy=policy, outcomes=tuple(outcomes))


@dataclass(frozen=True)
class _Told:
    """What a report says that limits are held against."""

    report: Report

    @property
    def kind(self) -> str:
        """Return which figures a limit is about: those of the tool, or of a kind of its inputs."""
        return self.report.kind or self.report.tool

    @property
    def findings(self) -> Sequence[Finding]:
        """Return all findings."""
        return self.report.findings

    @property
    def settings(self) -> list[Mapping[str, Any]]:
        """Return what was asked: of the run, or of each file where they have settings of their own."""
        of_files = [each.asked for each in self.report.sections if each.asked]
        return of_files or [self.report.asked]

    def values(self, measures: Collection[str]) -> list[float | None]:
        """Return the figures of some measures; None for what was not assessed, or is not there."""
        return [each.value for each in self.report.figures if each.measure in measures] or [None]

    def verdicts(self, checks: Sequence[str]) -> set[Verdict]:
        """Return the verdicts of the findings of some checks."""
        return {each.verdict for each in self.findings if is_among(each.check, checks)}


def _judge(limit: Limit, told: _Told, columns: Columns | None) -> Outcome | None:
    if limit.key == "identifiers":
        return _judge_columns(limit, told, columns)
    if limit.key == "findings":
        return _judge_findings(limit, told)
    if not limit.kind.is_of(told.kind, of_tool=not told.report.kind):
        return None  # of another kind of table
    measures = limit.kind.measures.get(told.kind)
    figures = [] if measures is None else [limit.kind.of_figure(each) for each in told.values(measures)]
    known = [each for each in figures if each is not None]
    farthest = (min if limit.kind.is_floor else max)(known, default=None)
    asked = [_set_to(limit, told.report.tool, each) for each in told.settings]
    is_laxer, is_stricter = (any(how == word for how, _ in asked) for word in ("laxer", "stricter"))
    verdicts = told.verdicts(limit.kind.checks)
    is_failed = Verdict.FAIL in verdicts
    is_met: bool | None = True
    if (farthest is not None and _misses(limit, farthest)) or (is_failed and not is_stricter):
        is_met = False
    elif is_failed or is_laxer or Verdict.NOT_ASSESSED in verdicts or len(known) < len(figures):
        is_met = None
    differing = next((value for how, value in asked if how in ("laxer", "stricter")), None)
    return Outcome(limit=limit, is_met=is_met, found=farthest, set_to=differing)


def _misses(limit: Limit, figure: float) -> bool:
    value, margin = limit.value or 0, 1e-9
    return figure < value - margin if limit.kind.is_floor else figure > value + margin


def _set_to(limit: Limit, tool: str, settings: Mapping[str, Any]) -> tuple[str, float | None]:
    """Return whether less or more was asked than the policy does, and what: of the first that differs."""
    wanted = limit.kind.to_setting(limit.value)
    for name in limit.kind.settings.get(tool, ()):
        given = settings.get("least" if name == "k" and "least" in settings else name)
        if given is None:
            return "laxer", None
        if given != wanted:
            is_less = given < wanted
            return "laxer" if is_less is limit.kind.is_floor_of_setting else "stricter", given
    return "same", None


def _judge_findings(limit: Limit, told: _Told) -> Outcome:
    """Look for findings; of those that only a person can decide, it cannot be told."""
    named = (*limit.checks, *limit.groups)
    looked_at = [key for each in named for key in _TO_BE_LOOKED_AT.get(each, ())]
    found = [each for each in told.findings if is_among(each.check, looked_at)]
    doubtful = [each for each in found if each.verdict is Verdict.WARN]
    keys = {each.check for each in doubtful}
    told_of = [each for each in told.findings if is_among(each.check, limit.checks, limit.groups)]
    bad = [
        each
        for verdict in (Verdict.FAIL, Verdict.WARN)
        for each in told_of
        if each.verdict is verdict and each.check not in keys
    ]
    # of what was not looked at, nobody knows what it is about
    unknown = ("conditions",) if limit.groups else ()
    open_of = [*told_of, *(each for each in told.findings if is_among(each.check, (), unknown))]
    is_open = doubtful or any(each.verdict is Verdict.NOT_ASSESSED for each in open_of)
    said = bad or doubtful
    return Outcome(
        limit=limit,
        is_met=False if bad else None if is_open else True,
        named=tuple(dict.fromkeys(each.check for each in said)),
        messages=tuple(dict.fromkeys(each.message for each in said)),
    )


def _judge_columns(limit: Limit, told: _Told, columns: Columns | None) -> Outcome:
    """Look for columns, and for findings about the same; what no detector looks for cannot be told.

    A column of free text, or one in the form of names, is none that must not be there; it can be told only
    where its cells were read.
    """
    looked = limit.kinds and columns is not None
    alike = {name: {*kinds} & {*limit.kinds} for name, kinds in (columns or {}).items()}
    found = tuple(name for name, kinds in alike.items() if kinds - {FREE_TEXT})
    read = _judge_findings(limit, told)
    was_read = bool(told.verdicts(limit.checks))
    has_text = any(FREE_TEXT in kinds for kinds in alike.values())
    if found or read.is_met is False:
        missed = read.named if read.is_met is False else ()
        return Outcome(limit=limit, is_met=False, named=(*found, *missed))
    perhaps = [name for name, kinds in (columns or {}).items() if PERHAPS_NAMES in kinds]
    perhaps = perhaps if PERSONS_NAME in limit.kinds else []
    is_open = not looked or read.is_met is None or perhaps or (has_text and not was_read)
    return Outcome(limit=limit, is_met=None if is_open else True, named=(*perhaps, *read.named))
