"""What an exposure check found, and which severities there are to choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import AuditInputError
from core.vcf.candidates import Listed
from core.vcf.checks import ALL_CHECKS
from core.verdict import Finding, Verdict
from core.words import Text, Value, joined, own, text

N_EXAMPLES = 5


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """The outcome of one check that found something."""

    check: str  # name of the check
    n_affected: int  # how many sites, records, header lines or samples (the message says which)
    # Where: ``CHROM:POS`` in file order, the keys of header lines, or samples by number. Never a value; empty
    # where the finding is of the file as a whole.
    places: Sequence[str]
    verdict: Verdict  # what this check alone would make of the file
    message: Text  # the finding in a sentence
    remedy: Text  # what to do about it, in a sentence

    @property
    def examples(self) -> tuple[str, ...]:
        """Return the first five places."""
        return tuple(self.places[:N_EXAMPLES])

    @property
    def sentence(self) -> Text:
        """Return what was found, where first, and, unless it is a mere fact, what to do."""
        found = self.where(at_most=N_EXAMPLES)
        return found if self.verdict is Verdict.PASS else joined([found, self.remedy])

    def where(self, *, at_most: int) -> Text:
        """Return what was found, and where first; not where if `at_most` is 0."""
        if not self.places or not at_most or "pairs" in self.message.values:
            return self.message
        first = text("First: {places}.", places=places_text(self.places, at_most=at_most))
        return joined([self.message, first])

    @property
    def step(self) -> Text:
        """Return what to do about it, at how many places, and where first."""
        if not self.places or "pairs" in self.message.values:
            return self.remedy
        where = text(
            "{n} in all: {place}.",
            "{n} in all, first {place}.",
            n=self.n_affected,
            place=places_text(self.places[:1], at_most=1),
        )
        return joined([self.remedy, where])

    @property
    def finding(self) -> Finding:
        """Return it as every tool's findings are, the sentence as its message."""
        return Finding(
            check=self.check,
            verdict=self.verdict,
            message=self.sentence,
            n_affected=self.n_affected,
            own_remedy=self.step,
            short=self.message,
        )

    def beside(self, steps: Sequence[str], *, at_most: int = 1) -> Finding:
        """Return the finding with its remedy and first places, `at_most` where a step says the remedy."""
        if self.remedy not in steps and self.step not in steps:
            return self.finding
        return replace(self.finding, message=self.where(at_most=at_most))


def check_severities(severities: Mapping[str, Verdict]) -> None:
    """Refuse severities for checks that do not exist.

    Raises
    ------
    AuditInputError
        Naming the unknown checks.
    """
    unknown = sorted(set(severities) - set(ALL_CHECKS))
    if unknown:
        raise AuditInputError(
            text(
                "No exposure check has the name {unknown}. The checks are: {known}.",
                unknown=", ".join(unknown),
                known=", ".join(ALL_CHECKS),
            )
        )


def places_text(places: Sequence[str], *, at_most: int) -> Text:
    """Return where something was found, separated by commas; beyond `at_most` only how many more."""
    first = places[:at_most]
    shown = joined(first, ", ") if isinstance(first[0], Text) else text("{names}", names=", ".join(first))
    more = len(places) - len(first)
    return text("{names} and {more} more", names=shown, more=more) if more else shown


class SamplePlaces(Listed):
    """Samples by their column, counted from 1; never by name."""

    def __init__(self, columns: Sequence[int]) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns)

    def said(self, place: int) -> str:
        """Name one sample's column."""
        return text("sample {column}", column=str(self._columns[place]))


def found(
    name: str, n: int, of: int, places: Sequence[str], severities: Mapping[str, Verdict], **words: Value
) -> list[Exposure]:
    """Return the exposure of a check as a list of one, empty when nothing was found."""
    if n == 0:
        return []
    check = ALL_CHECKS[name]
    told = own(check.message)
    return [
        Exposure(
            check=name,
            n_affected=n,
            places=places,
            verdict=severities.get(name, check.default),
            message=Text(told.message, told.plural, n, {"n": n, "of": of, **words}),
            remedy=text(check.remedy, **words),
        )
    ]
