"""What an exposure check found, and which severities there are to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import AuditInputError
from core.vcf.checks import ALL_CHECKS
from core.verdict import Finding, Verdict

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
    message: str  # the finding in a sentence
    remedy: str  # what to do about it, in a sentence

    @property
    def examples(self) -> tuple[str, ...]:
        """Return the first five places."""
        return tuple(self.places[:N_EXAMPLES])

    @property
    def sentence(self) -> str:
        """Return what was found, where first, and, unless it is a mere fact, what to do."""
        parts = [self.message]
        if self.examples and " First: " not in self.message:
            left = len(self.places) - len(self.examples)
            more = f" and {left:,} more" if left else ""
            parts.append(f"First: {', '.join(self.examples)}{more}.")
        if self.verdict is not Verdict.PASS:
            parts.append(self.remedy)
        return " ".join(parts)

    @property
    def finding(self) -> Finding:
        """Return it as every tool's findings are, the sentence as its message."""
        return Finding(
            check=self.check,
            verdict=self.verdict,
            message=self.sentence,
            n_affected=self.n_affected,
            own_remedy=self.remedy,
        )


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
            f"No exposure check has the name {', '.join(unknown)}. The checks are: {', '.join(ALL_CHECKS)}."
        )


def found(
    name: str, n: int, of: int, places: Sequence[str], severities: Mapping[str, Verdict], **words: object
) -> list[Exposure]:
    """Return the exposure of a check as a list of one, empty when nothing was found."""
    if n == 0:
        return []
    check = ALL_CHECKS[name]
    return [
        Exposure(
            check=name,
            n_affected=n,
            places=places,
            verdict=severities.get(name, check.default),
            message=check.message.format(n=f"{n:,}", of=f"{of:,}", **words),
            remedy=check.remedy.format(**words) if words else check.remedy,
        )
    ]
