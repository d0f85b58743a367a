"""The exposure checks as data: what each is called, how bad it is by default, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from core.vcf.sites import Mark
from core.verdict import Verdict


class Check(NamedTuple):
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
    mark: int | None = None


FAIL, WARN, NOT_ASSESSED = Verdict.FAIL, Verdict.WARN, Verdict.NOT_ASSESSED
MASKED = "{n} of {of} masked sites "
LINES = "{n} of {of} header lines "
ORIGINAL = "{n} of {of} original records with an ALT "
RECORDS = "{n} of {of} records of the anonymized file "

SITE_CHECKS = (
    Check(
        "masked_in_name_only",
        "Masked in name only",
        FAIL,
        MASKED + "count as masked only because a symbolic allele such as <NON_REF> holds the letter "
        "N; no base was replaced.",
        Mark.NAME_ONLY,
    ),
    Check(
        "frequency_only",
        "Success through INFO alone",
        WARN,
        MASKED + "count as masked only because INFO lost its frequency or the frequency was raised; "
        "ALT still names the allele.",
        Mark.INFO_ONLY,
    ),
    Check(
        "unmasked_duplicate",
        "Unmasked record at a masked site",
        FAIL,
        MASKED + "have another record at the same position that still names the allele.",
        Mark.DUPLICATE,
    ),
    Check(
        "public_id",
        "ID gives the allele back",
        FAIL,
        MASKED + "keep an ID of a public database (such as dbSNP) or one that spells the allele out.",
        Mark.PUBLIC_ID,
    ),
    Check(
        "other_id",
        "Other ID kept",
        WARN,
        MASKED + "keep another identifier in the ID column, which may lead to the allele.",
        Mark.OTHER_ID,
    ),
    Check(
        "allele_in_info",
        "Allele in INFO",
        FAIL,
        MASKED + "still hold the allele in INFO: an annotation (CSQ, ANN, HGVS) or its text in a field.",
        Mark.INFO_ALLELE,
    ),
    Check(
        "rare_frequency_in_info",
        "Rare frequency in INFO",
        WARN,
        MASKED + "still state a frequency in INFO that is as rare as the allele's; with the position, "
        "a public database names the allele.",
        Mark.INFO_FREQUENCY,
    ),
    Check(
        "genotype_kept",
        "Genotype still carries the allele",
        FAIL,
        MASKED + "have genotypes that still carry a masked allele's index: who carries the rare "
        "variant is still told.",
        Mark.GENOTYPE,
    ),
    Check(
        "depth_betrays",
        "Depth fields betray the carrier",
        WARN,
        MASKED + "have per-sample fields (AD, PL and the like) that show reads of the masked allele.",
        Mark.DEPTH,
    ),
    Check(
        "allele_in_samples",
        "Allele in a phasing identifier",
        FAIL,
        MASKED + "have a phasing identifier (PID, such as 1005_A_G) in a sample that spells the allele out.",
        Mark.SAMPLE_ALLELE,
    ),
    Check(
        "phased_neighbour",
        "Neighbour's phasing identifier",
        FAIL,
        MASKED + "are named by a phasing identifier (PID) in another record, which spells their "
        "allele out and tells who carries it.",
        Mark.PHASED,
    ),
    Check(
        "repeat_in_masked_alt",
        "Repeat still in the masked ALT",
        FAIL,
        MASKED + "still hold a short tandem repeat in the ALT that counts as masked.",
        Mark.REPEAT_IN_ALT,
    ),
    Check(
        "repeat_length_kept",
        "Repeat length kept",
        FAIL,
        MASKED + "have a masked ALT exactly as long as the repeat it hides: the length, which "
        "identifies, can be counted.",
        Mark.REPEAT_LENGTH,
    ),
    Check(
        "allele_in_ref",
        "Allele in REF",
        FAIL,
        MASKED + "have a changed REF that now holds the masked allele.",
        Mark.REFERENCE,
    ),
    Check(
        "repeat_described",
        "Repeat described beside ALT",
        WARN,
        MASKED + "show the repeat in REF or describe it in INFO (unit, copies, length, end), from "
        "which the masked length may follow.",
        Mark.REPEAT_DESCRIBED,
    ),
)

OTHER_CHECKS = (
    Check(
        "repeat_neighbour",
        "Neighbouring record shows the repeat",
        FAIL,
        MASKED + "have an unmasked repeat of the same motif within {window} bases, from which the "
        "masked length may follow.",
    ),
    Check(
        "sole_carrier",
        "Rare allele of one donor",
        WARN,
        "{n} of {of} rare or repeat sites still name their rarest allele, which exactly one "
        "sample carries: each can single that donor out.",
    ),
    Check(
        "records_removed",
        "Records removed",
        WARN,
        "{n} of {of} records of the original are not in the anonymized file.",
    ),
    Check("records_added", "Records added", WARN, RECORDS + "are not in the original."),
    Check(
        "repeats_added",
        "Added records with repeats",
        FAIL,
        RECORDS + "stand at sites that the original lacks and hold a short tandem repeat: a moved "
        "record is not masked.",
    ),
    Check(
        "records_reordered",
        "Records reordered",
        WARN,
        RECORDS + "stand in another order than in the original.",
    ),
    Check(
        "genotypes_changed",
        "Genotypes changed",
        WARN,
        "{n} of {of} records have other genotypes than in the original.",
    ),
    Check("reference_changed", "REF changed", WARN, "{n} of {of} records differ from the original in REF."),
    Check(
        "nothing_to_verify",
        "Nothing to verify",
        NOT_ASSESSED,
        "Nothing in the original has to be masked by the published rule; 100.00%(0/0) says nothing.",
    ),
    Check(
        "declaration_hides_frequency",
        "Declaration hides frequencies",
        NOT_ASSESSED,
        ORIGINAL + "have a frequency that the header makes unreadable by its declaration (MAF as text, "
        "flag or list, AN as a list); they are no targets and were not assessed.",
    ),
    Check(
        "frequency_unknown",
        "No frequency in INFO",
        WARN,
        ORIGINAL + "have no frequency in INFO; whether they are rare was not assessed.",
    ),
    Check(
        "no_frequency_at_all",
        "No frequencies at all",
        NOT_ASSESSED,
        "None of {of} original records with an ALT has a frequency in INFO; rare variants "
        "could not be assessed.",
    ),
)

HEADER_CHECKS = (
    Check(
        "header_command",
        "Commands in the header",
        FAIL,
        LINES + "hold a command line: how and from what the file was made.",
    ),
    Check(
        "header_source",
        "Source in the header",
        WARN,
        LINES + "name the program or centre that made the file.",
    ),
    Check("header_date", "Date in the header", WARN, LINES + "hold a date."),
    Check(
        "header_person",
        "Sample or pedigree lines",
        FAIL,
        LINES + "describe samples, pedigrees or individuals.",
    ),
    Check("header_path", "File paths in the header", FAIL, LINES + "hold a file path."),
    Check("header_host", "Users or hosts in the header", FAIL, LINES + "name a user or a computer."),
    Check("header_email", "E-mail in the header", FAIL, LINES + "hold an e-mail address."),
    Check(
        "header_contig_origin",
        "Assembly of contigs",
        WARN,
        LINES + "tell the assembly, checksum or address of a contig's sequence.",
    ),
    Check("samples_kept", "Sample names kept", WARN, "{n} of {of} sample names are those of the original."),
    Check(
        "samples_identify",
        "Sample names look personal",
        FAIL,
        "{n} of {of} sample names look like a person's name or an identifier.",
    ),
)
CHECKS: Mapping[str, Check] = MappingProxyType(
    {check.name: check for check in (*SITE_CHECKS, *OTHER_CHECKS, *HEADER_CHECKS)}
)
