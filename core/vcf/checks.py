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
        "allele_respelled",
        "Allele in another spelling",
        FAIL,
        MASKED + "have another ALT that still names the allele: in lower case, inside a symbolic allele, "
        "beside an N, by an ambiguity code, with other padding, or with REF and ALT exchanged.",
        Mark.RESPELLED,
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
        MASKED
        + "keep an ID of a public database (such as dbSNP), in the ID column, INFO or FILTER, or one that "
        "spells the allele out. INFO that names the allele itself is counted there only.",
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
        MASKED + "still hold the allele in INFO or FILTER: an annotation (CSQ, ANN, HGVS) or its text in a "
        "field, in either case, percent-encoded or on the other strand.",
        Mark.INFO_ALLELE,
    ),
    Check(
        "described_in_info",
        "Allele described in INFO",
        WARN,
        MASKED
        + "have INFO fields that describe the allele without naming it: its consequence, scores, class, "
        "or counts of its reads or carriers.",
        Mark.DESCRIBED,
    ),
    Check(
        "indel_described",
        "Insertion or deletion described",
        WARN,
        MASKED + "are insertions, deletions or symbolic alleles whose REF is longer than one base or whose "
        "INFO gives kind, length or end: what is lost or how much is added may follow.",
        Mark.INDEL,
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
        MASKED + "have per-sample fields (AD, PL, GL, GP, DS, PS and the like) that show who carries the "
        "masked allele.",
        Mark.DEPTH,
    ),
    Check(
        "carriers_blanked",
        "Only carriers blanked",
        FAIL,
        MASKED + "have genotypes in which the carriers alone were blanked: the blank tells who carries.",
        Mark.BLANKED_CARRIERS,
    ),
    Check(
        "sample_fields_kept",
        "Other fields of samples",
        WARN,
        MASKED + "have per-sample fields whose meaning is not known here; they may tell the allele or "
        "its carrier.",
        Mark.SAMPLE_FIELDS,
    ),
    Check(
        "allele_in_samples",
        "Allele in the samples",
        FAIL,
        MASKED + "have a sample whose fields spell the allele out (PID, such as 1005_A_G; TGT, such as A/G) "
        "or give the repeat's length (REPCN, GB and the like).",
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
        MASKED + "still hold the repeat, or half its copies, in the ALT that counts as masked.",
        Mark.REPEAT_IN_ALT,
    ),
    Check(
        "repeat_length_kept",
        "Repeat length kept",
        FAIL,
        MASKED
        + "have a masked ALT from which the repeat's length, which identifies, can be counted: as many "
        "letters as the repeat has bases or copies, or a number.",
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
        "added_neighbour",
        "Added record near a masked site",
        FAIL,
        MASKED + "have within {window} bases a record that the original lacks and that names an allele: a "
        "moved record is not masked.",
    ),
    Check(
        "rare_added",
        "Added records that are rare",
        FAIL,
        RECORDS + "stand at sites that the original lacks, name an allele, and are rare by their own INFO: "
        "a moved record is not masked.",
    ),
    Check(
        "alleles_shown",
        "Allele shown that the original hides",
        FAIL,
        RECORDS + "name an allele or show a repeat where the original shows none: are the original and "
        "the anonymized file exchanged?",
    ),
    Check(
        "level_assumed",
        "Level not in the file name",
        NOT_ASSESSED,
        "The file's name begins with none of high_, strong_, low_ and weak_, written so; the low level was "
        "assumed and no variant was verified.",
    ),
    Check(
        "variants_not_verified",
        "Variants left by the low level",
        WARN,
        "{n} of {of} rare or repeat sites still name their allele: the low level asks for the header "
        "only, and each can help to find the donor.",
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
        LINES + "describe samples, pedigrees or individuals, or name a sample.",
    ),
    Check(
        "header_file",
        "Data files in the header",
        FAIL,
        LINES + "name a file of reads or variants, whose name often is a person's.",
    ),
    Check(
        "header_allele",
        "Alleles in the header",
        FAIL,
        LINES + "hold a variant or a public database's ID.",
    ),
    Check(
        "header_leftover",
        "Free text left in the header",
        WARN,
        LINES + "stand word for word in the original, under a key that is not of the VCF standard.",
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
    Check(
        "samples_kept",
        "Sample names kept",
        WARN,
        "{n} of {of} sample names are those of the original, or hold one, in either case.",
    ),
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
