"""Verdicts, findings, and how they combine."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from core.checks import harm_rank, remedy_of
from core.words import Text, Value, joined, listed, own, text


class Verdict(StrEnum):
    """The outcome of a check, from best to worst: PASS, WARN, NOT_ASSESSED, FAIL.

    "Could not assess" is worse than a warning, because what was not looked at may be anything;
    it is never a pass.
    """

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    WARN = "WARN"
    NOT_ASSESSED = "NOT_ASSESSED"
    FAIL = "FAIL"

    @property
    def word(self) -> str:
        """Return the verdict as people read it, such as NOT ASSESSED."""
        return _WORDS[self]

    @property
    def symbol(self) -> str:
        """Return the one character that stands before the word; a colour only repeats both."""
        return _SYMBOLS[self]

    @property
    def severity(self) -> int:
        """Return 0 for the best outcome (PASS) up to 3 for the worst (FAIL)."""
        return _ORDER.index(self)


_ORDER = (Verdict.PASS, Verdict.WARN, Verdict.NOT_ASSESSED, Verdict.FAIL)
_WORDS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.PASS: text("PASS"),
        Verdict.WARN: text("WARN"),
        Verdict.NOT_ASSESSED: text("NOT ASSESSED"),
        Verdict.FAIL: text("FAIL"),
    }
)
_SYMBOLS: Mapping[Verdict, str] = MappingProxyType(
    {Verdict.PASS: "✓", Verdict.WARN: "!", Verdict.NOT_ASSESSED: "?", Verdict.FAIL: "✕"}
)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of several verdicts; of none, NOT_ASSESSED.

    Nothing checked is not a pass: a caller for whom "no findings" means PASS says so by passing
    ``Verdict.PASS`` along.
    """
    return max(verdicts, key=lambda verdict: verdict.severity, default=Verdict.NOT_ASSESSED)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing an audit noticed, in a sentence a privacy officer understands."""

    check: str  # stable machine name of the check, in snake_case
    verdict: Verdict  # what this finding alone would make of the file; PASS for a fact worth stating
    # One or two sentences with counts and denominators. May name columns and files; never holds a cell value.
    message: str
    column: str | None = None  # the column concerned, if there is exactly one
    # how many cells, records, columns or sites (the message says which) are concerned
    n_affected: int | None = None
    columns: tuple[str, ...] = ()  # all columns concerned, where findings of several were folded into one
    own_remedy: str = ""  # what to do about it, where that is not the same for every finding of its check
    short: str = ""  # what it comes down to, where the message tells more than a headline can
    file: str = ""  # the file it is about, where the message begins with its name

    @property
    def remedy(self) -> str:
        """Return what the person can do about it, in a sentence; empty where it can only be looked at."""
        return self.own_remedy or remedy_of(self.check)

    @property
    def gist(self) -> str:
        """Return what the finding comes down to, in one sentence where there is one."""
        return self.short or self.message

    def told(self, *, short: str = "", step: str = "") -> "Finding":
        """Return the finding with what it comes down to, and what to do about it."""
        return replace(self, short=short or self.short, own_remedy=step or self.own_remedy)

    @staticmethod
    def of(
        check: str,
        verdict: Verdict,
        *,
        column: str | None = None,
        n_affected: int | None = None,
        columns: tuple[str, ...] = (),
    ) -> "Callable[..., Finding]":
        """Return what makes a finding of its message, whole or as :func:`core.words.text` takes it.

        Where not given, ``{column}`` and ``{n}`` are those of the finding:
        ``Finding.of("check", Verdict.WARN, n_affected=2)("{n} name is left.", "{n} names are left.")``.
        """

        def found(message: str, plural: str = "", /, *, n: int | None = None, **values: Value) -> Finding:
            if not isinstance(message, Text):  # whose braces are of names
                if column is not None and "{column}" in message:
                    values.setdefault("column", column)
                if plural or "{n}" in message:
                    n = n_affected if n is None else n
            return Finding(
                check=check,
                verdict=verdict,
                message=message if n is None and not values else text(message, plural, n=n, **values),
                column=column,
                n_affected=n_affected,
                columns=columns,
            )

        return found

    def of_file(self, name: str) -> "Finding":
        """Return the finding with the name of the file it is about before its message."""
        message, short = (
            each and text("{file}: {message}", file=name, message=own(each))
            for each in (self.message, self.short)
        )
        return replace(self, message=message, short=short, file=name)

    def document(self) -> dict[str, object]:
        """Return the finding as the command line writes it in JSON."""
        return {
            "check": self.check,
            "verdict": self.verdict.value,
            "column": self.column,
            "message": self.message,
            "remedy": self.remedy,
            "n_affected": self.n_affected,
            **({"columns": list(self.columns)} if self.columns else {}),
        }


def not_in_engine(message: str, **values: Value) -> Finding:
    """Return that something is not assessed because the records stay in their engine."""
    return Finding.of("not_in_engine", Verdict.NOT_ASSESSED)(message, **values)


def not_answered(problem: str) -> Finding:
    """Return that an engine did not answer to the end, so that what it would have told is not assessed."""
    return not_in_engine(
        "What was counted before this happened is kept, and the rest is not assessed: {reason}",
        reason=own(problem),
    )


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings with the worst first: by verdict, then by harm, otherwise in the order given."""
    return tuple(sorted(findings, key=lambda finding: (-finding.verdict.severity, harm_rank(finding.check))))


