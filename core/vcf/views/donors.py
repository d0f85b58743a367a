"""Figures, findings and tables of what a file tells of its donors."""

from typing import NamedTuple

import pandas as pd

from core.reports import Figure
from core.reports.model import Column, Table, table_by, table_of
from core.vcf.donor import DEGREES, IDENTIFYING, DonorAudit
from core.vcf.donor.document import SHOWN_PAIRS
from core.vcf.donor.membership import NEVER
from core.verdict import Verdict
from core.words import Text, counted, text

DONOR_MEASURE_KEYS = (
    "n_common_alleles",
    "n_independent_variants",
    "match_exponent",
    "n_singleton_alleles",
    "fewest_questions",
    "kinship",
)
DONOR_LIMITS = (
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


def donor_figures(audit: DonorAudit) -> tuple[Figure, ...]:
    """Return the figures of one file; those that need samples or a panel only with them."""
    remaining, kinship = audit.measurement.remaining, audit.measurement.kinship
    found = [
        Figure(measure="n_common_alleles", value=remaining.n_common, threshold=_of(remaining.n_named)),
        Figure(
            measure="n_independent_variants",
            value=remaining.n_independent,
            threshold=text("{low} to {high} identify", low=IDENTIFYING[0], high=IDENTIFYING[1]),
        ),
    ]
    if remaining.n_samples:
        asked = remaining.queries[remaining.queries != NEVER]
        found += [
            Figure(measure="match_exponent", value=round(remaining.match_exponent)),
            Figure(
                measure="n_singleton_alleles",
                value=audit.rare.n_singletons,
                threshold=_of(audit.rare.n),
            ),
            Figure(
                measure="fewest_questions",
                value=int(asked.min()) if len(asked) else None,
                threshold=text("{found} of {total} samples", found=len(asked), total=remaining.n_samples),
            ),
        ]
    if kinship is not None:
        closest = kinship.relatives[0].kinship if kinship.relatives else None
        found.append(
            Figure(
                measure="kinship",
                value=closest,
                threshold=counted(kinship.n_sites, "variant"),
                verdict=_kinship_verdict(audit),
            )
        )
    return tuple(found)


def _of(n: int) -> Text:
    return text("of {total}", total=n)


def _kinship_verdict(audit: DonorAudit) -> Verdict:
    checks = ("donor_in_panel", "relative_in_panel", "panel_not_comparable")
    found = [one.verdict for one in audit.exposure if one.check in checks]
    return max(found, key=lambda verdict: verdict.severity, default=Verdict.PASS)


def donor_headline(audit: DonorAudit) -> Text:
    """Return the sentence that explains the donors' verdict: the gravest finding, where there is one."""
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


CARRIER_COLUMNS = (Column("k", "Samples that carry it (k)"), Column("n_alleles", "Rare alleles"))
MEMBER_COLUMNS = (
    Column("panel_sample", "Panel's sample"),
    Column("n_questions", "Questions that show it is in the file"),
)
RELATIVE_COLUMNS = (
    Column("sample", "Sample"),
    Column("panel_sample", "Panel's sample"),
    Column("kinship", "Kinship"),
    Column("degree", "Relation", kind="words"),
    Column("n_sites", "Variants compared"),
)


def carriers_table(audit: DonorAudit) -> Table:
    """Return a row per number of carriers: how many of the rare alleles that remain so many samples carry."""
    return table_of(audit.rare.carriers, CARRIER_COLUMNS)


def samples_table(audit: DonorAudit) -> Table:
    """Return a row per sample, by its column: rare alleles of its own, questions that show membership."""
    remaining = audit.measurement.remaining
    return table_by(
        {
            Column("sample", "Sample"): range(1, remaining.n_samples + 1),
            Column("n_alone", "Rare alleles it alone carries"): audit.rare.singletons,
            Column("n_questions", "Questions that show it is in the file"): pd.array(
                [None if asked == NEVER else asked for asked in remaining.queries.tolist()], dtype="Int64"
            ),
        }
    )


def members_table(audit: DonorAudit) -> Table:
    """Return a row per person of the panel who is shown to be in the file, by how many questions."""
    membership = audit.measurement.membership
    asked = membership.questions.tolist() if membership else []
    rows = [(column, one) for column, one in enumerate(asked, 1) if one != NEVER]
    return table_of(rows, MEMBER_COLUMNS)


def relatives_table(audit: DonorAudit) -> Table:
    """Return a row per related pair of a sample of the file and one of the panel, the closest first."""
    kinship = audit.measurement.kinship
    relatives = [one._asdict() for one in (kinship.relatives if kinship else ())[:SHOWN_PAIRS]]
    return table_of([[one[each.key] for each in RELATIVE_COLUMNS] for one in relatives], RELATIVE_COLUMNS)


class DonorTable(NamedTuple):
    """One table of what a file tells of its donors, with its name in the report and on its tab."""

    key: str
    title: str
    label: str
    frame: Table


def donor_tables(audit: DonorAudit) -> list[DonorTable]:
    """Return the tables that have a row."""
    tables = (
        DonorTable(
            "carriers",
            "Rare alleles of {file} by how many samples carry them",
            "Carriers of rare alleles",
            carriers_table(audit),
        ),
        DonorTable("samples", "Samples of {file}", "Samples", samples_table(audit)),
        DonorTable(
            "relatives",
            "Relatives of {file} in the panel",
            "Relatives in the panel",
            relatives_table(audit),
        ),
        DonorTable(
            "members",
            "People of the panel who are shown to be in {file}",
            "People of the panel",
            members_table(audit),
        ),
    )
    return [table for table in tables if len(table.frame)]
