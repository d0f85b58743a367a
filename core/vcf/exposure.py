"""The exposure checks: what each is called, how bad it is by default, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.errors import AuditInputError
from core.vcf.sites import Mark
from core.verdict import Verdict

FAIL, WARN, NOT_ASSESSED = Verdict.FAIL, Verdict.WARN, Verdict.NOT_ASSESSED


@dataclass(frozen=True, kw_only=True)
class Check:
    """One exposure check.

    Attributes
    ----------
    name
        Stable machine name.
    label
        Name on screen.
    default
        The verdict when anything is found and the person has not said otherwise.
    message
        A sentence with ``{n}`` for the count and ``{of}`` for the denominator.
    mark
        For checks of masked sites: the bit that says yes.
    """

    name: str
    label: str
    default: Verdict
    message: str
    mark: Mark | None = None


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """The outcome of one check that found something.

    Attributes
    ----------
    check
        Name of the check.
    n_affected
        How many sites, records, header lines or samples (the message says which).
    examples
        Up to five places: ``CHROM:POS``, or the key of a header line. Never a value.
    verdict
        What this check alone would make of the file.
    message
        The finding in a sentence.
    """

    check: str
    n_affected: int
    examples: tuple[str, ...]
    verdict: Verdict
    message: str


_SITE = "{n} of {of} masked sites "
SITE_CHECKS = (
    Check(
        name="masked_in_name_only",
        label="Masked in name only",
        default=FAIL,
        mark=Mark.NAME_ONLY,
        message=_SITE
        + "count as masked only because a symbolic allele such as <NON_REF> holds the letter N; "
        "no base was replaced.",
    ),
    Check(
        name="frequency_only",
        label="Success through INFO alone",
        default=WARN,
        mark=Mark.INFO_ONLY,
        message=_SITE + "count as masked only because INFO lost its frequency or the frequency was raised; "
        "ALT still names the allele.",
    ),
    Check(
        name="unmasked_duplicate",
        label="Unmasked record at a masked site",
        default=FAIL,
        mark=Mark.DUPLICATE,
        message=_SITE + "have another record at the same position that still names the allele.",
    ),
    Check(
        name="public_id",
        label="ID gives the allele back",
        default=FAIL,
        mark=Mark.PUBLIC_ID,
        message=_SITE + "keep an ID of a public database (such as dbSNP) or one that spells the allele out.",
    ),
    Check(
        name="other_id",
        label="Other ID kept",
        default=WARN,
        mark=Mark.OTHER_ID,
        message=_SITE + "keep another identifier in the ID column, which may lead to the allele.",
    ),
    Check(
        name="allele_in_info",
        label="Allele in INFO",
        default=FAIL,
        mark=Mark.INFO_ALLELE,
        message=_SITE
        + "still hold the allele in INFO: an annotation (CSQ, ANN, HGVS) or its text in a field.",
    ),
    Check(
        name="rare_frequency_in_info",
        label="Rare frequency in INFO",
        default=WARN,
        mark=Mark.INFO_FREQUENCY,
        message=_SITE
        + "still state a frequency in INFO that is as rare as the allele's; with the position, a "
        "public database names the allele.",
    ),
    Check(
        name="genotype_kept",
        label="Genotype still carries the allele",
        default=FAIL,
        mark=Mark.GENOTYPE,
        message=_SITE
        + "have genotypes that still carry a masked allele's index: who carries the rare variant "
        "is still told.",
    ),
    Check(
        name="depth_betrays",
        label="Depth fields betray the carrier",
        default=WARN,
        mark=Mark.DEPTH,
        message=_SITE + "have per-sample fields (AD, PL and the like) that show reads of the masked allele.",
    ),
    Check(
        name="allele_in_samples",
        label="Allele in a phasing identifier",
        default=FAIL,
        mark=Mark.SAMPLE_ALLELE,
        message=_SITE
        + "have a phasing identifier (PID, such as 1005_A_G) in a sample that spells the allele out.",
    ),
    Check(
        name="phased_neighbour",
        label="Neighbour's phasing identifier",
        default=FAIL,
        mark=Mark.PHASED,
        message=_SITE
        + "are named by a phasing identifier (PID) in another record, which spells their allele out and "
        "tells who carries it.",
    ),
    Check(
        name="repeat_in_masked_alt",
        label="Repeat still in the masked ALT",
        default=FAIL,
        mark=Mark.REPEAT_IN_ALT,
        message=_SITE + "still hold a short tandem repeat in the ALT that counts as masked.",
    ),
    Check(
        name="repeat_length_kept",
        label="Repeat length kept",
        default=FAIL,
        mark=Mark.REPEAT_LENGTH,
        message=_SITE
        + "have a masked ALT exactly as long as the repeat it hides: the length, which identifies, "
        "can be counted.",
    ),
    Check(
        name="allele_in_ref",
        label="Allele in REF",
        default=FAIL,
        mark=Mark.REFERENCE,
        message=_SITE + "have a changed REF that now holds the masked allele.",
    ),
    Check(
        name="repeat_described",
        label="Repeat described beside ALT",
        default=WARN,
        mark=Mark.REPEAT_DESCRIBED,
        message=_SITE
        + "show the repeat in REF or describe it in INFO (unit, copies, length, end), from which the "
        "masked length may follow.",
    ),
)
OTHER_CHECKS = (
    Check(
        name="repeat_neighbour",
        label="Neighbouring record shows the repeat",
        default=FAIL,
        message=_SITE
        + "have an unmasked repeat of the same motif within {window} bases, from which the masked "
        "length may follow.",
    ),
    Check(
        name="sole_carrier",
        label="Rare allele of one donor",
        default=WARN,
        message="{n} of {of} rare or repeat sites still name their rarest allele, which exactly one sample "
        "carries: each can single that donor out.",
    ),
    Check(
        name="records_removed",
        label="Records removed",
        default=WARN,
        message="{n} of {of} records of the original are not in the anonymized file.",
    ),
    Check(
        name="records_added",
        label="Records added",
        default=WARN,
        message="{n} of {of} records of the anonymized file are not in the original.",
    ),
    Check(
        name="repeats_added",
        label="Added records with repeats",
        default=FAIL,
        message="{n} of {of} records of the anonymized file stand at sites that the original lacks and "
        "hold a short tandem repeat: a moved record is not masked.",
    ),
    Check(
        name="records_reordered",
        label="Records reordered",
        default=WARN,
        message="{n} of {of} records of the anonymized file stand in another order than in the original.",
    ),
    Check(
        name="genotypes_changed",
        label="Genotypes changed",
        default=WARN,
        message="{n} of {of} records have other genotypes than in the original.",
    ),
    Check(
        name="reference_changed",
        label="REF changed",
        default=WARN,
        message="{n} of {of} records differ from the original in REF.",
    ),
    Check(
        name="nothing_to_verify",
        label="Nothing to verify",
        default=NOT_ASSESSED,
        message="Nothing in the original has to be masked by the published rule; 100.00%(0/0) says nothing.",
    ),
    Check(
        name="declaration_hides_frequency",
        label="Declaration hides frequencies",
        default=NOT_ASSESSED,
        message="{n} of {of} original records with an ALT have a frequency that the header "
        "makes unreadable by its declaration (MAF as text, flag or list, AN as a list); they are no "
        "targets and were not assessed.",
    ),
    Check(
        name="frequency_unknown",
        label="No frequency in INFO",
        default=WARN,
        message="{n} of {of} original records with an ALT have no frequency in INFO; whether they are rare "
        "was not assessed.",
    ),
    Check(
        name="no_frequency_at_all",
        label="No frequencies at all",
        default=NOT_ASSESSED,
        message="None of {of} original records with an ALT has a frequency in INFO; rare variants could not "
        "be assessed.",
    ),
)
HEADER_CHECKS = (
    Check(
        name="header_command",
        label="Commands in the header",
        default=FAIL,
        message="{n} of {of} header lines hold a command line: how and from what the file was made.",
    ),
    Check(
        name="header_source",
        label="Source in the header",
        default=WARN,
        message="{n} of {of} header lines name the program or centre that made the file.",
    ),
    Check(
        name="header_date",
        label="Date in the header",
        default=WARN,
        message="{n} of {of} header lines hold a date.",
    ),
    Check(
        name="header_person",
        label="Sample or pedigree lines",
        default=FAIL,
        message="{n} of {of} header lines describe samples, pedigrees or individuals.",
    ),
    Check(
        name="header_path",
        label="File paths in the header",
        default=FAIL,
        message="{n} of {of} header lines hold a file path.",
    ),
    Check(
        name="header_host",
        label="Users or hosts in the header",
        default=FAIL,
        message="{n} of {of} header lines name a user or a computer.",
    ),
    Check(
        name="header_email",
        label="E-mail in the header",
        default=FAIL,
        message="{n} of {of} header lines hold an e-mail address.",
    ),
    Check(
        name="header_contig_origin",
        label="Assembly of contigs",
        default=WARN,
        message="{n} of {of} header lines tell the assembly, checksum or address of a contig's sequence.",
    ),
    Check(
        name="samples_kept",
        label="Sample names kept",
        default=WARN,
        message="{n} of {of} sample names are those of the original.",
    ),
    Check(
        name="samples_identify",
        label="Sample names look personal",
        default=FAIL,
        message="{n} of {of} sample names look like a person's name or an identifier.",
    ),
)
CHECKS: Mapping[str, Check] = MappingProxyType(
    {check.name: check for check in (*SITE_CHECKS, *OTHER_CHECKS, *HEADER_CHECKS)}
)


def check_severities(severities: Mapping[str, Verdict]) -> None:
    """Refuse severities for checks that do not exist.

    Raises
    ------
    AuditInputError
        Naming the unknown checks.
    """
    unknown = sorted(set(severities) - set(CHECKS))
    if unknown:
        raise AuditInputError(
            f"No exposure check has the name {', '.join(unknown)}. The checks are: {', '.join(CHECKS)}."
        )


def found(
    name: str, n: int, of: int, examples: Sequence[str], severities: Mapping[str, Verdict], **words: object
) -> list[Exposure]:
    """Return the exposure of a check as a list of one, empty when nothing was found."""
    if n == 0:
        return []
    check = CHECKS[name]
    return [
        Exposure(
            check=name,
            n_affected=n,
            examples=tuple(examples[:5]),
            verdict=severities.get(name, check.default),
            message=check.message.format(n=f"{n:,}", of=f"{of:,}", **words),
        )
    ]