def over_files(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings, the worst first; what is found in several files stands once, with all of them."""
    groups: dict[object, list[Finding]] = {}
    for finding in worst_first(findings):
        said = finding.message.values["message"] if isinstance(finding.message, Text) and finding.file else ""
        alike = (finding.check, finding.verdict, finding.column, *_sentences(said)) if said else id(finding)
        groups.setdefault(alike, []).append(finding)
    return tuple(
        first
        if not others
        else replace(
            first,
            message=text(
                "{finding} Likewise in {files}.",
                finding=own(first.message),
                files=listed([each.file for each in others], at_most=4),
            ),
        )
        for first, *others in groups.values()
    )


def _sentences(said: str) -> tuple[str, ...]:
    """Return the messages that a text was made of, without their values."""
    words = own(said)
    parts = (one for key, one in words.values.items() if key.startswith("part_"))
    return (words.message, *(each for one in parts for each in _sentences(one)))


def next_steps(findings: Iterable[Finding], *, at_most: int = 3) -> tuple[str, ...]:
    """Return what to do next: the remedies of the gravest findings, each once, with the columns concerned.

    Findings that are PASS ask for nothing. A remedy that names a column itself stands alone, and one for
    columns that an earlier one is for comes last. Of several files each says for which it is.
    """
    steps: dict[str, _Step] = {}
    for finding in worst_first(findings):
        if finding.remedy and finding.verdict is not Verdict.PASS:
            step = steps.setdefault(finding.remedy, _Step({}, {}, bool(finding.own_remedy)))
            names = finding.columns or ((finding.column,) if finding.column else ())
            step.columns.update(dict.fromkeys(names))
            step.files.update(dict.fromkeys(filter(None, [finding.file])))
    treated: set[tuple[str, str]] = set()
    first: list[str] = []
    last: list[str] = []
    for remedy, step in steps.items():
        places = {(file, column) for file in step.files or ("",) for column in step.columns}
        is_said = bool(places) and places <= treated and not step.is_own
        (last if is_said else first).append(step.said(remedy))
        treated |= places
    return tuple([*first, *last][:at_most])


class _Step(NamedTuple):
    """The columns and files for which something is to be done, and whether its words are a finding's own."""

    columns: dict[str, None]
    files: dict[str, None]
    is_own: bool

    def said(self, remedy: str) -> str:
        """Return what to do with the columns and files before it, but for columns that it names itself."""
        columns, files = (listed([*names], at_most=4) for names in (self.columns, self.files))
        if self.columns and not any(f"`{name}`" in remedy for name in self.columns):
            if self.files:
                return text("{columns} in {files}: {step}", columns=columns, files=files, step=own(remedy))
            return text("{columns}: {step}", columns=columns, step=own(remedy))
        return text("{files}: {step}", files=files, step=own(remedy)) if self.files else remedy


def verdict_counts(counts: Mapping[Verdict, int]) -> Text:
    """Return such as "2 WARN, 1 PASS"."""
    parts = [text("{found} {verdict}", found=n, verdict=own(verdict.word)) for verdict, n in counts.items()]
    return joined(parts, ", ") if parts else text("none")


def exit_code(overall: Verdict, *, incomplete: bool) -> int:
    """Return a command's exit code: 2 where an input was skipped or in error, else 1 where FAIL, else 0."""
    if incomplete:
        return 2
    return 1 if overall is Verdict.FAIL else 0
