"""How the rule measures, and the limits of the published decision."""

from dataclasses import dataclass

from core.errors import refuse
from core.people.patterns import CATALOGUE, RULE_PATTERNS
from core.settings.form import REQUIRED, Widget, check, said, setting
from core.tabular.log import Mode
from core.words import text


@dataclass(frozen=True, kw_only=True)
class TabularSettings:
    """How the rule measures; a change means measuring again."""

    patterns: tuple[str, ...] = setting(
        tuple(pattern.key for pattern in RULE_PATTERNS),
        "Sensitive patterns that count in the rule",
        "The default ones are the published rule's. The second opinion always looks for all of them.",
        "--pattern",
        choices={key: pattern.label for key, pattern in CATALOGUE.items()},
        metavar="PATTERN",
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class TabularThresholds:
    """The limits a file is held against; all shares in [0, 1]."""

    policy_consistency_share: float = setting(
        REQUIRED,
        "Policy consistency at least",
        "Share of logged columns that are gone where the log says they should be; the published limit is "
        "0.6, in high mode 0.8.",
        "--policy-consistency",
        percent=True,
        widget=Widget(kind="slider"),
    )
    pattern_residual_share: float = setting(
        0.10,
        "Pattern residual at most",
        "Share of non-blank anonymized cells that hold a sensitive pattern.",
        "--pattern-residual",
        percent=True,
        widget=Widget(kind="slider"),
    )
    high_risk_handling_share: float = setting(
        1.0,
        "High-risk handling at least",
        "Share of high-risk columns in the log that have a protecting action.",
        "--high-risk-handling",
        percent=True,
        widget=Widget(kind="slider"),
    )
    warn_share: float = setting(
        REQUIRED,
        "Review recommended from a WARN share of",
        "Share of column checks that end in WARN; the published limit is 0.5, in high mode 0.3.",
        percent=True,
        widget=Widget(kind="slider"),
    )

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def for_mode(cls, mode: Mode) -> "TabularThresholds":
        """Return the published limits of low or high mode."""
        if mode == "high":
            return cls(policy_consistency_share=0.80, warn_share=0.30)
        return cls(policy_consistency_share=0.60, warn_share=0.50)


@dataclass(frozen=True, kw_only=True)
class SecondOpinionSettings:
    """How the second opinion measures; a change means measuring again."""

    quasi_identifiers: tuple[str, ...] | None = setting(
        None,
        "Quasi-identifiers",
        "Columns of the anonymized table that others may know about a person.",
        "--quasi-identifier",
        none="those of the log",
        metavar="COL",
    )
    # in (0, 1): the smallest set of columns is one that re-links more than this share of records
    over_share: float = 0.5
    largest_set: int = 3  # 1 to 3: how many columns that set may have
    # records read while searching that set exhaustively; beyond, the search is greedy
    search_budget: int = 60_000_000
    # records, or values, that each pair of columns is compared on when looking for disguises
    sample_size: int = 300
    seed: int = 0  # of that sample

    def __post_init__(self) -> None:
        problems = []
        if not 0 < self.over_share < 1:
            problems.append(
                text("over_share must be between 0 and 1, not {value}.", value=str(self.over_share))
            )
        if self.largest_set not in {1, 2, 3}:
            problems.append(text("largest_set must be 1, 2 or 3, not {value}.", value=self.largest_set))
        for name in ("search_budget", "sample_size"):
            if getattr(self, name) < 1:
                message = "{name} must be at least 1, not {value}."
                problems.append(text(message, name=name, value=getattr(self, name)))
        refuse(problems)


LOWEST_UNCHANGED_SHARE = 0.5  # re-linkage is measured for every limit from here up


@dataclass(frozen=True, kw_only=True)
class SecondOpinionThresholds:
    """The limits of the second opinion; all shares in [0, 1]."""

    left_unchanged_share: float = setting(
        0.95,
        "A column is left unchanged from",
        "Share of its cells that equal the original's, as text, number or date.",
        "--left-unchanged",
        percent=True,
        widget=Widget(kind="slider"),
        least=LOWEST_UNCHANGED_SHARE,
    )
    highly_distinct_share: float = setting(
        0.50,
        "A column is highly distinct from",
        "Distinct values divided by non-blank cells of the original.",
        "--highly-distinct",
        percent=True,
        widget=Widget(kind="slider"),
    )
    partly_unchanged_share: float = setting(
        0.10,
        "A highly distinct column is worth a warning from",
        "Share of its cells that equal the original's.",
        "--partly-unchanged",
        percent=True,
        widget=Widget(kind="slider"),
    )
    relinkage_warn_share: float = setting(
        0.05,
        "Re-linked records are worth a warning above",
        "Share of anonymized records that match exactly one original record.",
        "--relinkage-warn",
        percent=True,
        widget=Widget(kind="slider"),
    )
    relinkage_fail_share: float = setting(
        0.20,
        "Re-linked records are FAIL above",
        "Share of anonymized records that match exactly one original record.",
        "--relinkage-fail",
        percent=True,
        widget=Widget(kind="slider"),
    )
    pseudonym_unchanged_share: float = setting(
        0.01,
        "Pseudonyms that equal the original are FAIL above",
        "Share of a pseudonymized column; any at all is worth a warning.",
        "--pseudonyms-unchanged",
        percent=True,
        widget=Widget(kind="slider"),
    )
    smallest_k: int = setting(
        5,
        "Smallest group size k",
        "Every combination of quasi-identifiers should be shared by at least k records.",
        "--k",
        least=1,
        any_size=True,
        widget=Widget(kind="slider", span=(2, 50), key="k"),
    )
    no_quasi_identifiers: bool = setting(
        False,
        "Others know none of the columns",
        "Without quasi-identifiers the size of groups is not assessed, unless you confirm that there are "
        "none. Columns that look like some are still named.",
    )

    def __post_init__(self) -> None:
        warn, fail = (said(type(self), f"relinkage_{word}_share") for word in ("warn", "fail"))
        crossed = self.relinkage_warn_share > self.relinkage_fail_share
        check(self, [text("{warn} must not be above {fail}.", warn=warn, fail=fail)] if crossed else ())
