"""What a file tells of its donors: how many variants remain, whose alleles they are, who is in a panel."""

from collections.abc import Iterator, Sequence

from core.result import Col, Figure, Group, Result, Table, verdict_of
from core.vcf.donor.judging import DonorAudit
from core.vcf.donor.kinship import DEGREES
from core.vcf.donor.remaining import IDENTIFYING, NEVER, Counts
from core.verdict import Finding, Verdict
from core.words import Text, counted, text

LIMITS = (
    (
        "Donors: variants a million bases apart are taken as independent, genotypes as in Hardy-Weinberg "
        "proportions; relatives match far more often than by chance. Frequencies are the file's own, perhaps "
        "of another population."
    ),
    (
        "Kinship sees the people of the panel given, and nobody else; parents and full siblings look alike, "
        "twins are one person, and people of mixed or very different ancestry may look further apart or "
        "closer. Variants match by contig, position and bases, so that another reference build shares few. "
        "Repeats, insertions and sex chromosomes are not compared."
    ),
    (
        "Questions about membership count alleles that the file still names, as if each were asked alone and "
        "nothing else were known; linked alleles say less, a genealogy more."
    ),
)
MOST_ROWS = 1_000  # of a table of a report
_CARRIERS = (Col("k", "Samples that carry it (k)"), Col("n_alleles", "Rare alleles"))
_SAMPLES = (
    Col("sample", "Sample"),
    Col("n_alone", "Rare alleles it alone carries"),
    Col("n_questions", "Questions that show it is in the file"),
)
_RELATIVES = (
    Col("sample", "Sample"),
    Col("panel_sample", "Panel's sample"),
    Col("kinship", "Kinship"),
    Col("degree", "Relation", kind="words"),
    Col("n_sites", "Variants compared"),
)


def donor_findings(audit: DonorAudit) -> tuple[Finding, ...]:
    """Return what was found, each with its first samples and, unless it is a fact, what to do."""
    return tuple(exposure.finding for exposure in audit.exposure)


def donors_result(audit: DonorAudit) -> Result:
    """Return all that the audit says; samples by their column, from 1."""
    return Result(
        tool="vcf",
        name=audit.measurement.name,
        verdict=audit.verdict,
        headline=_headline(audit),
        findings=donor_findings(audit),
        groups=tuple(_groups(audit)),
        limits=LIMITS,
    )


def _groups(audit: DonorAudit) -> Iterator[Group]:
    """Yield the figures, and the tables that have a row."""
    found, name = audit.measurement, audit.measurement.name
    samples = zip(
        range(1, found.remaining.n_samples + 1),
        audit.rare.singletons.tolist(),
        _asked(found.remaining.queries),
        strict=True,
    )
    yield Group("donors", "All figures", tuple(_figures(audit)))
    for key, label, title, columns, rows in (
        (
            "carriers",
            "Carriers of rare alleles",
            text("Rare alleles of {file} by how many samples carry them", file=name),
            _CARRIERS,
            list(audit.rare.carriers),
        ),
        ("samples", "Samples", text("Samples of {file}", file=name), _SAMPLES, list(samples)),
        (
            "relatives",
            "Relatives in the panel",
            text("Relatives of {file} in the panel", file=name),
            _RELATIVES,
            () if found.kinship is None else found.kinship.relatives[:MOST_ROWS],
        ),
    ):
        if rows:
            tables = _tables(key, title, columns, rows)
            yield Group(key, label, tables, is_detail=True)


def _tables(key: str, title: str, columns: tuple[Col, ...], rows: Sequence[object]) -> tuple[Table, ...]:
    """Return a table, of which a report holds the first rows alone where there are many."""
    if len(rows) <= MOST_ROWS:
        return (Table(key, title, columns, rows),)
    note = text("The first {shown} of {total}.", shown=MOST_ROWS, total=len(rows))
    return (
        Table(key, title, columns, rows, where="page"),
        Table(key, title, columns, rows[:MOST_ROWS], note, where="report"),
    )


def _asked(questions: Counts) -> list[int | None]:
    """Return how many questions show each person, None where none do."""
    return [None if each == NEVER else each for each in questions.tolist()]


def _figures(audit: DonorAudit) -> Iterator[Figure]:
    """Yield the figures; those that need samples or a panel only with them."""
    remaining, kinship = audit.measurement.remaining, audit.measurement.kinship
    yield Figure(
        "n_common_alleles",
        remaining.n_common,
        text("of {total}", total=remaining.n_named),
        total=remaining.n_named,
    )
    low, high = IDENTIFYING
    identify = text("{low} to {high} identify", low=low, high=high)
    yield Figure("n_independent_variants", remaining.n_independent, identify)
    if remaining.n_samples:
        asked = [each for each in _asked(remaining.queries) if each is not None]
        of = text("{found} of {total} samples", found=len(asked), total=remaining.n_samples)
        yield Figure("match_exponent", round(remaining.match_exponent))
        of_rare = text("of {total}", total=audit.rare.n)
        yield Figure("n_singleton_alleles", audit.rare.n_singletons, of_rare, total=audit.rare.n)
        yield Figure("fewest_questions", min(asked, default=None), of)
    if kinship is not None:
        checks = ("donor_in_panel", "relative_in_panel", "panel_not_comparable")
        yield Figure(
            "kinship",
            kinship.relatives[0].kinship if kinship.relatives else None,
            counted(kinship.n_sites, "variant"),
            verdict_of(donor_findings(audit), *checks) or Verdict.PASS,
        )


def _headline(audit: DonorAudit) -> Text:
    """Return the sentence that explains the verdict: the gravest finding, where there is one."""
    remaining, kinship = audit.measurement.remaining, audit.measurement.kinship
    if any(one.check == "donor_in_panel" for one in audit.exposure) and kinship is not None:
        return text(
            "{found} of {total} donors are in the panel too.",
            found=kinship.n_related(DEGREES[0][0]),
            total=kinship.n_samples,
        )
    if audit.verdict is not Verdict.PASS and audit.exposure[0].check != "relative_in_panel":
        return audit.exposure[0].message
    if kinship is not None and kinship.relatives:
        return text("Relatives of the donors are in {panel}.", panel=kinship.panel_name)
    if not remaining.n_samples:
        return text("The file has no samples, so its variants do not tell whose they are.")
    return text(
        "{n} common variant remains, {independent} of them independent.",
        "{n} common variants remain, {independent} of them independent.",
        n=remaining.n_common,
        independent=remaining.n_independent,
    )
